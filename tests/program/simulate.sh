# simulate, linearize.

# A rod without friction: 2 kg at 0.5 m, 0.6 kg m^2 about its joint; it hangs at q = pi/2.
cat >swing.urdf <<'EOT'
<robot name="swing"><link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="rod"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="50" velocity="2"/></joint>
</robot>
EOT
cat >move.xml <<'EOT'
<run version="1" name="move" every="0.01">
  <limits acceleration="5"/>
  <motion profile="trapezoid"><to q="1"/><wait duration="0.25"/></motion>
  <controller law="computed-torque" period="0.001"/>
</run>
EOT

begin simulate_has_the_keys_of_the_contract
run simulate swing.urdf --time 1 --json
code 0; no_err
json '[.steps, .time, .energy_drift, .constraint_drift] | all(type == "number")'
json '.time == 1 and .energy_drift < 1e-10 and .constraint_drift == 0 and (.q | length) == 1'
end

begin simulate_agrees_with_methods_of_its_own
run simulate swing.urdf -q 0.4 -v 1 --time 2 --json
code 0
q=$(jq .q[0] out)
for method in dopri5 "rk4 --step 0.0005"; do
    run simulate swing.urdf -q 0.4 -v 1 --time 2 --method $method --json
    code 0; json "near(.q[0]; $q; 1e-9)"
done
run simulate swing.urdf -q 0.4 -v 1 --time 2 --method euler --step 1e-4 --json
code 0; json "near(.q[0]; $q; 1e-2)"
run simulate swing.urdf -q 1.5707963267948966 -t 3 --time 0 --json
code 0; json '.steps == 0 and .peak_force == [3]'
end

begin simulate_with_sundials
run simulate swing.urdf -q 0.4 -v 1 --time 2 --method cvode --json
if grep -q 'no SUNDIALS' err; then
    code 2
else
    code 0; json "near(.q[0]; $q; 1e-5) and .steps > 10"
    run simulate swing.urdf -q 0.4 -v 1 --time 2 --method ida --json
    code 0; json "near(.q[0]; $q; 1e-5)"
    # Events are found with these methods too, and a run file may ask for them.
    for method in cvode ida; do
        run simulate swing.urdf --time 5 --stops -v 2 -t 20 --method $method --json
        code 0; json '.q == [3] and .v == [0] and .events >= 1'
        sed "s/every=/method=\"$method\" every=/" move.xml >stiff.xml
        run simulate swing.urdf --run stiff.xml --json
        code 0; json 'near(.time; 1.15; 1e-9) and near(.q[0]; 1; 1e-3)'
        run simulate swing.urdf --run stiff.xml; out "of $method"
        sed "s/every=\"0.01\"/method=\"$method\" every=\"0\"/" move.xml >stiff.xml
        run simulate swing.urdf --run stiff.xml --json -o each.csv
        code 0; check test "$(wc -l <each.csv)" = "$(jq '.steps + 2' out)"
    done
    # A plate without mass, between a spring and a damper: x = exp(-5 t), from any velocity.
    cat >plate.xml <<'EOF'
<linkwork version="1" name="plate"><ground gravity="0 0 0"/>
<joint name="slide" type="prismatic" axis="1 0 0" from="ground" to="plate" stiffness="10" damping="2"/>
<link name="plate"/></linkwork>
EOF
    run simulate plate.xml -q 1 --time 0.4 --method ida -o plate.csv --json
    code 0; json 'near(.q[0]; 0.1353352832; 1e-6)'
    sed 's/ damping="2"//' plate.xml >loose.xml
    run simulate loose.xml -q 1 --time 0.4 --method ida
    code 4; no_out; err 'slide moves no inertia'
fi
end

# A joint with 14.4 N m of friction at rest: its weight of 9.81 N m does not move it, 9 N m more do.
sed 's|effort="50" velocity="2"/>|&<dynamics friction="12"/>|' swing.urdf >rough.urdf
cat >hold.xml <<'EOT'
<run version="1" name="hold" duration="2" sticks="true" static_friction="1.2" stribeck_speed="0.05">
  <force joint="turn" value="9" from="1"/>
</run>
EOT
begin simulate_lets_friction_hold
for method in dopri853 dopri5 rk4 euler; do
    run simulate rough.urdf --run hold.xml --method $method --json -o hold.csv
    code 0; json '.q[0] > 0.1'
    check test "$(awk -F, 'NR > 1 && $1 < 1 && $2 != 0' hold.csv | wc -l)" = 0
