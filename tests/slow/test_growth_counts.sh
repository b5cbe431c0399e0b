#!/usr/bin/env bash
# Reading, compiling and poses cost in proportion to the number of links: counted in instructions, by
# callgrind, which gives the same numbers on a busy machine.
. "$(dirname "$0")/../frame/frame.sh"

instructions() # function, kind of machine, number of links
{
    valgrind --tool=callgrind --toggle-collect="$1" --callgrind-out-file=/dev/null \
        "$BUILD_DIR/tests/test_growth" "$2" "$3" 2>&1 | sed -n 's/.*Collected *: *//p'
}

# The cost of the links 1000 to 2000 must be twice that of the links 500 to 1000; constant cost does
# not matter. Tables that grow by doubling, and lengths of numbers as text, give the allowance.
grows_linearly() # function, kind, allowance in percent
{
    local a b c
    a=$(instructions "$1" "$2" 500) b=$(instructions "$1" "$2" 1000) c=$(instructions "$1" "$2" 2000)
    awk -v a="$a" -v b="$b" -v c="$c" -v percent="$3" 'BEGIN {
        if (!(a > 1000)) { print "callgrind counted nothing"; exit }
        ratio = (c - b) / (b - a)
        if (ratio > 2 * (1 + percent / 100)) {
            print "500, 1000, 2000 links cost " a ", " b ", " c " instructions: the second step is " \
                ratio " times the first"
        }
    }'
}

if command -v valgrind >/dev/null; then
    check_as D13_poses_of_a_chain_grow_linearly grows_linearly lw_forward_position chain 1
    check_as D13_poses_of_a_star_grow_linearly grows_linearly lw_forward_position star 1
    for kind in chain star mimic; do
        check_as "reading_a_${kind}_grows_linearly" grows_linearly lw_load_text $kind 25
        check_as "compiling_a_${kind}_grows_linearly" grows_linearly lw_compile $kind 25
    done
else
    skip growth_counts "valgrind is not installed"
fi
finish
