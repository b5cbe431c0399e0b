# draw, bench, demo.

begin draw_makes_an_svg
run draw arm.urdf -o arm.svg
code 0; no_err; out '^arm.svg: arm is drawn$'
check test "$(head -c 4 arm.svg)" = '<svg'
check test "$(tail -n 1 arm.svg)" = '</svg>'
check grep -q 'width="900" height="720"' arm.svg
check grep -q '<title>arm</title>' arm.svg
check grep -q '>hand</text>' arm.svg
if have xmllint; then check xmllint --noout arm.svg; fi
run draw arm.urdf -o -
code 0; check cmp out arm.svg
end

begin draw_follows_the_configuration
run draw arm.urdf -q 0.5,0.5,0.1 -o bent.svg
code 0; check grep -q 'q = (0.5, 0.5, 0.1)' bent.svg
check test "$(cmp -s bent.svg arm.svg; echo $?)" = 1
echo '[{},{}]' >two.json
run draw arm.urdf --state two.json -o two.svg
code 2; err 'draw takes one state'; check test ! -e two.svg
end

begin draw_has_views_and_sizes
for view in iso front side top; do
    run draw arm.urdf --view $view --size 640x480 -o $view.svg
    code 0; check grep -q 'width="640" height="480"' $view.svg
done
check test "$(cat iso.svg front.svg side.svg top.svg | md5sum)" != "$(cat iso.svg iso.svg iso.svg iso.svg | md5sum)"
for size in 640 640x 0x480 640x480x1 99999x480 -640x480 6e2x480; do
    run draw arm.urdf --size=$size -o no.svg
    code 2; err 'WIDTHxHEIGHT'
done
run draw arm.urdf
code 2; err 'needs -o'
end

begin K10_draw_shows_all_solutions_of_inverse_kinematics
pose=0.3,0.2,0.4,0,1,0,0
run draw "$models/ur5_class.xml" --frame tool --pose $pose -o ways.svg
code 0; no_err; out '^ways.svg: ur5_class is drawn: solution 1 of 8; 8 within the limits$'
check grep -q 'behind it the other solutions' ways.svg
if have xmllint; then check xmllint --noout ways.svg; fi
run ik "$models/ur5_class.xml" --frame tool --pose $pose --json
q=$(jq -r '.solutions[0].q | map(tostring) | join(",")' out)
run draw "$models/ur5_class.xml" -q "$q" -o one.svg
# Seven ghosts of as many shapes, and no other item of the picture is theirs.
check test "$(grep -c '<path' ways.svg)" -gt "$((3 * $(grep -c '<path' one.svg)))"
check test "$(grep -c '<text' ways.svg)" = "$(grep -c '<text' one.svg)"
run draw "$models/ur5_class.xml" --frame tool --pose $pose --near "$q" -o near.svg
code 0; check cmp near.svg ways.svg
end

begin draw_leaves_out_solutions_of_other_assemblies
run draw "$models/closed/delta.xml" --frame tool --position 0.1,0,-0.6 -o delta.svg
code 0; no_err; out 'solution 8 of 8; 1 within the limits; [1-7] of other assemblies not drawn$'
check grep -q 'behind it the other solutions' delta.svg
end

begin draw_of_targets_that_cannot_be_met
run draw "$models/ur5_class.xml" --frame tool --position 3,0,0 -o far.svg
code 4; err 'out of reach'; check grep -q 'nearest configuration, out of reach' far.svg
run draw "$models/ur5_class.xml" --pose $pose -o no.svg
code 2; err '--pose needs --frame'; check test ! -e no.svg
run draw "$models/ur5_class.xml" --frame tool -o no.svg
code 2; err 'needs a target'
run draw "$models/ur5_class.xml" --frame tool --pose $pose --workspace tool -o no.svg
code 2; err 'exclude each other'
end

begin draw_of_a_workspace
cat >two_bar.xml <<'END'
<linkwork version="1" name="two_bar" angle="degree">
  <ground/>
  <joint name="shoulder" type="revolute" from="ground" to="upper" axis="0 0 1" lower="-90" upper="90"/>
  <link name="upper" mass="1"><b xyz="0.4 0 0"/></link>
  <joint name="elbow" type="revolute" from="upper.b" to="fore" axis="0 0 1" lower="0" upper="90"/>
  <link name="fore" mass="1" inertia="0.01 0.01 0.01"><frame name="tool" xyz="0.3 0 0"/></link>
