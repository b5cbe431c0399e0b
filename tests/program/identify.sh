# identify, excite and calibrate: results, bad logs, and nothing half written.

mkdir identify && cd identify || exit 2
cat >pendulum.xml <<'END'
<linkwork version="1" name="pendulum"><ground/>
<joint name="swing" type="revolute" axis="0 1 0" from="ground" to="arm"/>
<link name="arm" mass="2" center="0.3 0 0" inertia="0.01 0.02 0.02"><frame name="tip" xyz="0.6 0 0"/></link>
</linkwork>
END
# Torques of a pendulum with the moment 0.25 about its axis and the first moment 0.75.
awk 'BEGIN { print "t,q.swing,tau.swing"
    for (i = 0; i < 1000; ++i) {
        t = 0.01 * i; q = 1.1 * sin(1.3 * t) + 0.4 * sin(3.1 * t)
        a = -1.1 * 1.69 * sin(1.3 * t) - 0.4 * 9.61 * sin(3.1 * t)
        printf "%.2f,%.12g,%.12g\n", t, q, 0.25 * a - 9.81 * 0.75 * cos(q) } }' >log.csv

if "$program" identify pendulum.xml 2>&1 | grep -q 'no identification'; then
    begin identify_needs_lapacke
    skip 'this build has no identification'
    end
    cd .. && return
fi

begin K36_identify_lists_base_parameters_and_estimates_them
run identify pendulum.xml --json
code 0; json '.count == 3 and .structural == 3 and (.base | map(.name) | contains(["arm.mx", "arm.Iyy"]))'
run identify pendulum.xml --log log.csv --validate log.csv --robust --plot torque.svg -o new.xml --json
code 0; json '.outliers <= 1 and (.error[0].relative < 1e-3)' # at an end, where the filter settles
json '(.parameters | map(select(.name == "arm.mx"))[0] | (.value - 0.75 | fabs) < 1e-3)'
json '(.parameters | map(select(.name == "arm.Iyy"))[0] | (.value - 0.25 | fabs) < 1e-3)'
[ -s torque.svg ] || problem 'no plot'
run id new.xml -q 0.4 -a 2 --json
code 0; json '(.tau[0] - (0.25 * 2 - 9.81 * 0.75 * (0.4 | cos)) | fabs) < 0.02'
end

begin K36_identify_names_what_is_wrong_with_a_log
sed '1s/tau.swing/tau.swin/' log.csv >bad.csv
run identify pendulum.xml --log bad.csv
code 1; err 'bad.csv:1:1: there is no column "tau.swing".*tau.swin'
sed '7s/,[^,]*$/,nan/' log.csv >bad.csv
run identify pendulum.xml --log bad.csv
code 1; err 'bad.csv:7:'
awk -F, 'NR == 1 { print; next } { printf "%s,%.9g,%s\n", $1, 57.3 * $2, $3 }' log.csv >bad.csv
run identify pendulum.xml --log bad.csv
code 1; err 'bad.csv:[0-9]+: q.swing is .* are these degrees'
awk -F, 'NR == 1 { print; next } { printf "%s,0.5,%s\n", $1, $3 }' log.csv >bad.csv
run identify pendulum.xml --log bad.csv -o none.xml --plot none.svg
code 4; err 'the motion does not'
sed '500,$s/^/1/' log.csv >bad.csv
run identify pendulum.xml --log bad.csv
code 1; err 'bad.csv:500: the time advances by .* evenly spaced'
head -2 log.csv >bad.csv
run identify pendulum.xml --log bad.csv
code 1; err 'bad.csv: a log needs at least three rows'
run identify pendulum.xml --log log.csv --columns viscus
code 2; err 'viscus'
run identify pendulum.xml --log log.csv --hold arm.mas
code 1; err 'arm.mas'
[ -z "$(ls none* 2>/dev/null)" ] || problem "left: $(ls none*)"
end

begin identify_writes_all_files_or_none
run identify pendulum.xml --log log.csv --plot none.svg -o nowhere/new.xml
code 3
[ -z "$(ls none* 2>/dev/null)" ] || problem "left: $(ls none*)"
run identify pendulum.xml --log log.csv --plot nowhere/none.svg -o none.xml
code 3
echo before > old.svg; echo before > old.xml
run identify pendulum.xml --log log.csv --plot old.svg -o nowhere/new.xml
code 3
run identify pendulum.xml --log log.csv --plot nowhere/none.svg -o old.xml
code 3
[ "$(cat old.svg old.xml | sort -u)" = before ] || problem 'one of two files was written'
[ "$(echo old*)" = 'old.svg old.xml' ] || problem "left: $(echo old*)"
[ -z "$(ls none* 2>/dev/null)" ] || problem "left: $(ls none*)"
end

begin K36_excite_finds_a_motion_and_reports_progress
run excite pendulum.xml --evaluations 50 --rate 20 -o motion.csv --json --progress json
code 0; json '.condition < 30 and .base == 3'; err '^\{"progress": '
[ "$(head -1 motion.csv)" = t,q.swing,v.swing,a.swing ] || problem "columns: $(head -1 motion.csv)"
run excite pendulum.xml --evaluations 0
code 2
end

# The same pendulum, whose tip is 5 mm farther out and whose joint is off by 0.01 rad.
awk 'BEGIN { print "q.swing,x,y,z"
    for (i = 0; i < 20; ++i) { q = -1.5 + 0.15 * i; printf "%.12g,%.12g,0,%.12g\n", q,
        0.605 * cos(q + 0.01), -0.605 * sin(q + 0.01) } }' >tips.csv

begin D36_calibrate_finds_errors_and_names_what_it_cannot
run calibrate pendulum.xml --frame tip --log tips.csv --measured position --parameters tool,offsets --json -o fit.xml
code 0; json '.error.before[0] > 4e-3 and .error.after[0] < 1e-9 and .rank == 3'
json '(.parameters | map(select(.name == "tool.x"))[0] | (.value - 0.005 | fabs) < 1e-3)'
json '.not_separable | length > 0'
sed 's/,x,/,xx,/' tips.csv >bad.csv
run calibrate pendulum.xml --frame tip --log bad.csv --measured position
code 1; err 'bad.csv:1:1: .*"x"'
head -1 tips.csv >bad.csv
run calibrate pendulum.xml --frame tip --log bad.csv --measured position
code 1; err 'bad.csv'
run calibrate pendulum.xml --frame tips --log tips.csv
code 2; err 'tips'
run calibrate pendulum.xml --frame tip --log tips.csv --measured position --parameters arm.nothing -o none.xml
code 1; err 'arm.nothing'
[ -z "$(ls none* 2>/dev/null)" ] || problem "left: $(ls none*)"
end

cd ..
