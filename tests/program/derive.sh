# Equations of motion as documents.

begin derive_shows_the_equations_of_the_scara
run derive "$models/scara.xml" --symbolic --form lagrange
code 0
out '^M11 = m1\*rx1\^2 \+ Izz1 \+ Izz2 \+ Izz3 \+ Izz4 \+ m2\*\(a1\^2 \+ 2\*a1\*rx2\*c2 \+ rx2\^2\)'
out '^G3 = -\(m3 \+ m4\)\*g$'
out '^3 +3\.14159 +0\.275 +q3 +0$'
out '43 vanish: 3, 37 and 3'
out 'Luh, Walker and Paul: 150 n - 48 +552'
err 'note: inverse_dynamics: the lagrange form is taken, it was requested'
end

begin V13_V14_derive_counts_beside_the_literature
run derive "$models/vibran6.xml" --json
code 0
json '.form | test("recursive|lagrange|uicker")'
json '.counts.elements.mul <= 125 and .counts.inverse_dynamics.mul <= 125'
json '.forms.elements | keys == ["lagrange","recursive","uicker"]'
json '[.counts[] | has("mul","add","div","sqrt","sincos","other")] | all'
run derive "$models/vibran6.xml" --effort 0
out 'Luh, Walker and Paul: 150 n - 48 +852'; out 'Angeles, Ma and Rojas: 105 n - 109 +521'
out 'Balafoutis and Patel: 93 n - 69 +489'; out 'Mata and others: 96 n - 101 +475'
end

begin K26_a_mechanism_without_dofs_has_no_empty_block_of_equations
echo '<linkwork version="1" name="still"><ground/><link name="post" mass="2" at="ground"/></linkwork>' >still.xml
run derive still.xml --format tex -o still.tex
code 0; check grep -q '^.end{document}$' still.tex
check test "$(grep -A1 -F '\begin{align*}' still.tex | grep -c '^$')" = 0
check test -z "$(grep 'Base parameters' still.tex)"
end

begin K26_derive_writes_files_whole
run derive "$models/scara.xml" --format md -o scara.md --effort 0
code 0; out 'written to scara.md'
check grep -q '^# Equations of motion of scara' scara.md
run derive "$models/scara.xml" --format tex -o scara.tex --symbolic --effort 0
code 0
check grep -q '^M_{11} &= m_{1}' scara.tex
check grep -q '^.end{document}$' scara.tex
# Symbols are formulas, in tables and in the text too; long tables go over pages; no block of equations
# ends with an empty line.
check grep -q '^1 & inner & joint1 & revolute & the world & \$q_{1}\$ ' scara.tex
check grep -qF '$\alpha_{i-1}$' scara.tex; check grep -qF 'the cosine of $q_{1} + q_{2}$' scara.tex
check grep -q '^.begin{longtable}{@{}lll' scara.tex; check grep -qF 'kg m$^2$' scara.tex
check grep -qF '& J_{zz1} + a_{1}^2\,m_{2}' scara.tex
check test -z "$(grep -B1 -F '\end{align*}' scara.tex | grep -F ' \\')"
run derive "$models/scara.xml" -o nowhere/scara.txt --effort 0
code 3
end

begin derive_of_closed_machines
run derive "$models/closed/palletiser.xml" --effort 0
code 0
err 'no closed form'
out 'A cos q \+ B sin q \+ C = 0'
out '^1\. LAB: a rod and a revolute joint\. It gives R6 from R2 and R3\.'; out 'length L = 1\.2 m'
out '^6 +L6B +R6 +revolute +3 +dependent'
out '^y\[6\] +rate of R4 for unit rate of R6'; out '^tau\[3\] = '; out '^H\[53\] = '
out 'as written \(taken\)'; out 'Effort 0 of 3'
out '^Luh, Walker and Paul: 150 n - 48 +852'
run derive "$models/closed/geared_wrist.xml" --effort 0 --functions gravity
code 0; out '^roll3 = -0\.8 roll2 \+ 0\.8 middle$'
run derive "$models/closed/four_bar.xml" --json
code 0; json '.counts.elements.mul < 80 and .counts.inverse_dynamics.mul < 80'
run derive "$models/closed/stewart.xml" --json --effort 0
code 0; err 'has no closed form: 6 unknowns are found by Newton'
run derive "$models/closed/stewart.xml" --effort 0
code 0; out 'There is no closed form: a loop of code'; out '--functions elements'
run derive "$models/closed/bennett.xml" --effort 0
code 0; out '^tan\(y/2\) = c tan\(x/2\)$'
end

