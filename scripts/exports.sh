#!/usr/bin/env bash
# exports.sh [BUILD_DIR]: prints what programs depend on once they are linked: the functions that the
# shared libraries export, the numbers of enumerators, and sizes and field offsets of public structs
# (x86-64). `exports.sh build >tests/frame/exports.txt` after a deliberate change; docs/reference/compatibility.md
# says which changes are allowed.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The objects of the static libraries are those of the shared ones.
for library in "$build"/liblinkwork{,_io,_jit,_stiff,_identify,_sweep}.a; do
    name=$(basename "$library" .a)
    [ -e "$library" ] || continue
    ${CC:-cc} -shared -o "$work/$name.so" -Wl,--whole-archive "$library" -Wl,--no-whole-archive
    nm -D --defined-only "$work/$name.so" | awk -v name="$name" '{ print name ": " $NF }' | LC_ALL=C sort
done
python3 scripts/api.py layout "${CC:-cc}"
