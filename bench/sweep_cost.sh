#!/bin/bash
# What sweeps cost beside computing: bench/sweep_cost.sh BUILD_DIR
#
# Prints the share of journals and files, how busy two ranks are, their efficiency against one rank,
# and the memory of a process with a thousand million cases. All come from what the ranks say of
# themselves (--progress json): seconds within blocks (computing), in files (keeping), from the first
# block to the last, and memory.
set -eu
program=$(realpath "$1")/linkwork
models=$(realpath "$(dirname "$0")/../models")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

plan() { # FILE MODEL CASES WHAT: what varies and is measured
    echo "<sweep model=\"$models/$2\" cases=\"$3\" seed=\"5\">$4</sweep>" >"$1"
}
plan sigma.xml ur5_class.xml 6000000 '<vary q="*"/><measure of="tool.sigma_min"/>'
plan tolerance.xml closed/palletiser.xml 30000 \
    '<vary parameter="LAB.length" uniform="1.1998 1.2002"/><measure of="flange.position"/>'
plan large.xml ur5_class.xml '1000000000" block="3815' '<vary q="*"/><measure of="tool.position"/>'

# A number from the lines of ranks: the least of three runs, or the largest where which=4. Other work
# on the machine disturbs.
best() { # JQ COMMAND...
    local value=
    for _ in 1 2 3; do
        rm -rf out
        "${@:2}" -o out --progress json 2>err >/dev/null
        value="$value $(grep '^{"rank"' err | jq -s "$1")"
    done
    echo "$value" | tr ' ' '\n' | sort -g | sed -n "${which:-2}p"
}
overhead='(map(.keeping) | add) / (map(.computing) | add) * 100'
printf 'journal and files, smallest singular value   %6.2f %% of computing\n' "$(best "$overhead" "$program" sweep sigma.xml)"
printf 'journal and files, tolerance                 %6.2f %% of computing\n' "$(best "$overhead" "$program" sweep tolerance.xml)"
busy='(map(.computing) | add) / (length * (map(.seconds) | max))'
has_mpi=false
if command -v mpirun >/dev/null && [ -e "$(dirname "$program")/linkwork_mpi.so" ]; then
    has_mpi=true
    which=4
    printf 'two ranks, smallest singular value           %6.3f of their time within blocks\n' \
        "$(best "$busy" mpirun -np 2 "$program" sweep sigma.xml)"
    printf 'two ranks, tolerance                         %6.3f of their time within blocks\n' \
        "$(best "$busy" mpirun -np 2 "$program" sweep tolerance.xml)"
    # Wall-clock from the first block to the last, the least of three runs each.
    which=2
    wall='map(.seconds) | max'
    one=$(best "$wall" mpirun -np 1 "$program" sweep sigma.xml)
    two=$(best "$wall" mpirun -np 2 "$program" sweep sigma.xml)
    printf 'two ranks against one, the same cases        %6.3f wall-clock efficiency\n' \
        "$(jq -n "$one / (2 * $two)")"
fi

# As many blocks as a plan may have: the list of them is what grows.
memory='map(.memory) | max / 1048576'
which=4
printf 'memory of a process, 1e9 cases               %6.1f MB\n' \
    "$(best "$memory" "$program" sweep large.xml --max-seconds 2)"
! $has_mpi || printf 'memory of a rank with Open MPI, 1e9 cases    %6.1f MB\n' \
    "$(best "$memory" mpirun -np 2 "$program" sweep large.xml --max-seconds 2)"
