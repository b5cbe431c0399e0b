#!/bin/bash
# Tests of the program, as scripts use it:
#
#   tests/program/run.sh BUILD_DIR
#
# Prints a line for each test and ends with "N passed, N failed, N skipped". The contract under test:
# names of commands and options, keys of --json, exit codes 0 good, 1 bad input, 2 bad usage, 3 file
# or device trouble, 4 numeric failure.
set -u
[ $# -eq 1 ] || { echo "usage: $0 BUILD_DIR" >&2; exit 2; }
program=$(realpath "$1")/linkwork
[ -x "$program" ] || { echo "there is no program $program" >&2; exit 2; }
here=$(realpath "$(dirname "$0")")
source_dir=$(realpath "$here/../..")
models=$source_dir/models
shared=${LINKWORK_SHARED_DIR:-$source_dir/../shared}
export LC_ALL=C
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
export XDG_CACHE_HOME=$work/cache # compiled code of this run only
exec </dev/null

. "$here/support.sh"
for part in usage model state kinematics ik path collide mobility dynamics deflect code files draw closed levels simulate derive configure identify sweep trouble; do
    . "$here/$part.sh"
done
finish
