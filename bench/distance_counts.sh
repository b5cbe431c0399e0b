#!/usr/bin/env bash
# distance_counts.sh [BENCH_DISTANCE]: instructions of one distance of two solids, counted by
# callgrind pair by pair: the median and the largest over 512 random poses and their ratio, for pairs
# that are apart and for those that overlap. Needs valgrind and what scripts/bench.sh built.
set -eu
cd "$(dirname "$0")/.."
program=${1:-build/bench/gcc/bench_distance}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| pair | | pairs | instructions, median | largest | ratio |"
echo "|---|---|---:|---:|---:|---:|"
for pair in sphere-sphere capsule-capsule sphere-box capsule-box box-box cylinder-cylinder \
    "hull-hull, 50 points"; do
    rm -f "$work"/callgrind.*
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" --combine-dumps=yes \
        --toggle-collect=lw_find_distance --dump-after=lw_find_distance "$program" . "$pair" \
        >"$work/kinds" 2>"$work/log"
    awk '$1 == "totals:" && $2 > 0 { print $2 }' "$work"/callgrind.out* | paste - "$work/kinds" |
        sort -n >"$work/counts"
    for kind in apart overlap; do
        awk -v pair="$pair" -v kind="$kind" '
            $2 == kind { count[++n] = $1 }
            END {
                median = count[int((n + 1) / 2)]
                if (n) printf "| %s | %s | %d | %d | %d | %.2f |\n", pair, kind, n, median, count[n],
                    count[n] / median
            }' "$work/counts"
    done
done
