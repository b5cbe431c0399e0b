# Devices and pipes that fail, and models that are large.

begin full_device
for c in "info arm.urdf" "info arm.urdf --json" "check arm.urdf" "fk arm.urdf" "--help" "fk --help" --version \
    "draw arm.urdf -o -" demo; do
    "$program" $c >/dev/full 2>err </dev/null
    got=$? line="linkwork $c >/dev/full"
    code 3; err 'cannot write standard output'
done
end

begin closed_output
"$program" fk arm.urdf >&- 2>err
got=$? line='linkwork fk arm.urdf >&-'
code 3; err 'cannot write standard output'
"$program" draw arm.urdf -o closed.svg >&- 2>/dev/null
check test "$(head -c 4 closed.svg)" = '<svg'
end

begin broken_pipe
# More than a pipe holds, so that writing meets the closed end.
jq -n '[range(2000) | {q: [0,0,0]}]' >many.json
{ "$program" fk arm.urdf --state many.json --json 2>err; echo $? >rc; } | head -c 10 >/dev/null
got=$(cat rc) line='linkwork fk ... | head -c 10'
code 3; err 'cannot write standard output'
end

begin long_chain
{
    echo '<robot name="chain"><link name="l0"/>'
    for ((i = 1; i <= 3000; ++i)); do
        echo "<link name=\"l$i\"/><joint name=\"j$i\" type=\"continuous\"><parent link=\"l$((i - 1))\"/>" \
            "<child link=\"l$i\"/><origin xyz=\"0.001 0 0\"/><axis xyz=\"0 0 1\"/></joint>"
    done
    echo '</robot>'
} >chain.urdf
run info chain.urdf --json
code 0; json '.nv == 3000'
run fk chain.urdf --frame l3000 --json
code 0; json 'near(.frames.l3000.position[0]; 3; 1e-9)'
run fk chain.urdf -q 1,2
code 2; err '3000 are wanted: j1, j2, .*, \.\.\.$'
run explain chain.urdf
code 0
run draw chain.urdf -o chain.svg
code 0; check test "$(tail -n 1 chain.svg)" = '</svg>'
end