done
sed -i 's/sticks="true"/sticks="maybe"/' hold.xml
run simulate rough.urdf --run hold.xml; code 1; err '^hold.xml:1:[0-9]+: error: '
sed -i 's/sticks="maybe" static_friction="1.2"/static_friction="0.5"/' hold.xml
run simulate rough.urdf --run hold.xml; code 1; err '^hold.xml:1:[0-9]+: error: static_friction is 0.5'
end

begin simulate_ends_steps_where_forces_jump
cat >jump.xml <<'EOT'
<run version="1" name="jump" duration="2" every="2">
  <force joint="turn" value="3" from="0.3" until="1.1" table="0 0 0.5 1 0.7 -1"/>
</run>
EOT
run simulate swing.urdf --run jump.xml --json
code 0; json '.rejected <= 5 and .energy_drift < 1e-11'
end

begin simulate_follows_a_run_file
run simulate swing.urdf --run move.xml --json -o move.csv
# From rest over 1 rad within 2 rad/s and 5 rad/s^2: 1/2 + 2/5 seconds, and the rest.
code 0; json 'near(.time; 1.15; 1e-9) and .peak_error[0] < 1e-3 and near(.q[0]; 1; 1e-3)'
# It falls, and is held most where it begins to brake, at 0.6 rad; a row every 10 ms.
json '.energy_lost == 0 and near(.energy_fed; .energy_stored; 1e-12) and near(.energy_fed; -9.81*(1|sin); 1e-2)'
json 'near(.peak_force[0]; 0.6*5 + 9.81*(0.6|cos); 0.2) and .run == "move"'
check test "$(head -n 1 move.csv)" = 'time,q.turn,v.turn,tau.turn,kinetic,potential,work,lost,error.turn'
check test "$(wc -l <move.csv)" = 117
# The motion ends at 1 rad, so the last error is what is missing to that.
check test "$(tail -n 1 move.csv | awk -F, '{ d = 1 - $2 - $9; print (d < 1e-12 && d > -1e-12) }')" = 1
run simulate swing.urdf --run move.xml
code 0; out '^swing, move: 1.15 s'; out '^ *energy +[-0-9.e]+ J fed, 0 J lost'; out '^ *energy drift'; out '^turn +[0-9]'
out '^ +N m +N m +rad/s +W +rad$'
end

begin simulate_tells_what_a_limit_of_force_does
sed 's|period="0.001"/>|period="0.001"><gain joint="turn" limit="4"/></controller>|' move.xml >weak.xml
run simulate swing.urdf --run weak.xml --json
code 0; json '.peak_force == [4] and .at_limit[0] > 0.5 and .at_limit[0] <= 1'
run simulate swing.urdf --run weak.xml; code 0; out '^turn is held at its limit, 4 N m, for [0-9.]+ % of the time$'
run simulate swing.urdf --run move.xml --json; code 0; json '.at_limit == [0]'
end

begin simulate_tells_where_it_wrote
run simulate swing.urdf --run move.xml -o told.csv --plot told.svg; code 0; out '^written to told.csv, told.svg$'
run simulate swing.urdf --run move.xml; code 0; check test -z "$(grep written out)"
end

begin simulate_writes_npy
run simulate swing.urdf --time 1 --every 0.1 -o table.npy
code 0
check test "$(head -c 6 table.npy | tail -c 5)" = NUMPY
# Eight numbers of eight bytes in eleven rows, behind a head that is a multiple of 64 bytes long.
check test $((($(wc -c <table.npy) - 11 * 8 * 8) % 64)) = 0
end

begin simulate_plots
sed 's/name="move"/name="slow \&amp; soft"/; s/"5"/"2"/' move.xml >slow.xml
run simulate swing.urdf --run move.xml --run slow.xml --plot both.svg --json
code 0; json 'length == 2 and .[1].time > .[0].time'
check xmllint --noout both.svg
check grep -q '>slow &amp; soft<' both.svg
check test "$(grep -c '>turn<' both.svg)" = 4; check grep -q '>error against the motion, rad<' both.svg
# No line of the grid stands beyond the panels, which end at 760.
check test -z "$(grep -oE 'M[0-9.]+ [0-9.]+v210' both.svg | tr 'M' ' ' | awk '$1 > 760.05')"
run simulate swing.urdf --run move.xml --spectrum spectrum.svg
code 0; check xmllint --noout spectrum.svg
check grep -q '>10</text>' spectrum.svg; check test -z "$(grep -E 'nan|inf' spectrum.svg)"
end

