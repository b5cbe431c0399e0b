# Machines with loops and gears, through every command.

begin explain_tells_loops_and_how_they_are_solved
run explain "$closed/palletiser.xml" --json
code 0; no_err
json '[.loops[] | .name] == ["LAB","LCD"] and ([.loops[] | .type] | unique == ["rod"])'
json '.loops[0] | .length == 1.2 and .mass == 6 and .conditions == 1 and .rank == 1 and .step == 0'
json '[.closure[] | .kind] == ["rod, revolute","rod, revolute"]'
json '[.closure[] | .solves] == [["R6"],["R4"]] and .closure[0].from == ["R2","R3"]'
json '[.closure[] | .loops] == [["LAB"],["LCD"]]'
json '[.closure[] | .branch | fabs] == [1,1]'
json '.gears == [] and has("motors") == false'
run explain "$closed/palletiser.xml"
code 0
out '^  LAB  rod of 1\.2 m and 6 kg between L12 and L6B: 1 condition; closed by step 1$'
out '^  1\. rod, revolute +R6 from R2, R3: A cos R6 \+ B sin R6 \+ C = 0, rod LAB, branch [+-]1 of two$'
out '^  2\. rod, revolute +R4 from R6: '
end

begin explain_does_not_depend_on_the_order_of_the_file
awk '/<rod name="LAB"/ { first = $0; next } /<rod name="LCD"/ { print; print first; next } { print }' \
    "$closed/palletiser.xml" >turned.xml
run explain turned.xml --json
code 0; json '[.closure[] | .loops] == [["LAB"],["LCD"]] and [.closure[] | .solves] == [["R6"],["R4"]]'
end

begin explain_of_closing_joints
run explain "$closed/four_bar.xml" --json
code 0
json '.loops[0] | .name == "close" and .type == "revolute" and .conditions == 5 and .rank == 2'
json '.closure[0] | .kind == "planar loop" and .solves == ["coupler","rocker"] and .from == ["crank"]'
run explain "$closed/four_bar.xml"
out 'closing revolute joint between coupler and rocker: 5 conditions, of which it feels 2; closed by step 1'
out 'coupler, rocker from crank: RRR in closed form, loop close, branch [+-]1 of two'
run explain "$closed/stewart.xml"
code 0; out 'Newton block .*: 6 unknowns, 6 conditions, one for each leg; 12 passive joints follow; starts from the last solution; loops ball1, ball2'
run explain "$closed/slider_crank.xml"
code 0; out 'rod, prismatic +piston from crank: piston\^2 \+ 2 b piston \+ c = 0, rod conrod'
end

begin explain_of_gears
run explain "$closed/planetary.xml" --json
code 0
json '[.gears[] | .name] == ["sun1","sun2","sun3","ring1","ring2","ring3"]'
json '.gears[0] | .type == "spur" and .wheels == ["sun","planet1"] and .carrier == "carrier"'
# No slip: 20 and 16 teeth, seen from the carrier.
json '.gears[0] | [.joints, .coefficients] | transpose | map({(.[0]): .[1]}) | add
    | near(.sun / .planet1; 1.25) and near(.carrier; -.sun)'
json '(.gears[0].indices | length) == 3 and ([.gears[] | select(.step == null)] | length) == 2'
# Willis: ring = carrier + (sun/ring) (carrier - sun), 20 and 52 teeth.
json '.motors | [.joints, .matrix] | transpose | map({(.[0]): .[1]}) | add
    | near(.ring[0]; -20/52) and near(.ring[1]; 72/52) and near(.planet1[0]; -1.25)'
json '.motors.motors == ["sun","carrier"] and .motors.offset == [0,0,0,0]'
json '[.notes[] | select(test("redundant"))] | length == 2'
run explain "$closed/planetary.xml"
code 0; out '^  ring3 .*; redundant, implied by other gears$'
out '^ring +-0\.384615 +1\.384615$'
run explain "$closed/geared_wrist.xml"
code 0; out '^joint +motor1 +motor2 +motor3$'; out '^roll3 +0\.000000 +0\.320000 +-0\.400000$'
end

begin explain_and_id_tell_of_drives
run explain "$closed/driven_wrist.xml"
code 0; out '^  motor1  rotor 0\.00012 kg m\^2, at most 2\.4 N m'; out '^motor1 +-150\.000000'
out '^motor5 +0\.000000 +0\.000000 +50\.000000 +-41\.666667$'
run explain "$closed/driven_wrist.xml" --json
code 0; json '(.tree | length) == 4 and (.drives.drives | length) == 5 and .drives.inverse == null'
run id "$closed/driven_wrist.xml" --json
code 0; json '.drives_suffice and near(.effort[0]; .tau[0] / -150; 1e-12)
    and near(.effort[1]; .tau[1] / -160; 1e-12) and .effort[1] == .effort[2]'
