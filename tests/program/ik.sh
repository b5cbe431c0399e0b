# ik: all solutions of a chain, with the keys, options and exit codes of the contract.

pose_of() { # model, frame, q: the pose as --pose takes it
    run fk "$1" --frame "$2" -q "$3" --json
    jq -r '.frames[] | (.position + .quaternion) | map(tostring) | join(",")' out
}

begin ik_has_the_keys_of_the_contract
pose=$(pose_of "$ur5" tool $ur5_q)
run ik "$ur5" --frame tool --pose "$pose" --json
code 0
json 'keys == ["class","distance","lost","solutions"]'
json '[.solutions[] | keys == ["branch","exact","in_limits","q","residual","windings"]] | all'
json '(.solutions | length) == 8 and .distance == 0'
end

begin K10_ik_returns_the_joints_that_made_the_pose
run ik "$ur5" --frame tool --pose "$pose" --json
json '[.solutions[] | select([.q, ['$ur5_q']] | transpose | map((.[0] - .[1]) | fabs < 1e-9) | all)] | length == 1'
json '[.solutions[] | .exact and .residual < 1e-12] | all'
end

begin K10_every_solution_of_ik_is_verified_by_fk
run ik "$ur5" --frame tool --pose "$pose" --json
jq -r '.solutions[].q | map(tostring) | join(",")' out >list
while read -r q; do
    run fk "$ur5" --frame tool -q "$q" --json
    json '.frames[] | .position + .quaternion | map(fabs) | [., ('"[$pose]"' | map(fabs))] | transpose |
          map((.[0] - .[1]) | fabs < 1e-12) | all'
done <list
end

begin ik_nearest_to_a_configuration
run ik "$ur5" --frame tool --pose "$pose" --near 0.2,-1,1.2,0.4,0.7,-6.2 --json
code 0
json '(.solutions | length) == 1 and (.solutions[0].q[5] + 6.1831853 | fabs < 1e-6)'
run ik "$ur5" --frame tool --pose "$pose" --near shoulder_pan=0.2 -q elbow=1
code 2; err '--near gives the positions'
end

begin ik_out_of_reach_is_exit_4_with_the_nearest_configuration
run ik "$ur5" --frame tool --pose 3,0,0,1,0,0,0 --json
code 4; json '.distance > 1 and (.solutions | length) == 1 and (.solutions[0].exact | not)'
err 'reach'
end

begin K26_ik_explains_its_derivation
run ik "$ur5" --frame tool --pose "$pose" --explain --json
code 0; json '.derivation | (.axes | length) > 0 and ([.steps[].solves[]] | sort | unique | length) == 6'
run ik "$ur5" --frame tool --pose "$pose" --explain
code 0; out 'axes 2 to 4: parallel'; out 'closed form, at most 8 solutions'
end

begin ik_for_position_and_direction
run ik "$models/scara.xml" --frame "$("$program" info "$models/scara.xml" --json | jq -r '.frames[-1]')" --position 9,0,0
code 4
run ik "$ur5" --frame tool --position 0.3,0.2,0.4 --direction 0,0,-1 --json
code 0; json '[.solutions[].exact] | all'
end

begin ik_refuses_what_makes_no_sense
run ik "$ur5" --frame tool
code 2; err 'needs a target'
run ik "$ur5" --pose "$pose"
code 2; err 'needs one --frame'
run ik "$ur5" --frame tool --pose 1,2,3
code 2; err '--pose takes 7 numbers with commas between them, not 3'
run ik "$ur5" --frame tool --pose 0.3,0,0.3,2,0,0,0
code 2; err 'not a rotation: its quaternion has length 2'
run ik "$ur5" --frame tool --pose 0.3,0,0.3,nan,0,0,0
code 2; err '"nan" is not a finite number'
run ik "$ur5" --frame tool --position 0.3,0,0.3 --direction 0,0,0
code 2; err 'direction is zero'
run ik "$ur5" --frame tool --from tool --pose "$pose"
code 2; err 'no joint'
run ik "$ur5" --frame tool --pose "$pose" --hold elbw=1
code 2; err 'no position "elbw"; did you mean "elbow"'
end