begin simulate_plots_names_that_fit
sed 's/"turn"/"the_joint_of_the_left_shoulder_that_turns"/g' swing.urdf >long.urdf
run simulate long.urdf --time 0.1 --plot long.svg
code 0; check xmllint --noout long.svg
check grep -q '>the_joint_of…_that_turns<' long.svg; check test -z "$(grep -F shoulder long.svg)"
# Without drives there are no forces to be seen.
check test -z "$(grep -F 'force of drives' long.svg)"
end

begin simulate_overlays_levels
cat >lift.xml <<'EOT'
<run version="1" name="lift" accuracy="1e-9"><limits velocity="1" acceleration="4"/>
  <motion><to><joint name="wrist/B" q="0.3"/></to></motion><controller/></run>
EOT
run simulate "$models/hr120/hr120.xml" --run lift.xml --levels high,low --plot levels.svg --json
code 0; json 'length == 2 and .[0].levels == "high" and .[1].levels == "low" and .[1].run == "lift"'
# The rotors of the drives are in the low level only: more inertia, more force.
json '.[1].peak_force[0] != .[0].peak_force[0] and .[0].names == .[1].names[:6]'
check xmllint --noout levels.svg
check test "$(grep -c '>high<' levels.svg)" = 5
check test "$(grep -c '>wrist/B<' levels.svg)" = 4
run simulate "$models/hr120/hr120.xml" --run lift.xml --levels high,low -o levels.csv
code 2; err 'one choice of levels'; check test ! -e levels.csv
run simulate "$models/hr120/hr120.xml" --run lift.xml --levels high,lwo; code 2; err 'lwo'
end

begin simulate_stops_at_limits
run simulate swing.urdf --time 5 --stops -v 2 -t 20 --json
code 0; json '.q == [3] and .v == [0] and .events >= 1'
run simulate swing.urdf --time 1 --stops -q 3.5
code 1; err '"turn" starts beyond its joint limits'
end

begin simulate_refuses_bad_usage
run simulate swing.urdf; code 2; err 'needs --time T or --run FILE'
run simulate swing.urdf --time -1; code 2; err '--time'
run simulate swing.urdf --time nan; code 2; err '--time'
run simulate swing.urdf --time 1 --method leapfrog; code 2; err 'dopri853'
run simulate swing.urdf --time 1 --accuracy 0; code 2
run simulate swing.urdf --run nowhere.xml; code 3; err 'nowhere.xml'
run simulate swing.urdf --run move.xml --run slow.xml -o two.csv; code 2; err 'takes one run'
end

# $1: what to put in place of what ($2) in move.xml; $3: the message; $4: the exit code, 1
bad_run() {
    sed "s|$2|$1|" move.xml >bad.xml
    rm -f bad.csv bad.svg
    run simulate swing.urdf --run bad.xml -o bad.csv --plot bad.svg
    code ${4:-1}; err "$3"; no_out
    check test ! -e bad.csv -a ! -e bad.svg
}
begin simulate_makes_a_row_each_step_where_the_file_says_so
sed 's/every="0.01"/every="0" method="rk4" step="0.01"/' move.xml >each.xml
run simulate swing.urdf --run each.xml -o each.csv --json; code 0
check test "$(wc -l <each.csv)" = "$(jq '.steps + 2' out)"
end

begin simulate_holds_the_start_of_every_joint
cat >ball.xml <<'EOT'
<linkwork version="1" name="ball"><ground/><joint name="s" type="spherical" from="ground" to="b"/>
<link name="b" mass="1" center="0 0 -0.3" inertia="1 2 2"/><joint name="r" type="revolute" axis="1 0 0" from="b" to="e"/>
<link name="e" mass="1" center="0 0 -0.3" inertia="1 1 1"/></linkwork>
EOT
cat >hold.xml <<'EOT'
<run version="1" duration="2"><start q="0.8 0.6 0 0 0.4"/><controller law="computed-torque" frequency="3"/></run>
EOT
run simulate ball.xml --run hold.xml --json
code 0; json '[.q, [0.8, 0.6, 0, 0, 0.4]] | transpose | all(near(.[0]; .[1]; 1e-9))'
end