run fk "$closed/driven_wrist.xml" -q motor1=1
code 2; err '"motor1" follows from others'
sed 's|</linkwork>|<drive name="m" out="left"/>&|' "$closed/five_bar.xml" >half.xml
run id half.xml -a right=1
code 0; out '^the drives alone cannot produce this motion; residual: .* at right$'
end

begin explain_says_which_joints_the_compiler_chose
sed 's/ dependent="true"//' "$closed/four_bar.xml" >unmarked.xml
run explain unmarked.xml --json
code 0; json '[.notes[] | select(test("is taken as dependent: the loops determine it"))] | length == 2'
sed 's|</linkwork>|<drive name="m" out="rocker"/>&|' unmarked.xml >driven.xml
run info driven.xml --json
code 0; json '.positions == ["rocker"]' # what a drive turns is chosen last
end

begin explain_prints_condition_numbers
run explain "$closed/delta.xml" --json
code 0; json '.closure[0].condition > 10 and .closure[0].condition < 30 and .closure[0].condition_near < 30'
run explain "$closed/delta.xml"
code 0; out '^       condition number 19\.9$'
run explain "$closed/planetary.xml" --json
code 0; json '[.closure[] | has("condition")] | any | not' # gears are linear
end

begin D18_explain_shows_the_fragments_of_a_rod_loop
run explain "$closed/palletiser.xml" --json
code 0; json '[.closure[0].fragments[].bodies] == [["L34", "L23"], ["L6B"], []] and .closure[0].common == "L12" '
run explain "$closed/palletiser.xml"
code 0; out '^       fragment 2, beyond R6: '; out '^       fragment 3, the other branch: '
end

begin a_model_whose_loop_cannot_close_is_bad_input
sed 's/length="0.18"/length="0.01"/' "$closed/slider_crank.xml" >open.xml
for c in check info id; do
    run $c open.xml
    code 1; err '^open.xml:[0-9]+:[0-9]+: error: loop "conrod" cannot be closed .* a gap of [0-9.]+ m'
done
end

begin fk_tells_dependent_joints
run fk "$closed/slider_crank.xml" --dependent --json
code 0; json '(.dependent | keys) == ["piston"] and near(.dependent.piston; .frames.piston.position[0]; 1e-12)'
run fk "$closed/slider_crank.xml" -q 1 --dependent
code 0; out '^dependent +position$'; out '^piston +0\.20'
run fk "$closed/stewart.xml" --frame tool --dependent --json # of which a free joint has 7
code 0; json '(.dependent | keys | length) == 19 and (.frames | length) == 1'
json '[.dependent | to_entries[] | select(.key | endswith(".qw"))] | length == 1'
end

begin wheels_that_do_not_touch_are_told
sed 's/radii="0.02 0.016"/radii="0.02 0.026"/' "$closed/planetary.xml" >apart.xml
run check apart.xml
err 'apart.xml:[0-9]+:[0-9]+: warning: gear "sun1": the axes are 0.036 m apart, .* touch at 0.046 m'
end

