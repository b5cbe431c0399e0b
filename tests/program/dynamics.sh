# id, fd, mass, gravity, energy, sensitivity.

# One arm: 2 kg at 0.5 m, 0.1 kg m^2 about its centre, turning about y; q = 0 is level.
cat >pendulum.urdf <<'EOF'
<robot name="pendulum"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <dynamics damping="0.5" friction="0.25"/></joint>
</robot>
EOF
# Inertia about the joint 0.1 + 2 * 0.25 = 0.6; the weight turns it by +9.81 cos q.

begin dynamics_has_the_keys_of_the_contract
run id arm.urdf --json; code 0; json 'keys == ["names","tau"] and .names == ["shoulder","elbow","extend"]'
run fd arm.urdf --json; code 0; json 'keys == ["a","names"] and (.a | length) == 3'
run mass arm.urdf --inverse --json; code 0; json 'keys == ["inverse","names"] and (.inverse | length) == 3'
run mass pendulum.urdf -q 0.3 --inverse --json; code 0; inverse=$(jq '.inverse[0][0]' out)
run mass pendulum.urdf -q 0.3 --json; code 0; json "(.M[0][0] * $inverse - 1) | fabs < 1e-15"
run mass arm.urdf --json; code 0; json 'keys == ["M","names"] and (.M | length) == 3 and (.M[0] | length) == 3'
run gravity arm.urdf --json; code 0; json 'keys == ["names","tau"] and (.tau | length) == 3'
run energy arm.urdf --json; code 0; json 'keys == ["kinetic","potential"]'
run sensitivity arm.urdf --parameters upper.mass,fore.mass --json
code 0; json 'keys == ["dtau","names","parameters"] and .parameters == ["upper.mass","fore.mass"]'
json '(.dtau | length) == 3 and (.dtau[0] | length) == 2'
end

begin friction_does_not_jump_on_rounding_noise
# Smoothed over 0.001 rad/s, beyond that exactly Coulomb's; 0 keeps the jump.
for v in 1e-300 -1e-300 0; do
    run id pendulum.urdf -q 0 -v $v --json; code 0; json 'near(.tau[0]; -9.81)'
    run fd pendulum.urdf -q 0 -v $v --json; code 0; json 'near(.a[0]; 9.81 / 0.6)'
done
run id pendulum.urdf -q 0 -v 0.0005 --json; code 0; json 'near(.tau[0]; -9.81 + 0.5*0.0005 + 0.25*0.6875)'
run id pendulum.urdf -q 0 -v 0.0005 --friction-speed 0 --json; code 0; json 'near(.tau[0]; -9.81 + 0.5*0.0005 + 0.25)'
run id pendulum.urdf -q 0 -v -1e-300 --friction-speed 0 --json; code 0; json 'near(.tau[0]; -10.06)'
run id pendulum.urdf --friction-speed -1; code 2; err 'friction-speed is a number from 0'
end

begin pendulum_in_closed_form
run id pendulum.urdf -q 0.3 -v 2 -a 5 --json
code 0; json 'near(.tau[0]; 0.6*5 - 9.81*(0.3|cos) + 0.5*2 + 0.25)'
run id pendulum.urdf -q 0.3 -v 2 -a 5 --ideal --json
code 0; json 'near(.tau[0]; 0.6*5 - 9.81*(0.3|cos))'
run fd pendulum.urdf -q 0.3 -v 2 -t 1 --json
code 0; json 'near(.a[0]; (1 + 9.81*(0.3|cos) - 0.5*2 - 0.25) / 0.6)'
run gravity pendulum.urdf -q 0.3 --json
code 0; json 'near(.tau[0]; -9.81*(0.3|cos))'
run mass pendulum.urdf -q 0.3 --json
code 0; json 'near(.M[0][0]; 0.6)'
run energy pendulum.urdf -q 0.3 -v 2 --json
code 0; json 'near(.kinetic; 1.2) and near(.potential; -9.81*(0.3|sin))'
run sensitivity pendulum.urdf -q 0.3 -a 5 --parameters rod.mass,rod.center.x,rod.inertia.yy --json
code 0
json '.dtau[0] | near(.[0]; 0.25*5 - 9.81*0.5*(0.3|cos)) and near(.[1]; 2*5 - 2*9.81*(0.3|cos)) and near(.[2]; 5)'
end

begin forward_undoes_inverse
run id arm.urdf -q 0.5,-0.25,0.1 -v 1,-2,0.3 -a 0.7,-0.9,1.1 --json
code 0
jq '{q: [0.5,-0.25,0.1], v: [1,-2,0.3], tau: .tau}' out >state.json
run fd arm.urdf --state state.json --json
code 0; json '.a | near(.[0]; 0.7; 1e-9) and near(.[1]; -0.9; 1e-9) and near(.[2]; 1.1; 1e-9)'
end

