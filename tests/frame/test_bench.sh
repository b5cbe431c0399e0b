#!/usr/bin/env bash
# The benchmarks run, and report; nothing is asked of the times. What counts is measured by
# scripts/bench.sh on a machine that does nothing else.
. "$(dirname "$0")/frame.sh"

bench=$BUILD_DIR/bench
shared=${LINKWORK_SHARED_DIR:-$SOURCE_DIR/../shared}

short_run()
{
    "$bench/bench" --build "gcc=$bench" --source . --shared "$work" --rounds 1 \
        --only models/scara.xml --only chain:10 --only models/closed/four_bar.xml \
        --only tree:models/closed/four_bar.xml --markdown "$work/table.md" --json "$work/table.json" \
        >"$work/said" 2>"$work/trouble" || echo "exit code $?"
    grep -v '^round 1 of 1$' "$work/trouble"
    cmp "$work/said" "$work/table.md"
    grep -q '^| inverse dynamics | [0-9.]* |' "$work/table.md" || echo "no row of inverse dynamics"
    grep -q '^## Goals$' "$work/table.md" || echo "no goals"
    grep -q 'four_bar.xml | forward_dynamics | .* | at most 1.60 × | [0-9.]* ([0-9.]* to [0-9.]*) |' "$work/table.md" ||
        echo "the goal of the four-bar has no ratio"
    jq -e '[.rows[] | .ns > 0 and .worst < 1e-6] | all and length > 30' "$work/table.json" >/dev/null ||
        echo "the rows of JSON are not right"
    jq -e '[.goals[] | .least <= .most] | all and length > 0' "$work/table.json" >/dev/null ||
        echo "the goals of JSON have no spread"
}

generated_code() # robot, function
{
    "$bench/run_linkwork" "$1" . "$shared" "$2" >"$work/line" 2>&1 || echo "exit code $?"
    # time FUNCTION NS WORST
    awk -v name="$2" '$1 == "time" && $2 == name && $3 > 0 && $4 < 1e-12 { good = 1 }
        END { exit !good }' "$work/line" || cat "$work/line"
}

search()
{
    "$bench/bench_search" --source . --shared "$work" --poses 20 --tracking 50 >"$work/rows" 2>&1 ||
        echo "exit code $?"
    [ "$(grep -c '^[a-z0-9_]* *[67] *1e-[0-9]* ' "$work/rows")" -eq 16 ] || echo "there are not 16 rows"
    grep -q '^0 not solved by linkwork$' "$work/rows" && grep -q '^0 not solved$' "$work/rows" ||
        cat "$work/rows"
}

couplings()
{
    "$bench/bench_couplings" 30 >"$work/rows" 2>&1 || echo "exit code $?"
    [ "$(grep -c '^ *30  ' "$work/rows")" -eq 4 ] || cat "$work/rows"
}

growth()
{
    "$bench/bench_growth" 12 >"$work/rows" 2>&1 || echo "exit code $?"
    # Operations are a polynomial of degree four; the recursion's time grows by far less.
    grep -q '^operations of Uicker-Kahn: [1-9][0-9.]* n^4 + ..., fifth difference 0$' "$work/rows" &&
        grep -qE '^power of n: Uicker-Kahn 3\.[0-9]+ by operations' "$work/rows" || cat "$work/rows"
}

# The functions that the table of goals is about. Counts depend on the compiler, so they are compared
# where it is the one of the results.
counts()
{
    BENCH_RUNNER=$bench/run_linkwork bench/counts.sh --states 3 --evaluations 0 --against bench/results/counts.md \
        --functions "poses jacobian inverse_dynamics mass_matrix forward_dynamics inverse_derivatives
            forward_derivatives momentum momentum_matrix" ur5 g1 >"$work/counts" 2>&1 || cat "$work/counts"
    [ "$(grep -c '^| [a-z0-9]* | linkwork |' "$work/counts")" -eq 18 ] || cat "$work/counts"
}

bad_usage()
{
    "$bench/bench" --rounds 1 >/dev/null 2>&1
    [ $? -eq 2 ] || echo "a bench without builds does not end with 2"
    "$bench/run_linkwork" nothing . "$work" >/dev/null 2>&1 && echo "an unknown case is not refused"
    "$bench/bench_search" --poses >/dev/null 2>&1
    [ $? -eq 2 ] || echo "an option without a value does not end with 2"
    true
}

if [ ! -x "$bench/bench" ]; then
    skip benchmarks_run "they are not built: -DLINKWORK_BENCH=ON"
    finish
fi
check_as benchmarks_run short_run
check_as benchmark_of_search_runs_on_shipped_models search
check_as benchmark_of_couplings_has_four_chains couplings
check_as V15_uicker_kahn_grows_by_the_fourth_power growth
check_as benchmarks_refuse_bad_usage bad_usage
if ! command -v valgrind >/dev/null || ! grep -qs avx2 /proc/cpuinfo; then
    skip no_function_takes_more_instructions "valgrind or AVX2 is absent"
elif [ ! -r "$shared/models/urdf/g1_29dof.urdf" ]; then
    skip no_function_takes_more_instructions "there are no shared models"
elif ! tail -n 1 bench/results/counts.md |
    grep -qF "$("$bench/run_linkwork" about | sed 's/-fstack-usage -fcallgraph-info=su //')"; then
    # The notes that make test has taken beside objects change no code.
    skip no_function_takes_more_instructions "the results are of another compiler"
else
    check_as no_function_takes_more_instructions counts
fi
for robot in ur5 panda; do
    if [ -r "$shared/models/urdf/$robot.urdf" ]; then
        check_as "generated_code_of_${robot}_is_right" generated_code "$robot" generated_mass
        check_as "yardstick_of_${robot}_is_right" generated_code "$robot" hand
    else
        skip "generated_code_of_${robot}_is_right" "there are no shared models"
    fi
done
finish
