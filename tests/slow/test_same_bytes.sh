#!/usr/bin/env bash
# The same model and options give the same bytes, whichever compiler built the program: compilers
# differ in the order in which they evaluate arguments, and the search for cheap code must not see it.
# Likewise whichever processor runs it: libm's sine has other bits where there is no fused product.
. "$(dirname "$0")/../frame/frame.sh"

# The program of a compiler of the other family: that of OTHER_PROGRAM, or one that is built here.
other_program_builds()
{
    [ ! -x "$other_program" ] || return 0
    {
        cmake -S . -B "$work/other" -DCMAKE_C_COMPILER="$other" -DCMAKE_BUILD_TYPE=Release \
            -DLINKWORK_TESTS=OFF -DLINKWORK_TOOLS=ON &&
            cmake --build "$work/other" -j 2 --target linkwork_program
    } >"$work/output" 2>&1 || tail -n 25 "$work/output"
}

# Both programs do the same, and what they write is compared.
same_bytes() # model, options
{
    local model=$1 which
    shift
    for which in one two; do
        local program=$PROGRAM
        [ $which = one ] || program="env GLIBC_TUNABLES=glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4 $other_program"
        $program generate "models/$model" "$@" -o - >"$work/$which.h" 2>"$work/$which.err" ||
            cat "$work/$which.err"
        $program derive "models/$model" "$@" --json >"$work/$which.json" 2>"$work/$which.err" ||
            cat "$work/$which.err"
        [ -s "$work/$which.h" ] && [ -s "$work/$which.json" ] || echo "nothing was written"
    done
    cmp "$work/one.h" "$work/two.h"
    cmp "$work/one.json" "$work/two.json"
}

other=gcc
"$CC" --version | grep -qi clang || other=clang-14
other_program=${OTHER_PROGRAM:-}
[ -x "$other_program" ] || other_program=$work/other/linkwork
if [ ! -x "${PROGRAM:-}" ] || ! command -v $other >/dev/null; then
    skip same_bytes_from_two_compilers "there is no second compiler, or no program"
    finish
fi
check other_program_builds
for model in ur5_class scara puma560 closed/palletiser panda_class stanford; do
    check_as "same_bytes_as_written_of_${model##*/}" same_bytes $model.xml --effort 0 --functions all
done
check_as same_bytes_as_written_of_vibran6 same_bytes vibran6.xml --effort 0 \
    --functions inverse_dynamics,elements
check_as same_bytes_as_written_of_symbolic_vibran6 same_bytes vibran6.xml --effort 0 --symbolic \
    --functions inverse_dynamics,elements
# Blocks that are solved by Newton's method.
for model in bricard bennett rssr stewart; do
    check_as "same_bytes_of_newton_blocks_of_$model" same_bytes closed/$model.xml --effort 0 \
        --functions gravity
done
for model in ur5_class vibran6 scara puma560; do
    check_as "same_bytes_after_a_search_of_$model" same_bytes $model.xml --effort 1
done
check_as same_bytes_after_a_search_of_instructions same_bytes ur5_class.xml --effort 1 \
    --cost instructions --functions mass_matrix
check_as same_bytes_after_a_search_of_palletiser same_bytes closed/palletiser.xml --effort 1 \
    --functions gravity
finish
