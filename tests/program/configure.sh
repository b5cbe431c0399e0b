# configure: rules, completions, and the folder that follows from a specification.

specs=$models/specs
mkdir configured && cd configured || exit 2 # what earlier parts made has names like arm and none

begin K05_configure_checks_rules
run configure "$specs/scara.spec" --check
code 0; out '0 violated'; out 'joint3.axis = -z  \(usual-axes'
sed 's/RRTR/RRRR/; s/lower="-150"/lower="170"/' "$specs/scara.spec" >bad.spec
run configure bad.spec --check
code 1; err 'bad.spec:7:64: error: violates rule scara-principal-joints'
err 'violates rule limits-in-order'; out 'violated   scara-principal-joints: letters'
run configure bad.spec --check --json
code 1
json '[.rules[] | select(.state == "violated") | .name] | contains(["scara-principal-joints","limits-in-order"])'
json '[.rules[] | has("name") and has("state") and has("fields") and has("reason") and has("remedy")] | all'
end

begin K05_configure_lists_classes_and_rules
run configure --list
code 0; out 'parallelogram'; out 'scara-principal-joints \(scara\)'
run configure --list --json
code 0; json '(.classes | length) == 11 and (.rules | length) > 80'
json '.classes[] | select(.name == "five-bar") | .sizes == ["base","arm","forearm"]'
json '.classes[] | select(.name == "scara") | .sizes == []'
run configure
code 2; err 'configure needs SPEC'
run configure "$specs/scara.spec"
code 2; err 'configure needs -o DIR, --check or --list'
end

begin K05_configure_checks_and_writes_the_model_alone
run configure "$specs/palletiser.spec" --check -o palletiser.xml --json
code 0; json '.rules | length > 50'
run info palletiser.xml --json
code 0; json '.nq == 4 and .loops > 0'
sed 's/<size.*//; s/^ *drop=.*//' "$specs/palletiser.spec" >sizeless.spec
run configure sizeless.spec --check -o none.xml --json
code 1; err 'size.arm is unknown, and class palletiser needs it'; json '.rules | length > 50'
[ ! -e none.xml ] || fail 'none.xml is there'
end

begin configure_refuses_two_joints_of_one_name
sed 's/name="joint2"/name="joint1"/; s/name="outer"/name="inner"/' "$specs/scara.spec" >twins.spec
run configure twins.spec --check
code 1; err 'twins.spec:10:16: error: .*violates rule joint-names-differ'
err 'twins.spec:11:15: error: .*violates rule link-names-differ'
end

begin configure_takes_rules_of_the_user
echo '<rules version="1"><rule name="house" condition="joints == 5" reason="five"/></rules>' >house.xml
run configure "$specs/scara.spec" --check --rules house.xml
code 1; err 'violates rule house: five'
echo '<rules version="1"><rule name="house" condition="joint == 5" reason="five"/></rules>' >house.xml
run configure "$specs/scara.spec" --check --rules house.xml
code 1; err 'house.xml:1:50: error: rule "house": "joint == 5" makes no sense: no field joint'
end

begin K01_configure_makes_a_folder_in_one_pass
run configure "$specs/scara.spec" -o arm
code 0; out 'engine: generated'; out 'inverse kinematics as code: yes'
for file in model.xml model.urdf dh.txt equations.md equations.tex scara.h scara_controllers.h self_check.c \
    run.xml picture.svg report.txt; do
    [ -s "arm/$file" ] || problem "no $file"
done
[ "$(ls arm | wc -l)" = 11 ] || problem "other files: $(ls arm)"
(cd arm && cc -std=c99 -Wall -Wextra -pedantic -Werror -O1 -o self_check self_check.c -lm && ./self_check) >made 2>&1 ||
    problem "self_check: $(cat made)"
grep -q 'm2' arm/equations.md || problem 'no symbols in equations.md'
run verify arm/model.xml --states 5
code 0
run simulate arm/model.xml --run arm/run.xml -o arm.csv
code 0
run configure "$specs/scara.spec" -o arm
code 3; err 'arm is there already'
end

begin K01_configure_makes_robots_with_loops
run configure "$specs/palletiser.spec" -o stack --json
code 0
json '.engine == "generated" and .self_check < 1e-9 and (.files | length) == 11'
json '.inverse_kinematics == "yes"'
end

begin K04_configure_makes_inputs_of_symbols
run configure "$specs/scara_symbols.spec" -o symbols --json --progress json
code 0; json '.self_check < 1e-9 and .inputs_note == "" and (.inputs | test("m1=m_link1.*a2=a_link3"))'
err '^\{"progress": 1, "stage": "done"\}'
(cd symbols && cc -std=c99 -Wall -Wextra -pedantic -Werror -O1 -o self_check self_check.c -lm && ./self_check) >made 2>&1 ||
    problem "self_check: $(cat made)"
grep -q 'scara_with_inverse_kinematics(const double p\[12\]' symbols/scara_with_inputs.h || problem 'no inputs'
sed 's/lower="0"/lower="low"/; s|</spec|<symbol name="low" value="0.01"/></spec|' "$specs/scara.spec" >low.spec
environment='CC=/nonexistent'
run configure low.spec -o low
environment=
code 0; out 'inputs of the code: none; low is a number in the code: no equation reads it'
end

begin configure_leaves_nothing_after_an_interrupt
"$program" configure "$specs/hr120_class.spec" -o stopped >/dev/null 2>&1 &
job=$!
for _ in $(seq 200); do ls stopped.* >/dev/null 2>&1 && break; sleep 0.01; done
kill -TERM $job
wait $job 2>/dev/null
[ $? = 143 ] || problem 'it was not stopped'
[ -z "$(ls -d stopped* 2>/dev/null)" ] || problem "left: $(ls -d stopped*)"
end

begin configure_writes_whole_or_nothing
run configure bad.spec -o none
code 1; err 'violates rule'
sed 's/length="0.325"//' "$specs/scara.spec" >less.spec
run configure less.spec -o none
code 1; err 'the specification is incomplete: joint2.length is unknown'
run configure "$specs/scara.spec" -o nowhere/none
code 3
[ -z "$(ls -d none* 2>/dev/null)" ] || problem 'something was left'
end

begin K32_configure_goes_on_without_a_compiler
environment='CC=/nonexistent'
run configure "$specs/five_bar.spec" -o bar
environment=
code 0; out 'self-check: not run'; out 'engine: (interpreted|symbolic)'; out 'inverse kinematics as code: yes'
end

cd ..
