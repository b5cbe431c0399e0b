# collide: distances of links, with the keys, options and exit codes of the contract.

begin C28_collide_has_the_keys_of_the_contract
run collide "$ur5" --json
code 0
json 'keys == ["pairs","tests","unused_meshes"]'
json '[.pairs[] | keys == ["a","b","distance","interval","normal","points","reason","verdict"]] | all'
json '[.pairs[] | .interval[0] <= .distance and .distance <= .interval[1]] | all'
json '[.pairs[].distance] | . == sort'
end

begin C28_collide_prints_what_is_within_the_margin
run collide "$ur5" --margin 0.1 --json
code 0
json '[.pairs[] | .interval[0] <= 0.1] | all'
run collide "$ur5" --margin -5
code 0; out 'no pair that is checked is nearer'
run collide "$ur5" --margin wide
code 2; err 'margin'
end

begin C31_C32_collide_compares_in_several_ways
for method in trees shapes all; do
    run collide "$models/rover/rover.xml" --margin 0.05 --compare $method --json
    code 0; json '.tests.shapes > 0'
    jq -c '[.pairs[] | [.a, .b, (.distance * 1e9 | round)]]' out >found.$method
done
check cmp -s found.trees found.shapes
check cmp -s found.trees found.all
run collide "$ur5" --compare tree
code 2; err 'did you mean "trees"'
end

begin C29_collide_lists_pairs_with_their_reasons
run collide "$ur5" --pairs
code 0; out 'adjacent: shoulder_lift'; out 'checked'
run collide "$ur5" --pairs --json
json '[.pairs[] | keys == ["a","b","reason"]] | all'
# Proven pairs have the better reason, and more states leave no more out.
run collide "$models/panda_class.xml" --pairs --allow-unseen 3000 --json
code 0; json '[.pairs[] | select(.reason == "never: proven within the limits")] | length > 5'
json '[.pairs[] | select(.reason == "unseen: no contact in 3000 random states, at most 0.001 of all (95 %)")] | length > 2'
json '[.pairs[] | select(.reason == "checked")] | length > 5'
run collide "$models/panda_class.xml" --allow-unseen 0
code 2; err 'allow-unseen'
end

begin C28_collide_fails_on_contact_where_requested
run collide "$ur5" -q 0,-1.2,2.7,0,1.5,0
code 0; out contact
run collide "$ur5" -q 0,-1.2,2.7,0,1.5,0 --fail-on-contact
code 4
run collide "$ur5" --fail-on-contact -q 0,-1,1,0,1,0 --margin -1
code 0
end

begin C28_collide_refuses_a_model_without_shapes
run collide "$models/closed/four_bar.xml"
code 1; err 'no link has a collision shape'
run collide "$ur5" -q nan,0,0,0,0,0
code 2
end

begin C33_collide_proves_that_a_motion_is_free
run collide "$ur5" -q 0,-1,1,0,1,0 --motion 0.5,-1.2,1.3,0,1,0
code 0; out 'the motion is free: proven'
run collide "$ur5" -q 0,-1,1,0,1,0 --motion 0.5,-1.2,1.3,0,1,0 --json
json '.motion.verdict == "free" and .motion.t == [1,1] and .motion.sampled == false'
run collide "$ur5" -q 0,-1,1,0,1,0 --motion elbow=3.1 --fail-on-contact
code 4; out 'of the motion; free before'
run collide "$ur5" -q 0,-1.2,2.7,0,1.5,0 --motion elbow=3.1
code 0; out '^contact at the start of the motion'
run collide "$ur5" -q 0,-1,1,0,1,0 --motion elbow=3.1 --json
json '.motion.verdict == "contact" and (.pairs | length) == 1 and .motion.t[0] <= .motion.t[1]'
run collide "$ur5" --motion elbw=1
code 2; err 'did you mean "elbow"'
end

