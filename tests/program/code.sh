# generate, verify, and the engines in bench.

begin generate_has_the_keys_of_the_contract
run generate arm.urdf -o arm.h --json
code 0; json 'keys == ["counts","file"] and .file == "arm.h"'
json '.counts.inverse_dynamics | keys == ["add","div","mul","other","sincos","sqrt"] and .mul > 5'
run generate arm.urdf -o arm.h --functions mass_matrix,gravity --json
code 0; json '.counts | keys == ["gravity","mass_matrix"]'
run generate arm.urdf -o arm.h
code 0; out '^inverse_dynamics( +[0-9]+){6}$'; out 'written to arm.h'
end

begin generated_header_compiles_and_checks_itself
for options in "" "--float" "--sincos inline" "--sincos-input" "--symbolic" "--vector 4" "--ideal --cost products"; do
    run generate arm.urdf -o arm.h --effort 0 --functions inverse_dynamics,forward_dynamics,poses $options
    code 0
    echo '#include "arm.h"
          int main(void) { return arm_self_check() < 1e-3 ? 0 : 1; }' >arm.c
    check ${CC:-cc} -std=c99 -Wall -Wextra -Wconversion -Werror -Wno-psabi -o arm arm.c -lm
    check ./arm
done
end

begin right_angles_of_a_few_digits_are_rounded
sed 's|xyz="0.4 0 0"/>|xyz="0.4 0 0" rpy="1.5708 0 0"/>|' arm.urdf >skew.urdf
run generate skew.urdf -o skew.h --effort 0
code 0; err 'note: joint "elbow".* off a right angle by up to 3.7e-06'
check grep -q 'e-[0-9]' skew.h
run generate skew.urdf -o skew.h --effort 0 --round 1e-5
code 0; check grep -q 'effort 0, rounding 0.00001' skew.h
check test "$(grep -c 'right angle' err)" = 0
for x in 0 -1 0.02 nan 1e-5m; do
    run generate skew.urdf -o skew.h --round "$x"
    code 2; err 'round is a number above 0 and up to 0.01, not'
done
end

begin header_and_source_serve_several_files
for options in "" "--float --sincos inline" "--sincos inline" "--sincos-input" "--symbolic" "--vector 4" "--join"; do
    run generate arm.urdf -o arm.h --split --effort 0 --functions inverse_dynamics,mass_matrix,gravity $options
    code 0; out 'written to arm.h and arm.c'
    echo '#include "arm.h"
          int main(void) { return arm_self_check() < 1e-3 && other() < 1e-3 ? 0 : 1; }' |
        sed '1a double other(void);' >main.c
    echo '#include "arm.h"
          double other(void);
          double other(void) { return arm_self_check() + arm_q_shoulder; }' >other.c
    for compiler in gcc clang-14; do
        if command -v $compiler >/dev/null; then
            check $compiler -std=c99 -pedantic -Wall -Wextra -Wconversion -Wmissing-prototypes -Werror \
                -Wno-psabi -o arm main.c other.c arm.c -lm
            check ./arm
        fi
    done
    check ${CXX:-c++} -std=c++11 -Wall -Wextra -Werror -Wno-psabi -fsyntax-only -x c++ arm.h
done
run generate arm.urdf -o - --split; code 2; err 'ends with .h'
run generate arm.urdf -o arm.py --language python --split; code 2
mkdir -p kept/arm2.h
run generate arm.urdf -o kept/arm2.h --split --effort 0; code 3
check test ! -e kept/arm2.c
end

begin joined_functions_cost_less_than_apart
run generate arm.urdf -o arm.h --functions inverse_dynamics,mass_matrix --sincos inline --json
code 0; cp out apart
run generate arm.urdf -o arm.h --functions inverse_dynamics,mass_matrix --sincos inline --join --json
code 0; json '.counts | keys == ["all"]'
check test "$(jq .counts.all.mul out)" -lt \
    "$(jq '.counts.inverse_dynamics.mul + .counts.mass_matrix.mul' apart)"
echo '#include "arm.h"
      int main(void)
      {
          const double x[3] = {0.1, 0.2, 0.3};
          double tau[3], M[9];
          arm_all(x, x, x, tau, M);
          return arm_self_check() < 1e-9 && M[1] == M[3] ? 0 : 1;
      }' >joined.c
check ${CC:-cc} -std=c99 -Wall -Wextra -Wconversion -Werror -o joined joined.c -lm
check ./joined
run generate arm.urdf -o x.h --functions inverse_dynamics,forward_dynamics --join
code 2; err 'both read and written'
run generate arm.urdf -o arm.py --language python --functions inverse_dynamics,mass_matrix --join
code 0
! command -v python3 >/dev/null || check python3 -B -c 'import arm, sys; sys.exit(not arm.self_check() < 1e-9)'
end

