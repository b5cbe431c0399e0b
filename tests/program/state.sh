# States: -q, -v, -a, -t and --state.

begin list_and_names_mean_the_same
run fk arm.urdf -q 0.5,-0.25,0.1 --json
code 0; cp out first
run fk arm.urdf -q extend=0.1,shoulder=0.5,elbow=-0.25 --json
code 0; check cmp out first
run fk arm.urdf -q shoulder=0.5 -q elbow=-0.25 -q ' extend = 0.1 ' --json
code 0; check cmp out first
run fk arm.urdf -q '+.5, -25e-2, 0.1' --json
code 0; check cmp out first
for state in '{"q":[0.5,-0.25,0.1]}' '{"q":{"elbow":-0.25,"shoulder":0.5,"extend":0.1}}'; do
    echo "$state" >state.json
    run fk arm.urdf --state state.json --json
    code 0; check cmp out first
    run fk arm.urdf --state - --json <state.json
    code 0; check cmp out first
done
end

begin what_is_not_named_stays_at_the_reference
run fk arm.urdf -q elbow=0.3 --json; cp out first
run fk arm.urdf -q 0,0.3,0 --json
code 0; check cmp out first
run fk arm.urdf -q '' --json
code 2
end

begin positions_beyond_a_limit_are_a_warning
cat >narrow.urdf <<'EOT'
<robot name="narrow"><link name="a"/><link name="b"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="0.5" effort="1" velocity="1"/></joint></robot>
EOT
run fk narrow.urdf -q 0.5; code 0; no_err
for c in fk id energy; do
    run $c narrow.urdf -q j=0.7; code 0; err '^warning: j is 0.7, beyond its upper limit 0.5 \[position-limit\]$'
done
run fk narrow.urdf -q 0.7 --silence position-limit; code 0; no_err
echo '[{"q":[0]},{"q":[-2]},{"q":[3]}]' >states.json
run fk narrow.urdf --state states.json; code 0; err 'j is -2, beyond its lower limit -1 \(and 1 more\)'
run info narrow.urdf --json; code 0; json '.joints == [{"name":"j","type":"revolute","lower":-1,"upper":0.5,"velocity":1,"effort":1}]'
end

begin array_in_array_out
echo '[{"q":[0,0,0]},{"q":{"extend":0.1}},{}]' >states.json
run fk arm.urdf --state states.json --frame slide --json
code 0
json 'type == "array" and length == 3'
json '[.[].frames.slide.position[0]] == [0.7, 0.7999999999999999, 0.7] or
      ([.[].frames.slide.position[0]] | near(.[0]; 0.7) and near(.[1]; 0.8) and near(.[2]; 0.7))'
for c in "jacobian --frame hand" id fd mass gravity energy "sensitivity --parameters upper.mass"; do
    run $c arm.urdf --state states.json --json
    code 0; json 'type == "array" and length == 3'
done
echo '[]' >empty.json
run fk arm.urdf --state empty.json --json
code 0; json '. == []'
echo '{}' >one.json
run fk arm.urdf --state one.json --json
code 0; json 'type == "object"'
run fk arm.urdf --state states.json
code 0; out '^state 3 of 3$'
end

begin wrong_length_tells_what_is_wanted
run fk arm.urdf -q 1,2
code 2; no_out; err '-q has 2 values, and 3 are wanted: shoulder, elbow, extend'
run id arm.urdf -v 1,2,3,4
code 2; err '-v has 4 values, and 3 are wanted: shoulder, elbow, extend'
echo '{"tau":[1]}' >state.json
run fd arm.urdf --state state.json
code 2; err '"tau" has 1 value, and 3 are wanted'
end

begin unknown_names_get_a_hint
run fk arm.urdf -q elbw=1
code 2; err 'no position "elbw"; did you mean "elbow"\?'
run fk arm.urdf -q elbow=1,elbow=2
code 2; err 'elbow is given twice'
run fk arm.urdf -q follow=1
code 2; err '"follow" follows from others'
echo '{"q":{"shoulde":1}}' >state.json
run fk arm.urdf --state state.json
code 2; err 'no position "shoulde"; did you mean "shoulder"'
echo '{"Q":[0,0,0]}' >state.json
run fk arm.urdf --state state.json
code 2; err 'keys q, v, a and tau, not "Q"'
run fk arm.urdf -q 1,elbow=2,3
code 2; err 'not name=value'
end

begin only_finite_numbers
for x in nan NaN inf -inf Infinity 1e400 -1e400 0x10 1,5 1.5kg '1 2' '' - . e5 1e 1e+ --1 1..2; do
    run fk arm.urdf -q "shoulder=$x"
    code 2; no_out; check test -s err
