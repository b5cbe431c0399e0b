# Levels of detail, and modules that are swapped.

arm=$models/hr120

# The numbers of a motion that moves every joint.
motion() { # MODEL OPTIONS...
    run id "$@" -q 0.3,0.2,-0.3,0.4,0.5,0.6 -v 1,-0.5,0.7,2,-1,1.5 -a 1,2,-1,0.5,3,-2 --json
    code 0
}

begin R08_high_level_runs_with_all_transmission_data_deleted
mkdir bare
cp "$arm/hr120.xml" bare/
sed '/<joint name="motor_S"/,/<joint name="balancer_pin"/d' "$arm/base.xml" >bare/base.xml
sed '/<joint name="motor_R2"/,/<gear name="R1_last"/d' "$arm/wrist.xml" >bare/wrist.xml
motion "$arm/hr120.xml" --level '*=high'; cp out full
motion bare/hr120.xml --level '*=high'; cmp -s out full || problem "the torques have other bits"
motion bare/hr120.xml; cmp -s out full || problem "nothing is left to leave out, but torques differ"
run info bare/hr120.xml --json; json '.nbody == 8 and .nv == 6'
end

begin R08_middle_level_runs_without_gears
mkdir loose
cp "$arm/hr120.xml" loose/
for file in base wrist; do
    sed '/<gear /d' "$arm/$file.xml" >loose/$file.xml
done
motion "$arm/hr120.xml" --level '*=middle'; cp out full
motion loose/hr120.xml --level '*=middle'; cmp -s out full || problem "the torques have other bits"
run id loose/hr120.xml; code 0 # the rotors are free then
run info loose/hr120.xml --json; json '.nv == 6 + 27 + 13'
end

begin R09_kinematics_need_no_masses
mkdir light
for file in hr120 base wrist; do
    sed -E 's/ (mass|inertia|center)="[^"]*"//g' "$arm/$file.xml" >light/$file.xml
done
for level in high low; do
    run fk "$arm/hr120.xml" --level "*=$level" -q 0.3,0.2,-0.3,0.4,0.5,0.6 --json; cp out full
    run fk light/hr120.xml --level "*=$level" -q 0.3,0.2,-0.3,0.4,0.5,0.6 --json
    code 0; cmp -s out full || problem "$level: other poses"
done
end

begin R14_stages_of_the_compile_can_be_looked_at
run explain "$arm/hr120.xml" --json
code 0
json '(.tree | length) == 50 and (.loops | length) == 2 and (.gears | length) == 34 and (.levels | length) == 3'
json '[.closure[] | .solves[]] | length == 38'
json '.merged[] | select(.body == "base/upper_arm") | .links == ["base/upper_arm","wrist/plate"]'
for stage in elaborate levels simplify resolve span axes merge number close lump springs check pack; do
    run explain "$arm/hr120.xml" --stage $stage
    code 0
    [ -s out ] || [ $stage = resolve ] || problem "$stage prints nothing"
done
run explain "$arm/hr120.xml" --stage merge --json
code 0; json '.stage == "merge" and (.lines | length) >= 50 and (.lines[0] | startswith("body 0 "))'
run explain "$closed/four_bar.xml" --stage close
code 0; out '^loop close: 5 conditions, rank 2, size 0\.4 m, step 0$'; out '^  solves coupler$'; out '^independent crank$'
run explain "$arm/hr120.xml" --stage parse
code 2; err 'there is no stage "parse"'
end

begin R31_arm_of_two_modules_at_every_mixture_of_levels
for base in high middle low; do
    for wrist in high middle low; do
        run info "$arm/hr120.xml" --level base=$base --level wrist=$wrist --json
        code 0; no_err
        # The main joints; of what is at low, the motors before their elastic shafts as well.
        json '.positions[:6] == ["base/S","base/V","base/H","wrist/R2","wrist/B","wrist/R1"]'
        json ".positions[6:] | (map(select(test(\"^base/motor_\"))) | length) == $([ $base = low ] && echo 3 || echo 0)"
        json ".positions[6:] | (map(select(test(\"^wrist/motor_\"))) | length) == $([ $wrist = low ] && echo 3 || echo 0)"
        run check "$arm/hr120.xml" --level base=$base --level wrist=$wrist --json
        code 0; json '[.findings[] | select(.severity != "note")] == []'
    done