# The picture of a motion is that of the state it ends in, free or at a contact.
begin C33_collide_draws_a_motion
run collide "$ur5" -q 0,-1,1,0,1,0 --motion elbow=3.1 -o hit.svg
code 0; check grep -Eq 'at 0.[0-9]+ of the motion; 1 pairs, 1 not free' hit.svg
run collide "$ur5" -q 0,-1,1,0,1,0 --motion 0.5,-1.2,1.3,0,1,0 -o free.svg
code 0; check grep -q 'at 1 of the motion; 0 pairs, 0 not free' free.svg
run collide "$ur5" -q 0.5,-1.2,1.3,0,1,0 --margin 0 -o end.svg
for picture in hit free end; do
    sed '/not free/d' $picture.svg >$picture.rest
done
check cmp free.rest end.rest
[ "$(grep -c c8322f hit.svg)" -gt "$(grep -c c8322f free.svg)" ] || problem "no nearest points"
run collide "$ur5" --pairs -o pairs.svg
code 2; err '^linkwork: --pairs computes no distances that --output could draw'; check test ! -e pairs.svg
run collide "$ur5" --save-srdf - -o pairs.svg
code 2; err 'save-srdf - computes no distances'; no_out; check test ! -e pairs.svg
end

begin C33_collide_tells_what_a_motion_comes_near
cat > two.xml <<'END'
<linkwork version='1' name='two'><ground><box size='1 1 1'/></ground>
<joint name='a' type='prismatic' axis='1 0 0' from='ground' to='s'/>
<link name='s' mass='1' inertia='1 1 1'/>
<joint name='b' type='prismatic' axis='0 1 0' from='s' to='u'/>
<link name='u' mass='1' inertia='1 1 1'><box size='1 1 1'/></link></linkwork>
END
run collide two.xml -q 0,3 --motion 0,1.02 --margin 0.05
code 0; out 'contact at 0.98'; out '0.0499.* m  contact'
run collide two.xml -q 1e60,3
code 4
end

begin C29_collide_tells_why_there_is_no_pair
run collide "$models/closed/slider_crank.xml"
code 0; out 'only one link has collision shapes'
run collide "$models/closed/slider_crank.xml" --motion 3
code 0; out 'only one link has collision shapes'
run collide "$models/closed/slider_crank.xml" --pairs
code 0; out 'only one link has collision shapes'
sed "s/<box size='1 1 1'/<box size='1e60 1 1'/" two.xml > huge.xml
run collide huge.xml
code 1; err 'huge.xml:5:41: error: shape on link "u": sizes must be less than 1e50 m'
end

begin C28_collide_uses_meshes_and_names_those_that_it_cannot_read
cat >box.obj <<'EOF'
v -1 -1 -1
v 1 -1 -1
v -1 1 -1
v 1 1 -1
v -1 -1 1
v 1 -1 1
v -1 1 1
v 1 1 1
f 1 3 4 2
f 5 6 8 7
f 1 2 6 5
f 3 7 8 4
f 1 5 7 3
f 2 4 8 6
EOF
printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n' >lfs.stl
cat >mesh.urdf <<'EOF'
<robot name="mesh"><link name="base"><collision><geometry><mesh filename="box.obj" scale="0.1 0.1 0.1"/>
</geometry></collision></link><link name="middle"/>
<link name="tip"><collision><origin xyz="0.5 0 0"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
<joint name="a" type="prismatic"><axis xyz="1 0 0"/><parent link="base"/><child link="middle"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<joint name="b" type="prismatic"><axis xyz="0 1 0"/><parent link="middle"/><child link="tip"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>
EOF
run collide mesh.urdf --json
code 0
json '.pairs[0].distance - 0.3 | fabs < 1e-12'
json '.unused_meshes == 0'
run collide mesh.urdf -q -0.4,0 --fail-on-contact
code 4; out contact
run collide mesh.urdf --motion a=-1 --json
json '.motion.verdict == "contact" and (.motion.t[1] - 0.3 | fabs < 1e-5)'
sed s/box.obj/lfs.stl/ mesh.urdf >lfs.urdf
run collide lfs.urdf
code 0; err 'lfs.urdf:1:[0-9]+: warning: mesh "lfs.stl": it is a Git LFS pointer'; out 'not checked: 1 collision mesh.*--path'
end