done
for x in NaN Infinity 1e400 nan '"1"' null true '[1]'; do
    echo "{\"q\":{\"shoulder\":$x}}" >state.json
    run fk arm.urdf --state state.json --json
    code 2; no_out; check test -s err
done
for x in 1e-400 1e308 -0 007 5. .5e0; do
    run fk arm.urdf -q "shoulder=$x" --frame upper
    code 0
done
end

begin bad_json_is_told_with_its_place
printf '{"q": [0,\n 0, 0\n' >state.json
run fk arm.urdf --state state.json
code 2; no_out; err '^state.json:[0-9]+:[0-9]+: error: '
echo '{"q":[0,0,0],"q":[1,1,1]}' >state.json
run fk arm.urdf --state state.json
code 2; err '^state.json:1:'
for s in '"q"' 3 '[3]' '{"q":3}' ''; do
    echo "$s" >state.json
    run fk arm.urdf --state state.json
    code 2; no_out
done
end

begin state_file_that_is_not_there
run fk arm.urdf --state nowhere.json
code 3; err 'nowhere.json'
run fk arm.urdf --state .
code 3
end

begin one_value_from_one_place
echo '{"q":[0,0,0]}' >state.json
run fk arm.urdf -q 1,2,3 --state state.json
code 2; err 'q is given on the line and in --state'
run id arm.urdf -v 1,2,3 --state state.json --json
code 0
end

begin quaternion_of_length_zero
run fk arm.urdf --free-base -q root.qw=0
code 2; err 'quaternion root.qw ... root.qz is zero'
run fk arm.urdf --free-base -q root.qw=2 --frame hand --json
code 0; json 'near(.frames.hand.quaternion[0]; 1)'
end

begin the_same_in_every_locale
if have localedef && localedef -i de_DE -f UTF-8 "$PWD/de_DE.UTF-8" >/dev/null 2>&1; then
    run fk arm.urdf -q 0.5,-0.25,0.1 --json; cp out first
    echo '{"q":[0.5,-0.25,0.1]}' >state.json
    environment="LOCPATH=$PWD LC_ALL=de_DE.UTF-8"
    run fk arm.urdf -q 0.5,-0.25,0.1 --json
    code 0; check cmp out first
    run fk arm.urdf -q '0,5,-0,25,0,1' --json
    code 2
    run fk arm.urdf --state state.json --json
    code 0; check cmp out first
    environment=
else
    skip "no other locale can be made here (package locales)"
fi
end

begin configurations_by_the_names_of_srdf
cat >arm.srdf <<'EOF'
<robot name="arm">
  <group name="arm"/><group name="tool"/>
  <group_state name="home" group="arm"><joint name="shoulder" value="0.5"/><joint name="elbow" value="-1"/>
    <joint name="follow" value="9"/><joint name="fix" value="0"/></group_state>
  <group_state name="out" group="tool"><joint name="extend" value="0.1"/></group_state>
  <group_state name="out" group="arm"><joint name="elbow" value="0"/></group_state>
  <group_state name="odd" group="arm"><joint name="elbo" value="0"/></group_state>
</robot>
EOF
run fk arm.urdf -q shoulder=0.5,elbow=-1,extend=0.1 --json; code 0; cp out by_number
run fk arm.urdf --srdf arm.srdf -q home -q tool/out --json; code 0; no_err; check cmp out by_number
run fk arm.urdf --srdf arm.srdf -q home -q extend=0.1 --json; code 0; check cmp out by_number
run fk arm.urdf --srdf arm.srdf -q 0.5,-1,0.1 --json; code 0; check cmp out by_number
run fk arm.urdf --srdf arm.srdf -q hom; code 2; no_out; err 'no <group_state> "hom"; did you mean "home"'
run fk arm.urdf --srdf arm.srdf -q out; code 2; no_out; err 'several groups have "out": give "tool/out" or "arm/out"'
run fk arm.urdf --srdf arm.srdf -q home -q arm/out; code 2; no_out; err 'elbow is given twice'
run fk arm.urdf --srdf arm.srdf -q odd; code 2; no_out; err 'no position "elbo"; did you mean "elbow"'
run fk arm.urdf -q home; code 2; no_out; err 'by its name needs --srdf FILE'
run fk arm.urdf --srdf none.srdf -q home; code 3; no_out
sed 's/value="0.5"/value="half"/' arm.srdf >bad.srdf
run fk arm.urdf --srdf bad.srdf -q home; code 1; no_out; err 'bad.srdf:3:.*error'
end
