#!/usr/bin/env bash
# Draws every shipped machine into docs/pictures: scripts/pictures.sh [PROGRAM]
#
# The program is build/linkwork unless another is named. Planar machines are seen from across their
# plane.
set -euo pipefail
cd "$(dirname "$0")/.."

program=${1:-build/linkwork}
out=docs/pictures
mkdir -p "$out"

declare -A view=(
    [four_bar]=side [four_bar_crossed]=side [slider_crank]=side [watt]=side [stephenson]=side
    [five_bar]=top [andrews]=top [planetary]=top
)

for model in models/*.xml models/closed/*.xml models/quadruped/quadruped.xml \
    models/rover/rover.xml models/hr120/hr120.xml \
    models/humanoid/humanoid.xml; do
    name=$(basename "$model" .xml)
    case $name in
    puma560_*) continue ;; # the same robot, written in other ways
    esac
    "$program" draw "$model" --view "${view[$name]:-iso}" --size 600x500 -o "$out/$name.svg" \
        >/dev/null
done