begin the_vibration_robot_is_two_functions_as_its_paper_has_them
for options in "" "--sincos inline" "--sincos-input" "--symbolic" "--float --split" "--vector 4" "--join"; do
    run generate "$models/vibran6.xml" -o robot.h --prefix robot --effort 0 --form uicker --dictionary \
        --functions elements,inverse_dynamics $options
    code 0
    echo '#include "robot.h"
          int main(void) { return robot_self_check() < 1e-6 ? 0 : 1; }' >main.c
    sources=main.c
    case $options in *split*) sources="main.c robot.c" ;; esac
    check ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Wconversion -Werror -Wno-psabi -o robot $sources -lm
    check ./robot
done
run generate "$models/vibran6.xml" -o robot.h --prefix robot --effort 0 --form uicker --dictionary \
    --functions elements --json
code 0
# The second function reads words only, and both together cost what the equations do.
check grep -q 'void robot_elements(const double d\[[0-9]*\], double H\[153\])' robot.h
check test "$(awk '$2 == "Cost:" { n += $3 } END { print n }' robot.h)" = \
    "$(jq .counts.elements.mul out)"
run generate arm.urdf -o arm.py --language python --dictionary; code 2
end

begin generated_module_runs
run generate arm.urdf -o arm.py --language python
code 0
if command -v python3 >/dev/null; then
    check python3 -B -c 'import arm, sys; sys.exit(not arm.self_check() < 1e-9)'
else
    skip "python3 is not installed"
fi
end

begin generate_to_standard_output_is_code_alone
run generate arm.urdf -o - --prefix "my arm"
code 0; no_err; out '^static inline void my_arm_inverse_dynamics\('
check test "$(head -c 2 out)" = //
check test "$(tail -n 1 out)" = "#endif"
cp out first
run generate arm.urdf -o - --prefix "my arm"
check cmp out first
end

begin generate_refuses
run generate arm.urdf; code 2; err 'needs -o FILE'
run generate arm.urdf -o x.h --functions inverse_dynamic; code 2; err 'did you mean "inverse_dynamics"'
run generate arm.urdf -o x.h --functions ""; code 2
run generate arm.urdf -o x.h --vector 3; code 2; err '1, 2, 4, 8 or 16'
run generate arm.urdf -o x.h --vector 4 --sincos library; code 2
run generate arm.urdf -o x.h --language cobol; code 2
run generate arm.urdf -o x.h --effort 9; code 2
run generate arm.urdf -o x.h --language python --float; code 2
run generate none.urdf -o x.h; code 3
run generate massless.urdf -o x.h --functions forward_dynamics; code 4; err 'idle'
check test ! -e x.h
end

begin generated_files_are_written_whole_or_not_at_all
mkdir -p closed && chmod 500 closed
echo old >kept.h
if [ "$(id -u)" -ne 0 ]; then
    run generate arm.urdf -o closed/arm.h; code 3
fi
run generate arm.urdf -o no/such/folder/arm.h; code 3; err 'cannot write'
run generate arm.urdf -o /dev/full; code 3; err 'No space'
run generate arm.urdf -o kept.h --functions nothing; code 2
check test "$(cat kept.h)" = old
check test -z "$(ls closed)"
rm -rf closed
end

cat >hostile.urdf <<'EOF'
<robot name="x; system(&quot;touch harm&quot;) */ #error"><link name="base"/>
  <link name="肩"><inertial><mass value="1"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="&#10;int main(){}\" type="continuous"><parent link="base"/><child link="肩"/></joint>
</robot>
EOF
begin names_in_a_model_are_no_code
run generate hostile.urdf -o hostile.h
code 0
echo '#include "hostile.h"
      int main(void) { return 0; }' >hostile.c
check ${CC:-cc} -std=c99 -Wall -Wextra -Wconversion -Werror -o hostile hostile.c -lm
run generate hostile.urdf -o hostile.py --language python
code 0
! command -v python3 >/dev/null || check python3 -B -c 'import hostile'
run verify hostile.urdf
code 0
check test ! -e harm
end

begin verify_has_the_keys_of_the_contract
run verify arm.urdf --json
code 0; no_err
json 'keys == ["pairs"] and (.pairs | length) == 24'
json '.pairs[0] | keys == ["engines","function","open","refused","size","state","tolerance","worst"]'
json '.pairs[0].engines == ["numeric","symbolic"] and ([.pairs[].engines[]] | unique | length) == 3'
json '[.pairs[] | .worst <= 1e-12 and .tolerance == 1e-9] | all'
json '.pairs[0].state | keys == ["a","q","tau","v"] and (.q | length) == 3'
run verify arm.urdf --engines numeric,symbolic --functions all --states 20
code 0; out '^numeric +symbolic +christoffel +'; out '^numeric +symbolic +elements +'
end