# Every environment ends, braces balance outside of listings, and no equation is empty.
begin K26_LaTeX_is_balanced
for file in scara.xml ur5_class.xml closed/palletiser.xml closed/geared_wrist.xml closed/bennett.xml; do
    run derive "$models/$file" --format tex --effort 0
    code 0
    check awk '
        /^.begin.verbatim/ { is_listing = 1 }
        match($0, /^.begin{[a-z*]+}/) { open[++depth] = substr($0, 7, RLENGTH - 6); lines = 0; next }
        match($0, /^.end{[a-z*]+}/) {
            if (open[depth--] != substr($0, 5, RLENGTH - 4) || lines == 0) bad = 1
            is_listing = 0
        }
        { ++lines }
        !is_listing {
            gsub(/\\\\[{}]/, "")
            braces += gsub(/{/, "") - gsub(/}/, "")
            if (braces < 0 || length($0) > 400) bad = 1
        }
        END { exit bad || depth != 0 || braces != 0 }' out
done
end

begin V18_derive_with_an_unbalanced_rotor
run derive "$models/vibran6.xml" --unbalance tool,0.002,0.003,50 --effort 0 --json
code 0; json '.counts.loads | .mul > 0 and .sincos > 0'
run derive "$models/vibran6.xml" --unbalance tool,0.002,0.003 --effort 0
code 2; no_out; err 'FRAME,M,R,W'
run derive "$models/vibran6.xml" --unbalance hand,0.002,0.003,50 --effort 0
code 2; no_out
end

begin derive_refuses_what_it_cannot
run derive "$models/vibran6.xml" --functions forward_dynamics
code 4; no_out; err 'degree of freedom "joint1" moves no inertia'
run derive "$models/scara.xml" --form closed
code 2; no_out
run derive "$models/scara.xml" --functions masses
code 2; no_out
run derive "$models/scara.xml" --effort 9
code 2; no_out
end

cat >page.xml <<'EOF'
<linkwork version="1" name="a|b &lt;i&gt;&#10;# [head](x)"><ground/>
  <joint name="j&#10;| k" type="revolute" from="ground" to="l"/><link name="l" mass="1" inertia="1 1 1"/>
</linkwork>
EOF
begin names_do_not_break_a_document
run derive page.xml --format md --effort 0
code 0; out '^# Equations of motion of a.\|b .<i.> .# .\[head.\]\(x\)$'; out '^\| 1 \| l \| j .\| k \| revolute'
run derive page.xml --format tex --effort 0
code 0; out '^.section\*\{Equations of motion of .* .# \[head\]\(x\)\}$'
run derive page.xml --effort 0
code 0; out '^1 +l +j \| k +revolute'
end

begin document_tells_frames_and_masses
run derive $models/ur5_class.xml --effort 0 --functions inverse_dynamics
code 0; out '^4  \(-0.39225, 0, 0.10915\) +\(1, 0, 0\) +\(0, 1, 0\) +\(0, 0, 1\)$'
out '^1  3.7 +\(0, -0.007141, -0.094757\) '
out '^c\[1\] = cos\(q\[1\]\)$'
run derive $models/ur5_class.xml --effort 0 --functions inverse_dynamics --symbolic
code 0; out '^Frames of the bodies$'; check test "$(grep -c '(mx, my, mz) ' out)" = 0
end

begin K26_LaTeX_has_a_figure_and_matrices
run derive $models/scara.xml --format tex --effort 0 --symbolic --form lagrange
code 0; out '^.ifcsname strokepath'; out 'makebox\(0,0\)\{.q_\{4\}.\}'; out '^M\(q\) =$'; out '^.begin\{pmatrix\}$'
out 'dot q_\{1\}'; out 'usepackage\{lmodern\}'
run derive $models/scara.xml --effort 0 --symbolic --products integral
code 0; out '^\( Ixx  -Ixy  -Ixz $'
run derive $models/scara.xml --effort 0 --products both; code 2
end

