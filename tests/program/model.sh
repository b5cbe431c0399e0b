# info, check, explain: what the program tells about a model.

begin info_has_the_keys_of_the_contract
run info arm.urdf --json
code 0; no_err
json 'keys == (["name","nbody","nq","nv","positions","velocities","frames","loops","mass","reference","joints"] | sort)'
json '.name == "arm" and .nbody == 4 and .nq == 3 and .nv == 3 and .loops == 0'
json '.positions == ["shoulder","elbow","extend"] and .velocities == .positions'
json '.frames | index("hand") != null'
json '.joints[0] == {name: "shoulder", type: "revolute", lower: -2, upper: 2, velocity: 3, effort: 10}'
json '.joints[1] | .velocity == null and .effort == null'
json 'near(.mass; 3.6) and .reference == [0,0,0]'
end

begin info_for_people
run info arm.urdf
code 0; no_err
out '^arm$'; out ' 0  shoulder +revolute +0 +-2 +2 rad$'; out ' 1  elbow +revolute +0 +- +- rad$'; out 'hand'
end

begin free_base_has_names_for_positions_and_velocities
run info arm.urdf --free-base --json
code 0
json '.nq == 10 and .nv == 9'
json '.positions[0:7] == ["root.x","root.y","root.z","root.qw","root.qx","root.qy","root.qz"]'
json '.velocities[0:6] == ["root.wx","root.wy","root.wz","root.vx","root.vy","root.vz"]'
json '.reference[0:7] == [0,0,0,1,0,0,0]'
end

begin model_from_standard_input
run info - --json <arm.urdf
code 0; json '.name == "arm"'
run fk - --state - <arm.urdf
code 2; err 'cannot both be standard input'
end

begin check_of_a_good_model
run check arm.urdf
code 0; no_err; out '^arm.urdf: 0 errors, 0 warnings, 0 notes$'
run check arm.urdf --json
code 0; json '. == {"findings": []}'
end

begin check_of_a_bad_model
run check bad.urdf
code 1; err '^bad.urdf:[0-9]+:[0-9]+: error: '; out '^bad.urdf: [1-9]'
run check bad.urdf --json
code 1; no_err
json '[.findings[] | keys == (["file","line","column","severity","code","message"] | sort)] | all'
json '[.findings[] | select(.severity == "error")] | length >= 1'
json '.findings[0] | .file == "bad.urdf" and .line > 0 and .column > 0 and (.message | length > 5)'
end

begin bad_model_is_refused_by_every_command
for c in info explain fk id fd mass gravity energy "jacobian --frame hand" "sensitivity --parameters all" \
    "draw -o x.svg" bench; do
    run $c bad.urdf
    code 1; no_out; err '^bad.urdf:[0-9]+:[0-9]+: error: '
done
run convert bad.urdf x.xml
code 1; check test ! -e x.xml
end

begin missing_file
for c in info check explain fk; do
    run $c nowhere.urdf
    code 3; err 'nowhere.urdf'
done
run check nowhere.urdf --json
code 3; json '.findings[0] | .file == "nowhere.urdf" and .severity == "error"'
run info .
code 3
end

printf 'this is no model\n' >text.txt
begin file_that_is_no_model
run info text.txt
code 1; no_out; err '^text.txt:[0-9]+:[0-9]+: error: '
end

begin format_is_told_by_content
cp arm.urdf arm.xml
run info arm.xml --json
code 0; json '.name == "arm"'
end

begin explain_has_the_keys_of_the_contract
run explain arm.urdf --json
code 0
json '["tree","merged","gears","closure","notes"] - keys == []'
json '[.tree[].joint] | sort == ["elbow","extend","follow","shoulder"]'
json '.merged[] | select(.body == "slide") | .links == ["slide","hand"]'
json '.closure | length == 1'
json '.closure[0] | .kind == "linear" and .solves == ["follow"] and .from == ["shoulder"]'
json '.closure[0] | .loops == [] and .branch == 0 and .ratio == [[-2]] and .offset == [0.5]'
json '.gears[0] | .ratio == [-2] and .offset == 0.5 and .solves == "follow" and .from == ["shoulder"]'
end

begin explain_for_people
run explain arm.urdf
code 0
out '`- |\|- '; out 'fore +\(revolute elbow\)'; out 'slide: slide, hand'
out 'follow = -2 shoulder \+ 0.5'
end

begin diagnostics_do_not_hide_the_answer
cat >meshes.urdf <<'EOF'
<robot name="meshes"><link name="base">
EOF
for i in 1 2 3 4 5 6 7 8; do
    echo "<visual><geometry><mesh filename=\"lost$i.stl\"/></geometry></visual><odd$i/>" >>meshes.urdf