</linkwork>
END
# Nearest where the elbow is at a right angle, farthest where it is straight.
run draw two_bar.xml --workspace tool --view top -o reach.svg
code 0; no_err; out '^x +-0.300000 +0.700000$'; out '^y +-0.700000 +0.700000$'
out '^z +0.000000 +0.000000$'; out '^from the z axis +0.500000 +0.700000$'
check test "$(tail -n 1 reach.svg)" = '</svg>'
if have xmllint; then check xmllint --noout reach.svg; fi
run draw two_bar.xml --workspace tool --view top -o again.svg; check cmp reach.svg again.svg
run draw two_bar.xml --workspace tool --hold shoulder --samples 100 -o -
code 0; check grep -q '#dcebf7' out
run draw two_bar.xml --workspace tool --hold shoulder --samples 1000 -o reach.svg
code 0; out '^x +0.400000 +0.700000$'; out '^y +0.000000 +0.300000$'
run draw two_bar.xml --workspace tool --hold shoulder --hold elbow -q elbow=0 -o reach.svg
code 0; out '^from the z axis +0.700000 +0.700000$'
run draw two_bar.xml -o plain.svg; code 0; check test "$(grep -c '#dcebf7' plain.svg)" = 0
end

begin R34_largest_rectangle_of_a_workspace
# A gantry fills its limits. The rectangle keeps one cell of 1/160 of the longer side away from the edge.
cat >table.xml <<'END'
<linkwork version="1" name="table">
  <ground/>
  <joint name="x" type="prismatic" axis="1 0 0" from="ground" to="bridge" lower="-0.8" upper="0.8"/>
  <link name="bridge" mass="1"/>
  <joint name="y" type="prismatic" axis="0 1 0" from="bridge" to="cart" lower="0" upper="0.5"/>
  <link name="cart" mass="1"><frame name="tool"/></link>
</linkwork>
END
box() { sed -n '/^largest rectangle/,$p' out | awk -v axis="$1" '$1 == axis { print $2, $3 }'; }
near() { awk -v a="$1" -v b="$2" -v c="$3" -v d="$4" -v e="$5" 'BEGIN { exit !(a - c < e && c - a < e && b - d < e && d - b < e) }'; }
run draw table.xml --workspace tool --view top -o table.svg; code 0
check near $(box x) -0.8 0.8 0.021; check near $(box y) 0 0.5 0.021
# An arm of two equal bars that turns about an upright axis fills a disc: the largest rectangle is the
# square with corners on the circle.
sed 's/lower="-90" upper="90"//; s/0.3 0 0/0.4 0 0/; s/lower="0" upper="90"//' two_bar.xml >disc.xml
run draw disc.xml --workspace tool --view top -o disc.svg; code 0
check near $(box x) -0.5657 0.5657 0.03; check near $(box y) -0.5657 0.5657 0.03
# Every corner and a grid within can be reached: no farther out than the bars are long.
check awk -v x="$(box x)" -v y="$(box y)" 'BEGIN { split(x, a); split(y, b);
    for (i = 1; i <= 2; i++) for (k = 1; k <= 2; k++) if (a[i]^2 + b[k]^2 > 0.64) exit 1 }'
# A line has no area, and what is seen aslant no rectangle.
run draw two_bar.xml --workspace tool --hold shoulder --hold elbow -q elbow=0 --view top -o line.svg; code 0
check test -z "$(grep rectangle out)"
run draw table.xml --workspace tool -o iso.svg; code 0; check test -z "$(grep rectangle out)"
end

begin draw_of_a_workspace_refuses_what_makes_no_sense
run draw two_bar.xml --workspace nowhere -o no.svg; code 2; err 'nowhere'
run draw two_bar.xml --workspace tool --hold knee -o no.svg; code 2; err 'there is no position "knee"'
run draw two_bar.xml --hold elbow -o no.svg; code 2; err 'need --workspace'
for n in 0 -1 1.5 1e9 x; do
    run draw two_bar.xml --workspace tool --samples=$n -o no.svg; code 2; err 'whole number from 1'
done
sed 's/"revolute" from="upper.b"/"prismatic" from="upper.b"/; s/lower="0" upper="90"//' two_bar.xml >endless.xml
run draw endless.xml --workspace tool -o no.svg; code 1; err 'elbow has no limits'
check test ! -e no.svg
end