begin C28_collide_takes_scenes_tools_and_draws
cat >cell.xml <<'EOF'
<linkwork version="1" name="cell">
  <ground><box size="0.6 1.6 0.04" xyz="0.6 0 0.12"/></ground>
  <joint name="post" type="fixed" from="ground" to="shelf"/>
  <link name="shelf" mass="5" inertia="1 1 1"><box size="0.3 1 0.04" xyz="0.2 0.7 0.8"/></link>
</linkwork>
EOF
cat >tool.xml <<'EOF'
<linkwork version="1" name="gripper"><ground><box size="0.05 0.12 0.15" xyz="0 0 0.08"/></ground></linkwork>
EOF
run collide "$ur5" --scene cell.xml --json
code 0
json '[.pairs[] | select(.b == "cell/shelf")] | length == 6'
json '[.pairs[] | select(.a == "shoulder" and .b == "cell/ground")] | length == 1'
json '[.pairs[] | select(.a == "ground" and .b == "cell/ground")] | length == 0'
run collide "$ur5" --attach tool=tool.xml --pairs
code 0; out 'wrist_3 +gripper/ground +same body'; out 'wrist_2 +gripper/ground +checked'
# A tool's own ground has the neighbours that the tool gives it, also behind a fixed joint.
cat >fingers.xml <<'EOF'
<linkwork version="1" name="hand"><ground><box size="0.05 0.12 0.05" xyz="0 0 0.03"/></ground>
<joint name="f" type="prismatic" axis="0 1 0" from="ground" to="finger"/>
<link name="finger" mass="0.1"><box size="0.02 0.02 0.1" xyz="0 0 0.1"/></link></linkwork>
EOF
cat >plate.xml <<'EOF'
<linkwork version="1" name="arm"><ground><sphere radius="0.1"/></ground>
<joint name="j" type="revolute" from="ground" to="arm"/>
<link name="arm" mass="1"><sphere radius="0.1" xyz="1 0 0"/></link>
<joint name="screws" type="fixed" from="arm" to="plate" xyz="1 0 0"/>
<link name="plate"><sphere radius="0.1"/></link></linkwork>
EOF
run collide "$ur5" --attach tool=fingers.xml --pairs
code 0; out 'hand/ground +hand/finger +adjacent: hand/f'; out 'wrist_3 +hand/finger +checked'
run collide plate.xml --attach plate=fingers.xml --pairs
code 0; out 'hand/ground +hand/finger +adjacent: hand/f'; out 'arm +hand/finger +checked'
out 'ground +arm +adjacent: j'; out 'ground +plate +checked'
run collide "$ur5" --attach nowhere=tool.xml
code 1; err 'tool.xml: error: cannot be attached: there is no frame or link "nowhere"'
run collide "$ur5" --attach tool.xml
code 2; err 'FRAME=FILE'
run collide "$ur5" --scene lost.xml
code 3; err 'lost.xml'
run collide "$ur5" --scene lost.npy
code 3; err 'lost.npy: error: the mesh cannot be used: not found'; check test ! -s out
# What is wrong within a mesh is bad input, told of the mesh and not of a description around it.
printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n' >lost.obj
run collide "$ur5" --scene lost.obj --silence mesh-invalid
code 1; err '^lost.obj: error: the mesh cannot be used: .*a face names vertex 9 of 3'; check test ! -s out
run collide "$ur5" --motion shoulder_pan=7
code 0; err 'shoulder_pan is 7, beyond its upper limit 6.28319'
run collide "$ur5" --attach tool=
code 2; err 'FRAME=FILE is needed, not "tool="'
run collide "$ur5" --scene cell.xml --margin 0.1 -o near.svg
code 0
[ "$(grep -c c8322f near.svg)" -gt 4 ] || problem "no nearest points in the picture"
[ "$(grep -c 'e58a80\|<svg' near.svg)" -ge 1 ] || problem "no picture"
run draw "$ur5" --scene cell.xml -o cell.svg
code 0
run collide "$models/rover/rover.xml" --scene "$models/rover/terrain.obj" --silence mesh-open --json
code 0; json '[.pairs[] | select(.a == "terrain/ground" or .b == "terrain/ground")] | length > 10'
# Names of files are no markup.
cp "$models/rover/terrain.obj" "a&b's <rock>.obj"
run collide "$models/rover/rover.xml" --scene "a&b's <rock>.obj" --silence mesh-open --json
code 0; json '[.pairs[] | select(.b == "a&b'"'"'s <rock>/ground" or .a == "a&b'"'"'s <rock>/ground")] | length > 10'
end

