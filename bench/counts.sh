#!/usr/bin/env bash
# counts.sh [--states N] [--evaluations N] [--save FILE] [--functions LIST] [--against FILE]
# [CASE...]: instructions that each function executes, counted by callgrind state by state, and the
# times of single evaluations. Time is noisy, instructions are not: this shows how the library
# compares with the hand-written yardstick and with the peers that are installed, and whether a
# function's work depends on the values.
#
# The library's rows are of its code for AVX2, which is the most that callgrind runs; rows of "generic"
# are of its code for any x86-64, which is what Debian's builds of the peers are. Of KDL's two forms of
# a chain the one with fewer instructions counts.
#
# Steps of RK4 (step_fall) and of semi-implicit Euler (step_fall_euler) stand beside their four and
# one evaluations of forward dynamics, and a state of a batch of 64 beside a single one, as ratios
# below the table; so do poses, Jacobian, inverse dynamics and mass matrix at one state after
# lw_set_state() (held_state) beside the same without (one_state).
#
# It prints, for each function, the median and the largest count over N random states (2000) and their
# ratio, then the median and the largest time of N evaluations (1000000; 0 for none; D46), each by itself,
# while no other process runs (interrupts count); exit code 1 where a ratio of counts is above 1.05
# (not of steps, which look more closely where a mechanism comes near another assembly). With --against
# it counts the library alone, and that code is for a median that is more than 1 % above the one in a
# FILE of --save instead. Needs valgrind and what scripts/bench.sh built.
set -eu
cd "$(dirname "$0")/.."
states=2000
evaluations=1000000
limit=1.05
out=
against=
functions="poses link_poses jacobian inverse_dynamics mass_matrix mass_matrix_upper inverse_mass
    forward_dynamics inverse_derivatives inverse_derivatives_mass forward_derivatives momentum momentum_rate
    momentum_matrix
    poses_batch inverse_dynamics_batch mass_matrix_batch forward_dynamics_batch hand hand_own
    step_fall step_fall_euler one_state held_state generated_inverse generated_mass generated_forward generated_derivatives
    generated_mass_o2 generated_mass_o3 generated_forward_o2 generated_forward_o3"
cases=()
while [ $# -gt 0 ]; do
    case $1 in
    --states)
        states=$2
        shift
        ;;
    --evaluations)
        evaluations=$2
        shift
        ;;
    --save)
        out=$2
        shift
        ;;
    --functions)
        functions=$2
        shift
        ;;
    --against)
        against=$2
        shift
        ;;
    *) cases+=("$1") ;;
    esac
    shift
done
[ ${#cases[@]} -gt 0 ] || cases=(ur5 panda g1 models/closed/palletiser.xml models/closed/four_bar.xml)
runner=${BENCH_RUNNER:-build/bench/gcc/run_linkwork}
peers=${runner%run_linkwork}
shared=${LINKWORK_SHARED_DIR:-../shared}
compared="poses jacobian inverse_dynamics mass_matrix forward_dynamics"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Collects only within the wrapper that makes one call, and writes its total behind each call.
count() # engine, case, function
{
    local run=$runner level=avx2 call=call_${3%_o[23]} # other flags, the same call
    rm -f "$work"/callgrind.*
    case $1 in
    generic) level=generic ;;
    kdl | mujoco) run=${peers}run_$1 call="(anonymous namespace)::$call(void*, int)" ;;
    esac
    # Code is derived and compiled before: callgrind knows AVX2 and no more.
    case $3 in
    generated_*)
        BENCH_CPU=avx2 "$runner" "$2" . "$shared" "$3" >/dev/null 2>&1 || return 1
        ;;
    esac
    BENCH_CPU=$level valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" --combine-dumps=yes \
        --toggle-collect="$call" --dump-after="$call" "$run" "$2" . "$shared" \
        count "$3" "$states" >"$work/log" 2>&1 || return 1
    # KDL has two forms for each state.
    awk '$1 == "totals:" && $2 > 0 { print $2 }' "$work"/callgrind.out* | sort -n | sed "${states}q" >"$work/sorted"
    local times="– | –"
    if [ "$1" = linkwork ] && [ "$evaluations" -gt 0 ] &&
        "$runner" "$2" . "$shared" worst "$3" "$evaluations" >"$work/worst" 2>&1; then
        times=$(awk '{ print $3 " | " $4 }' "$work/worst")
    fi
    awk -v engine="$1" -v name="$3" -v which="$2" -v limit="$limit" -v times="$times" '
        { count[NR] = $1 }
        END {
            if (!NR) exit 1
            median = count[int((NR + 1) / 2)]
            ratio = count[NR] / median
            is_ours = engine == "linkwork" || engine == "generic"
            printf "| %s | %s | %s | %d | %d | %.3f | %s | %s |\n", which, engine, name, median, count[NR],
                ratio, times, ratio <= limit || !is_ours || name ~ /^step_/ ? "" : "above " limit
        }' "$work/sorted"
}

