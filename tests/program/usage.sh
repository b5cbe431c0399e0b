# How the program is called: help, options, operands.

commands="info check explain draw fk jacobian id fd mass gravity energy sensitivity derive generate verify convert bench demo"

begin version_is_one_line
run --version
code 0; out '^linkwork [0-9]+\.[0-9]+\.[0-9]+$'; no_err
check test "$(wc -l <out)" = 1
end

begin help_lists_every_command
run --help
code 0; no_err; out 'usage: linkwork COMMAND MODEL'; out 'Exit codes: 0 good, 1 bad input'
for c in $commands; do out "^  $c +[a-zA-Z]"; done
end

for c in $commands; do
    begin "help_of_$c"
    run $c --help
    code 0; no_err
    out "^usage: linkwork $c"; out '^Options:'; out '--help'; out '^Examples:'; out "^  linkwork $c"
    cp out first
    run help $c
    check cmp out first
    check test "$(awk '{ if (length > n) n = length } END { print n }' out)" -le 100
    end
done

begin help_names_the_options_of_the_contract
for c in info check explain fk jacobian id fd mass gravity energy sensitivity bench; do
    run $c --help
    out '--json'; out '--free-base'; out '--ideal'; out '--path DIR'; out 'Keys of --json'
done
for c in fk jacobian id fd mass gravity energy sensitivity draw; do
    run $c --help; out '^  -q LIST'; out '--state FILE'
done
run id --help; out '^  -v LIST'; out '^  -a LIST'
run fd --help; out '^  -v LIST'; out '^  -t LIST'
run fk --help; out '--frame FRAME'; out '--relative-to FRAME'
run jacobian --help; out '--expressed-in world\|frame'
run draw --help; out '-o, --output FILE'; out '--view iso\|front\|side\|top'; out '--size WxH'
end

begin every_command_is_on_the_page_of_commands
run --help; code 0
for c in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' out); do
    check grep -qx "## $c" "$source_dir/docs/reference/commands.md"
done
check test "$(grep -c '^## ' "$source_dir/docs/reference/commands.md")" = "$(grep -cE '^  [a-z]+  ' out)"
end

begin no_command_at_all
run
code 2; no_out; err 'usage: linkwork COMMAND'
end

begin unknown_command_gets_a_hint
run jacobain arm.urdf
code 2; no_out; err 'no command "jacobain"; did you mean "jacobian"\?'
run xyzzy
code 2; err 'no command "xyzzy"'
end

begin unknown_option_gets_a_hint
run fk arm.urdf --fram hand
code 2; no_out; err 'fk has no option "--fram"; did you mean "--frame"\?'; err 'usage: linkwork fk MODEL'
run bench arm.urdf --time 1; code 2; no_out; err 'bench has no option "--time"; did you mean "--seconds"\?'
for command in fk linearize; do
    run $command arm.urdf --time 1; code 2; err "^linkwork: $command has no option \"--time\"$"
done
run fd arm.urdf --tau 1; code 2; err 'fd has no option "--tau"; did you mean "-t"\?'
run id arm.urdf --tau 1; code 2; err 'id has no option "--tau"$'
run id arm.urdf -t 1; code 2; err 'id has no option "-t"$'
run fk arm.urdf --relativ-to=hand
code 2; err 'did you mean "--relative-to"'
run info arm.urdf -z
code 2; err 'no option "-z"'
run info arm.urdf -q 1
code 2; err 'no option "-q"'
end

begin operands_are_counted
run fk
code 2; err 'fk needs MODEL'
run convert arm.urdf
code 2; err 'convert needs MODEL OUT'
run fk arm.urdf other.urdf
code 2; err 'takes MODEL, and 1 more was given'
run demo arm.urdf
code 2
end

begin options_take_their_values
run fk arm.urdf -q
code 2; err '-q needs a value'
run fk arm.urdf --json=yes
code 2; err '--json takes no value'
run draw arm.urdf -o a.svg -o b.svg
code 2; err '--output is given twice'
check test ! -e a.svg
end

begin options_have_several_spellings
run fk arm.urdf -q 0.5,-0.25,0.1 --frame hand --json
code 0; cp out first
for spelling in "-q=0.5,-0.25,0.1" "-q0.5,-0.25,0.1"; do
    run fk --frame=hand --json "$spelling" arm.urdf
    code 0; check cmp out first
done
run fk --json --frame hand -q 0.5,-0.25,0.1 -- arm.urdf
code 0; check cmp out first
end

# Those that need a shipped model and no other file.
begin examples_of_help_give_an_answer
count=0
while read -r _ line; do
    words=() models_given=0 is_complete=1
    for word in $line; do
        case $word in
        palletiser.xml | hr120.xml | rover.xml | quadruped.xml | scara.xml)
            word=$(find "$models" -name "$word") models_given=1 ;;
        *.svg) ;;
        *.xml | *.urdf | *.csv | *.obj | *.npy | *\'* | reach*) is_complete=0 ;;
        esac
        words+=("$word")
    done
    if [ $models_given$is_complete = 11 ]; then
        run "${words[@]}"
        code 0
        count=$((count + 1))
    fi
done < <(grep -E '^  linkwork ' "$source_dir/docs/reference/commands.md")
check test $count -ge 12
end

begin files_for_other_commands_are_told_from_models
run arm.urdf
code 2; err 'a command comes before the model: linkwork info arm.urdf'
run info "$models/specs/scara.spec"
code 1; err "<specification> is a specification; 'linkwork configure' makes its robot"
run fk arm.urdf --frame xyzzy
code 2; err "no frame \"xyzzy\"; 'linkwork info' lists them"
end

begin units_are_not_written
run fk arm.urdf --frame hand -q shoulder=90deg
code 2; err '"90deg" is not a finite number; units are SI, angles in radians'
run fk arm.urdf --frame hand -q shoulder=deg
code 2; err '"deg" is not a finite number$'
run studio arm.urdf --screenshot arm.svg
code 2; err 'the picture of the page is PNG'; check test ! -e arm.svg
end

begin choices_are_checked
run jacobian arm.urdf --frame hand --expressed-in wrld
code 2; err 'one of world\|frame, not "wrld"; did you mean "world"'
run draw arm.urdf -o a.svg --view left
code 2; err 'one of iso\|front\|side\|top'
run convert arm.urdf a.out --to sdf
code 2
end