begin simulate_refuses_bad_run_files
bad_run '<to><joint name="elbow" q="1"/></to>' '<to q="1"/>' \
    '^bad.xml:3:48: error: the mechanism has no independent joint "elbow"'
bad_run '<to><joint name="trun" q="1"/></to>' '<to q="1"/>' \
    '^bad.xml:3:48: error: the mechanism has no independent joint "trun"; did you mean "turn"'
bad_run '<to q="1" duration="-1"/>' '<to q="1"/>' '^bad.xml:3:51: error: duration is -1'
bad_run '<to q="1" duration="0.1"/>' '<to q="1"/>' '^bad.xml:3:31: error: move 1: its duration is too short'
bad_run '<to q="9"/>' '<to q="1"/>' '^bad.xml:3:31: error: move 1, "turn": a point is outside'
bad_run '<to q="nan"/>' '<to q="1"/>' '^bad.xml:3:38: error: .*nan'
bad_run '<to q="1 2"/>' '<to q="1"/>' '^bad.xml:3:[0-9]+: error: '
bad_run '<limits acceleration="0"/>' '<limits acceleration="5"/>' '^bad.xml:2:25: error: acceleration is 0'
bad_run '<limits/>' '<limits acceleration="5"/>' '^bad.xml:3:31: error: move 1, "turn": a trapezoid needs'
bad_run 'period="-1"' 'period="0.001"' '^bad.xml:4:45: error: period is -1'
bad_run 'law="magic"' 'law="computed-torque"' '^bad.xml:4:20: error: law="magic" is none of pd'
bad_run '<jump/>' '<wait duration="0.25"/>' '^bad.xml:3:42: error: <jump> is no move'
bad_run '<run>' '<run .*">' '^bad.xml:1:1: error: '
bad_run '</motion><load frame="tip" force="0 0 1"/>' '</motion>' 'no frame "tip"'
bad_run '</motion><force joint="turn" value="1" table="0 1 0 2"/>' '</motion>' 'times of a table must increase'
bad_run '</motion><force joint="turn" value="1" table="0 1 inf 2"/>' '</motion>' 'error: .*inf'
bad_run '<limits lower="2" upper="1" acceleration="5"/>' '<limits acceleration="5"/>' \
    '^bad.xml:2:3: error: "turn": the lower limit 2 is above the upper one 1'
bad_run '<limits lower="0.5" acceleration="5"/>' '<limits acceleration="5"/>' '^bad.xml:3:3: error: "turn": its start 0 is outside'
bad_run '<limits acceleration="1e-300"/>' '<limits acceleration="5"/>' '^bad.xml:3:3: error: within its limits the motion takes'
bad_run 'period="0.001" delay="1.1"' 'period="0.001"' '^bad.xml:4:3: error: .*more than 1000 periods'
bad_run '</motion><load frame="rod" force="0 0 1" from="2" until="1"/>' '</motion>' '^bad.xml:3:[0-9]+: error: it ends at 1 s, and begins only at 2'
bad_run 'every="1e-9"' 'every="0.01"' 'which are too many' 2
cat >free.urdf <<'EOT'
<robot name="free"><link name="world"/>
  <link name="body"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="root" type="floating"><parent link="world"/><child link="body"/></joint>
</robot>
EOT
sed 's|<to q="1"/>|<to><joint name="root.wx" q="1"/></to>|' move.xml >bad.xml
run simulate free.urdf --run bad.xml; code 1; err '^bad.xml:3:31: error: "root.wx" has no position of its own'
sed '/controller/d' move.xml >bad.xml
run simulate swing.urdf --run bad.xml; code 1; err '^bad.xml:3:3: error: a <motion> needs a <controller>'
sed 's/damping/dampin/; s/<motion /<motoin\/><motion /' move.xml >odd.xml
run simulate swing.urdf --run odd.xml; code 0; err '^odd.xml:3:3: warning: .*motion'
end

begin simulate_says_where_a_loop_opens
run simulate "$models/closed/five_bar.xml" -v 3,-3 --time 10 --method rk4 -o open.csv
code 4; err '^linkwork: at [0-9.]+ s: '; no_out
check test ! -e open.csv
end