begin endings_choose_the_format_unless_an_option_does
run derive "$models/scara.xml" -o scara.tex --effort 0; code 0
check grep -q '^.documentclass' scara.tex
run derive "$models/scara.xml" -o scara.tex --format txt --effort 0; code 0
check test "$(grep -c documentclass scara.tex)" = 0
run derive "$models/scara.xml" -o scara.pdf; code 2; err 'write scara.tex, and run pdflatex'
check test ! -e scara.pdf
run generate "$models/scara.xml" -o scara.py --effort 0; code 0
check grep -q '^def inverse_dynamics' scara.py
run derive "$models/scara.xml" --functions id; code 2; err 'it takes poses, jacobian, inverse_dynamics'
run explain "$models/scara.xml" --stage foo; code 2; err '^  elaborate$'
end

# What LaTeX itself says: no error, and nothing beyond the margin.
begin K26_LaTeX_compiles_within_the_margins
if ! have pdflatex; then
    skip 'pdflatex is not installed'
else
    cat >hostile.xml <<'EOF'
<linkwork version="1" name="a_b#c%d$e&amp;f{g}h~i^j\k \input{x} \end{document} a_name_without_a_blank_that_is_longer_than_a_line_of_the_page_can_hold_and_goes_on">
  <ground/>
  <joint name="j_1 \\ &amp; %" type="revolute" axis="0 1 0" from="ground" to="a_link_whose_name_is_longer_than_a_column_of_a_table_should_be"/>
  <link name="a_link_whose_name_is_longer_than_a_column_of_a_table_should_be" mass="1" center="0.1 0 0" inertia="1 1 1"/>
</linkwork>
EOF
    for line in "$models/scara.xml --symbolic --form lagrange" "$models/ur5_class.xml --symbolic" \
        "$models/stanford.xml --symbolic --form uicker" "$models/closed/palletiser.xml" \
        "$models/closed/geared_wrist.xml --symbolic" "$models/hr120/hr120.xml --functions gravity" "hostile.xml --symbolic"; do
        run derive $line --effort 0 --format tex -o page.tex; code 0
        if ! pdflatex -interaction=nonstopmode page.tex >/dev/null 2>&1; then problem "pdflatex fails: $line"; fi
        check test "$(grep -c '^Overfull .hbox\|^!' page.log)" = 0
    done
fi
end

begin K09_K10_K26_derive_explains_inverse_kinematics
run derive "$models/scara.xml" --functions inverse_kinematics --frame flange.tool --symbolic --effort 0
code 0
out '^Inverse kinematics of scara'; out '^X = T1 T2 T3 T4 F'
out '^T2 = \( c2  -s2  0  a1 \)'; out '^     \( 0   0  -1  -q3 \)'
out '^1 to 2 +parallel +0 +rad'; out '^2\. q2 \(joint2\) by SP3, 2 roots:'
out '^At most 2 solutions'; out '^Q\[4\] = '; check test -z "$(grep 'kg' out)"
run derive "$models/puma560.xml" --functions inverse_kinematics --frame tool.flange --effort 0
code 0
out '^4 to 6 +meeting in one point +0 +m'; out '^1\. q1 \(waist\) by SP4, 2 roots:'
out "^h2 \. R1' p16 = h2 \. \(p12 \+ p23 \+ p34\)"; out 'first and last axis are in line'
run derive "$models/ur5_class.xml" --functions inverse_kinematics --format tex -o ur5.tex --effort 0
code 0
check grep -qF '& h_{2} \cdot R_{5} h_{6} = h_{2} \cdot R_{1}^T R_{06} h_{6}' ur5.tex
check grep -qF 'c_{1} & -s_{1} & 0 & 0 \\' ur5.tex; check grep -q '^.end{document}$' ur5.tex
run derive "$models/ur5_class.xml" --functions inverse_kinematics --format md -o ur5.md --effort 0
code 0; check grep -q '^# Inverse kinematics of ur5' ur5.md
run derive "$models/closed/palletiser.xml" --functions inverse_kinematics --frame flange --effort 0
code 0
out '^T4 = \( cj4  -sj4  0    0 \)'; out '^R4 depends on the others: cj4 and sj4'
out '^2 to 4 +parallel +0 +rad'; out '^4\. R4, dependent, by loop, 1 root:'; out '^q4 = q234 - q2 - q3'
out '^5\. q4 \(R5\) by SP1, 1 root:'; out 'rows beyond one are'
out '^0\.36\*c2 > 0'; out '^0\.325\*c23 > 0'; check test -z "$(grep q0 out)"
run derive "$models/panda_class.xml" --functions inverse_kinematics --effort 0
code 1; err 'no equations are derived for this class'; err 'linkwork ik'
end