begin every_closed_machine_through_every_command
for m in "$closed"/*.xml; do
    for c in info check explain id fd mass gravity energy fk; do
        run $c "$m" --json
        code 0; json '. != null'
    done
    run info "$m" --json
    frame=$(jq -r '.frames[-1]' out)
    json '.loops > 0 or .nv < .nbody or .drives > 0'
    run jacobian "$m" --frame "$frame" --json; code 0; json '(.J | length) == 6'
    run sensitivity "$m" --parameters all --json; code 0; json '(.dtau | length) > 0'
    run draw "$m" -o m.svg; code 0
    if grep -q 'nan\|inf' m.svg; then problem "not a number in the picture of $m"; fi
done
for m in palletiser planetary stewart; do
    run bench "$closed/$m.xml" --seconds 0.002 --engines numeric --json
    code 0; no_err; json '[.rows[] | .ns > 0] | all and length >= 15'
done
end

begin forces_and_accelerations_agree_through_loops
for m in palletiser four_bar delta planetary; do
    n=$("$program" info "$closed/$m.xml" --json | jq .nv)
    a=$(seq -s, 1 "$n")
    v=$(yes 0.3 | head -n "$n" | paste -sd,)
    run id "$closed/$m.xml" -v "$v" -a "$a" --json
    code 0
    tau=$(jq -r '.tau | map(tostring) | join(",")' out)
    run fd "$closed/$m.xml" -v "$v" -t "$tau" --json
    code 0
    # Newton blocks are solved to about 1e-12, and forces are up to thousands.
    json "[.a, [range(1; $n + 1)]] | transpose | all(near(.[0]; .[1]; 1e-8))"
done
end

begin flange_of_the_palletiser_stays_level
echo '[{"q":[0.4,0.3,-0.2,0.5]},{"q":[-1,0.6,0.5,2]},{"q":[2,-0.7,0.3,0]}]' >three.json
run fk "$closed/palletiser.xml" --state three.json --frame flange --json
code 0; json 'length == 3 and all(.[]; .frames | .[] | .quaternion | near(.[1]; 0) and near(.[2]; 0))'
end

# Four bars whose ends cannot meet where the crank stands upright, and are in line a little before.
cat >short.xml <<'XML'
<linkwork version="1" name="short">
  <ground><frame name="right" xyz="2 0 0"/></ground>
  <joint name="crank" type="revolute" axis="0 -1 0" from="ground" to="crank"/>
  <link name="crank" mass="1" center="0.5 0 0" inertia="0.1 0.1 0.1"><frame name="tip" xyz="1 0 0"/></link>
  <joint name="lever" type="revolute" axis="0 -1 0" from="ground.right" to="lever" dependent="true" reference="2"/>
  <link name="lever" mass="1" center="0.5 0 0" inertia="0.1 0.1 0.1"><frame name="tip" xyz="0.5 0 0"/></link>
  <rod name="tie" from="crank.tip" to="lever.tip" length="1"/>
</linkwork>
XML
begin loop_that_cannot_close_is_named_with_its_gap
# The crank's tip is at (-1, 0): 3 m from the lever's axis, which is reached over 1 m + 0.5 m.
for c in id fd mass gravity energy fk "jacobian --frame lever" "sensitivity --parameters all" \
    "draw -o open.svg"; do
    run $c short.xml -q 3.141592653589793
    code 4; no_out; err 'loop "tie", whose ends stay 1\.5 m apart'
done
check test ! -e open.svg
run fk short.xml --state - --json <<<'[{"q":[0]},{"q":[3]}]'
code 4; no_out; err 'state 2: .*loop "tie"'
end

begin dead_centre_is_named
# Crank tip 1.5 m from the lever's axis: 1 + 4 - 4 cos q = 2.25, rod and lever in line.
for c in id fd mass "jacobian --frame lever"; do
    run $c short.xml -q "$(awk 'BEGIN { c = 2.75 / 4; printf "%.17g", atan2(sqrt(1 - c * c), c) }')"
    code 4; no_out; err 'loop "tie" is at a singular configuration, where "lever" has no definite rate'
done
end

begin path_to_a_configuration_is_followed_as_far_as_it_goes
# One rod on an arm of its own, which follows the other: the same motion, but by Newton's method.
twin='<joint name="twin" type="revolute" axis="0 1 0" from="ground.side1" to="twin"/><link name="twin">'
twin+='<frame name="right" xyz="0.3 -0.05 0"/></link><coupling joint="twin" of="arm1" polynomial="0 1"/>'
sed "s|<rod name=\"right1\" from=\"arm1.right\"|$twin<rod name=\"right1\" from=\"twin.right\"|" "$closed/delta.xml" >twin.xml
run fk twin.xml -q 1.5357,1.2524,-1.4745
code 4; no_out; err 'loop "left1" meets a singular configuration; 96\.[0-9] % of the straight path there was followed'
end

begin D53_demo_shows_the_palletiser_from_a_page_of_text
run demo -o story.svg
code 0; no_err
out '^palletiser: .*built into the program'
out '^links +L12, L23'; out 'with a drive: R1, R2, R3, R5$'; out 'depend on others: R4, R6$'
out 'LAB: rod of 1\.2 m'; out '1\. R6 from R2, R3: A cos R6'; out '2\. R4 from R6'
out '^R2 +0\.300 +0\.800'; out 'rod LAB is pu.* N; rod LCD is p.* N$'; out 'leans from the vertical by [0-9]e-1[0-9] rad'
out '^inverse kinematics: .* Payload.flange this pose, in [0-9]+ ns$'; out '^  1 +0\.4 +0\.3 +-0\.2 +0\.5  '
out '^all positions +[0-9]+ ns'; out '^Jacobian of the flange +[0-9]+ ns'; out '^inverse dynamics +[0-9]+ ns'
out ' 75 us +15000 cycles'
check test "$(wc -l <out)" -le 40
check test "$(wc -l <"$models/closed/palletiser.xml")" -le 60
check grep -q '<title>palletiser</title>' story.svg
run demo --robot ur5 -o arm.svg
code 0; no_err; out '^ur5_class'; out '^frame +x +y +z'; out 'Jacobian of .* in [0-9]+ ns'
check test "$(grep -c 'shoulder [-+], elbow [-+], wrist [-+]$' out)" = 8
run demo --robot other -o no.svg
code 2; err 'palletiser'; check test ! -e no.svg
end

begin picture_shows_rods_joints_and_gears
run draw "$closed/palletiser.xml" -o p.svg
code 0; check test "$(grep -c 'fill="#e6b265"' p.svg)" = 4
check grep -q 'amber ones close loops' p.svg
run draw "$closed/planetary.xml" -o g.svg
# A red point for each of the six meshes; pitch circles are chain lines.
code 0; check test "$(grep -c 'fill="#c8322f" stroke="#ffffff"' g.svg)" = 6
check test "$(grep -c 'stroke="#8a5a12"' g.svg)" = 12
end

begin jacobian_by_parameters_through_loops
q=0.4,0.3,-0.2,0.5
run jacobian "$closed/palletiser.xml" --frame flange -q $q --parameters LAB.length,L23.b --json
code 0; no_err
json '.columns[0] == "LAB.length" and (.columns | length) == 7 and (.J | length) == 6'
json '[.J[] | length] | unique == [7]'
json '.opening[0] | near(.; 0; 1e-9)'
J=$(jq -c '[.J[3][0], .J[4][0], .J[5][0]]' out)
# Against rods 0.1 mm longer and shorter; what is left is of third order, about 1e-7.
for d in 1.2001 1.1999; do
    sed "/\"LAB\"/s/length=\"1.2\"/length=\"$d\"/" "$closed/palletiser.xml" >varied.xml
    run fk varied.xml --frame flange -q $q --json
    code 0; jq -c '.frames[].position' out >p$d
done
jq -n --argjson a "$(cat p1.2001)" --argjson b "$(cat p1.1999)" --argjson J "$J" \
    '[range(3) | ($a[.] - $b[.]) / 2e-4 - $J[.] | fabs < 1e-6] | all' >out
json '. == true'
run jacobian "$closed/palletiser.xml" --frame flange --parameters LAB.length
code 0; out '^parameter +wx'; out '^LAB.length '
run jacobian "$closed/palletiser.xml" --frame flange --parameters LAB.lenght
code 2; no_out; err 'no parameter "LAB.lenght"; did you mean "LAB.length"'
run jacobian "$closed/palletiser.xml" --frame flange --parameters all --json
code 0; json '(.columns | length) > 50 and (.columns | index("R3.axis.x")) != null'
# An axis out of parallel cannot close a four-bar.
run jacobian "$closed/four_bar.xml" --frame rocker --parameters rocker.axis
code 0; out '^rocker.axis.x opens loops'
end

# A loop in closed form has two branches; both close, and they are as far as the mirror puts them.
begin branches_are_chosen_by_an_option
for sign in + -; do
    run explain "$closed/four_bar.xml" --branch "close=$sign" --json
    code 0; json ".closure[0].branch == 0 ${sign} 1"
    run fk "$closed/four_bar.xml" --branch "close=$sign" --dependent --json
    code 0; cp out "fk$sign"
done
jq -n --slurpfile a fk+ --slurpfile b fk- \
    '($a[0].dependent.rocker - $b[0].dependent.rocker | fabs > 1) and
     $a[0].frames.crank == $b[0].frames.crank' >out
json '. == true'
run fk "$closed/palletiser.xml" --branch LAB=+ --json; code 0
run fk "$closed/four_bar.xml" --branch close; no_out; err 'close: LOOP=\+ or LOOP=- is needed'
run fk "$closed/four_bar.xml" --branch other=+; no_out; err 'no rod or closing joint of this name'
run fk "$models/hr120/hr120.xml" --branch base/lever=+; code 2; no_out; err 'no rod or closing joint of this name'
run fk "$closed/four_bar.xml" --branch crank=+; no_out; err 'no rod or closing joint of this name'
end

# Two assemblies of one description: each has the branch of its own, at any depth.
begin branches_of_loops_within_assemblies
cp "$closed/four_bar.xml" .
cat >pair.xml <<'EOF'
<linkwork version="1" name="pair"><ground/>
  <mount name="left" file="four_bar.xml" at="ground"/>
  <mount name="right" file="four_bar.xml" at="ground"/></linkwork>
EOF
echo '<linkwork version="1" name="outer"><ground/><mount name="both" file="pair.xml" at="ground"/></linkwork>' >outer.xml
run fk outer.xml --branch both/left/close=+ --branch both/right/close=- --dependent --json; code 0
json "(.dependent[\"both/left/rocker\"] == $(jq .dependent.rocker fk+)) and
      .dependent[\"both/right/rocker\"] == $(jq .dependent.rocker fk-)"
run fk pair.xml --branch left/close=- --dependent --json; code 0
json '(.dependent["left/rocker"] - .dependent["right/rocker"]) | fabs > 1'
run fk pair.xml --branch middle/close=-; code 2; no_out; err 'no rod or closing joint of this name'
end
