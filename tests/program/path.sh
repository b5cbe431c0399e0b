# ik --path, tool motions of run files, and set points.

cat >line.csv <<'EOT'
x,y,z,qw,qx,qy,qz
0.4,-0.2,0.3,0,1,0,0
0.4,0.2,0.3,0,1,0,0
EOT

begin K29_ik_follows_a_path_of_poses
run ik "$ur5" --frame tool --path line.csv --speed 0.1 --json
code 0
json '.path | keys == ["branch","branches","deviation","duration","end","first","joint","last","length","points",
      "position","slowed"]'
json '.path.end == "complete" and (.path.length - 0.4 | fabs < 1e-12) and .path.deviation < 1e-9'
json '.path.branches == 8 and .path.points >= 400 and .path.slowed == 1'
q=$(jq -r '.path.last | map(tostring) | join(",")' out)
run fk "$ur5" --frame tool -q "$q" --json
json '.frames[].position | [., [0.4,0.2,0.3]] | transpose | map((.[0] - .[1]) | fabs < 1e-11) | all'
end

begin R43_set_points_are_written_as_csv_and_npy
run ik "$ur5" --frame tool --path line.csv -o points.csv --every 0.01
code 0; out '^path of 0.4 m in '; out '^written to points.csv$'
[ "$(head -n 1 points.csv | tr ',' '\n' | wc -l)" = 25 ] || problem "columns: $(head -n 1 points.csv)"
[ "$(head -n 1 points.csv | cut -d, -f1,2,8,14,20)" = t,q.shoulder_pan,v.shoulder_pan,a.shoulder_pan,tau.shoulder_pan ] ||
    problem "names: $(head -n 1 points.csv)"
run ik "$ur5" --frame tool --path line.csv -o points.npy
code 0; [ "$(head -c 6 points.npy | tail -c 5)" = NUMPY ] || problem 'no .npy'
run ik "$ur5" --frame tool --pose 0.4,0.2,0.3,0,1,0,0 -o points.csv
code 2; err 'go with a --path FILE'
end

begin ik_path_has_times_or_positions_alone
sed 's/^x/t,x/; s/^0.4,-/1,0.4,-/; s/^0.4,0/3,0.4,0/' line.csv >timed.csv
run ik "$ur5" --frame tool --path timed.csv --json
code 0; json '.path.duration - 2 | fabs < 1e-12'
printf 'z,y,x\n-0.5,0,0\n-0.48,0.05,0.05\n' >delta.csv
run ik "$models/closed/delta.xml" --frame platform --path delta.csv --json
code 0; json '.path.end == "complete"'
end

begin a_path_that_ends_is_exit_4_with_its_position
sed 's/^0.4,0.2/1.4,0.2/' line.csv >far.csv
run ik "$ur5" --frame tool --path far.csv --json
code 4; json '.path.end == "reach" and .path.position > 0.2 and .path.position < .path.length'
err '^far.csv:3:1: error: move 2: the path ends after .* on the best of 8 branches: the tool is out of reach$'
end

begin bad_paths_are_named_with_line_and_column
bad() { # CSV text, message
    printf "$1" >bad.csv
    run ik "$ur5" --frame tool --path bad.csv
    code 1; err "$2"
}
bad '' 'bad.csv:1:1: the first line has the names of the columns'
bad 'x,y\n1,2\n' 'bad.csv:1:1: its columns must have x, y and z'
bad 'x,y,z,qx\n' 'bad.csv:1:1: either all of qw'
bad 'x,y,z,qw,qx,qy,qq\n' 'bad.csv:1:1: there is no column "qq"; did you mean'
bad 'x,y,z,x\n' 'bad.csv:1:7: column "x" is there twice'
bad 'x,y,z\n1,2\n' 'bad.csv:2:4: the row has 2 cells, but the header 3'
bad 'x,y,z\n1,2,nan\n' 'bad.csv:2:5: z: "nan" is not a finite number'
bad 'x,y,z\n1,2,3\n' 'bad.csv: a path needs at least two rows'
bad 'x,y,z\n1,2,3\n1,2,3\n' 'bad.csv:3:1: the pose is that of the row before'
bad 't,x,y,z\n1,1,2,3\n1,1,2,4\n' 'bad.csv:3:1: t is 1, and 1 in the row before'
bad 'x,y,z,qw,qx,qy,qz\n1,2,3,0,0,0,0\n1,2,4,1,0,0,0\n' 'bad.csv:2:1: the quaternion has length 0, not 1'
bad 'x,y,z,qw,qx,qy,qz\n1,2,3,2,0,0,0\n1,2,4,1,0,0,0\n' 'bad.csv:2:1: the quaternion has length 2, not 1'
run ik "$ur5" --frame tool --path gone.csv; code 3
run ik "$ur5" --frame tool --path line.csv --position 1,0,0; code 2; err 'exclude each other'
end

