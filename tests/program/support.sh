# What the tests are written with. A test is
#
#   begin NAME           a name of letters, digits and _
#   run ARGUMENTS        runs the program; its output is in ./out and ./err
#   code 0               ... and each of the following is a check
#   end                  counts it

passed=0 failed=0 skipped=0
name= problems=0 is_skipped=0

problem() {
    problems=$((problems + 1))
    echo "$name: $*"
}

begin() {
    name=$1 problems=0 is_skipped=0
    rm -f out err
}

end() {
    if [ $is_skipped = 1 ]; then
        skipped=$((skipped + 1))
    elif [ $problems = 0 ]; then
        passed=$((passed + 1))
        echo "ok $name"
    else
        failed=$((failed + 1))
        echo "FAILED $name"
    fi
}

# The test cannot run here; then `end` follows.
skip() {
    is_skipped=1
    echo "skip: $*"
    echo "skipped $name"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ]
    exit
}

# Runs the program, in an environment of its own where $environment is set. Standard input is that of
# the caller.
environment=
run() {
    line="linkwork $*"
    env $environment "$program" "$@" >out 2>err
    got=$?
}

code() {
    [ "$got" = "$1" ] || problem "exit $got, want $1: $line: $(tail -n 1 err)"
}

# A line of the output, or of what was said, matches an extended regular expression.
out() {
    grep -Eq -- "$1" out || problem "no line like '$1' in: $line"
}
err() {
    grep -Eq -- "$1" err || problem "not said '$1': $line: $(tail -n 1 err)"
}
no_out() {
    [ ! -s out ] || problem "printed something: $line: $(head -n 1 out)"
}
no_err() {
    [ ! -s err ] || problem "said something: $line: $(head -n 1 err)"
}

# The output is JSON, and a jq expression over it is true; near(a; b) compares numbers.
json() {
    jq -e "def near(a; b; t): ((a) - (b)) | fabs <= t; def near(a; b): near(a; b; 1e-12); $1" \
        out >/dev/null 2>jq.err || problem "not so: $1: $line $(head -n 1 jq.err)"
}

# A check of the caller's own.
check() {
    "$@" >/dev/null 2>&1 || problem "not so: $*"
}

have() {
    command -v "$1" >/dev/null
}
have jq || { echo "this needs jq (apt-get install jq)" >&2; exit 2; }

# What several parts use.
closed=$models/closed
ur5=$models/ur5_class.xml
ur5_q=0.3,-1,1.2,0.4,0.7,0.1

# Two arms of 0.4 m and 0.3 m that turn about y, with weight along -z; a slider on the second; a joint
# that follows the first.
cat >arm.urdf <<'EOF'
<robot name="arm">
  <link name="base"/>
  <link name="upper"><inertial><origin xyz="0.2 0 0"/><mass value="2"/>
    <inertia ixx="0.001" iyy="0.03" izz="0.03" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="fore"><inertial><origin xyz="0.15 0 0"/><mass value="1"/>
    <inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="slide"><inertial><mass value="0.5"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="hand"/>
  <link name="follower"><inertial><mass value="0.1"/>
    <inertia ixx="0.001" iyy="0.001" izz="0.001" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="10" velocity="3"/>
    <dynamics damping="0.5" friction="0.25"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/>
    <origin xyz="0.4 0 0"/><axis xyz="0 1 0"/></joint>
  <joint name="extend" type="prismatic"><parent link="fore"/><child link="slide"/>
    <origin xyz="0.3 0 0"/><axis xyz="1 0 0"/><limit lower="0" upper="0.2" effort="1" velocity="1"/></joint>
  <joint name="fix" type="fixed"><parent link="slide"/><child link="hand"/>
    <origin xyz="0 0 0.1"/></joint>
  <joint name="follow" type="revolute"><parent link="base"/><child link="follower"/>
    <origin xyz="0 0.5 0"/><axis xyz="0 1 0"/><limit lower="-4" upper="4" effort="1" velocity="1"/>
    <mimic joint="shoulder" multiplier="-2" offset="0.5"/></joint>
</robot>
EOF
cat >massless.urdf <<'EOF'
<robot name="massless"><link name="base"/><link name="tip"/>
  <joint name="idle" type="continuous"><parent link="base"/><child link="tip"/></joint></robot>
EOF
sed 's/mass value="1"/mass value="-1"/; s/elbow" type="continuous"/elbow" type="continuos"/' arm.urdf >bad.urdf
