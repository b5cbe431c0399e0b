#!/bin/bash
# Tests of the program, as scripts use it:
#
#   tests/program/run.sh BUILD_DIR [PART …]       all parts, or those named: usage, model, ik …
#
# Prints a line for each test and ends with "N passed, N failed, N skipped". The contract under test:
# names of commands and options, keys of --json, exit codes 0 good, 1 bad input, 2 bad usage, 3 file
# or device trouble, 4 numeric failure.
set -u
[ $# -ge 1 ] || { echo "usage: $0 BUILD_DIR [PART …]" >&2; exit 2; }
program=$(realpath "$1")/linkwork
shift
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
if [ $# = 0 ]; then
    set -- "$here"/*.sh
fi
for part; do
    part=${part##*/}
    case $part in
    run.sh | support.sh) ;;
    *) . "$here/${part%.sh}.sh" ;;
    esac
done
finish
