# drive, terrain and stance: vehicles on wheels and machines on feet.

rover=$models/rover/rover.xml
quadruped=$models/quadruped/quadruped.xml

begin C17_drive_has_the_keys_of_the_contract
run drive "$rover" --twist 0.02,0,0.01 --json
code 0
json 'keys == ["angular","linear","scale","slip","wheels"]'
json '.wheels | length == 6'
json '.slip < 1e-15 and .scale == 1'
json '[.wheels[] | keys == ["at_limit","held","name","reversed","slip","speed","steer"]] | all'
run drive "$rover" --twist 0.2,0,0
code 0; out 'is at its limit of speed'
run drive "$rover" --twist 0.2
code 2; err 'takes 3 numbers'
run drive "$rover"
code 2; err 'one of --twist, --speeds and --encoders'
run drive "$models/ur5_class.xml" --twist 1,0,0
code 1; err 'has no wheels.*that includes it'
end

begin C17_drive_names_the_wheel_that_slips
run drive "$rover" --speeds 0.3,0.3,0.3,0.3,0.3,0.45
code 0; out 'rear_right slips'
run drive "$rover" --speeds 0.3,0.3,0.3,0.3,0.3,none --json
code 0
json '.slipping == null and (.linear[0] - 0.0375 | fabs) < 1e-12'
json '.joints | length == 3'
run drive "$rover" --speeds none,none,none,none,none,none
code 0; out '^these speeds determine 8 of 9 unknowns; what they leave open is zero'
run drive "$rover" --speeds 0.3,0.3
code 2; err 'one for each of the 6 wheels, not 2'
end

# A curve of 100 s that the wheels follow without slip: odometry is exact. Then a wheel spins.
begin C18_encoders_over_time_are_the_way_of_the_base
run drive "$rover" --twist 0.02,0,0.01 --json
jq -r '([.wheels[] | .name, .name + "/steer"] | ["t"] + . | join(",")),
    (range(0; 101) as $t | [.wheels[] | .speed * $t, .steer] |
     [$t] + . | map(tostring) | join(","))' out >log.csv
run drive "$rover" --encoders log.csv --json
code 0; json '(.way | length) == 100 and ([.way[].slipping] | unique) == [null]'
json '(.pose.position[0] - 2 * (1 | sin) | fabs) < 1e-13 and (.pose.position[1] - 2 * (1 - (1 | cos)) | fabs) < 1e-13'
json '(.pose.quaternion[0] - (0.5 | cos) | fabs) < 1e-13 and (.pose.quaternion[3] - (0.5 | sin) | fabs) < 1e-13'
run drive "$rover" --encoders log.csv; code 0; out '^100 steps to x 1.68294 m, y 0.919395 m'
awk -F, -v OFS=, 'NR == 1 { for (i = 1; i <= NF; ++i) if ($i == "middle_left") at = i } NR > 50 { $at *= 1.3 } 1' log.csv >spin.csv
run drive "$rover" --encoders spin.csv; code 0; out '^middle_left slips in [45][0-9] of them'
printf 't,front_left\n0,0\n0,1\n' >still.csv
run drive "$rover" --encoders still.csv; code 1; err 'still.csv:3:1: t does not increase'
printf 't,wheel\n0,0\n' >odd.csv
run drive "$rover" --encoders odd.csv; code 1; err 'odd.csv:1:1: there is no column with the name of a wheel'
printf 't,front_left,front_lef\n0,0,0\n1,0,1\n' >odd.csv
run drive "$rover" --encoders odd.csv; code 0; err '1:1: column "front_lef" is neither.*did you mean "front_left"'
run drive "$rover" --encoders log.csv --project; code 2; err '--project needs --twist'
run drive "$rover" --encoders log.csv --twist 1,0,0; code 2; err 'one of --twist, --speeds and --encoders'
end

# Wheels beside their steering axes roll about these while the base rests: by -b/r of the angle.
begin C18_wheels_that_steer_on_the_spot_do_not_move_the_base
awk 'BEGIN {
    print "<linkwork version=\"1\" name=\"spot\"><ground/><joint name=\"root\" type=\"free\" from=\"ground\" to=\"body\"/>"
    print "<link name=\"body\" mass=\"20\" inertia=\"1 1 1\"/>"
    for (k = 1; k <= 4; ++k) {
        side = k % 2 ? 1 : -1; light = "mass=\"1\" inertia=\"1e-3 1e-3 1e-3\"/>"
        printf "<joint name=\"steer_%d\" type=\"revolute\" from=\"body\" to=\"arm_%d\" xyz=\"%g %g -0.1\"/>", k, k, k < 3 ? 0.5 : -0.5, 0.3 * side
        printf "<link name=\"arm_%d\" %s<joint name=\"axle_%d\" type=\"revolute\" axis=\"0 1 0\" from=\"arm_%d\" to=\"rim_%d\" xyz=\"0 %g 0\"/>", k, light, k, k, k, 0.05 * side
        printf "<link name=\"rim_%d\" %s<wheel name=\"wheel_%d\" at=\"rim_%d\" radius=\"0.1\" steering=\"driven\"/>\n", k, light, k, k
    }
    print "</linkwork>" }' >spot.xml
