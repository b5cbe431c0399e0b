#!/usr/bin/env bash
# test.sh [quick]: builds and runs the tests; what `make test` and `make quick` call.
#
#   clang   Release, warnings are errors: the folder unit, for what another compiler makes of it
#   gcc     Release, warnings are errors: all tests, and the benchmarks are built
#   asan    clang with address and undefined behaviour sanitizers: all but the folders frame, slow
#           and studio, and fuzzing for 60 s
#
# quick runs gcc alone, without the folders frame, slow and studio.
#
# Test programs print one line a test: "ok NAME", "FAILED NAME" or "skipped NAME", the last after a
# line "skip: REASON". This script counts those lines, shows what failed, names what was skipped, and
# closes with "N passed, N failed, N skipped". Exit code 1 where anything failed or nothing ran.
set -u
cd "$(dirname "$0")/.." || exit 1
jobs=${JOBS:-2}
dir=build/test
fuzz_seconds=${FUZZ_SECONDS:-60}
passed=0 failed=0 skipped=0
skips=()
mkdir -p "$dir"

# Reads what ctest -V printed. Passes on the output of each program that failed, and ends with a line
# "counts PASSED FAILED SKIPPED", after a line "skip TEXT" for each test that was skipped.
read_ctest()
{
    awk '
    function show(n, text) { shown[n] = shown[n] "    " text "\n" }
    match($0, /^[0-9]+: /) {
        n = $1 + 0
        text = substr($0, RLENGTH + 1)
        if (text ~ /^(Test command|Working Directory|Environment variables|Test timeout)/) next
        if (text ~ /^ (SOURCE_DIR|BUILD_DIR|PROGRAM|CC)=/) next
        if (text ~ /^[0-9]+ passed, /) next
        if (text ~ /^ok +[^ ]/) { ok[n]++; next }
        if (text ~ /^skip: /) { reason = substr(text, 7); next }
        if (text ~ /^skipped +[^ ]/) {
            split(text, word, " +")
            skipped[n]++
            print "skip " word[2] ": " reason
            next
        }
        if (text ~ /^FAILED +[^ ]/) bad[n]++
        show(n, text)
        next
    }
    match($0, /Test +#[0-9]+: /) {
        split(substr($0, RSTART), word, /[#: ]+/)
        n = word[2]
        name = word[3]
        is_good = $0 ~ / Passed /
        is_empty = !(ok[n] + bad[n] + skipped[n])
        # A crash or a run that tested nothing is a failure that no line of the program tells.
        if ((!is_good && !bad[n]) || is_empty) {
            bad[n]++
            sub(/^.*\*\*\*/, "")
            show(n, "FAILED  " name ": " (is_good ? "printed no test" : $0))
        }
        if (bad[n]) printf "%s:\n%s", name, shown[n]
        good += ok[n]; wrong += bad[n]; left += skipped[n]
    }
    END { print "counts", good + 0, wrong + 0, left + 0 }'
}

fail() # name, file with the output
{
    failed=$((failed + 1))
    echo "FAILED  $1:"
    tail -n 40 "$2" | sed 's/^/    /'
}

build() # configuration, then arguments of cmake
{
    local name=$1 log=$dir/$1.log began=$SECONDS
    shift
    cmake -S . -B "$dir/$name" -DLINKWORK_TESTS=ON -DLINKWORK_WERROR=ON -DLINKWORK_TOOLS=ON \
        -DCMAKE_RULE_MESSAGES=OFF "$@" >"$log" 2>&1 &&
        cmake --build "$dir/$name" -j "$jobs" -- --no-print-directory >"$log" 2>&1 &&
        printf '%-8sbuilt, %d s\n' "$name" $((SECONDS - began)) && return
    fail "build of $name" "$log"
    return 1
}

run() # configuration, then arguments of ctest
{
    local name=$1 log=$dir/$1.ctest line began=$SECONDS counts=(0 0 0)
    shift
    # One more than there are processors, for tests that wait: of the studio, of stopped sweeps.
    ctest --test-dir "$dir/$name" -V -j $((jobs + 1)) "$@" >"$log" 2>&1
    while IFS= read -r line; do
        case $line in
        "counts "*) read -r -a counts <<<"${line#counts }" ;;
        "skip "*) skips+=("$name: ${line#skip }") ;;
        *) echo "$line" ;;
        esac
    done < <(read_ctest <"$log")
    passed=$((passed + counts[0])) failed=$((failed + counts[1])) skipped=$((skipped + counts[2]))
    printf '%-8s%d ok, %d wrong, %d left out, %d s\n' "$name" "${counts[@]}" $((SECONDS - began))
}

fuzz() # configuration
{
    local target name began=$SECONDS targets=("$dir/$1"/tests/fuzz_*)
    [ -x "${targets[0]}" ] || return
    for target in "${targets[@]}"; do
        name=${target##*/}
        mkdir -p "$dir/corpus/$name"
        rm -f "$dir/$name.good"
        while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do
            wait -n
        done
        "$target" -max_total_time=$((fuzz_seconds / ${#targets[@]})) -seed=1 -timeout=10 \
            -rss_limit_mb=2048 -max_len=8192 -dict=tests/fuzz/words.dict \
            -artifact_prefix="$dir/$name-" "$dir/corpus/$name" tests/fuzz/corpus tests/bad models \
            >"$dir/$name.log" 2>&1 && touch "$dir/$name.good" &
    done
    wait
    for target in "${targets[@]}"; do
        name=${target##*/}
        if [ -e "$dir/$name.good" ]; then
            passed=$((passed + 1))
            printf '%-8s%s, %s runs\n' fuzz "$name" \
                "$(sed -n 's/^Done \([0-9]*\) runs.*/\1/p' "$dir/$name.log")"
        else
            fail "$name" "$dir/$name.log"
        fi
    done
    printf '%-8s%d s\n' fuzz $((SECONDS - began))
}

# Tests of what must not depend on the locale need one with a decimal comma.
locale=$PWD/$dir/locale
if [ -d "$locale/de_DE.UTF-8" ] ||
    { mkdir -p "$locale" && localedef -i de_DE -f UTF-8 "$locale/de_DE.UTF-8"; } >/dev/null 2>&1; then
    export LOCPATH=$locale
fi

export ASAN_OPTIONS=detect_leaks=1:strict_string_checks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS=suppressions=$PWD/tests/leaks.txt:print_suppressions=0
export UBSAN_OPTIONS=print_stacktrace=1

if [ "${1:-}" = quick ]; then
    build gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release && run gcc -LE 'frame|slow|studio'
else
    # What gcc's program writes is compared with what clang's does: that is built before.
    build clang -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=Release && run clang -L unit
    export OTHER_PROGRAM=$PWD/$dir/clang/linkwork
    # The notes that gcc takes beside each object are read by tests/frame/test_objects.sh.
    build gcc -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DLINKWORK_BENCH=ON \
        -DCMAKE_C_FLAGS='-fstack-usage -fcallgraph-info=su' && run gcc
    build asan -DCMAKE_C_COMPILER=clang-14 -DCMAKE_BUILD_TYPE=RelWithDebInfo \
        -DCMAKE_C_FLAGS_RELWITHDEBINFO='-O2 -gline-tables-only -DNDEBUG' \
        -DLINKWORK_SANITIZE=address,undefined -DLINKWORK_FUZZ=ON &&
        run asan -LE 'frame|slow|studio' && fuzz asan
fi

if [ ${#skips[@]} -gt 0 ]; then
    echo "skipped:"
    printf '    %s\n' "${skips[@]}"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
