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
    [excavator]=side
    [five_bar]=top [andrews]=top [planetary]=top
)

for model in models/*.xml models/closed/*.xml models/quadruped/quadruped.xml \
    models/two_arms/two_arms.xml models/lemur_class/lemur_class.xml \
    models/rover/rover.xml models/rover/arm_on_rock.xml models/phoenix/phoenix.xml models/hr120/hr120.xml \
    models/humanoid/humanoid.xml; do
    name=$(basename "$model" .xml)
    case $name in
    puma560_*) continue ;; # the same robot, written in other ways
    esac
    "$program" draw "$model" --view "${view[$name]:-iso}" --size 600x500 -o "$out/$name.svg" \
        >/dev/null
done

# Solutions of inverse kinematics (docs/howto/inverse_kinematics.md).
draw_ik() # name, and what draw takes
{
    local name=$1
    shift
    "$program" draw "$@" --size 600x500 --silence inertia-triangle -o "$out/ik_$name.svg" >/dev/null
}
draw_ik ur5 models/ur5_class.xml --frame tool --pose 0.4,0.2,0.4,0,1,0,0
draw_ik puma560 models/puma560.xml --frame flange --pose 0.5,-0.2,0.5,0,0.8,0,0.6
draw_ik scara models/scara.xml --frame tool --position 0.45,0.2,0.1 --view top
draw_ik delta models/closed/delta.xml --frame tool --position 0.1,0,-0.6

# Nearest points and shapes in contact (docs/howto/collision.md).
state=$(mktemp)
"$program" collide models/ur5_class.xml -q 0,-1.2,2.7,0,1.5,0 --margin 0.03 \
    -o "$out/collide_ur5.svg" >/dev/null
"$program" terrain models/rover/rover.xml --scene models/rover/terrain.obj --place 0.3,0,0 \
    -q arm/elevation=0.2,arm/elbow=1.2 --silence mesh-open --json | jq '{q: .q}' >"$state"
"$program" collide models/rover/rover.xml --scene models/rover/terrain.obj --silence mesh-open \
    --state "$state" --margin 0.02 -o "$out/rover_on_terrain.svg" >/dev/null
rm -f "$state"
arms=left/shoulder_pan=1.57,left/shoulder_lift=-0.6,left/elbow=0.6
arms=$arms,right/shoulder_pan=1.57,right/shoulder_lift=-0.6,right/elbow=0.6
"$program" collide models/two_arm_cell.xml -q $arms --margin 0 -o "$out/two_arm_contact.svg" \
    >/dev/null

# Sag over the workspace (docs/howto/deflection.md).
"$program" deflect models/ur5_class.xml --stiffness 8000 --payload 5 --map "$out/sag_ur5.svg" \
    >/dev/null

# Motions of a tool (docs/howto/tool_motion.md).
draw_run() # name, model, page
{
    local run
    run=$(mktemp)
    awk -v name="$1" '/^```/ { is_open = 0 } is_open { print } $0 == "```xml " name ".xml" { is_open = 1 }' \
        "docs/howto/$3.md" >"$run"
    "$program" simulate "$2" --run "$run" --every 0.04 --silence motion-slowed --plot \
        "$out/$1.svg" >/dev/null
    rm -f "$run"
}
draw_run weld models/ur5_class.xml tool_motion
draw_run place models/closed/palletiser.xml tool_motion
draw_run press models/rover/arm_on_rock.xml deflection

# The case study of the industrial arm (docs/howto/compare_levels.md).
arm=models/hr120/hr120.xml
"$program" draw $arm --level '*=high' --workspace payload.tool --hold base/S --view side \
    --size 600x500 -o "$out/hr120_reach_side.svg" >/dev/null
"$program" draw $arm --level '*=high' --workspace payload.tool --view top --size 600x500 \
    -o "$out/hr120_reach_top.svg" >/dev/null
"$program" compare $arm --levels high,middle,high+wrist=low,low --plot "$out/hr120_levels.svg" \
    >/dev/null
run=$(mktemp)
trap 'rm -f "$run"' EXIT
awk '/^```/ { is_open = 0 } is_open { print } /^```xml lift.xml/ { is_open = 1 }' \
    docs/howto/compare_levels.md >"$run"
"$program" simulate $arm --run "$run" --levels high,low --plot "$out/hr120_lift.svg" >/dev/null
awk '/^```/ { is_open = 0 } is_open { print } /^```xml swing.xml/ { is_open = 1 }' \
    docs/howto/compare_levels.md >"$run"
"$program" simulate $arm --run "$run" --levels high,middle,low --plot "$out/hr120_swing.svg" \
    --spectrum "$out/hr120_swing_spectrum.svg" >/dev/null