awk 'BEGIN {
    print "t,wheel_1,wheel_2,wheel_3,wheel_4,steer_1,steer_2,steer_3,steer_4"
    for (i = 0; i < 5; ++i) { w = 0.05 * i; d = 0.1 * i
        printf "%d,%g,%g,%g,%g,%g,%g,%g,%g\n", i, -w, w, -w, w, d, d, d, d } }' >spot.csv
run drive spot.xml --encoders spot.csv --json
code 0; json '[.pose.position[], .pose.quaternion[1:][]] | all(fabs < 1e-15)'
json '[.way[].slipping] | all(. == null)'
end

begin C18_a_front_steered_rover_slips_in_every_turn
run drive "$models/rocky7_class.xml" --twist 0.1,0.013,0.1 --json
code 0
json '[.wheels[].steer != 0] == [true,false,false,true,false,false]'
json '[.wheels[].slip | (. * 1e6 | round)] == [0,7000,-7000,0,7000,-7000]'
run drive "$models/rocky7_class.xml" --twist 0.1,0,0.1 --project --json
code 0
json '.slip < 1e-15 and (.angular[2] | fabs) < 1e-15'
end

begin C19_a_skid_steered_vehicle_turns_by_slipping
run drive "$models/atrv_class.xml" --twist 0.5,0,0.3 --json
code 0
json '[.wheels[].steer] == [0,0,0,0]'
json '[.wheels[].slip | (. * 1e6 | round)] == [93000,93000,-93000,-93000]'
end

begin C20_C27_six_limbs_of_one_file_carry_the_machine
set --
for k in 1 2 3 4 5 6; do
    set -- "$@" --frame limb_$k/shin.foot
done
run stance "$models/lemur_class/lemur_class.xml" "$@" --json
code 0
json '[.forces[].force[2] | (. * 1e9 | round)] | unique == [19620000000]'
json '.rank == 6 and .redundant == 12'
end

begin drive_refuses_speeds_that_it_cannot_weigh
printf 't,front_left\n0,0\n' >one_row.csv
run drive "$rover" --encoders one_row.csv
code 1; err 'one_row.csv:2:1: a way needs two rows'
printf 't,front_left\n0,0\n1,1e200\n' >fast.csv
run drive "$rover" --encoders fast.csv
code 1; err 'fast.csv: front_left turns by more than 1e100 rad/s'
run drive "$rover" --speeds 1e200,1,1,1,1,1
code 2; err '"1e200" is beyond 1e100 rad/s'
printf 't,front_left\n0,0\n1\n' >short.csv
run drive "$rover" --encoders short.csv
code 1; err 'short.csv:3:2: the row has 1 cell, but the header 2'
end

begin C17_explain_has_degrees_of_mobility
run explain "$rover"
code 0; out 'degree of mobility 1, degree of steerability 1'
run explain "$rover" --json
json '.wheels.mobility == 1 and .wheels.base == "body" and (.wheels.passive | length) == 3'
end

# A slope of 0.2 rad that is a box, and a rock on it, below the left front wheel.
begin C17_terrain_stands_on_solids
cat >slope.xml <<'EOT'
<linkwork version="1" name="slope"><ground><box size="8 8 1" rpy="0 -0.2 0"/></ground></linkwork>
EOT
run terrain "$rover" --scene slope.xml --json
code 0; json '[.contacts[].normal[0] | . + 0.19866933079506122 | fabs < 1e-9] | all'
sed 's|</ground>|<sphere radius="0.3" xyz="0.7 0.53 0.6"/></ground>|' slope.xml >rock.xml
run terrain "$rover" --scene rock.xml --json
code 0; json '(.contacts[0].point[2] > 0.75) and ([.contacts[1:][].point[2]] | all(. < 0.7))'
echo '<linkwork version="1" name="none"><ground/></linkwork>' >none.xml
run terrain "$rover" --scene none.xml
code 1; err 'no mesh, height field or box to stand on'
end