done
end

begin R33_level_is_an_option_of_every_command_that_has_a_model
for c in info check explain fk id fd mass gravity energy; do
    run $c "$arm/hr120.xml" --level '*=high' --json
    code 0
done
run info "$arm/hr120.xml" --level '*=high' --json; json '.nbody == 8 and .mass == 1037'
run info "$arm/hr120.xml" --level '*=middle' --json; json '.nbody == 8 and near(.mass; 1204.9)'
run info "$arm/hr120.xml" --json; json '.nbody == 50 and near(.mass; 1204.9)'
run jacobian "$arm/hr120.xml" --frame payload.tool --level base=high --json; code 0
run jacobian "$arm/hr120.xml" --frame payload.tool --level '*=middle' --parameters wrist/tube --json; code 0
run bench "$arm/hr120.xml" --level base=high --seconds 0.001 --json; code 0
run draw "$arm/hr120.xml" --level base=high -o arm.svg; code 0
run sensitivity "$arm/hr120.xml" --level base=high --parameters payload.mass --json; code 0
end

begin levels_that_are_not_there
run info "$arm/hr120.xml" --level wirst=low; code 2; err 'there is no assembly "wirst"; did you mean "wrist"\?'
run info "$arm/hr120.xml" --level wrist=lwo; code 2; err 'there is no level "lwo"; did you mean "low"\? \(high, middle or low\)'
run info "$arm/hr120.xml" --level high; code 2; err '--level is ASSEMBLY=LEVEL, such as \*=high, not "high"'
sed 's/file="wrist.xml"/file="wrist.xml" level="hihg"/' "$arm/hr120.xml" >"bare/bad.xml"
run info bare/bad.xml; code 1; err 'bad.xml:9:[0-9]+: error: <mount level="hihg">: there is no such level; did you mean "high"\?'
end

begin explain_tells_what_levels_change
run explain "$arm/hr120.xml" --level base=high --level wrist=middle --json
code 0
json '[.levels[] | .assembly] == ["*","base","wrist"]'
json '[.levels[] | .level] == ["low","high","middle"]'
json '.levels[1] | near(.mass_left_out; 128.7) and .mass_moved == 0 and (.locked | length) == 0'
json '.levels[2] | near(.mass_moved; 39.2) and (.locked | length) == 26 and ([.left_out[] | .kind] | unique) == ["drive","gear","torsion"]'
json '.levels[2].locked[] | select(.part == "wrist/motor_B") | .carrier == "wrist/plate" and near(.inertia; 0.00105)'
json '[.notes[] | select(test("^assembly \"(base|wrist)\" at level"))] | length == 2'
run explain "$arm/hr120.xml" --level wrist=middle
code 0; out '^  base: low; all 66 transmission parts, 128\.7 kg$'
out '^    locked    joint wrist/motor_B on wrist/plate, neglects 0\.00105 kg m\^2 about its axis$'
run explain "$arm/hr120.xml" --level '*=middle'
code 0; out '^    locked    joint base/balancer_stroke on base/swing, neglects 9 kg along its axis$'
end