begin sensitivity_takes_links_and_all
run sensitivity arm.urdf --parameters fore --json
code 0; json '.parameters | length == 10 and .[0] == "fore.mass" and .[9] == "fore.inertia.yz"'
run sensitivity arm.urdf --parameters all --json
code 0; json '.parameters | length == 60'
run sensitivity arm.urdf --parameters fore.mas
code 2; no_out; err 'no parameter "fore.mas"; did you mean "fore.mass"\?'
run sensitivity arm.urdf --parameters fore.length
code 2; no_out; err 'no parameter "fore.length"; --list prints what there is'
run sensitivity arm.urdf --list --json
code 0; json '[.parameters[] | select(.name == "fore.mass") | .value > 0] == [true]'
run sensitivity arm.urdf
code 2; err 'needs --parameters'
end

begin D36_D39_sensitivity_by_any_number_of_the_description
run sensitivity pendulum.urdf -q 0.3 -v 2 -a 5 --parameters turn.friction,turn.damping,rod.mass,turn.rotor_inertia --json
code 0
json '.dtau[0] | near(.[0]; 1; 1e-9) and near(.[1]; 2; 1e-9) and near(.[2]; 0.25*5 - 9.81*0.5*(0.3|cos)) and near(.[3]; 5; 1e-9)'
# Through loops: forces are linear in the mass of a rod, and nearly so in a small change of its length.
state="-q 0.1,0.3,0.2,0 -v 1,1,1,0 -a 1,0,1,1"
forces() { # length, mass
    sed "s/length=\"1.2\" mass=\"6\"/length=\"$1\" mass=\"$2\"/" "$models/closed/palletiser.xml" >varied.xml
    run id varied.xml $state --json; code 0; cp out "$3.json"
}
forces 1.2 6 plain; forces 1.2 7 heavy; forces 1.2001 6 long; forces 1.1999 6 short
run sensitivity "$models/closed/palletiser.xml" $state --parameters LAB.mass,LAB.length --json; code 0
jq -s '{dtau: .[0].dtau, mass: [range(4) as $i | .[2].tau[$i] - .[1].tau[$i]],
        length: [range(4) as $i | (.[3].tau[$i] - .[4].tau[$i]) / 0.0002]}' out plain.json heavy.json long.json short.json >all.json
cp all.json out
json '. as $x | all(range(4); near($x.dtau[.][0]; $x.mass[.]; 1e-8) and near($x.dtau[.][1]; $x.length[.]; 1e-4))'
json '.mass[0] > 0.3 and .length[1] > 100'
run sensitivity "$models/closed/four_bar.xml" --parameters crank.axis.x
code 1; no_out; err 'crank.axis.x a little different: it is not free to vary alone'
# Sizes of gears, coefficients of couplings, parts of one assembly among others.
run sensitivity "$models/closed/geared_wrist.xml" -a 1,2,3 --parameters drive1.ratio,drive1.size1,drive1.size2 --json
code 0
json 'all(.dtau[]; . as $x | near($x[0]; 20 * $x[2]; 1e-9) and near($x[1]; -3 * $x[2]; 1e-9)) and .dtau[0][0] < -1e-4'
run sensitivity "$models/panda_class.xml" --parameters gripper.c1,gripper.c0 -q 0,0,0,-1,0,0,0,0.01 --json
code 0; json 'all(.dtau[0:7][]; . as $x | near($x[0]; 0.01 * $x[1]; 1e-9)) and .dtau[1][1] > 0.05 and .dtau[7][0] > 0.08'
run sensitivity "$models/rover/rover.xml" --parameters rear_left/wheel/drive.friction,middle_left/drive.friction -v 'rear_left/wheel/drive=1' --json
code 0; json '[.dtau[][0]] | map(select(. > 0.5)) | length == 1'; json 'all(.dtau[]; near(.[1]; 0; 1e-9))'
end

begin dynamics_for_people
run id arm.urdf; code 0; out '^velocity +tau$'; out '^shoulder +-?[0-9.]+ N m$'; out '^extend +-?[0-9.]+ N$'
run fd arm.urdf; code 0; out '^shoulder +-?[0-9.]+ rad/s\^2$'; out '^extend +-?[0-9.]+ m/s\^2$'
run mass arm.urdf; code 0; out '^mass matrix, kg m\^2, kg m or kg;'; out '^elbow( +-?[0-9.]+){3}$'
run energy arm.urdf -v 1,0,0; code 0; out '^kinetic +[0-9.]+$'
end

begin a_dof_that_moves_nothing
run fd massless.urdf
code 4; no_out; err 'idle moves no inertia'
run id massless.urdf --json
code 0; json '.tau == [0]'
end

begin what_overflows_is_a_numeric_failure
for c in "id -a shoulder=1e308,extend=1e308" "energy -v shoulder=1e200" "fk -q extend=1e308 --frame hand"; do
    run $c arm.urdf --json
    check test "$got" = 4 -o "$got" = 0
    if [ "$got" = 0 ]; then json '[.. | numbers | . < 1e309 and . > -1e309] | all'; else no_out; fi
done
run energy arm.urdf -v shoulder=1e200 --json
code 4; no_out
end