done
echo '</link></robot>' >>meshes.urdf
run info meshes.urdf
code 0; out '^meshes'; err 'meshes.urdf:2:[0-9]+: warning: '; err 'more warnings; all of them: linkwork check meshes.urdf'
check test "$(grep -c 'warning:' err)" -lt 8
run check meshes.urdf
code 0; check test "$(grep -c 'warning:' err)" -ge 8
# What is wrong with the machine comes before what is wrong with its pictures.
sed 's|</robot>|<link name="tip"/><joint name="j" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>|' \
    meshes.urdf >empty.urdf
run id empty.urdf
code 0; err 'nothing beyond joint "j" has mass'
# Many of one kind hide none of another.
err 'mesh-missing'
check test "$(grep -c 'unused-element' err)" -eq 3
end

begin meshes_in_the_ROS_layout_are_found
mkdir -p copied/urdf copied/meshes/visual
{ echo SOLID T
  for side in "0 0 0,0 1.0E+00 0,1 0 0" "0 0 0,1 0 0,0 0 1" "0 0 0,0 0 1,0 1 0" "1 0 0,0 1 0,0 0 1"; do
      printf 'FACET NORMAL 0 0 0\nOUTER LOOP\nVERTEX %s\nENDLOOP\nENDFACET\n' "${side//,/$'\n'VERTEX }"
  done
  echo ENDSOLID T; } >copied/meshes/visual/a.stl
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 1284284\n' \
    >copied/meshes/b.stl
touch copied/secret.stl
for f in package://arm_description/meshes/visual/a.stl ../meshes/visual/a.stl; do
    echo "<robot name=\"r\"><link name=\"a\"><visual><geometry><mesh filename=\"$f\"/></geometry></visual></link></robot>" >copied/urdf/arm.urdf
    run check copied/urdf/arm.urdf; code 0; no_err
done
sed -i 's|visual/a.stl|b.stl|' copied/urdf/arm.urdf
run fk copied/urdf/arm.urdf; code 0; err 'warning: mesh .*b.stl": it is a Git LFS pointer.*git lfs pull.*\[mesh-invalid\]'
cp copied/meshes/b.stl copied/meshes/b.dae
sed -i 's|b.stl|b.dae|' copied/urdf/arm.urdf
run check copied/urdf/arm.urdf; code 0; err 'warning: mesh .*b.dae": it is a Git LFS pointer.*git lfs pull.*\[mesh-invalid\]'
echo '<COLLADA/>' >copied/meshes/b.dae; run check copied/urdf/arm.urdf; code 0; no_err
sed -i 's|meshes/b.dae|secret.stl|' copied/urdf/arm.urdf
run fk copied/urdf/arm.urdf; code 0; err 'secret.stl" leads out of .*\[mesh-outside\]'
end

begin missing_meshes_are_reported_by_package
{ echo '<robot name="r"><link name="a">'
  for f in package://copied/meshes/{x,y}.stl package://other/{p,q,r}.dae package://third/s.stl model://third/t.stl plain{1,2}.stl; do
      echo "<visual><geometry><mesh filename=\"$f\"/></geometry></visual>"
  done
  echo '</link></robot>'; } >copied/urdf/lost.urdf
run check copied/urdf/lost.urdf
code 0; out ': 0 errors, 4 warnings'
err ':2:.* 2 meshes, the first "package://copied/meshes/x.stl"; the package "copied" is found, but does not contain them \[mesh-missing\]$'
err ':4:.* 3 meshes, the first "package://other/p.dae"; --path DIR adds a folder that contains the package "other" \['
err ':7:.* 2 meshes, the first "package://third/s.stl"; --path .* package "third"'; err ':9:.* 2 meshes, the first "plain1.stl"; --path DIR adds a folder to search'
end

begin doubtful_meshes_are_reported_once_for_each_fault
{ echo '<robot name="r"><link name="a">'
  for f in open turned empty flat open2; do
      echo "<visual><geometry><mesh filename=\"$f.obj\"/></geometry></visual>"
  done
  echo '</link></robot>'; } >doubt.urdf