begin R32_another_wrist_is_one_other_line
mkdir swapped
cp "$arm"/*.xml swapped/
sed -i 's/file="wrist.xml"/file="wrist_inline.xml"/' swapped/hr120.xml
[ "$(diff "$arm/hr120.xml" swapped/hr120.xml | grep -c '^>')" = 1 ] || problem "more than one line differs"
run info swapped/hr120.xml --json
code 0; no_err
json '.positions[:6] == ["base/S","base/V","base/H","wrist/R2/turn","wrist/B/turn","wrist/R1/turn"]'
run info swapped/hr120.xml --level wrist/B=high --level base=middle --json; code 0
run compare swapped/hr120.xml --samples 5 --json; code 0; json '(.compared | length) == 3'
end

begin converted_machines_have_the_same_levels
run convert "$arm/hr120.xml" whole.xml; code 0
for level in high middle low; do
    motion "$arm/hr120.xml" --level "*=$level"; cp out full
    motion whole.xml --level "*=$level"; cmp -s out full || problem "$level: other bits"
done
cat >said.xml <<'EOF'
<linkwork version="1" name="said" level="middle">
  <include file="whole.xml"/>
  <level assembly="wrist" level="low"/>
</linkwork>
EOF
run convert said.xml again.xml; code 0
run explain again.xml --json; json '[.levels[] | .level] == ["middle","middle","low"]'
end

begin motors_behind_elastic_shafts_follow_their_joints
run id "$arm/hr120.xml" -q 0,0,0.3,0,0,0 -v 0,0,0,2,0,0 -a 1,0,0,0,-2,0 --json
code 0; json '.tau[2] > -2000 and .tau[2] < 0'
cp out six
run id "$arm/hr120.xml" -q base/H=0.3 -v wrist/R2=2 -a base/S=1,wrist/B=-2 --json
code 0; check cmp out six
echo '{"q": {"base/H": 0.3}, "v": {"wrist/R2": 2}, "a": {"base/S": 1, "wrist/B": -2}}' >state.json
run id "$arm/hr120.xml" --state state.json --json
code 0; check cmp out six
# The motor of H is held back by a hundredth: 170 N m/rad, 120 : 1.
run id "$arm/hr120.xml" -q base/H=0.3 --json; code 0
free=$(jq '.tau[2]' out)
run id "$arm/hr120.xml" -q base/H=0.3,base/motor_H=35.99 --json
code 0; json ".tau[2] - ($free) | near(.; 170 * 120 * 0.01; 1e-6)"
end

begin R38_R39_compare_measures_levels_along_a_motion
run compare "$arm/hr120.xml" --samples 50 --json
code 0; no_err
json '.against == "low" and .samples == 50 and .duration > 1 and (.names | length) == 6'
json '[.compared[] | .levels] == ["high","middle","low"] and [.compared[] | .nbody] == [8,8,50]'
json '.compared[2] | (.largest | max) == 0 and (.rms | max) == 0 and (.tau | length) == 50'
json '[.compared[0,1] | .largest | min] | min > 0'
json '.compared[] | .ns > 0 and ([.largest, .rms] | transpose | all(.[0] >= .[1]))'
# A spinning rotor adds to the inertia at its joint by the square of its ratio.
json '[.compared[1,2] | .inertia[0]] | .[1] > .[0] + 0.0048 * 120 * 120'
# Motors before elastic shafts are in some choices only: they follow, and are named.
json '[.compared[] | .following | length] == [0,0,6] and (.compared[2].following | contains(["base/motor_S"]))'
run compare "$arm/hr120.xml" --levels high+wrist=low,low --samples 20 --json
code 0; json '.compared[0] | .nbody == 21 and .largest[3] < 1e-6 and .largest[0] > 1'
run compare "$arm/hr120.xml" --samples 5
code 0; out '^largest difference from low$'; out '^base/S '; out '^high +8 +1037 +[0-9.]+ +1\.00$'
end

begin R35_joints_move_where_a_motor_of_another_one_turns
# The motors of B and R1 stand still while that of R2 turns: B and R1 move all the same.
run fk "$arm/hr120.xml" --frame payload.tool --dependent -q wrist/R2=1,wrist/B=0.32,wrist/R1=0.144 --json
code 0; json '.dependent | near(."wrist/pinion_R2"; 60) and near(."wrist/pinion_B"; 0) and near(."wrist/pinion_R1"; 0)'
end

begin R37_middle_is_close_to_high_where_wheels_are_light
# Masses and inertias of the transmission, times 0.1, 1 and 3: the difference at S grows with them,
# and low stays far from both as its rotors spin.
for times in 0.1 1 3; do
    mkdir "weight_$times"
    cp "$arm"/*.xml "weight_$times"
    for file in base wrist; do
        awk -v k=$times '
        function scaled(text, name,    head, list, n, i, value) {
            if (!match(text, " " name "=\"[^\"]*\"")) return text
            head = substr(text, 1, RSTART - 1)
            value = substr(text, RSTART + length(name) + 3, RLENGTH - length(name) - 4)
            rest = substr(text, RSTART + RLENGTH)
            n = split(value, list, " ")
            value = ""
            for (i = 1; i <= n; i++) value = value (i > 1 ? " " : "") k * list[i]
            return head " " name "=\"" value "\"" rest
        }
        /<link / && /role="transmission"/ { $0 = scaled(scaled($0, "mass"), "inertia") }
        { print }' "$arm/$file.xml" >"weight_$times/$file.xml"
    done
    run compare "weight_$times/hr120.xml" --levels high,middle --samples 30 --json
    code 0; jq '.compared[0].largest[0] / .compared[1].peak[0]' out >>differs
    run compare "weight_$times/hr120.xml" --levels middle,low --samples 30 --json
    code 0; json '.compared[0].largest[0] > 0.05 * .compared[1].peak[0] or '$times' < 1'
done
check awk '{ d[NR] = $1 } END { exit !(NR == 3 && d[1] < 0.015 && d[1] < d[2] && d[2] < d[3]) }' differs
end

begin compare_overlays_levels_in_a_plot
run compare "$arm/hr120.xml" --samples 20 --levels high,low --plot levels.svg; code 0; no_err
check test "$(grep -c '<polyline' levels.svg)" = 12
check grep -q '>wrist/R1, N m</text>' levels.svg
check test "$(tail -n 1 levels.svg)" = '</svg>'
run compare "$arm/hr120.xml" --samples 5 --plot nowhere/levels.svg; code 3; err 'nowhere'
end

begin R42_arms_of_a_humanoid_need_no_detail_of_its_legs
run compare "$models/humanoid/humanoid.xml" --levels low+left_leg=high+right_leg=high,low --samples 21 --json
code 0; no_err
json '[.compared[] | .nbody] == [22,30]'
json '([.names, .compared[0].largest] | transpose | map(select(.[0] | test("_arm/"))) | map(.[1]) | max) < 1e-9'
json '([.names, .compared[0].largest] | transpose | map(select(.[0] | test("_leg/"))) | map(.[1]) | min) > 0.1'
end

begin compare_at_given_states
echo '[{"q": [0.1,0,0,0,0,0], "a": [1,0,0,0,0,0]}, {"q": {"wrist/B": 1}}]' >states.json
run compare "$arm/hr120.xml" --state states.json --levels middle,low --json
code 0; json '.samples == 2 and .duration == 0 and (.compared[0].tau | length) == 2'
run id "$arm/hr120.xml" --state states.json --level '*=middle' --json; cp out wanted
run compare "$arm/hr120.xml" --state states.json --levels middle,low --json
jq -e --slurpfile w wanted '.compared[0].tau == [$w[0][] | .tau]' out >/dev/null || problem "other torques than id"
end

begin compare_refuses_what_makes_no_sense
run compare "$arm/hr120.xml" --levels high,lwo; code 2; err 'there is no level "lwo"'
run compare "$arm/hr120.xml" --levels wirst=low; code 2; err 'there is no assembly "wirst"'
run compare "$arm/hr120.xml" --samples 1; code 2; err '--samples is a whole number'
echo '[]' >none.json
run compare "$arm/hr120.xml" --state none.json; code 2; err 'no state'
run compare "$arm/hr120.xml" --levels high+wrist=low+wrist=middle,low; code 2; err 'level of "wrist" is given twice'
run info "$arm/hr120.xml" --level wrist=low --level wrist=high; code 2; err 'level of "wrist" is given twice'
sed 's/<joint name="R2" /&dependent="true" /' "$arm/wrist.xml" >swapped/wrist.xml
cp "$arm/hr120.xml" swapped/
run compare swapped/hr120.xml; code 1; err '"low" has other coordinates than "high", which has wrist/R2'
end
