#!/usr/bin/env bash
# K10: the largest count of instructions of a closed form of inverse kinematics, all solutions verified,
# is at most 1.1 times the median.
. "$(dirname "$0")/../frame/frame.sh"

# Median and largest count over targets.
counts() # model, tip, targets
{
    rm -f "$work"/callgrind.*
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" --combine-dumps=yes \
        --toggle-collect=lw_ik_solve --dump-after=target_ends \
        "$BUILD_DIR/tests/test_ik_constant" "$1" "$2" "$3" >"$work/log" 2>&1 || return 1
    awk '$1 == "totals:" && $2 > 0 { print $2 }' "$work/callgrind.out" | sort -n |
        awk '{ count[NR] = $1 } END { print count[int((NR + 1) / 2)] + 0, count[NR] + 0, NR }'
}

is_constant() # model, tip, targets
{
    counts "$1" "$2" "$3" | tee "$work/$1.counts" | awk -v targets="$3" '{
        if ($1 < 1000 || $3 != targets) {
            print "callgrind counted " $3 " targets of " targets ", median " $1 " instructions"
        } else if ($2 > 1.1 * $1) {
            print "median " $1 ", largest " $2 " instructions"
        }
        seen = 1
    }
    END { if (!seen) print "callgrind failed" }'
}

if command -v valgrind >/dev/null; then
    check_as K10_instructions_of_a_spherical_wrist_are_constant is_constant puma560.xml tool.flange 500
    check_as K10_instructions_of_three_parallel_axes_are_constant is_constant ur5_class.xml wrist_3.tool 500
    echo "spherical wrist, median and largest count: $(cat "$work/puma560.xml.counts")"
    echo "three parallel axes, likewise:             $(cat "$work/ur5_class.xml.counts")"
else
    skip K10_instructions_of_inverse_kinematics_are_constant "valgrind is not installed"
fi
finish