corners='v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n'
printf "${corners}f 1 3 2\nf 1 2 4\nf 1 4 3\n" | tee open.obj >open2.obj
printf "${corners}f 1 2 3\nf 1 4 2\nf 1 3 4\nf 2 4 3\n" >turned.obj
printf "${corners}" >empty.obj
printf "${corners}f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\nf 1 1 2\n" >flat.obj
run check doubt.urdf
code 0; err 'doubt.urdf:2:[0-9]+: warning: mesh "open.obj": it is open: .* \(and so with 1 more meshes\) \[mesh-open\]$'
err 'warning: mesh "turned.obj": .* face inward \[mesh-inside-out\]$'; err 'mesh "empty.obj": it has no triangles \[mesh-empty\]$'
err 'mesh "flat.obj": it has triangles without area \[mesh-degenerate\]$'; out ': 0 errors, 4 warnings'
end

begin bytes_that_are_not_UTF_8_are_named_with_their_location
printf '<?xml version="1.0"?>\n<robot name="a">\n  <!-- Gr\366\337e -->\n  <link name="l"/>\n</robot>\n' >latin1.urdf
run check latin1.urdf; code 1; err '^latin1.urdf:3:10: error: byte 0xF6 is not UTF-8: save the file as UTF-8'
sed 's|"1.0"|"1.0" encoding="ISO-8859-1"|' latin1.urdf >latin2.urdf
run check latin2.urdf; code 0
printf '<robot name="a\342\202"><link name="l"/></robot>' >cut.urdf
run check cut.urdf; code 1; err ':1:15: error: byte 0xE2 is not UTF-8'
end

begin D29_warnings_have_codes_and_are_silenced_one_by_one
sed 's|<odd.*/>||; s|<robot name="meshes">|<robot name="meshes"><strange/>|' meshes.urdf >codes.urdf
run check codes.urdf
code 0; err 'warning: not found: 8 meshes, the first "lost1.stl"; --path DIR adds .* \[mesh-missing\]$'; check test "$(grep -c mesh-missing err)" = 1; err 'warning: <strange> is not used \[unused-element\]$'
run check codes.urdf --silence mesh-missing
code 0; err '\[unused-element\]'; check test "$(grep -c warning err)" = 1; out ': 0 errors, 1 warning, 0 notes'
run check codes.urdf --silence mesh-missing --silence=unused-element --json
code 0; json '.findings == []'
run check codes.urdf --silence mesh-missing --json
json '.findings[0] | .code == "unused-element" and .severity == "warning"'
for c in info fk explain; do
    run $c codes.urdf --silence mesh-missing --silence unused-element
    code 0; check test ! -s err
done
run check codes.urdf --silence mesh-mising
code 2; err 'no warning has the code "mesh-mising"; did you mean "mesh-missing"'; check test ! -s out
sed 's|name="base"|name="base" name="base"|' codes.urdf >wrong.urdf
run check wrong.urdf --silence syntax; code 2
run check wrong.urdf --json; code 1; json '.findings[0] | .code == "syntax" and .severity == "error"'
end

begin R29_check_and_explain_tell_of_motors_that_do_not_determine_their_joints
cat >car.xml <<'EOF'
<linkwork version="1" name="car"><ground/><joint name="left" type="revolute" from="ground" to="a"/><link name="a" mass="1" inertia="1 1 1"/>
<joint name="right" type="revolute" from="ground" to="b"/><link name="b" mass="1" inertia="1 1 1"/>
<drive name="motor"/><gearbox name="box" in="motor" out="left right" ratio="3 3"/></linkwork>
EOF
run check car.xml
code 0; err '^car.xml: warning: "motor" does not determine "left" and "right": .* \[motors-few\]$'; out ': 0 errors, 1 warning, 0 notes'
run explain car.xml
code 0; out '^  warning: "motor" does not determine "left" and "right"'; no_err
run explain car.xml --silence motors-few
code 0; check test "$(grep -c determine out)" = 0
end

begin every_model_of_the_project
for m in "$models"/*.xml "$models"/*/quadruped.xml "$models"/*/rover.xml; do
    run check "$m"; code 0
    run info "$m" --json; code 0; json '.nv > 0 and .mass >= 0'
done
end

begin every_urdf_of_the_collection
if [ -d "$shared/models/urdf" ]; then
    for m in "$shared"/models/urdf/*.urdf; do
        run info "$m" --json; code 0; json '.nbody >= 1 and (.frames | length) >= 1'
    done
else
    skip "$shared/models/urdf is not there"
fi
end

begin a_misspelt_part_before_a_dot_is_guessed
sed 's/from="upper\.b"/from="uper.b"/' "$source_dir/README.md" | sed -n '/^```xml arm.xml/,/^```$/p' | sed '/^```/d' >uper.xml
run check uper.xml
code 1; err 'no part or frame "uper.b"; did you mean "upper"\?'
end
