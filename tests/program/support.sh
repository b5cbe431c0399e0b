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