begin verify_ends_with_4_where_engines_differ
run verify arm.urdf --tolerance 1e-30 --json
code 4; err 'numeric and symbolic differ in'
json '[.pairs[] | .worst > .tolerance] | any'
run verify arm.urdf --tolerance 1e-30
code 4; out 'DIFFERENT'
run verify arm.urdf --tolerance 0; code 2
run verify arm.urdf --engines numeric; code 2; err 'two engines'
run verify arm.urdf --engines numeric,fast; code 2
run verify arm.urdf --states 0; code 2
end

begin verify_without_a_compiler
environment="PATH=/nowhere CC= XDG_CACHE_HOME=$work/none"
run verify arm.urdf --json
code 0; err 'there is no compiler cc'
json '[.pairs[].engines[]] | index("interpreted") != null and index("generated") == null'
environment="CC=false XDG_CACHE_HOME=$work/other"
run verify arm.urdf; code 0; err 'the compiler "false" failed'; out ' interpreted '
check test -z "$(ls other/linkwork)"
environment=
end

begin bench_has_a_row_for_each_engine
run bench arm.urdf --seconds 0.001 --json
code 0
json '[.rows[].engine] | unique == ["generated","numeric","symbolic"]'
json '[.rows[] | select(.function == "inverse_dynamics")] | length == 3'
json '[.rows[] | keys == ["calls","engine","function","ns"]] | all'
run bench arm.urdf --seconds 0.001 --engines numeric --json
code 0; json '[.rows[].engine] | unique == ["numeric"]'
end

cat >statue.xml <<'EOF'
<linkwork version="1" name="statue"><ground/>
  <joint name="glue" type="fixed" from="ground" to="body" xyz="0 0 1"/><link name="body" mass="3"/>
</linkwork>
EOF
begin a_machine_that_cannot_move_is_code_too
for options in "" "--vector 4" "--symbolic --float" "--sincos-input"; do
    run generate statue.xml -o statue.h --effort 0 --functions all $options
    code 0
    echo '#include "statue.h"
          int main(void) { return statue_self_check() < 1e-3 ? 0 : 1; }' >statue.c
    check ${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Wconversion -Werror -Wno-psabi -o statue statue.c -lm
    check ./statue
done
run verify statue.xml; code 0; no_err
end

sed 's/mass value="[^"]*"/mass value="1e300"/' arm.urdf >heavy.urdf
begin numbers_of_any_size_leave_lengths_alone
run verify heavy.urdf --functions poses,jacobian,regressor --states 5
code 0; no_err
end
begin numbers_beyond_float_are_refused_as_symbols_too
run generate heavy.urdf -o heavy.h --float --symbolic --effort 0
code 4; err 'does not fit a float'
check test ! -e heavy.h
end

begin a_disk_that_is_full_leaves_nothing
mkdir brimful
echo kept >brimful/old.h
(ulimit -f 1; "$program" generate arm.urdf -o brimful/arm.h --effort 0 >/dev/null 2>full.err; echo $? >full.code
 "$program" generate arm.urdf -o brimful/old.h --effort 0 >/dev/null 2>>full.err; echo $? >>full.code)
check test "$(tr '\n' ' ' <full.code)" = "3 3 "
check grep -q 'cannot write brimful/arm.h' full.err
check test "$(ls brimful)" = old.h
check test "$(cat brimful/old.h)" = kept
end

cat >far.xml <<'EOF'
<linkwork version="1" name="far"><ground/>
  <joint name="a" type="revolute" from="ground" to="one"/><link name="one" mass="1"/>
  <joint name="b" type="revolute" axis="0 1 0" from="one" to="two" xyz="1e200 0 0"/>
  <link name="two" mass="1" inertia="1 1 1"/>
</linkwork>
EOF
begin a_function_without_code_leaves_the_others_compiled
run verify far.xml --functions poses,regressor --states 3
err 'regressor is run operation by operation: no code can be written'
out '^symbolic +generated +poses'
code 4; err 'numeric and symbolic answer no state both in regressor'
end

begin verify_that_compares_nothing_says_so
run verify arm.urdf --functions loads --engines numeric,symbolic
code 1; err 'no two of these engines'
end

begin sines_in_the_file_are_right_where_sums_are_reordered
for options in "" "--vector 4"; do
    run generate arm.urdf -o arm.h --effort 0 --sincos inline $options
    code 0
    echo '#include "arm.h"
          int main(void) { return arm_self_check() < 1e-9 ? 0 : 1; }' >arm.c
    check ${CC:-cc} -std=c99 -O2 -ffast-math -Wall -Wextra -Wconversion -Werror -Wno-psabi -o arm arm.c -lm
    check ./arm
done
end