# A base that --free-base frees leaves the scene on the world; one that is free already stays so.
begin C19_a_scene_stays_where_it_is_when_the_base_is_freed
awk 'BEGIN {
    print "<robot name=\"cart\"><link name=\"base\"><inertial><mass value=\"9\"/>"
    print "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
    for (k = 1; k <= 3; ++k) {
        printf "<link name=\"rim_%d\"/><joint name=\"axle_%d\" type=\"continuous\"><parent link=\"base\"/>", k, k
        printf "<child link=\"rim_%d\"/><axis xyz=\"0 1 0\"/><origin xyz=\"%g %g 0\"/></joint>\n", k, k < 3 ? 0.3 : -0.3, (2 - k) * (k < 3) * 0.4 - (k == 2) * 0.4
    }
    print "</robot>" }' >cart.urdf
awk 'BEGIN {
    print "<linkwork version=\"1\" name=\"cart\"><include file=\"cart.urdf\"/>"
    for (k = 1; k <= 3; ++k) printf "<wheel name=\"w%d\" at=\"rim_%d\" radius=\"0.1\"/>", k, k
    print "</linkwork>" }' >cart.xml
run terrain cart.xml --free-base --scene slope.xml --silence joint-without-mass --json
code 0; json '.lost == 0 and ([.contacts[].normal[0] | . + 0.19866933079506122 | fabs < 1e-9] | all)'
run terrain "$rover" --free-base --scene slope.xml --json
code 0; json '.q | length == 27'
end

begin C17_terrain_stands_on_a_mesh
cat >ground.obj <<'EOT'
v -4 -4 0
v 4 -4 1.6
v 4 4 1.6
v -4 4 0
f 1 2 3
f 1 3 4
EOT
cat >ground.xml <<'EOT'
<linkwork version="1" name="hill"><ground><mesh file="ground.obj"/></ground></linkwork>
EOT
run terrain "$rover" --scene ground.xml --place 0.5,0,0 -o stand.svg --json
code 0
json '.lost == 0 and .gap < 1e-10'
json '[.contacts[].normal[0] | . + 0.19611613513818404 | fabs < 1e-9] | all'
check test -s stand.svg
printf 'x,y,heading\n0,0,0\n0.1,0,0\n0.2,0,0.1\n' >route.csv
run terrain "$rover" --scene ground.xml --route route.csv -o way.svg
code 0; out '3 places, 0 with a wheel in the air'
# The way has two pieces; all wheels touch.
check grep -q 'on the ground with 6 of 6 wheels, the way of the base blue' way.svg
check test "$(grep -o '#2b5fa8' way.svg | wc -l)" = 2 -a "$(grep -o '#2f8f4e' way.svg | wc -l)" -ge 6
sed '1s/$/,hedding/; 2,$s/$/,0/' route.csv >more.csv
run terrain "$rover" --scene ground.xml --route more.csv
code 0; err 'more.csv:1:1: column "hedding" is not read; a route has x, y and heading'
sed 's/heading/turn/' route.csv >odd.csv
run terrain "$rover" --scene ground.xml --route odd.csv
code 1; err 'odd.csv:1:1: there is no column "heading"; a route has x, y and heading'
printf 'x,y,heading\n0,0,0\n9,0,0\n' >far.csv
run terrain "$rover" --scene ground.xml --route far.csv
code 4; err 'far.csv:3:1: at x 9, y 0, heading 0: wheel "[a-z_]+" is beyond the terrain'
echo x,y,heading >none.csv
run terrain "$rover" --scene ground.xml --route none.csv
code 1; err 'none.csv:2:1: a route needs a row'
for place in 4,0,0 10,10,0 -20,0,1; do # the last ones have the base beyond it too
    run terrain "$rover" --scene ground.xml --place $place
    code 4; err 'wheel "[a-z_]+" is beyond the terrain'
done
sed -i '$d' ground.obj
run terrain "$rover" --scene ground.xml
code 1; err 'ground.obj: error: .*a hole at x'
end

begin C20_stance_carries_the_weight
feet="--frame front_left/shin.foot --frame front_right/shin.foot --frame hind_left/shin.foot --frame hind_right/shin.foot"
run stance "$quadruped" $feet --json
code 0
json '.status == "optimal" and .feasible and .kkt < 1e-9'
json '([.forces[].force[2]] | add) - 70 * 9.81 | fabs < 1e-9'
json '.support.margin > 0.2 and (.support.corners | length) == 4'
json '.margin - .support.margin | fabs < 1e-9' # on level ground
json '(.area.corners | length) == 4 and (.area.clamped | not)'
run stance "$quadruped" --frame front_left/shin.foot --frame front_left/shin.foot
code 2; err 'are at one point'
run stance "$quadruped" --frame front_left/shin.foot
code 4; out 'infeasible'; out 'missing: force'; out '^the contacts give 3 of the 6 directions'
run stance "$quadruped" $feet -o stance.svg
code 0; if have xmllint; then check xmllint --noout stance.svg; fi
# Three edges and the margin are green, the edge that tips and the centre of mass red.
check test "$(grep -o '#c8322f' stance.svg | wc -l)" = 4 -a "$(grep -o '#2f8f4e' stance.svg | wc -l)" = 4
check grep -q 'margin 0.205 m' stance.svg
run stance "$quadruped" $feet -o stance.png
code 2; err 'pictures are written as SVG'
run stance "$quadruped" $feet --friction -1
code 2; err 'friction'
run stance "$quadruped" --frame ground
code 2; err 'contact with nothing'
run stance "$quadruped"
code 2; err 'stance takes 1 to 12 feet'
run stance "$quadruped" $feet --max-force 200 --json
code 0; json '[.forces[].force[2] | . <= 200 + 1e-9] | all'
# A payload of the lower limit: each foot bears 171.7 N.
run stance "$quadruped" $feet --max-force 171 --json
code 4; json '(.feasible | not) and .missing.force[2] > 2'
run stance "$quadruped" $feet --max-force 0
code 2; err '--max-force is a number above 0'
run stance "$quadruped" $feet --facets 3
code 2; err '--facets is a whole number from 4 to 8, not "3"'
end

