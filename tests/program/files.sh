# convert and the files that the program writes.

begin convert_and_back_gives_the_same_bits
run convert arm.urdf there.xml --json
code 0; json 'keys == ["lost"] and (.lost | type) == "array"'
run convert there.xml back.urdf
code 0; out '^back.urdf is written'
for c in info "fk -q 0.3,0.4,0.05" "mass -q 0.3,0.4,0.05" "id -a 1,2,3" "explain"; do
    run $c arm.urdf --json; code 0; jq -S 'del(.notes)' out >first
    run $c there.xml --json; code 0; jq -S 'del(.notes)' out >second; check cmp first second
    run $c back.urdf --json; code 0; jq -S 'del(.notes)' out >second; check cmp first second
done
end

begin C38_convert_between_the_forms_of_joints
for form in craig paul zero transform; do
    run convert arm.urdf "$form.xml" --form "$form"; code 0; out 'nothing is lost'
done
check grep -q '<craig alpha=' craig.xml
check grep -q '<paul theta=' paul.xml
check grep -q ' point=' zero.xml
run convert arm.urdf arm2.urdf --form craig; code 2; err 'URDF places joints by transforms only'
run convert arm.urdf arm2.xml --form denavit; code 2; err 'not "denavit"'
end

begin convert_tells_the_format
run convert arm.urdf arm.model
code 2; err 'give --to linkwork or --to urdf'; check test ! -e arm.model
run convert arm.urdf arm.model --to linkwork
code 0; check grep -q '<linkwork' arm.model
run convert arm.urdf arm2.model --to=urdf
code 0; check grep -q '<robot' arm2.model
end

begin convert_writes_to_standard_output
run convert arm.urdf arm.xml; code 0
run convert arm.urdf - --to linkwork; code 0; check cmp out arm.xml; check test ! -e -
run convert arm.urdf -; code 2; no_out; err 'give --to linkwork or --to urdf'
run convert arm.urdf - --to urdf --json; code 2; no_out; err 'leave out --json'
end

begin convert_lists_what_is_lost
run convert "$models/quadruped/quadruped.xml" q.urdf --json
check test "$got" = 0 -o "$got" = 1
[ "$got" = 0 ] && json '.lost | type == "array"'
end

begin convert_leaves_the_old_file_where_it_fails
echo precious >keep.xml
run convert bad.urdf keep.xml
code 1; check grep -q precious keep.xml
run convert arm.urdf nowhere/arm.xml
code 3; check test ! -e nowhere
run convert arm.urdf /dev/full --to urdf
code 3; check test -c /dev/full
end

begin pictures_are_written_whole
echo precious >target.svg
ln -sf target.svg link.svg
run draw arm.urdf -o link.svg
code 0; check test -L link.svg; check grep -q '</svg>' target.svg
chmod 640 target.svg
run draw arm.urdf -o target.svg
code 0; check test "$(stat -c %a target.svg)" = 640
run draw no.urdf -o nowhere/arm.svg # before anything is read or computed
code 3; err 'cannot write nowhere/arm.svg: there is no folder nowhere$'
run draw arm.urdf -o /dev/full
code 3; err 'No space left'; check test -c /dev/full
check test -z "$(ls -A | grep 'svg\.......$')"
end

begin names_that_are_no_utf8
odd=$(printf 'b\377d.urdf')
cp arm.urdf "$odd"
run info "$odd" --json
code 0; json '.name == "arm"'
rm "$odd"
run check "$odd" --json
code 3; json '.findings[0].file | startswith("b")'
end
