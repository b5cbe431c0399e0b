#!/usr/bin/env bash
# mutate.sh [WORD...]: breaks the guards of tests/mutation/guards.txt one after the other, and prints which
# tests notice; those alone whose file or text contains a WORD. What `make mutate` calls.
set -u
cd "$(dirname "$0")/.." || exit 1
build=build/test/gcc
mkdir -p build/test
{
    cmake -S . -B $build -DLINKWORK_TESTS=ON -DLINKWORK_WERROR=ON -DLINKWORK_TOOLS=ON -DCMAKE_C_COMPILER=gcc \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_EXPORT_COMPILE_COMMANDS=ON &&
        cmake --build $build -j "${JOBS:-2}" --target $(sed -n "s/^? //p" tests/mutation/guards.txt | tr " " "\n" | sort -u)
} >build/test/mutate.log 2>&1 || {
    tail -n 40 build/test/mutate.log
    exit 1
}
exec python3 tests/mutation/mutate.py run $build "$@"