begin draw_refuses_pictures_that_are_not_svg
for file in x.png x.PDF x.svgz dir.svg/x.jpg; do
    run draw arm.urdf -o $file
    code 2; no_out; err "$file: pictures are written as SVG; write .*[.]svg, and convert it, .* rsvg-convert -o $file"
    check test ! -e $file
done
run simulate arm.urdf --time 0.01 --plot x.png; code 2; err 'rsvg-convert -o x.png x.svg'
run demo -o x.png; code 2; check test ! -e x.png
run draw arm.urdf -o picture; code 0; check cmp picture arm.svg
end

begin draw_shows_layers
# Frames have no special names here: those at the ends of chains are shown by default.
cat >plain.xml <<'END'
<linkwork version="1" name="plain">
  <ground/>
  <joint name="left_axle" type="revolute" from="ground" to="left" axis="0 1 0"/><link name="left" mass="1"/>
  <joint name="right_axle" type="revolute" from="ground" to="right" axis="0 1 0"/><link name="right" mass="1"><b xyz="0.3 0 0"/></link>
  <joint name="lift" type="prismatic" from="right.b" to="fork" axis="0 0 1"/><link name="fork" mass="1"/>
</linkwork>
END
labels() { grep -o '>[^<]*</text>' "$1" | sed 's/<.text>//; s/>//' | sort -u | tr '\n' ' '; }
run draw plain.xml -o plain.svg; code 0
check test "$(grep -c 'stroke="#c8322f" stroke-width="2.20"' plain.svg)" = 2
case " $(labels plain.svg)" in *" fork "*" left "*) ;; *) problem "tips: $(labels plain.svg)" ;; esac
run draw plain.xml --show none -o plain.svg; code 0; check test "$(grep -c 'stroke-width="2.20"' plain.svg)" = 0
run draw plain.xml --show frames -o plain.svg; code 0
check test "$(grep -c 'stroke="#c8322f" stroke-width="2.20"' plain.svg)" = "$("$program" info plain.xml --json | jq '.frames | length')"
run draw plain.xml --show joints,coordinates -o plain.svg; code 0
for label in left_axle right_axle lift q1 q2 q3; do check grep -q ">$label</text>" plain.svg; done
run draw "$models/closed/palletiser.xml" --show joints -o rods.svg; code 0; check grep -q '>LAB</text>' rods.svg
run draw plain.xml --show joint -o plain.svg; code 2; err 'did you mean.*joints'
end

begin draw_hides_joints_within_covers
run draw "$models/ur5_class.xml" -o ur5.svg; code 0
check test "$(grep -c 'fill-opacity="0.35"' ur5.svg)" = 0
run draw "$models/ur5_class.xml" --show skeleton -o ur5.svg; code 0
check test "$(grep -c 'fill-opacity="0.35"' ur5.svg)" -ge 6
end

# A plane separates what stands on a table from it, whose middle is nearer than that of the far wall.
begin draw_paints_what_is_in_front_last
cat >table.xml <<'EOT'
<linkwork version="1" name="t"><ground>
  <box size="0.7 1.2 0.04" xyz="0 0 -0.02" color="1 0 0"/>
  <box size="0.4 0.01 0.28" xyz="0 0.3 0.14" color="0 0 1"/>
  <capsule radius="0.02" length="0.2" xyz="-0.3 0.5 0.12" color="0 0 1"/>
  <sphere radius="0.1" xyz="0 0 -0.2" color="0 1 0"/>
  <cylinder radius="0.02" length="0.04" xyz="-0.2 0.5 0.02" color="0 0 1"/>
</ground></linkwork>
EOT
for view in iso top; do
    run draw table.xml --view $view -o table.svg
    code 0
    # Green, then red, then blue, however they are lit.
    grep -o 'fill="#[0-9a-f]*"' table.svg | sed 's/fill="#\(..\)\(..\)\(..\)"/\1 \2 \3/' |
        awk '$1 == $3 && $2 > $1 { print 1 } $2 == $3 && $1 > $2 { print 2 }
             $1 == $2 && $3 > $1 { print 3 }' >order
    check [ "$(uniq order | tr -d '\n')" = 123 ]
done
end

