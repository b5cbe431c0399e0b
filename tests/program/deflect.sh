# Sag, compensation, stiffness and buckling (C10, C11, R51).

begin C10_deflect_has_the_keys_of_the_contract
run deflect "$models/ur5_class.xml" --stiffness 8000 --force 10,-20,-30 --json
code 0
json '[has("q", "command", "tip", "stiffness", "compliance", "load_factor")] | all'
json '(.stiffness | length) == 6 and ([.compliance[] | length == 6] | all) and .steps <= 6'
json '.tip.frame == "wrist_3.tool" and .tip.sag > 0.001 and .load_factor == null'
# The product of compliance and stiffness is the unit matrix.
json '. as $a | [range(6) as $i | range(6) as $k |
      near([range(6) | $a.compliance[$i][.] * $a.stiffness[.][$k]] | add; if $i == $k then 1 else 0 end; 1e-6)] | all'
end

begin C10_the_command_compensates
run deflect "$models/ur5_class.xml" --stiffness 8000 --payload 3 -q 0.3,-1,1.2,-0.5,0.7,0.2 --json
code 0; cp out first.json
run deflect "$models/ur5_class.xml" --stiffness 8000 --payload 3 \
    -q "$(jq -r '.command | map(tostring) | join(",")' first.json)" --json
code 0
json ". as \$b | $(jq -c '.tip.commanded' first.json) as \$a |
      [range(3) as \$i | near(\$a[\$i]; \$b.tip.position[\$i])] | all"
end

begin C10_one_joint_sags_as_the_closed_form_has_it
cat >one.xml <<'EOT'
<linkwork version="1" name="one"><ground/>
<joint name="pivot" type="revolute" axis="0 1 0" from="ground" to="rod"/>
<link name="rod" mass="5" center="1 0 0"><frame name="tip" xyz="1 0 0"/></link></linkwork>
EOT
run deflect one.xml --stiffness pivot=1000 --json
code 0; json 'near(.q[0]; 0.04899114851952853; 1e-15) and near(.tip.position[2]; -0.048971553328845396; 1e-15)'
json '.stiffness == null and .compensates_pose and near(.command[0]; -0.04905)'
run deflect one.xml --stiffness pivot=1000 --error 0.1 --json
code 0; json '.payload > 5.0 and .payload < 5.5'
end

begin C10_the_stiffness_of_a_joint_is_given_once
run deflect one.xml --stiffness pivot=1000,pivot=5
code 2; err 'pivot is given twice'
run deflect one.xml --stiffness pivot=1000,8 --json
code 0; json 'near(.q[0]; 0.04899114851952853; 1e-15)'
end

begin C10_rigid_directions_are_not_soft
run deflect one.xml --stiffness pivot=1000 -q 0.3 --json
code 0; json '.translational_stiffness == null and .principal_stiffness[1:] == [null, null]'
# The compliance along the way of the tip is its trace; the axes are those of stiffness.
json 'near(.principal_stiffness[0] * ([range(3; 6) as $i | .compliance[$i][$i]] | add); 1; 1e-12)'
json '. as $a | [1, 2] | map($a.principal_axes[.] as $u | [range(3) as $i | range(3) as $k |
      $u[$i] * $a.compliance[3 + $i][3 + $k] * $u[$k]] | add | fabs < 1e-18) | all'
run deflect one.xml --stiffness pivot=1000 -q 0.3 -o one.svg
code 0; check [ "$(grep -c '^       rigid  along' out)" = 2 ]
check [ "$(grep -c '^ .*[0-9]  along' out)" = 1 ]
check grep -q 'compliance ellipsoid, at most 0.9[0-9]* mm/N' one.svg
run deflect "$models/ur5_class.xml" --stiffness 8000 --json
code 0; json '(.translational_stiffness | length) == 3 and (.principal_stiffness | all(. > 0))'
end

begin R51_beyond_buckling_is_exit_4
sed 's/center="1 0 0"/center="0 0 1"/; s/mass="5"/mass="20"/' one.xml >upright.xml
run deflect upright.xml --stiffness 100 --json
code 4; err 'it buckles: the equilibrium is stable up to 0.50'
json 'near(.load_factor; 100 / (20 * 9.81); 1e-10)'
run deflect upright.xml --stiffness 1000
code 0; out '^load factor at which it buckles: 5.09'
end

# Loops limit the load before anything buckles.
begin R51_the_load_factor_ends_where_loops_do
run deflect "$models/closed/stewart.xml" --stiffness 1e6 --payload 500 --json
code 0; json '.load_factor > 20 and .load_factor < 25'
run deflect "$models/closed/excavator.xml" --stiffness 1e4 --payload 5
code 4; err 'it buckles'
end

begin C10_elastic_shafts_and_a_map
run deflect "$models/hr120/hr120.xml" --force 0,0,-500 --map map.svg --samples 500
code 0; out '^wrist/tip.flange sags by 2.9'; out 'N/mm'; check grep -q '<svg' map.svg
end

begin C11_deflect_draws_the_ellipsoid
run deflect "$models/ur5_class.xml" --stiffness 8000 -q 0,-1,1.2,0,0.7,0 --payload 5 -o arm.svg
code 0; check grep -q 'compliance ellipsoid, at most 0.0745 mm/N' arm.svg # 1 / 13.42 N/mm
check grep -q 'behind it the commanded configuration' arm.svg
check [ "$(grep -o 'c8322f' arm.svg | wc -l)" -ge 180 ]
end

begin C10_deflect_refuses_what_makes_no_sense
run deflect "$models/ur5_class.xml"
code 1; no_out; err 'nothing in the model yields: give --stiffness'
run deflect one.xml --stiffness pivt=10
code 2; err 'no joint "pivt"; did you mean "pivot"'
run deflect one.xml --stiffness pivot=0
code 2; err 'that of "pivot" is 0, must be above zero'
run deflect one.xml --stiffness pivot=abc
code 2; err 'JOINT=N'
run deflect "$models/ur5_class.xml" --stiffness 9000,8000,7000,6000,5000,4000
code 2; no_out; err '6 numbers for all joints, where one is'
run deflect one.xml --stiffness 10 --force 1,2
code 2; err '--force is X,Y,Z'
run deflect one.xml --stiffness 10 --payload 5kg
code 2; err '--payload is a number from 0 on, not "5kg"'
run deflect one.xml --stiffness 10 --samples 50
code 2; err '--samples needs --map'
run deflect one.xml --stiffness 10 -o arm.png
code 2; err 'pictures are written as SVG'
sed 's/to="rod"/to="rod" stiffness="-4"/' one.xml >bad.xml
run deflect bad.xml
code 1; err 'bad.xml:2:1: warning: joint "pivot": stiffness is -4, negative'
end
