#!/usr/bin/env bash
# D28: inverse dynamics of the palletiser and of the delta takes as many instructions in one
# configuration as in any other, counted by callgrind.
. "$(dirname "$0")/../frame/frame.sh"

# The least and the largest count of a chunk of configurations.
counts() # machine, configurations, how many in a chunk
{
    rm -f "$work"/callgrind.*
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" --combine-dumps=yes \
        --toggle-collect=lw_inverse_dynamics --dump-after=chunk_ends \
        "$BUILD_DIR/tests/test_constant" "$1" "$2" "$3" >"$work/log" 2>&1 || return 1
    awk -v n="$3" '$1 == "totals:" && $2 > 0 {
            least = !seen || $2 < least ? $2 : least
            largest = $2 > largest ? $2 : largest
            seen++
        }
        END { print least / n, largest / n, seen + 0 }' "$work/callgrind.out"
}

is_constant() # machine, configurations, how many in a chunk, allowance in percent
{
    counts "$1" "$2" "$3" | tee "$work/$1.$2" | awk -v chunks="$(($2 / $3))" -v percent="$4" '{
        if ($1 < 1000 || $3 != chunks) {
            print "callgrind counted " $3 " chunks of " chunks ", from " $1 " instructions"
        } else if ($2 > $1 * (1 + percent / 100)) {
            print "from " $1 " to " $2 " instructions"
        }
        seen = 1
    }
    END { if (!seen) print "callgrind failed" }'
}

if command -v valgrind >/dev/null; then
    # One by one, the ends of all limits first, then 1e5 of them in chunks: what differed would have
    # to cancel in every chunk.
    check_as D28_instructions_of_single_configurations_are_constant is_constant palletiser 600 1 1
    check_as D28_instructions_over_100000_configurations_are_constant \
        is_constant palletiser 100000 1000 1
    check_as D28_instructions_of_three_spheres_are_constant is_constant delta 600 1 1
    check_as D28_instructions_of_bennett_are_constant is_constant bennett 600 1 1
    echo "palletiser, least and largest count: $(cat "$work/palletiser.600")"
    echo "delta, likewise:                     $(cat "$work/delta.600")"
    echo "ankle, which iterates, likewise:     $(counts ankle 60 1)"
else
    skip D28_instructions_are_constant "valgrind is not installed"
fi
finish