# A table on a slope of 30 degrees along a diagonal of it: tan 30 = 0.577. Pyramids of four facets
# hold it with less, cones do not; where they do, so does the area of the centre of mass.
begin C20_stance_on_a_slope_needs_its_friction
cat >table.xml <<'E'
<linkwork version="1" name="table"><ground/><joint name="root" type="free" from="ground" to="top"/>
<link name="top" mass="20" center="0 0 0" inertia="1 1 1"><frame name="f1" xyz="0.4 0.4 -0.3"/>
<frame name="f2" xyz="-0.4 0.4 -0.3"/><frame name="f3" xyz="-0.4 -0.4 -0.3"/><frame name="f4" xyz="0.4 -0.4 -0.3"/>
</link></linkwork>
E
# The plane rises along (1, 1), by tan 30 / sqrt 2 along x and along y.
awk 'BEGIN { for (i = 0; i < 4; ++i) { x = i % 2 * 8 - 4; y = int(i / 2) * 8 - 4
    printf "v %d %d %.15g\n", x, y, (x + y) * 0.408248290463863 }; print "f 1 2 4\nf 1 4 3" }' >slope.obj
echo '<linkwork version="1" name="slope"><ground><mesh file="slope.obj"/></ground></linkwork>' >slope.xml
# Rotated by 30 degrees about (1, -1, 0), 0.3 m along the normal from the plane.
pose=root.qw=0.965925826289068,root.qx=0.183012701892219,root.qy=-0.183012701892219
pose=$pose,root.x=-0.106066017177982,root.y=-0.106066017177982,root.z=0.259807621135332
on_slope() { run stance table.xml --frame f1 --frame f2 --frame f3 --frame f4 --scene slope.xml --silence mesh-open -q $pose --json "$@"; }
on_slope --friction 0.577
code 4; json '.feasible | not'
on_slope --friction 0.577 --facets 4
code 0; json '.feasible'
on_slope --friction 0.578
code 0; json '.feasible and .margin > 0'
end

begin C20_stance_on_the_ground_of_a_scene_within_cones
for height in 0.022 -0.05; do # the feet are at 0.0221
    printf 'v -4 -4 %s\nv 4 -4 %s\nv -4 4 %s\nv 4 4 %s\nf 1 2 4\nf 1 4 3\n' $height $height $height $height >plain.obj
    echo '<linkwork version="1" name="plain"><ground><mesh file="plain.obj"/></ground></linkwork>' >plain.xml
    run stance "$quadruped" $feet --scene plain.xml --silence mesh-open --json
    if [ "$height" = 0.022 ]; then
        code 0; json '.status == "optimal" and .feasible and .kkt < 1e-9'
        json '.margin > 0.2'
        json '([.forces[].force[2]] | add) - 70 * 9.81 | fabs < 1e-9'
    else
        code 4; err 'is 0.0721 m above the ground: a contact with nothing'
    fi
done
# Tilted by 1 in 100 about y: forces have parts along x, which cancel.
printf 'v -4 -4 -0.018\nv 4 -4 0.062\nv -4 4 -0.018\nv 4 4 0.062\nf 1 2 4\nf 1 4 3\n' >plain.obj
run stance "$quadruped" $feet --friction 0.005 --scene plain.xml --silence mesh-open --json
code 4; json '.status == "infeasible" and (.feasible | not) and .missing.force[0] > 1'
run stance "$quadruped" $feet --friction 0.02 --scene plain.xml --silence mesh-open --json
code 0; json '.status == "optimal"'
sed -i 's/v -4/v 3/' plain.obj
run stance "$quadruped" $feet --scene plain.xml --silence mesh-open
code 4; err 'is beyond the ground'
end