begin ik_names_the_limits_that_exclude_every_solution
run ik "$models/scara.xml" --frame tool --position -0.45,0,0.1
code 4; out 'outside the limits'; err 'limits exclude all 2 solutions: joint1 must be within -1.8326 and 1.8326$'
run ik "$models/scara.xml" --frame tool --position -0.45,0,0.1 --limits off
code 0; no_err
run ik "$models/closed/palletiser.xml" --frame flange --position 1,0.2,2.8
code 4; err 'limits exclude the only solution: R3 must be'
run ik "$models/scara.xml" --frame tool --position -0.45,0,0.1 --json
code 4; json '([.solutions[] | .exact and (.in_limits | not)] | all) and .distance == 0'
end

begin ik_names_limits_in_reverse_order_and_those_of_the_nearest_configuration
cat >reverse.urdf <<'END'
<robot name="reverse"><link name="a"/><link name="b"/><link name="c"/>
<joint name="slide" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
<limit lower="0" upper="-0.1" effort="1" velocity="1"/></joint>
<joint name="arm" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/><mimic joint="slide" multiplier="20"/></joint>
</robot>
END
run ik reverse.urdf --frame b --position -0.05,0,0
code 4; err 'exclude the only solution: no position is within the limits of slide: the lower one, 0, is above the upper, -0.1$'
run ik reverse.urdf --frame c --pose 9,0,0,1,0,0,0 --limits off
code 4; err 'out of reach: .* away$'
run ik reverse.urdf --frame c --pose 9,0,0,1,0,0,0
code 4; err 'out of reach: .* away, and outside the limits: no position is within the limits of slide'
end

begin ik_of_a_long_chain_suggests_another_base
{
    echo '<robot name="long"><link name="l0"/>'
    for i in 1 2 3 4 5 6 7 8 9; do
        echo "<link name=\"l$i\"/><joint name=\"j$i\" type=\"continuous\"><origin xyz=\"0.1 0 0\"/>"
        echo "<parent link=\"l$((i - 1))\"/><child link=\"l$i\"/><axis xyz=\"0 $((i % 2)) 1\"/></joint>"
    done
    echo '</robot>'
} >long.urdf
run ik long.urdf --frame l9 --position 0.4,0.3,0.1
code 2; err 'more than 8 joints .* "j9" is one too many; .* another base frame \(--from\)$'
run ik long.urdf --frame l9 --from l1 --position 0.4,0.3,0.1
code 0
end

begin ik_prints_the_redundancy_that_its_solutions_are_for
run ik "$models/panda_class.xml" --frame hand.tool --pose 0.45,0.15,0.3,0,1,0,0
code 0; out '^redundancy: joint7 = 0.785398$'
run ik "$models/panda_class.xml" --frame hand.tool --pose 0.45,0.15,0.3,0,1,0,0 --hold joint7=0.5 --json
code 0; json '.redundancy == {"name": "joint7", "value": 0.5}'
run ik "$ur5" --frame tool --pose "$pose" --json
json 'has("redundancy") | not'
end

begin ik_reports_more_rows_than_degrees_of_freedom
run ik "$models/scara.xml" --frame tool --pose 0.45,0.2,0.1,0,1,0,0
code 0; err '6 rows, but the chain has 4 degrees of freedom: targets that it cannot reach are approximated by least squares'
end

begin ik_holds_a_joint_of_a_redundant_chain_or_reports_why_not
run ik "$models/panda_class.xml" --frame hand.tool --pose 0.45,0.15,0.3,0,1,0,0 --hold joint7=0.5 --json
code 0; json '(.solutions | length) == 4 and ([.solutions[].q[6] == 0.5] | all)'
run ik "$models/panda_class.xml" --frame hand.tool --pose 0.4,0.2,0.4,0,1,0,0 --hold joint7=9
code 4; err 'out of reach'; out 'nearest, not exact'
run ik "$models/panda_class.xml" --frame hand.tool --pose 0.4,0.2,0.4,0,1,0,0 --hold finger1=0
code 2; err '"finger1" is to be held, but is not part of the chain'
run ik "$ur5" --frame tool --pose "$pose" --hold elbow=1
code 2; err 'holding a joint needs a chain with more degrees .* has 6, .* determines 6$'
run ik "$ur5" --frame tool --pose "$pose" --swivel 1
code 2; err 'a swivel angle needs a chain with more degrees'
run ik "$models/closed/palletiser.xml" --frame flange --position 1.807132,0.366324,1.535735 --hold R5=0.3 --json
code 0; json '[.solutions[] | .exact and .q[3] == 0.3] | all'
run ik "$models/scara.xml" --frame tool --position 0.45,0.2,0.1 --hold joint4=0.3 --json
code 0; json '[.solutions[].q[3] == 0.3] | all'
end

