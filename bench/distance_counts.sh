#!/usr/bin/env bash
# distance_counts.sh [FOLDER]: instructions of one distance of two solids, and of two meshes with
# their trees, counted by callgrind pair by pair: the median and the largest over random poses and
# their ratio, for pairs that are apart and for those that overlap; and those of one pair in a batch.
# Needs valgrind and what scripts/bench.sh built, which is in the folder.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-build/bench/gcc}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

echo "| pair | | pairs | instructions, median | largest | ratio |"
echo "|---|---|---:|---:|---:|---:|"
count_pair() { # NAME PROGRAM FUNCTION
    local pair=$1 kind
    rm -f "$work"/callgrind.*
    valgrind --tool=callgrind --callgrind-out-file="$work/callgrind.out" --combine-dumps=yes \
        --toggle-collect="$3" --dump-after="$3" "$folder/$2" . "$pair" >"$work/kinds" 2>"$work/log"
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
}

for pair in sphere-sphere capsule-capsule sphere-box capsule-box box-box cylinder-cylinder \
    "hull-hull, 50 points"; do
    count_pair "$pair" bench_distance lw_find_distance
done
count_pair mesh-mesh bench_surface lw_find_surface_distance
for function in lw_find_capsule_distances lw_find_capsule_distances32; do
    valgrind --tool=callgrind --callgrind-out-file="$work/batch.out" --toggle-collect=$function \
        "$folder/bench_distance" . "  512 pairs, each" >/dev/null 2>&1
    awk -v name=$function '$1 == "totals:" {
        printf "| %s | both | 512 | %d | %d | 1.00 |\n", name, $2 / 512, $2 / 512 }' "$work/batch.out"
done