begin simulate_does_not_overwrite_what_it_reads
cp swing.urdf mine.urdf; cp move.xml mine.xml
for link in link.csv model.svg; do ln -sf mine.urdf $link; done; ln -sf mine.xml run.svg
for option in "-o mine.urdf" "--plot ./model.svg" "-o link.csv" "--spectrum run.svg" "-o new --plot new"; do
    run simulate mine.urdf --run mine.xml $option
    code 2; err 'would overwrite'; no_out
done
check cmp -s swing.urdf mine.urdf
check cmp -s move.xml mine.xml
check test ! -e new
run simulate mine.urdf --time 0.1 -o /dev/null --plot /dev/null; code 0
end

begin simulate_refuses_steps_without_end
run simulate swing.urdf --time 1 --method rk4 --step 1e-300; code 2; err 'too many'
run simulate swing.urdf --time 1 --method euler --step 1e-9 --every 0 -o each.csv; code 2; err 'too many'
run simulate swing.urdf --time 1e-3 --method rk4 --step 1 --json; code 0; json '.steps == 1'
run simulate swing.urdf -v 1e300 --time 1 -o huge.csv; code 4; err 'at 0 s'; check test ! -e huge.csv
end

begin simulate_writes_whole_or_not_at_all
run simulate swing.urdf --time 1 -o /dev/full; code 3
mkdir short
(ulimit -f 8; "$program" simulate swing.urdf --time 1 -o short/x.csv --plot short/x.svg) >out 2>err
got=$? line='linkwork simulate within ulimit -f'
code 3; err 'cannot write short/x.csv'; check test -z "$(ls short)"
run simulate swing.urdf --time 1 --plot nowhere/plot.svg; code 3; check test ! -e nowhere
"$program" simulate swing.urdf --time 1 -o - >/dev/full 2>err
got=$? line='linkwork simulate -o - >/dev/full'
code 3
end

begin simulate_leaves_a_whole_file_when_interrupted
# A shell without job control starts what runs behind it deaf to the interrupt.
rm -f long.csv
env --default-signal=INT "$program" simulate swing.urdf --time 1e6 --every 0.1 -o long.csv >out 2>err &
long=$!
sleep 0.5
kill -INT $long
wait $long
got=$? line='linkwork simulate, interrupted'
code 130
check test "$(head -c 5 long.csv)" = time,
check test "$(wc -l <long.csv)" -gt 2
check test "$(tail -n 1 long.csv | tr -cd , | wc -c)" = 7
check test -z "$(tail -c 1 long.csv)"
out 'stopped'
end

begin linearize_pendulum
run linearize swing.urdf -q 1.5707963267948966 --json
# It hangs: sqrt(9.81 / 0.6) rad/s, without damping.
code 0; json '.modes | length == 1'
json 'near(.modes[0].frequency; (9.81 / 0.6 | sqrt) / 6.283185307179586; 1e-9) and near(.modes[0].damping; 0; 1e-12)'
json '(.A | length) == 2 and .A[0] == [0, 1] and near(.A[1][0]; -9.81 / 0.6) and near(.B[1][0]; 1 / 0.6)'
json '.residual < 1e-12 and (.eigenvalues | length) == 2'
run linearize swing.urdf -q 1.5707963267948966
code 0; out 'an equilibrium'; out '0\.64'
run linearize swing.urdf -q 0 -t 0 --json
code 0; json 'near(.residual; 9.81 / 0.6)'
end

