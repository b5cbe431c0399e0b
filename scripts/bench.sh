#!/usr/bin/env bash
# bench.sh [--save NAME] [--quick] [options of bench]: what `make bench` calls.
#
# Builds library, yardsticks and drivers of the peers with every compiler that is there (gcc, clang 14,
# clang 19), all with the flags of the library's release build, runs them in turns and prints the
# table. --quick runs 2 rounds instead of 5, and counts few states. --save NAME keeps it as
# bench/results/NAME.md and .json. The models of robots are looked for in LINKWORK_SHARED_DIR
# (../shared); without them only the models of this repository and chains are timed.
set -eu
cd "$(dirname "$0")/.."
jobs=${JOBS:-2}
shared=${LINKWORK_SHARED_DIR:-../shared}
save=
options=()
counted=(--states 100)
while [ $# -gt 0 ]; do
    case $1 in
    --save)
        save=${2:?bench.sh: --save needs a name}
        shift
        ;;
    --quick)
        options+=(--rounds 2)
        counted=(--states 64 --evaluations 10000)
        ;;
    *) options+=("$1") ;;
    esac
    shift
done

scripts/install.sh build bench

# Clang 19 makes faster code than gcc 12 for some of the peers; it is used where Debian has it.
if ! command -v clang-19 >/dev/null && [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
    apt-get -y -q install --no-install-recommends clang-19 >/dev/null 2>&1 </dev/null || true
fi

first=
build() # name, C compiler, C++ compiler
{
    command -v "$2" >/dev/null && command -v "$3" >/dev/null || return 0
    local dir=build/bench/$1
    mkdir -p "$dir"
    if ! { cmake -S bench -B "$dir" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_CXX_COMPILER="$3" && cmake --build "$dir" -j "$jobs"; } >"$dir/build.log" 2>&1; then
        tail -n 30 "$dir/build.log" >&2
        exit 1
    fi
    first=${first:-$dir}
    options+=(--build "$1=$dir")
}
build gcc gcc g++
# The same library as processors with less would run it.
if [ -n "$first" ]; then
    ! grep -qs avx512vl /proc/cpuinfo || options+=(--build "gcc, AVX2=$first@avx2")
    options+=(--build "gcc, generic=$first@generic")
fi
build clang-14 clang-14 clang++-14
build clang-19 clang-19 clang++-19
if [ -z "$first" ]; then
    echo "bench.sh: no compiler found" >&2
    exit 1
fi

if [ -n "$save" ]; then
    mkdir -p bench/results
    options+=(--markdown "bench/results/$save.md" --json "bench/results/$save.json")
fi
# Instructions, and the worst of many single evaluations.
if command -v valgrind >/dev/null; then
    counts=build/bench/counts.md
    bench/counts.sh "${counted[@]}" --save "$counts" ur5 panda g1 || true
    options+=(--counts "$counts")
fi
"$first/bench" --source . --shared "$shared" "${options[@]}"

# Inverse kinematics against the formula by hand, in a run of its own.
printf '\nInverse kinematics\n\n'
"$first/bench_ik" "$shared" | tee build/bench/ik.txt
if [ -n "$save" ]; then
    { printf '\n## Inverse kinematics\n\n```\n'; cat build/bench/ik.txt; printf '```\n'; } >>"bench/results/$save.md"
fi

# The numeric solver on many arms, beside KDL's two in the same run.
printf '\nNumeric inverse kinematics\n\n'
"$first/bench_search" --source . --shared "$shared" | tee build/bench/search.txt

"$first/bench_growth"

# Sweeps and maps, beside a loop of KDL in the same run.
"$first/bench_sweep" . | tee build/bench/sweep.txt
if [ -n "$save" ]; then
    { printf '\n## Numeric inverse kinematics\n\n```\n'; cat build/bench/search.txt; printf '```\n'; } >>"bench/results/$save.md"
fi

# What levels of detail cost: time of a point at each, and its ratio to the first; the focused choice
# looks closely at the wrist alone.
program=build/linkwork
[ -x $program ] || make -s all >build/bench/program.log 2>&1
levels()
{
    $program compare models/hr120/hr120.xml --levels high,middle,high+wrist=low,low |
        sed -n '/^levels/,/^$/p'
}
printf '\nLevels of detail, models/hr120\n\n'
levels
if [ -n "$save" ]; then
    { printf '\n## Levels of detail, models/hr120\n\n```\n'; levels; printf '```\n'; } >>"bench/results/$save.md"
fi

# Distances of solids, beside FCL in the same run.
printf '\nDistances\n\n'
{ "$first/bench_distance" . && "$first/bench_surface"; } | tee build/bench/distance.txt
"$first/bench_mobility" . | tee build/bench/mobility.txt
if [ -n "$save" ]; then
    { printf '\n## Distances\n\n```\n'; cat build/bench/distance.txt; printf '```\n'; } >>"bench/results/$save.md"
fi