begin draw_keeps_text_within_the_page
# Long names, such as those of the rover, were cut off at the margin. Labels lie within the page, and what is longer
# than the page ends with dots.
long=$(printf 'a_very_long_name_of_a_frame_%.0s' 1 2 3 4 5 6 7)
sed "s/name=\"tool\"/name=\"$long\"/" two_bar.xml >long.xml
run draw long.xml --size 400x300 -o long.svg; code 0; check grep -q 'a_very_long_name[a-z_]*\.\.\.</text>' long.svg
for m in "$models/rover/rover.xml" "$models/quadruped/quadruped.xml" "$models/hr120/hr120.xml" long.xml; do
    for size in 400x300 600x500; do
        run draw "$m" --show frames,joints --size $size -o long.svg; code 0
        # Letters are more than half of their size wide on average.
        check awk -v wide="${size%x*}" -v high="${size#*x}" '
            match($0, /<text x="[0-9.-]+" y="[0-9.-]+" font-size="[0-9]+"/) {
                split($0, part, "\""); x = part[2]; y = part[4]; size = part[6]
                text = $0; sub(/<[^>]*>/, "", text); sub(/<.*/, "", text)
                width = 0.5 * size * length(text)
                if (/text-anchor="end"/) x -= width
                if (/text-anchor="middle"/) x -= width / 2
                if (x < 0 || x + width > wide || y < 8 || y > high) { print; bad = 1 }
            }
            END { exit bad }' long.svg
    done
done
end

begin draw_escapes_names
sed 's/name="arm"/name="a \&lt;b\&gt; \&amp; c"/' arm.urdf >odd.urdf
run draw odd.urdf -o odd.svg
code 0; check grep -q '<title>a &lt;b&gt; &amp; c</title>' odd.svg
sed 's/"left_axle"/"\&lt;script\&gt;alert(1)\&lt;\/script\&gt; \&amp;\&#10;\&quot;"/' plain.xml >odd.xml
run draw odd.xml --show joints,frames -o odd.svg
code 0; check grep -q '>&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;</text>' odd.svg
if have xmllint; then check xmllint --noout odd.svg; fi
end

begin draw_of_springs
cat >balanced.xml <<'EOT'
<linkwork version="1" name="balanced">
  <ground><frame name="hook" xyz="-0.4 0 0.2"/></ground>
  <joint name="shoulder" type="revolute" from="ground" to="arm" axis="0 1 0"/>
  <link name="arm" mass="2" center="0 0 0.4" inertia="1 1 0.1"><frame name="lug" xyz="0 0 0.6"/></link>
  <spring name="coil" from="hook" to="lug" stiffness="3000"/>
  <spring name="damper" from="ground" to="lug" damping="20"/>
  <torsion name="unseen" out="shoulder" stiffness="5"/>
</linkwork>
EOT
run draw balanced.xml --view side -o springs.svg
code 0; check xmllint --noout springs.svg; check grep -q 'springs are green' springs.svg
# A zigzag and a box; nothing for the torsion.
check test "$(grep -c 'stroke="#2e7d4f" stroke-width="2.00"' springs.svg)" = 2
run draw arm.urdf -o arm.svg; code 0; check test -z "$(grep 'springs' arm.svg)"
end

begin draw_of_every_model
for m in "$models"/*.xml "$models"/quadruped/quadruped.xml "$models"/rover/rover.xml massless.urdf; do
    run draw "$m" -o m.svg
    code 0; check test "$(tail -n 1 m.svg)" = '</svg>'
    if grep -q 'nan\|inf' m.svg; then problem "not a number in the picture of $m"; fi
done
end

begin bench_has_the_keys_of_the_contract
run bench arm.urdf --seconds 0.001 --json
code 0
json 'keys == ["rows"] and (.rows | length) >= 5'
json '[.rows[] | keys == (["engine","function","ns","calls"] | sort) and .ns > 0 and .calls > 0 and (.engine | IN("numeric", "symbolic", "generated"))] | all'
json '[.rows[].function] | index("frame_jacobian") != null and index("inverse_dynamics") != null'
run bench arm.urdf --seconds 0.001
code 0; out '^numeric +inverse_dynamics +[0-9.]+ +[0-9]+$'
for s in 0 -1 nan 61 x; do run bench arm.urdf --seconds=$s; code 2; done
end

begin demo_needs_no_file
mkdir empty && cd empty || exit 2
run demo
code 0; no_err
out 'built into the program'; out '^inverse dynamics +[0-9]+ ns'; out 'linkwork-demo.svg'
check test "$(wc -l <out)" -le 40
check test "$(tail -n 1 linkwork-demo.svg)" = '</svg>'
run demo -o other.svg
code 0; out 'other.svg'; check test -s other.svg
cd ..
end