{
    echo "| case | engine | function | instructions, median | largest | ratio | ns, median | largest |  |"
    echo "|---|---|---|---:|---:|---:|---:|---:|---|"
    for case in "${cases[@]}"; do
        for function in $functions; do
            count linkwork "$case" "$function" || true
        done
        [ -z "$against" ] || continue
        for engine in generic kdl mujoco; do
            for function in $compared; do
                count $engine "$case" "$function" || true
            done
        done
    done
} | tee "$work/table"
awk -F ' *[|] *' '
    NR > 2 && $3 == "linkwork" { count[$2, $4] = $5; cases[$2] = 1 }
    NR > 2 && $3 != "linkwork" { other[$2, $3, $4] = $5 }
    END {
        for (key in other) {
            split(key, name, SUBSEP)
            if (count[name[1], name[3]] > 0)
                printf "%s: %s of %s takes %.2f times the instructions of linkwork\n", name[1], name[3],
                    name[2], other[key] / count[name[1], name[3]]
        }
        for (c in cases) {
            if (count[c, "forward_dynamics"] > 0 && count[c, "step_fall"] > 0)
                printf "%s: a step of RK4 takes %.3f of its four evaluations, of Euler %.3f of its one\n",
                    c, count[c, "step_fall"] / (4 * count[c, "forward_dynamics"]),
                    count[c, "step_fall_euler"] / count[c, "forward_dynamics"]
            if (count[c, "one_state"] > 0 && count[c, "held_state"] > 0)
                printf "%s: four functions at a held state take %.3f of stateless ones\n", c,
                    count[c, "held_state"] / count[c, "one_state"]
            for (key in count) {
                split(key, name, SUBSEP)
                single = name[2]
                is_batch = sub(/_batch$/, "", single)
                if (single == "poses") single = "link_poses" # what a batch of poses gives
                if (name[1] == c && is_batch && count[c, single] > 0)
                    printf "%s: %s takes %.3f of single ones\n", c, name[2], count[key] / (64 * count[c, single])
            }
        }
    }' "$work/table" | sort | tee "$work/ratios"
echo
about="$states random states each for instructions, $evaluations evaluations for times, $("$runner" about)"
echo "$about"
if [ -n "$out" ]; then
    {
        printf '# Instructions per call\n\n'
        cat "$work/table" && echo && sed 's/^/- /' "$work/ratios" && printf '\n%s\n' "$about"
    } >"$out"
fi
if [ -n "$against" ]; then
    awk -F ' *[|] *' '
        $3 != "linkwork" { next }
        FNR == NR { before[$2, $4] = $5; next }
        before[$2, $4] > 0 && $5 > 1.01 * before[$2, $4] {
            printf "%s: %s has %d instructions, %.1f %% above %d\n", $2, $4, $5,
                100 * ($5 / before[$2, $4] - 1), before[$2, $4]
            worse = 1
        }
        END { exit worse }' "$against" "$work/table"
else
    ! grep -q "above $limit" "$work/table"
fi