begin linearize_under_a_controller
# PD of 3 Hz and half of the critical damping, with gravity taken off: that is what it is.
printf '<run version="1" name="hold" duration="1"><start q="0.4"/><controller law="pd+gravity" frequency="3" damping="0.5" period="0.001"/></run>' >hold.xml
run linearize swing.urdf --run hold.xml --json
code 0; json '(.modes | length) == 1 and near(.modes[0].frequency; 3; 1e-9) and near(.modes[0].damping; 0.5; 1e-9)'
json 'near(.q[0]; 0.4; 1e-9) and (has("B") | not)'
# Without it the rod sags: 2 pi 3 squared times 0.6 times the way is the weight 9.81 cos q.
sed 's/pd+gravity/pd/' hold.xml >sag.xml
run linearize swing.urdf --run sag.xml --json
code 0; json 'near((.q[0] - 0.4) * 0.6 * (6 * 3.141592653589793 | . * .); 9.81 * (.q[0] | cos); 1e-7)'
run linearize swing.urdf --run hold.xml
code 0; out 'held by the controller of hold, as if it were sampled continuously'
run linearize swing.urdf --run hold.xml -q 0.1
code 2; err 'the run file defines'
run linearize swing.urdf --run hold.xml --run sag.xml
code 2; err 'takes one run file'
printf '<run version="1" duration="1"/>' >idle.xml
run linearize swing.urdf --run idle.xml
code 1; err 'idle.xml: there is no <controller>'
printf '<run version="1" duration="1"><controller law="pd+gravity"><gain joint="turn" limit="0.1"/></controller></run>' >weak.xml
run linearize swing.urdf --run weak.xml
code 4; err 'exceeds the limits of the drives'
end

begin simulate_says_that_a_fixed_step_is_too_long
# 1e5 N m s/rad on 0.6 kg m^2: an eigenvalue of -1.7e5 1/s.
sed 's/<limit /<dynamics damping="100000"\/><limit /' swing.urdf >thick.urdf
for method in rk4 euler; do
    run simulate thick.urdf -v 1 --time 10 --method $method
    code 4; err "steps of 0.001 s are too long for $method, which is stable to about 1.2e-05 s"
done
end

begin stiff_machines_are_told
sed 's/<limit /<dynamics friction="50"\/><limit /' swing.urdf >rough.urdf
run simulate rough.urdf -v 0.001 --time 0.05 --every 0.05
code 0; out 'stability, not accuracy, limits'; out 'stiction .sticks. is not stiff'
run simulate rough.urdf -v 0.001 --time 0.05 --every 0.05 --json
code 0; json '.stiff > 0.5'
run simulate swing.urdf --time 0.05 --json
code 0; json '.stiff == 0'
end

begin C33_simulate_stops_or_warns_at_a_collision
cat >wall.xml <<'EOT'
<linkwork version="1" name="wall">
  <ground><box size="0.1 4 4" xyz="0 0 -2.3"/></ground>
</linkwork>
EOT
cat >swing.xml <<'EOT'
<linkwork version="1" name="swing">
  <ground/>
  <joint name="j" type="revolute" axis="0 1 0" from="ground" to="arm"/>
  <link name="arm" mass="1" center="0.5 0 0" inertia="0.1 0.1 0.1">
    <capsule radius="0.05" length="0.9" xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/>
  </link>
</linkwork>
EOT
echo '<run version="1" duration="2" collision="stop" clearance="0.02"/>' >swing.run
run simulate swing.xml --scene wall.xml --time 2 --collision stop --json
code 4; err 'collision at 0\..* s: arm and wall/ground'
json '.collision.found and .collision.proven and .time < 1 and .collision.free_before <= .collision.t'
json '.collision.distance | fabs < 1e-3'
run simulate swing.xml --scene wall.xml --time 2 --collision warn --json
code 0; err 'collision at'; json '.collision.found and .time == 2'
run simulate swing.xml --scene wall.xml --run swing.run --json
code 4; json '.collision.found and (.collision.distance - 0.02 | fabs) < 1e-3'
run simulate swing.xml --scene wall.xml --run swing.run --collision ignore --json
code 0; json 'has("collision") | not'
run simulate swing.xml --time 1 --collision stop
code 1; err 'no two links'
sed -i 's/stop/halt/' swing.run
run simulate swing.xml --scene wall.xml --run swing.run
code 1; err 'swing.run:1:'
echo '<robot><disable_collisions link1="arm" link2="wall/ground" reason="meant"/></robot>' >meant.srdf
run simulate swing.xml --scene wall.xml --time 2 --collision stop --srdf meant.srdf
code 0; out 'collision  *none'
sed 's|<capsule|<mesh file="lost.stl"/>&|' swing.xml >lost.xml
run simulate lost.xml --scene wall.xml --time 0.1 --collision warn --silence mesh-missing
code 0; err 'warning: 1 collision meshes are not used'
run simulate "$models/ur5_class.xml" -q 0,-1.2,2.7,0,1.5,0 --time 0.02 --collision warn
code 0; out 'collision  *none'; out 'are not free at the begin'
end
