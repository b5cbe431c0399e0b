# fk, jacobian: numbers against the closed form of the planar arm, whose joints turn about y.

begin fk_has_the_keys_of_the_contract
run fk arm.urdf --json
code 0
json 'keys == ["frames"]'
json '[.frames[] | keys == ["position","quaternion"] and (.position | length) == 3 and (.quaternion | length) == 4] | all'
run info arm.urdf --json; cp out info.json
run fk arm.urdf --json
check test "$(jq -c '.frames | keys_unsorted' out)" = "$(jq -c .frames info.json)"
end

begin fk_agrees_with_the_closed_form
run fk arm.urdf -q 0.5,-0.25,0.1 --frame slide --frame follower --json
code 0
json '.frames | keys == ["follower","slide"]'
# Turning about y by a moves x to (cos a, 0, -sin a).
json '.frames.slide.position | near(.[0]; 0.4*(0.5|cos) + 0.4*(0.25|cos)) and .[1] == 0 and
      near(.[2]; -0.4*(0.5|sin) - 0.4*(0.25|sin))'
json '.frames.slide.quaternion | near(.[0]; (0.125|cos)) and near(.[2]; (0.125|sin))'
# The follower turns by -2 * 0.5 + 0.5.
json '.frames.follower.quaternion | near(.[0]; (0.25|cos)) and near(.[2]; -(0.25|sin))'
end

begin fk_relative_to_another_frame
run fk arm.urdf -q 0.7,0.9,0.1 --frame hand --relative-to slide --json
code 0; json '.frames.hand | near(.position[0]; 0) and near(.position[2]; 0.1) and near(.quaternion[0]; 1)'
run fk arm.urdf --relative-to elbow.b --json
code 0; json '.frames.fore.position | near(.[0]; 0)'
run fk arm.urdf --relative-to nowhere
code 2; err 'no frame "nowhere"'
end

begin fk_for_people
run fk arm.urdf -q 0,0,0.1
code 0; out '^frame +x +y +z +qw +qx +qy +qz$'; out '^slide +0.800000 +0.000000 +0.000000 +1.000000'
end

begin frames_by_short_name
run fk "$models/ur5_class.xml" --frame tool --json
code 0; json '.frames | keys == ["wrist_3.tool"]'
run fk arm.urdf --frame hnd
code 2; no_out; err 'no frame "hnd"; did you mean "hand"\?'
run fk "$models/rover/rover.xml" --frame ground_contact
code 2; err 'frames are called "ground_contact": give the whole name'
end

begin numbers_have_seventeen_digits
run info arm.urdf --json
code 0; out '"mass": 3\.6000000000000001,'
run fk arm.urdf -q shoulder=0.1 --frame upper --json
code 0; json '.frames.upper.quaternion | near(.[0]; (0.05|cos); 3e-16)'
end

begin jacobian_has_the_keys_of_the_contract
run jacobian arm.urdf --frame hand --json
code 0
json 'keys == ["J","columns"] and (.J | length) == 6 and ([.J[] | length == 3] | all)'
json '.columns == ["shoulder","elbow","extend"]'
end

begin jacobian_agrees_with_the_closed_form
run jacobian arm.urdf --frame slide -q 0.5,-0.25,0.1 --json
code 0
json '.J[0] == [0,0,0] and .J[1] == [1,1,0] and .J[2] == [0,0,0]'
json 'near(.J[3][1]; -0.4*(0.25|sin)) and near(.J[5][1]; -0.4*(0.25|cos))'
json 'near(.J[3][2]; (0.25|cos)) and near(.J[5][2]; -(0.25|sin))'
run jacobian arm.urdf --frame slide -q 0.5,-0.25,0.1 --expressed-in frame --json
code 0
json 'near(.J[3][2]; 1) and near(.J[5][2]; 0) and near(.J[3][1]; 0) and near(.J[5][1]; -0.4)'
run jacobian arm.urdf --frame slide -q 0.5,-0.25,0.1 --expressed-in world --json
code 0; json 'near(.J[3][2]; (0.25|cos))'
end

begin jacobian_needs_a_frame
run jacobian arm.urdf
code 2; no_out; err 'needs one --frame'
end