begin C28_collide_reads_and_writes_srdf
cat >pairs.srdf <<'EOF'
<robot name="ur5">
  <group name="arm"/>
  <disable_collisions link1="upper_arm" link2="ground" reason="Always"/>
  <disable_collisions link1="uper_arm" link2="forearm" reason="Never"/>
  <disable_collisions link1="forearm"/>
  <disable_collisions link1="forearm" link2=""/>
  <disable_collisions link1="forearm" link2="ground" reason="Never"/>
</robot>
EOF
run collide "$ur5" --srdf pairs.srdf --pairs
code 0; out 'ground +upper_arm +declared: Always'; out 'ground +forearm +declared: Never'
err 'pairs.srdf:5:3: warning: <disable_collisions> is not used: link2 is missing; it is the name of a link'
err 'pairs.srdf:6:46: warning: <disable_collisions> is not used: link2 is empty'
err 'pairs.srdf:4:3: warning: <disable_collisions> is not used: there is no link "uper_arm"; did you mean "upper_arm"'
err 'pairs.srdf:2:3: warning: <group> is not used'
run collide "$ur5" --srdf pairs.srdf --save-srdf again.srdf --margin 0
code 0; out 'no pair that is checked'
run collide "$ur5" --srdf again.srdf --margin 0
code 0; out 'no pair that is checked'
run collide "$ur5" --srdf pairs.srdf --save-srdf -
code 0; check cmp out again.srdf; check test ! -e ./-
run collide "$ur5" --save-srdf - --json
code 2; no_out; err 'leave out --json'
echo '<robot name="ur5"><group_state name="up" group="arm"/><group_state name="home" group="arm"/></robot>' >states.srdf
run collide "$ur5" --srdf states.srdf -q nowhere
code 2; err 'has no <group_state> "nowhere"'; err '^it has arm/up, arm/home$'
echo '<model/>' >bad.srdf
run collide "$ur5" --srdf bad.srdf
code 1; err 'no SRDF file'
end

begin C30_collide_has_the_patch_of_faces_in_touch
cat >press.xml <<'EOT'
<linkwork version="1" name="press">
  <ground><box size="1 1 0.2"/></ground>
  <joint name="x" type="prismatic" axis="1 0 0" from="ground" to="slide"/>
  <link name="slide" mass="1" inertia="1 1 1"/>
  <joint name="z" type="prismatic" axis="0 0 1" from="slide" to="plate"/>
  <link name="plate" mass="1" inertia="1 1 1"><box size="0.4 0.4 0.2"/></link>
</linkwork>
EOT
run collide press.xml -q 0.4,0.19 --json
code 0; json '.pairs[0] | near(.distance; -0.01) and near(.area; 0.12; 1e-9) and (.patch | length) == 4'
run collide press.xml -q 0.4,0.3 --json
json '.pairs[0] | has("patch") | not'
end