cat >weld.xml <<'EOT'
<run version="1" every="0.02">
  <start q="0 -1.4 1.6 -1.8 -1.57 0"/>
  <limits acceleration="10"/>
  <motion tool="tool" speed="0.3">
    <to xyz="0.4 -0.2 0.3" quat="0 1 0 0"/>
    <line xyz="0.4 0.0 0.3" blend="0.05"/>
    <line xyz="0.5 0.1 0.3"/>
    <wait duration="0.1"/>
    <circle through="0.55 0.15 0.3" xyz="0.6 0.1 0.3"/>
    <override speed="0.5"/>
    <spline><pose xyz="0.5 0.0 0.35"/><pose xyz="0.4 0.0 0.3" rpy="3.0 0 0"/></spline>
    <tool frame="wrist_3"/>
    <line xyz="0.4 0.0 0.45"/>
    <to q="0 -1.4 1.6 -1.8 -1.57 0"/>
  </motion>
  <controller law="computed-torque"/>
</run>
EOT

begin K29_a_run_file_moves_a_tool
run simulate "$ur5" --run weld.xml --set-points weld.csv --json
code 0; json '.peak_error | map(. < 1e-6) | all'
[ "$(wc -l <weld.csv)" -gt 100 ] || problem 'set points'
tail -n 1 weld.csv | cut -d, -f2-4 >last
awk -F, '{ exit !($1 == 0 && ($2 + 1.4) ^ 2 < 1e-24 && ($3 - 1.6) ^ 2 < 1e-24) }' last ||
    problem "ends at $(cat last)"
run simulate "$ur5" --time 1 --set-points weld.csv
code 2; err 'takes one run file'
end

begin bad_tool_motions_are_named_where_they_are
wrong() { # sed expression, message
    sed "$1" weld.xml >wrong.xml
    run simulate "$ur5" --run wrong.xml
    code 1; err "$2"
}
wrong 's/blend="0.05"/blend="0.3"/' '^wrong.xml:6:5: error: move 2: its blend of 0.3 m is larger than the 0.2 m'
wrong 's/quat="0 1 0 0"/quat="0 2 0 0"/' '^wrong.xml:5:[0-9]+: error: quat has length 2'
wrong 's/quat="0 1 0 0"/quat="0 0 0 0"/' '^wrong.xml:5:[0-9]+: error: quat has length 0'
wrong 's/0.5 0.1 0.3"/1.5 0.1 0.3"/' '^wrong.xml:7:5: error: move 3: the path ends after '
wrong 's/tool="tool"/tool="torch"/' '^wrong.xml:4:[0-9]+: error: the mechanism has no frame "torch"'
wrong 's/<wait/<rest/' '^wrong.xml:8:5: error: <rest> is no move'
wrong 's/xyz="0.5 0.1 0.3"/xyz="0.4 0.0 0.3"/' '^wrong.xml:7:5: error: move 3: it has no length'
wrong 's/<to q="[^"]*"\/>/<to><joint name="elbow" q="1"\/><\/to>/' 'joints move by <to q='
wrong 's/ speed="0.5"/ speed="-1"/' '^wrong.xml:10:[0-9]+: error: speed is -1'
wrong 's/xyz="0.4 0.0 0.45"/xyz="0.4 0.0 inf"/' '^wrong.xml:13:[0-9]+: error: '
end
