#!/usr/bin/env bash
# D52: the core on other processors. Its unit tests and numbers of the models of tests/support are run
# with 32 bits, with big-endian numbers, on aarch64, riscv64 and WebAssembly, and compared with those of
# this machine. A target whose packages are absent (scripts/install.sh targets) is skipped by name.
#
# Built without optimisation: cheap, and what is looked for are sizes, byte orders and alignment.
. "$(dirname "$0")/frame.sh"

layers=$(sed -n 's/^linkwork_layers(core_sources \(.*\))/\1/p' CMakeLists.txt)
# Programs that need nothing but the core, and take no more than a few seconds on an emulator.
units="assemblies closed_dynamics closed_dynamics_forces compile couplings diagnostics kinematics kinematics_contract
    motion parameter_list parts ports report rotation"

declare -A options=(
    [native]="" [s390x]="--target=s390x-linux-gnu -static" [riscv64]="--target=riscv64-linux-gnu -static"
    [aarch64]="--target=aarch64-linux-gnu -static -fuse-ld=lld"
    [armhf]="--target=arm-linux-gnueabihf -static -fuse-ld=lld"
    [wasm32]="--target=wasm32-wasi --sysroot=/usr -Wl,-z,stack-size=1048576"
)
declare -A runner=(
    [native]="" [s390x]=qemu-s390x [riscv64]=qemu-riscv64 [aarch64]=qemu-aarch64 [armhf]=qemu-arm
    [wasm32]="node --no-warnings tests/targets/run.cjs"
)

compile() # target, arguments
{
    local target=$1
    shift
    # shellcheck disable=SC2086 # options are words
    clang-14 ${options[$target]} -std=c11 -ffp-contract=off -ffunction-sections -w -D_POSIX_C_SOURCE=200809L -DLINKWORK_SOURCE_DIR="\"$SOURCE_DIR\"" \
        -I"$SOURCE_DIR/include" -I"$SOURCE_DIR/src" -I"$SOURCE_DIR/tests/support" "$@"
}

run() # target, program
{
    ${runner[$1]} "$work/$1/$2"
}

# A program that prints runs there.
is_there() # target
{
    mkdir -p "$work/$1"
    echo '#include <stdio.h>
#include <math.h>
int main(int n, char **v) { (void)v; printf("%d\n", (int)cos(n - 1.0)); }' >"$work/try.c"
    { compile "$1" "$work/try.c" -o "$work/$1/try" -lm && [ "$(run "$1" try)" = 1 ]; } >/dev/null 2>&1
}

build() # target
{
    local layer folder=$work/$1
    for layer in $layers; do
        mkdir "$folder/$layer"
        (cd "$folder/$layer" && compile "$1" -c "$SOURCE_DIR/src/$layer"/*.c) || return
    done
    mkdir "$folder/support"
    # shellcheck disable=SC2046 # no blanks in these names
    (cd "$folder/support" &&
        compile "$1" -c $(grep -LE 'reference\.h|jansson|unistd|LINKWORK_COMPILER' "$SOURCE_DIR"/tests/support/*.c)) || return
    link "$1" tests/targets/numbers.c numbers
}

link() # target, source, program
{
    compile "$1" "$2" -Wl,--gc-sections "$work/$1"/*/*.o -lm -o "$work/$1/$3"
}

print_numbers() # target
{
    run "$1" numbers >"$work/$1.txt" || cat "$work/$1.txt"
}

agrees_with_this_machine() # target
{
    print_numbers "$1" || return
    if [ "$1" = wasm32 ]; then # models are built with sines of another C library: other constants in the code
        sed -i '/^= .*, code:/d' "$work/$1.txt"
        sed '/^= .*, code:/d' "$work/native.txt" >"$work/wanted.txt"
    else
        cp "$work/native.txt" "$work/wanted.txt"
    fi
    python3 tests/targets/compare.py "$work/wanted.txt" "$work/$1.txt"
}

unit_tests_pass_on() # target
{
    local name
    for name in $units; do
        { link "$1" "tests/unit/test_$name.c" "test_$name" && run "$1" "test_$name"; } >"$work/out" 2>&1 &&
            grep -q '^ok ' "$work/out" || { echo "$name:" && grep -v '^ok ' "$work/out"; }
    done
}

if ! command -v clang-14 >/dev/null || ! is_there native; then
    skip D52_other_processors "clang-14 is not installed"
    finish
fi
check_as core_builds_without_other_libraries build native
check_as core_prints_its_numbers print_numbers native
for target in armhf s390x aarch64 riscv64 wasm32; do
    if ! is_there $target; then
        skip D52_core_on_$target "no compiler, C library or emulator for $target (scripts/install.sh targets)"
        continue
    fi
    check_as core_builds_for_$target build $target
    if [ -e "$work/$target/numbers" ]; then
        check_as D52_numbers_on_${target}_agree agrees_with_this_machine $target
        case $target in
        armhf | s390x) # 32 bits; big-endian
            check_as D52_unit_tests_pass_on_$target unit_tests_pass_on $target
            ;;
        esac
    fi
    rm -rf "${work:?}/$target"
done
finish