begin ik_prints_the_joints_of_the_chain_alone
run ik "$models/rover/rover.xml" --from body --frame imager --position 0.8,0.2,-0.1
code 0; out '^ +arm/azimuth arm/elevation +arm/elbow +arm/wrist +arm/turret$'
run ik "$models/rover/rover.xml" --from body --frame imager --position 0.8,0.2,-0.1 --json
json '[.solutions[].q | length == 27] | all'
end

begin ik_does_not_claim_a_closed_form_beside_a_coupled_finger
run explain "$models/panda_class.xml"
code 0; out 'right_finger.tip: no closed form: damped least squares$'
end

begin C12_ik_solves_constraints_with_the_keys_of_the_contract
cat >look.xml <<'EOT'
<constraints version="1"><move name="mast"/>
<look_at name="eye" frame="mast/head.left_eye" xyz="2 0.5 0"/></constraints>
EOT
run ik "$models/rover/rover.xml" --constraints look.xml --json
code 0
json 'keys == ["active_limits","conflicts","constraints","iterations","kkt","q","starts","status"]'
json '.status == "solved" and .constraints[0].name == "eye" and .constraints[0].residual < 1e-9'
json '(.q | length) == 27 and .conflicts == []'
run ik "$models/rover/rover.xml" --constraints look.xml
code 0; out '^solved: all constraints are met$'; out '^eye '
end

# Without the clearance the arm stands in the block that the scene adds. The SRDF file leaves out the
# pair that is 11 mm apart in all positions.
begin C13_ik_keeps_links_apart
cat >block.xml <<'EOT'
<linkwork version="1" name="block"><ground><box size="0.2 0.2 0.4" xyz="0.35 0 0.2"/></ground></linkwork>
EOT
cat >reach.xml <<'EOT'
<constraints version="1"><start q="0 -0.5 1.2 -2 -1.57 0"/>
<position name="hand" frame="tool" xyz="0.6 0 0.2"/></constraints>
EOT
sed 's|</constraints>|<clearance name="apart" lower="0.012"/>&|' reach.xml >apart.xml
echo '<robot><disable_collisions link1="upper_arm" link2="ground"/></robot>' >near.srdf
for file in reach apart; do
    run ik "$models/ur5_class.xml" --constraints $file.xml --scene block.xml --srdf near.srdf --json
    code 0; json '.status == "solved"'
    jq '{q: .q}' out >$file.json
    run collide "$models/ur5_class.xml" --scene block.xml --srdf near.srdf --state $file.json --json
    code 0
    [ $file = reach ] && json '.pairs[0].distance < 0' || json '.pairs[0].distance > 0.012 - 1e-9'
done
run ik "$models/ur5_class.xml" --constraints apart.xml --scene block.xml
code 4
run ik "$models/ur5_class.xml" --constraints apart.xml --srdf lost.srdf
code 3; err 'lost.srdf'
end

begin C43_constraints_that_cannot_be_met_are_exit_4_and_named
cat >both.xml <<'EOT'
<constraints version="1"><position name="here" frame="tool" xyz="0.3 0.2 0.4"/>
<position name="there" frame="tool" xyz="0.3 0.2 0.5"/></constraints>
EOT
run ik "$ur5" --constraints both.xml --json
code 4; err 'both.xml:2:1: warning: constraints "here" and "there" contradict each other'
json '.status == "best" and .conflicts == [{"constraints": ["here","there"], "limits": []}] and .kkt <= 1e-9'
run draw "$ur5" --constraints both.xml -o both.svg
code 4; out 'constraints: best'
[ -s both.svg ] || problem "no picture"
end

begin ik_refuses_bad_files_of_constraints
run ik "$ur5" --constraints nowhere.xml
code 3
sed 's/frame="tool" xyz="0.3 0.2 0.5"/frame="tol" xyz="0.3 0.2 0.5"/' both.xml >bad.xml
run ik "$ur5" --constraints bad.xml
code 1; err 'bad.xml:2:31: error: the mechanism has no frame "tol"; did you mean "tool"?'
run ik "$ur5" --constraints both.xml --frame tool
code 2; err '--constraints and --frame exclude each other'
end
