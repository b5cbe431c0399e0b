# Sweeps: the same bytes whoever computes them, and nothing lost whatever happens (V22, P1 to P8).

cat >plan.xml <<EOT
<sweep model="$models/ur5_class.xml" cases="120000" block="4000" seed="5">
  <vary q="*"/><measure of="q"/><measure of="tool.position"/><measure of="tool.sigma_min"/>
</sweep>
EOT
sum() { sha256sum "$1/result.npy" | cut -d' ' -f1; }
has_sweep=1
"$program" sweep plan.xml -o serial >out 2>err || has_sweep=0

begin sweep_writes_a_result
run sweep plan.xml -o serial --json
code 0; json '.cases == 120000 and .done == 120000 and .failed == 0'
json '.columns | map(select(.name == "tool.sigma_min"))[0].min >= 0'
for file in result.npy errors.csv hist.csv hist.svg summary.json plan.json; do check test -s serial/$file; done
check test ! -e serial/part-0001-0000.dat
check test "$(wc -c <serial/result.npy)" -gt $((120000 * 11 * 8))
run sweep serial --status
code 0; out '^120000 cases, 0 failed'
end

begin threads_do_not_change_a_byte
for t in 1 2 3 4 5 6 7 8; do
    run sweep plan.xml -o threads$t --threads $t
    code 0; check test "$(sum threads$t)" = "$(sum serial)"
done
end

begin shards_do_not_change_a_byte
for k in 5 2 1 4; do run sweep plan.xml -o shards --shard $k/5; code 0; done
run sweep shards --merge
code 1; err '6 of 30 blocks are not finished, the first is 2'
run sweep plan.xml -o shards --shard 3/5
code 0; out '30 of 30 blocks'
run sweep shards --merge
code 0; check test "$(sum shards)" = "$(sum serial)"
run sweep plan.xml -o shards --shard 6/5
code 2; err 'is not k/N'
end

# The script for Slurm of the page, with what it calls replaced: the first start of each job is
# stopped, and asked for again.
begin V22_the_job_script_for_slurm_resumes
awk '/^#!\/bin\/bash/ { on = 1 } /^```/ { on = 0 } on' $source_dir/docs/howto/sweeps.md |
    sed 's,/shared/results,slurm_results,; s,/100,/3,; s,--threads 8,--threads 2,' >job.sh
check grep -q '^srun linkwork sweep plan.xml' job.sh
if command -v shellcheck >/dev/null; then check shellcheck -s bash job.sh; fi
mkdir -p slurm
printf '#!/bin/sh\nexec "$@"\n' >slurm/srun
printf '#!/bin/sh\necho "$@" >>requeued\n' >slurm/scontrol
printf '#!/bin/sh\n[ -e started.$SLURM_ARRAY_TASK_ID ] || { : >started.$SLURM_ARRAY_TASK_ID; exit 75; }\nexec "%s" "$@"\n' "$program" >slurm/linkwork
chmod +x slurm/*
for k in 1 2 3; do
    for start in 75 0; do
        PATH=$PWD/slurm:$PATH SLURM_ARRAY_TASK_ID=$k SLURM_JOB_ID=$((40 + k)) bash job.sh >out 2>err
        check test $? = $start
    done
done
check test "$(cat requeued)" = "$(printf 'requeue %d\n' 41 42 43)"
run sweep slurm_results --merge
code 0; check test "$(sum slurm_results)" = "$(sum serial)"
end

# The bits of exact mode belong to the plan, not to the build: gcc, clang and sanitizers give these. A
# change of the arithmetic of forward kinematics changes them deliberately.
begin exact_mode_has_the_same_bits_in_every_build
cat >exact.xml <<EOT
<sweep model="$models/ur5_class.xml" cases="5000" seed="9">
  <vary q="*"/><measure of="q"/><measure of="tool.pose"/><measure of="tool.manipulability"/><measure of="tau_gravity"/>
</sweep>
EOT
bits() { # NAME DIGEST
    run sweep "$1.xml" -o "$1" --csv
    code 0; check test "$(tail -n +2 "$1/result.csv" | sha256sum | cut -c1-16)" = "$2"
}
bits exact 8005a2c729fef820
# Of what is drawn, compiled anew and closed by loops too.
cat >exact_parts.xml <<EOT
<sweep model="$models/closed/palletiser.xml" cases="300" seed="9">
  <vary parameter="LAB.length" normal="1.2 1e-3"/><vary parameter="L23.b.z" lhs="1.19 1.21"/><vary q="R2" uniform="-0.3 0.3"/>
  <measure of="inputs"/><measure of="flange.pose"/><measure of="tau_gravity"/>
</sweep>
EOT
bits exact_parts 1c9cae01e3146bfe
cat >exact_loop.xml <<EOT
<sweep model="$models/closed/bennett.xml" cases="300" seed="9"><vary q="*"/><measure of="tau_gravity"/></sweep>
EOT
bits exact_loop fd9e711da0985cb9
end

has_mpi() { command -v mpirun >/dev/null && [ -e "$(dirname "$program")/linkwork_mpi.so" ]; }
begin ranks_do_not_change_a_byte
if ! has_mpi; then
    skip "there is no MPI"
else
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
    for n in 1 2 3 4; do
        mpirun --oversubscribe -np $n "$program" sweep plan.xml -o ranks$n >out 2>err
        got=$? line="mpirun -np $n"
        code 0; check test "$(sum ranks$n)" = "$(sum serial)"
        check test "$(grep -c '120000 cases' out)" = 1
    done
    unset ASAN_OPTIONS
fi
end

# P8: started by mpirun, without MPI in the build: rank 0 does all and says so.
begin ranks_without_mpi
mkdir -p plain && cp "$program" plain/linkwork
env OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=0 plain/linkwork sweep plan.xml -o nompi >out 2>err
got=$? line='rank 0 without MPI'
code 0; err 'no MPI: the first of 3 processes does all'; check test "$(sum nompi)" = "$(sum serial)"
env OMPI_COMM_WORLD_SIZE=3 OMPI_COMM_WORLD_RANK=1 plain/linkwork sweep plan.xml -o nompi1 >out 2>err
got=$? line='rank 1 without MPI'
code 0; check test ! -e nompi1
# Started by srun, whose processes MPI may not join.
for rank in 1 0; do
    env ASAN_OPTIONS=detect_leaks=0 OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 \
        SLURM_STEP_NUM_TASKS=3 SLURM_PROCID=$rank "$program" sweep plan.xml -o steps >out 2>err
    got=$? line="rank $rank of srun without PMI"
    code 0; check test -e steps/result.npy -o $rank = 1
done
err 'the first of 3 processes does all'; check test "$(sum steps)" = "$(sum serial)"
end

# Blocks that the journals of a folder have; nothing where there is no plan yet.
kept() { "$program" sweep "$1" --status --json 2>/dev/null | jq '.done // 0'; }

# What a folder had before a process was killed, it has afterwards, and more of it.
keeps() { # FOLDER BLOCKS
    local now
    now=$(kept "$1")
    [ "${now:-0}" -ge "${2:-0}" ] || problem "$2 blocks were finished, ${now:-0} are left"
    [ "${now:-0}" = 0 ] || kept_some=$((kept_some + 1))
}

# kill -9 at random moments: finished blocks stay, the rest is computed, the bytes are the same.
begin kills_lose_nothing
kills=${LINKWORK_SWEEP_KILLS:-12} n=0 kept_some=0
while [ $n -lt "$kills" ]; do
    rm -rf killed
    for ((i = 0; i < 4 && n < kills; ++i)); do
        before=$(kept killed)
        "$program" sweep plan.xml -o killed >out 2>err &
        sleep "0.$(printf '%03d' $((RANDOM % 150)))"
        kill -9 $! 2>/dev/null
        wait $! 2>/dev/null
        n=$((n + 1))
        [ ! -e killed/summary.json ] || break
        keeps killed "$before"
    done
    run sweep plan.xml -o killed
    code 0
    [ "$(sum killed)" = "$(sum serial)" ] || problem "other bytes after $n kills"
done
[ "$problems" != 0 ] || [ "$kills" = 12 ] ||
    echo "$kills kills: the same bytes; blocks were kept after $kept_some of them"
end

# P1: a rank that is killed in the middle of its work ends the job; mpirun names it, what was
# finished stays, and the same command goes on. Jobs that ended before the kill do not count.
begin killed_ranks_lose_nothing
if ! has_mpi; then
    skip "there is no MPI"
else
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 ASAN_OPTIONS=detect_leaks=0
    # Long enough that a rank is still at work when it is killed, and short enough to be done with.
    cat >slow.xml <<EOT
<sweep model="$models/closed/palletiser.xml" cases="4000" block="25" seed="3">
  <vary parameter="LAB.length" uniform="1.19 1.21"/><measure of="flange.position"/>
</sweep>
EOT
    run sweep slow.xml -o slow
    kills=${LINKWORK_SWEEP_RANK_KILLS:-3} n=0 kept_some=0
    for ((try = 0; try < 10 * kills && n < kills; ++try)); do
        [ ! -e killed_rank/summary.json ] || rm -rf killed_rank
        before=$(kept killed_rank)
        rank=$((RANDOM % 4)) part=killed_rank/part-0001-000$rank.dat
        size=$(stat -c %s $part 2>/dev/null || echo 0)
        mpirun --oversubscribe -np 4 "$program" sweep slow.xml -o killed_rank >out 2>err &
        job=$!
        # The rank has added rows to its part: it is at work.
        while [ "$(stat -c %s $part 2>/dev/null || echo 0)" -le "$size" ] && kill -0 $job 2>/dev/null; do
            sleep 0.002
        done
        sleep "0.0$((RANDOM % 5))"
        for pid in $(pgrep -P $job); do
            if { tr '\0' '\n' <"/proc/$pid/environ"; } 2>/dev/null | grep -qx "OMPI_COMM_WORLD_RANK=$rank"; then
                kill -9 "$pid" 2>/dev/null
            fi
        done
        wait $job
        got=$? line="mpirun, rank $rank killed"
        if [ $got != 0 ] && [ ! -e killed_rank/result.npy ] && [ "$(kept killed_rank)" -lt 160 ]; then
            err "process rank $rank with PID .* exited on signal 9"
            keeps killed_rank "$before"
            n=$((n + 1))
            [ $((n % 3)) = 0 ] || continue # another rank is killed in the same folder
        fi
        mpirun --oversubscribe -np 2 "$program" sweep slow.xml -o killed_rank >out 2>err
        got=$? line='mpirun after a killed rank'
        code 0; [ "$(sum killed_rank)" = "$(sum slow)" ] || problem "other bytes after $n killed ranks"
    done
    check test "$n" = "$kills"
    [ "$problems" != 0 ] || [ "$kills" = 3 ] ||
        echo "$n killed ranks in $try jobs: the same bytes; blocks were kept after $kept_some of them"
    unset ASAN_OPTIONS
fi
end

begin torn_tails_are_dropped
"$program" sweep plan.xml -o torn --shard 1/2 >out 2>err
printf 'half a record' >>torn/part-0001-0000.jnl
head -c 1000 /dev/urandom >>torn/part-0001-0000.dat
run sweep plan.xml -o torn --shard 1/2
code 0; out '15 of 30 blocks'
# Rows that changed on the disk are found, and computed again.
printf 'x' | dd of=torn/part-0001-0000.dat bs=1 seek=5000 conv=notrunc 2>/dev/null
run sweep plan.xml -o torn
code 0; check test "$(sum torn)" = "$(sum serial)"
end

begin sigterm_ends_resumably
cat >long.xml <<EOT
<sweep model="$models/ur5_class.xml" cases="100000000" block="2000">
  <vary q="*"/><measure of="tool.sigma_min"/></sweep>
EOT
"$program" sweep long.xml -o long >out 2>err &
job=$!
while [ ! -s long/part-0001-0000.jnl ] && kill -0 $job 2>/dev/null; do sleep 0.05; done
kill -TERM $job
wait $job
got=$? line='sweep, SIGTERM'
code 75; out 'stopped: [0-9]+ of 50000 blocks'
run sweep long.xml -o long --max-seconds 0.2 --json
code 0; json '.done > 0 and .resumable'
end

# P3: a case without an end is stopped within it; without that its steps would be counted out.
begin sigterm_ends_within_a_run
printf '<run version="1" name="endless" duration="1e9"/>' >endless.xml
cat >hostile.xml <<EOT
<sweep model="$models/ur5_class.xml" cases="1"><run file="endless.xml"/><measure of="final(q[elbow])"/></sweep>
EOT
"$program" sweep hostile.xml -o hostile >out 2>err &
job=$!
while [ ! -e hostile/part-0001-0000.dat ] && kill -0 $job 2>/dev/null; do sleep 0.05; done
sleep 0.1
kill -TERM $job
wait $job
got=$? line='sweep of an endless run, SIGTERM'
code 75; out 'stopped: 0 of 1 blocks'
sed 's/cases="1"/cases="1" steps="1000"/' hostile.xml >bounded.xml
run sweep bounded.xml -o bounded
code 0; out '^1 cases, 1 failed'; out 'case 0: the run takes more steps than the plan allows'
end

# A disk that is full at 20 points: a message, what is finished stays, and the same command goes on.
# Two shards have parts of half the result, so the last points are within its writing.
begin full_disk
sed 's/cases="120000" block="4000"/cases="12000" block="200"/' plan.xml >small.xml
run sweep small.xml -o small
run sweep small.xml -o half --shard 2/2
for kb in 1 2 3 50 100 150 200 250 300 350 400 450 500 515 600 700 800 900 1000 1030; do
    rm -rf full
    cp -r half full
    (ulimit -f $kb; exec "$program" sweep small.xml -o full >/dev/null 2>err)
    got=$? line="sweep with $kb KB"
    code 3; err 'cannot write'
    check test ! -e full/result.npy
    run sweep small.xml -o full
    code 0; [ "$(sum full)" = "$(sum small)" ] || problem "other bytes after a disk full at $kb KB"
done
end

begin another_plan_is_refused
sed 's/seed="5"/seed="6"/' plan.xml >other.xml
run sweep other.xml -o serial
code 2; err 'results of another plan: seed is 5 there and 6 here'
sed 's/tool.sigma_min/tool.z/' plan.xml >other.xml
run sweep other.xml -o serial
code 2; err 'another plan: columns is'
sed 's,<vary q="\*"/>,<vary q="elbow" uniform="0 1"/>,' plan.xml >ranges.xml
run sweep ranges.xml -o ranges
sed 's,"0 1","0 2",' ranges.xml >other.xml
run sweep other.xml -o ranges
code 2; err 'another plan: <vary q="elbow" uniform="0 1"/> there is <vary q="elbow" uniform="0 2"/> here'
run dataset $models/ur5_class.xml --n 1.5 -o ranges
code 2; err '--n is a whole number, not "1.5"'
run dataset $models/ur5_class.xml --columns tol.x -o ranges
code 1; err 'there is no frame "tol"; did you mean "tool"'
sed "s,ur5_class,puma560,; s/tool/flange/g" plan.xml >other.xml
run sweep other.xml -o serial
check test "$got" != 0
end

begin one_case_alone
run sweep plan.xml --case 100001 --json
code 0; json '.status == "ok" and (.columns | length) == 10'
run sweep plan.xml --case 120000
code 2
run sweep plan.xml
code 2; err 'needs a folder: -o DIR'
end

begin failing_cases_are_data
run study $models/closed/palletiser.xml --vary LAB.length=0.1:1.3:0.1 --measure flange.position -o fails --csv --json
code 0; json '.cases == 13 and .failed > 0 and .failed < 13'
check test "$(tail -n +2 fails/errors.csv | wc -l)" = "$(jq .failed <out)"
run sweep fails/plan.xml --case 0
code 0; out '^case 0: a loop cannot be closed'
run sweep fails --status
code 0; out '^the first that failed, case 0: a loop cannot be closed$'
# A folder is not a plan.
run sweep fails
code 2; err 'fails is a folder: --status .*, --merge .*; to go on, give its plan and -o fails'
run sweep . --status
code 3; err '\. is no folder of a sweep: it has no plan.json'
end

# Where a deviation off the mean a loop does not close, the parameter Jacobian still has the
# linear answer of coordinates, (0.2 m / 0.3 m) of it for x; without one what was drawn is printed.
begin tolerance_without_a_linear_answer
wide='L23.b.z=normal(1.2,1)'
run tolerance $models/closed/palletiser.xml --vary "$wide" --measure flange.x --n 50 -o wide --json
code 0; no_err; json '.failed > 0 and near(.linear[0].deviation; 2 / 3; 1e-12)'
run tolerance $models/closed/palletiser.xml --vary "$wide" --measure tau_gravity --n 50 -o wider --json
code 0; json '.done == 50 and .linear == null'
err 'no linear answer: with L23.b.z a standard deviation off its mean: a loop cannot be closed'
run tolerance $models/closed/palletiser.xml --vary 'L23.b.z=normal(9,1)' --measure flange.x --n 5 -o open
code 4; err 'at the means: a loop cannot be closed'
end

# One message each, and nothing of a folder that is not there.
begin a_sweep_without_its_folder_says_so_once
cat >folder.xml <<EOT
<sweep version="1" model="$models/ur5_class.xml" cases="3"><vary q="*"/><measure of="mass"/></sweep>
EOT
run sweep folder.xml
code 2; check [ "$(cat err)" = 'linkwork: sweep needs a folder: -o DIR' ]
run sweep folder.xml -o none/there
code 3; err 'cannot write none/there: there is no folder none$'; check [ "$(wc -l <err)" = 1 ]
end

begin tolerance_warns_once
cat >warns.xml <<'EOT'
<linkwork version="1" name="one"><ground/>
<joint name="pivot" type="revolute" axis="0 1 0" from="ground" to="rod" stiffness="-4"/>
<link name="rod" mass="5" center="1 0 0"/></linkwork>
EOT
run tolerance warns.xml --vary 'rod.mass=normal(5,0.1)' --measure mass --n 3 -o warns
code 0; err '^warns.xml:2:1: warning: joint "pivot": stiffness is -4'; check [ "$(wc -l <err)" = 1 ]
run study warns.xml --vary rod.mass=5 --measure mass -o warns_of_study
code 0; check [ "$(wc -l <err)" = 1 ]
end

begin a_single_case_makes_its_folder
run tolerance $models/ur5_class.xml --vary 'forearm.mass=normal(2,0.1)' --measure mass --case 0 -o single
code 0; out '^case 0: ok'; no_err; check [ -f single/plan.xml ]
end

begin tolerance_agrees_with_the_parameter_jacobian
run tolerance $models/closed/palletiser.xml --vary 'L23.b.z=normal(1.2,1e-4)' --vary 'LAB.length=uniform(1.1998,1.2002)' \
    --vary q.R2=0.3 --measure flange.position --measure mass --n 4000 -o tolerance --json
code 0
# The deviation of a sample has a relative error of 1 / sqrt(2 n): 4 times that.
json '[.columns, .linear] | transpose | map(. as [$a, $b] | near($a.deviation; $b.deviation; 1e-12 + 4 * $b.deviation / 89)) | all'
json '.linear[0].deviation > 1e-5 and near(.linear[3].deviation; 0; 1e-15)'
# What may vary, with its value; each may be given as it stands.
run tolerance $models/closed/palletiser.xml --vary q.R2=0.3 --measure mass --n 2 --case 0 -o alone
code 0; check test -e alone/plan.xml
run tolerance $models/closed/palletiser.xml --list --json
code 0; json '[.parameters[] | select(.name == "L23.b.z" or .name == "LAB.length") | .value] == [1.2, 1.2]'
json '(.parameters | map(.name) | (unique | length) == length) and any(.parameters[]; .name == "L23.mass")'
last=$(jq -r '.parameters[-1] | "\(.name)=\(.value)"' out)
run tolerance $models/closed/palletiser.xml --vary "$last" --measure mass --n 2 -o t1
code 0
run tolerance $models/closed/palletiser.xml --list
code 0; out '^L23\.b\.z +1\.2'
run tolerance $models/closed/palletiser.xml --measure mass -o t2
code 2; err 'tolerance needs --vary; --list prints what may vary'
run tolerance $models/closed/palletiser.xml --vary 'L23.bb.z=normal(1.2,1e-4)' --measure flange.position -o t2
code 1; err 'there is no parameter "L23.bb.z"; did you mean "L23.b.z"\?'
for law in 'uniform(-2,2)' 'normal(-2,1)'; do # a value that is not possible is no unknown name
    run tolerance $models/ur5_class.xml --vary "forearm.mass=$law" --measure mass -o impossible
    code 1; err '"forearm.mass" cannot be -2$'; check [ "$(wc -l <err)" = 1 ]
done
run tolerance $models/closed/palletiser.xml --vary 'L23.b.z=normal(1.2)' --measure flange.position -o t2
code 2; err 'is not NAME=normal'
end

begin study_simulates_runs_over_gains_and_masses
cat >lift.xml <<'EOT'
<run version="1" name="lift"><limits velocity="1.2" acceleration="4"/>
  <!-- <controller frequency="9"/> -->
  <motion><to q="0.2 0.1 -0.1 0.3"/></motion><controller law="pd+gravity" frequency="4" damping="0.7"/></run>
EOT
run study $models/closed/palletiser.xml --vary Payload.mass=20:60:40 --vary run.controller.frequency=3:6:3 --run lift.xml \
    --measure 'max(abs(tau[R2]))' --measure 'rms(error[R2])' -o study --csv --json
code 0; json '.cases == 4 and .failed == 0'
# More mass needs more force; more gain gives less error.
check test "$(awk -F, 'NR > 1 { print $4 }' study/result.csv | sort -g | head -n 1 | cut -c1-4)" = \
    "$(awk -F, 'NR > 1 && $2 == 20 { print $4 }' study/result.csv | sort -g | head -n 1 | cut -c1-4)"
check awk -F, 'NR > 1 { e[$2, $3] = $5 } END { exit !(e[20, 6] < e[20, 3] && e[60, 6] < e[60, 3]) }' study/result.csv
# Gains of one joint: the stiffer it is, the less it lags behind. What a name means must be clear.
sed 's,damping="0.7"/>,damping="0.7"><gain joint="R1" kp="4e5" kd="1e4"/><gain joint="R2" kp="4e5" kd="1e4"/></controller>,' lift.xml >gains.xml
gains() { rm -rf gains; run study $models/closed/palletiser.xml --run gains.xml --measure 'rms(error[R2])' -o gains --csv --json "$@"; }
gains --vary 'run.gain[R2].kp=2e5:8e5:2e5' --vary 'run.gain[1].kp=1e5'
code 0; check awk -F, 'NR > 1 { n++; bad += n > 1 && $4 >= last; last = $4 } END { exit !(n == 4 && bad == 0) }' gains/result.csv
gains --vary run.gain.kp=1e5
code 1; err 'has "run.gain.kp" 2 times: say which, as "run.gain\[R1\].kp"'
gains --vary 'run.gain[R1].kp=1e5' --vary 'run.gain[1].kp=2e5'
code 1; err '"run.gain\[1\].kp" varies twice'
gains --vary 'run.gain[R3].kp=1e5'
code 1; err 'no attribute of the run file "run.gain\[R3\].kp"; did you mean "run.gain\[R[12]\].kp"'
# The power of a joint is at most what it would be if force and speed peaked together.
gains --vary 'run.gain[R2].kp=2e5' --measure 'max(abs(power[R2]))' --measure 'max(abs(tau[R2]))' --measure 'max(abs(v[R2]))'
code 0; check awk -F, 'NR > 1 { exit !($4 > 1 && $4 <= $5 * $6) }' gains/result.csv
printf '<run version="1" name="fall" duration="0.01"/>' >fall.xml
cat >ball.xml <<'EOT'
<linkwork version="1" name="ball"><ground/><joint name="ball" type="spherical" from="ground" to="rod"/>
<link name="rod" mass="1" center="0 0 -1" inertia="1 1 1"/></linkwork>
EOT
run study ball.xml --run fall.xml --vary rod.mass=1 --measure 'final(q[ball.wx])' -o ball
code 1; err '"final\(q\[ball.wx\]\)": orientations are no coordinates by themselves'
gains --vary run.controler.frequency=3
code 1; err 'did you mean "run.controller.frequency"'
gains --vary run.to.q=3
code 1; err '"run.to.q" cannot vary: it is "0.2 0.1 -0.1 0.3" in the run file, not one number'
run study $models/scara.xml --structure $models/stanford.xml --measure mass -o structures --json
code 0; json '.cases == 2'
end

# R34: axes of the ellipsoid of forces are reciprocal to those of velocities, in every part.
begin force_ellipsoids_are_reciprocal_to_velocities
run dataset $models/puma560.xml --n 200 -o ellipsoids --csv --columns \
    flange.manipulability,flange.sigma_min.rotation,flange.inverse_condition.scaled,flange.force.manipulability,flange.force.inverse_condition.scaled,flange.force.sigma_min.rotation,flange.inverse_condition.rotation
code 0
check awk -F, 'NR > 1 && $1 == 0 { n++; bad += ($2 * $5 - 1) ^ 2 > 1e-18 || ($4 - $6) ^ 2 > 1e-24 || ($3 / $8 * $7 - 1) ^ 2 > 1e-18 } END { exit !(n > 190 && bad == 0) }' ellipsoids/result.csv
end

# A 2R arm with its masses at the ends of links: det(J M^-1) = |sin q2| / (l1 l2 m2 (m1 + m2 sin^2 q2)),
# times the limits of both torques where there are some.
begin dynamic_ellipsoid_of_a_planar_arm_in_closed_form
planar() # attributes of joints
{
    cat <<EOT
<linkwork version="1" name="arm"><ground/>
  <joint name="q0" type="revolute" axis="0 0 1" from="ground" to="l0" $1/>
  <link name="l0" mass="1.5" center="0.7 0 0"><frame name="end" xyz="0.7 0 0"/></link>
  <joint name="q1" type="revolute" axis="0 0 1" from="l0.end" to="l1" $1/>
  <link name="l1" mass="0.8" center="0.45 0 0"><frame name="end" xyz="0.45 0 0"/></link>
</linkwork>
EOT
}
planar '' >planar.xml
planar 'max_force="12"' >planar_limited.xml
for at in planar:1 planar_limited:144; do
    run study ${at%:*}.xml --vary q.q1=1.1 --measure l1.end.dynamic.manipulability --measure l1.end.force.manipulability -o ${at%:*} --json
    code 0
    json "near(.columns[-2].mean; ${at#*:} * 0.7 * 0.45 * (1.1 | sin) / (0.7 * 0.7 * 0.45 * 0.45 * 0.8 * (1.5 + 0.8 * (1.1 | sin) * (1.1 | sin))); 1e-10)"
    json 'near(.columns[-1].mean * 0.28073031841935214; 1; 1e-12)'
done
run workspace planar_limited.xml --ellipsoid dynamic --n 2000 --plane none --cell 0.2 --json
code 0; json '.ellipsoid == "dynamic" and .axes == 2 and .best_manipulability > 100 and (.box | length) == 6'
run workspace planar_limited.xml --ellipsoid force --n 2000 --plane none --cell 0.2
code 0; out '^largest force in every direction: [0-9.]+ N'
run workspace planar_limited.xml --ellipsoid dynamic --n 2000 --plane none --cell 0.2
code 0; out '^largest dynamic manipulability of translations: [0-9.]+ \(m/s\^2\)\^2'
run workspace planar_limited.xml --frame l0 --ellipsoid force --n 2000 --plane none --json # on the axis
code 0; json '.best_manipulability == 0'
run workspace planar_limited.xml --ellipsoid round
code 2
run workspace planar_limited.xml --capability 0.5 --n 2000 --plane none
code 2; err '--capability needs --directions'
end

# A planar arm moves its end in two directions, however many joints it has: the product of both
# singular values, sqrt(det(J J')), is zero where it is straight.
begin ellipsoids_of_a_redundant_planar_arm_are_plane
cat >planar3.xml <<'EOT'
<linkwork version="1" name="arm"><ground/>
  <joint name="a" type="revolute" axis="0 0 1" from="ground" to="l0" lower="-1" upper="1"/>
  <link name="l0" mass="1" center="0.5 0 0"><b xyz="1 0 0"/></link>
  <joint name="b" type="revolute" axis="0 0 1" from="l0.b" to="l1" lower="-1" upper="1"/>
  <link name="l1" mass="1" center="0.5 0 0"><b xyz="1 0 0"/></link>
  <joint name="c" type="revolute" axis="0 0 1" from="l1.b" to="l2" lower="-1" upper="1"/>
  <link name="l2" mass="1" center="0.5 0 0"><frame name="tip" xyz="0.5 0 0"/></link>
</linkwork>
EOT
run workspace planar3.xml --frame tip --n 20000 --plane none --cell 0.1 --json
code 0; json '.best_manipulability > 1.5 and .best_manipulability < 3'
run workspace planar3.xml --frame tip --n 20000 --plane none --cell 0.1
code 0; out '^largest manipulability of translations: [12][.0-9]* m\^2$'
run study planar3.xml --vary q.a=0.3 --vary q.b=0.7 --vary q.c=-0.4 --measure tip.manipulability \
    --measure tip.sigma_min --measure tip.manipulability.rotation -o planar3 --json
code 0
# Columns of J are (-y, x) of the tip from each joint; det(J J') is the sum of squares of minors.
json '[[(0.3|cos) + (1|cos) + 0.5 * (0.6|cos), (0.3|sin) + (1|sin) + 0.5 * (0.6|sin)],
      [(1|cos) + 0.5 * (0.6|cos), (1|sin) + 0.5 * (0.6|sin)], [0.5 * (0.6|cos), 0.5 * (0.6|sin)]] as $r |
      ([[0, 1], [0, 2], [1, 2]] | map(($r[.[0]][0] * $r[.[1]][1] - $r[.[0]][1] * $r[.[1]][0]) | . * .) | add | sqrt) as $w |
      near(.columns[-3].mean; $w; 1e-12) and .columns[-2].mean > 0.1 and near(.columns[-1].mean; 3 | sqrt; 1e-12)'
run study planar3.xml --vary q.a=0.3 --measure tip.manipulability -o straight3 --json
code 0; json '.columns[-1].mean < 1e-12'
end

# Parts inside assemblies, at a level of detail; structures with different numbers of joints.
begin study_varies_parts_of_assemblies_and_structures
run study $models/hr120/hr120.xml --level '*=high' --vary wrist/tube.mass=40:60:10 --measure mass --measure payload.tool.z -o parts --csv
code 0
check awk -F, 'NR > 1 { n++; bad += $3 - $2 != 967 } END { exit !(n == 3 && bad == 0) }' parts/result.csv
run study $models/hr120/hr120.xml --vary wrist/tub.mass=40 --measure mass -o parts2
code 1; err 'there is no parameter "wrist/tub.mass"; did you mean "wrist/tube.mass"'
run study $models/closed/palletiser.xml --structure $models/closed/palletiser.xml --vary LAB.length=1.19:1.21:0.01 --measure flange.position -o twice --csv
code 0
check awk -F, 'NR > 1 { row = $3 "," $4 "," $5 "," $6; if ($2 == 0) first[NR - 1] = row; else { n++; bad += row != first[NR - 4] } } END { exit !(n == 3 && bad == 0) }' twice/result.csv
end

# The foot and the upper arm of this one overlap wherever it is.
begin R34_workspace_leaves_out_contact_but_not_what_always_overlaps
run workspace $models/ur5_class.xml --collide --n 500 --cell 0.2 --plane none --json
code 0; json '.failed > 10 and .failed < 400 and .reached > 50'
end

begin workspace_writes_map_boundary_and_picture
run workspace $models/scara.xml --frame tool --plane xy --at 0.15 --n 100000 --cell 0.02 -o reach --csv --json
code 0
json '.failed == 0 and .section.open_ends == 0 and .section.pieces > 3'
# Cells of the plane, counted, against the area within the boundary: rim cells count whole.
check awk -F, 'NR > 1 { z[$3] = 1; n[$3]++ } END { for (k in z) if (n[k] > most) most = n[k]; exit !(most * 0.0004 > 0.7 && most * 0.0004 < 1.0) }' reach/map.csv
check test "$(tail -n 1 reach/section.svg)" = '</svg>'
check grep -q 'text-anchor="end">x, m</text>' reach/section.svg
check test "$(head -n 1 reach/boundary.csv | cut -c1-14)" = curve,kind,u,v
cat >quoted.xml <<'END'
<linkwork version="1" name="quoted"><ground/>
<joint name='a "b", c' type="revolute" axis="0 0 1" from="ground" to="l" lower="-1" upper="1"/>
<link name="l" mass="1" inertia="1 1 1"><frame name="f" xyz="0.1 0 0"/></link></linkwork>
END
run workspace quoted.xml --plane xy --n 1000 -o quoted
code 0
check grep -qxF 'curve,kind,u,v,"q.a ""b"", c"' quoted/boundary.csv
run workspace $models/panda_class.xml --plane none --n 1000 --json -o cloud
code 0; json 'has("section") | not'
check test ! -e cloud/section.svg -a ! -e cloud/boundary.csv -a -e cloud/map.npy
run workspace $models/scara.xml --frame tol
code 2
run workspace $models/ur5_class.xml --frame tool --cell 1e-5
code 1; err 'too many cells'
end

begin workspace_is_stored_and_queried
run workspace $models/ur5_class.xml --frame tool --cell 0.4 --directions 6 --capability 0.5 --n 2000 --plane none -o stored --threads 2
code 0; out '^largest box of cells: \('
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 0.4,0.1,0.6 --direction 0,0,-1 --json
code 0; json '.capability > 0 and .directions > 0 and (.witness | length) == 6'
json 'near(.off | cos; -.direction[2]) and .off > 0'
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 0.4,0.1,0.6 --direction 0,0,-2
code 0; out 'direction \(.*\), [0-9.]+ degrees off, is '
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 0.4,0.1,0.6 --direction 0,0,0
code 2; err 'no direction'
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 9,0,0
code 1; err 'outside of the map'
run workspace $models/scara.xml --stored stored/workspace.map --query 0.4,0.1,0.6
code 1; err 'map of another model'
run workspace $models/ur5_class.xml --stored stored/map.npy --query 0.4,0.1,0.6
code 1; err 'no map of a workspace'
run workspace $models/ur5_class.xml --query 0.4,0.1,0.6
code 2; err 'go together'
end

# Nothing drives a free base: ellipsoids are those of the arm on a base that is held.
begin ellipsoids_of_an_arm_on_a_free_base
for type in free fixed; do
    cat >base_$type.xml <<EOF
<linkwork version="1" name="arm"><ground/>
  <joint name="base" type="$type" from="ground" to="body"/><link name="body" mass="10" inertia="1 1 1"/>
  <joint name="j1" type="revolute" axis="0 1 0" from="body" to="upper" max_force="10"/>
  <link name="upper" mass="1" center="0.2 0 0" inertia="0.01 0.02 0.02"><b xyz="0.4 0 0"/></link>
  <joint name="j2" type="revolute" axis="0 0 1" from="upper.b" to="fore" max_force="5"/>
  <link name="fore" mass="2" center="0.2 0 0" inertia="0.01 0.02 0.02"><b xyz="0.4 0 0"/></link>
  <joint name="j3" type="revolute" axis="0 1 0" from="fore.b" to="hand" max_force="2"/>
  <link name="hand" mass="1" center="0.1 0 0" inertia="0.01 0.02 0.02"><frame name="tool" xyz="0.3 0 0.1"/></link>
</linkwork>
EOF
    run tolerance base_$type.xml --vary q.j2=0.7 --vary q.j3=-0.4 --measure tool.manipulability \
        --measure tool.force.sigma_min --measure tool.dynamic.manipulability --n 1 --json -o case_$type
    code 0; cp out ellipsoid_$type
done
jq -s '[.[].columns | map(select(.name | startswith("tool.")) | .mean)]' ellipsoid_free ellipsoid_fixed >out
json '. as [$a, $b] | ($a | length) == 3 and all(range(3); $b[.] > 0 and near($a[.] / $b[.]; 1))'
end

begin workspace_by_inverse_kinematics
run workspace $models/puma560.xml --frame flange --cell 0.3 --directions 6 --n 20000 --json
code 0; json '.orientations == 72 and .mean_capability > 0.05 and .mean_capability <= 1'
json '.section.open_ends == 0 and .section.disagreeing == 0'
reach=$(jq .mean_capability out)
run workspace $models/puma560.xml --frame flange --cell 0.3 --directions 6 --n 20000 --collide --plane none --json
code 0; json ".mean_capability <= $reach"
end

# A motor on the trunk that drives the forearm by a belt is at shoulder + elbow - 90 degrees: no entry
# has it beyond its limits.
begin R46_capability_keeps_limits_of_a_coupled_motor
sed 's,</linkwork>,<joint name="motor" type="revolute" from="trunk" to="rotor" lower="-60" upper="110" dependent="true"/>\
  <link name="rotor" mass="0.1" inertia="1e-4 1e-4 1e-4"/>\
  <gear name="belt" type="belt" first="rotor" second="forearm.pulley" teeth="20 20"/></linkwork>,
    s,<frame name="wrist" xyz="0 0 0.4331"/>,&<frame name="pulley" xyz="0.0203 0.0934 0" rpy="-90 0 0"/>,' $models/puma560.xml >belt.xml
run workspace belt.xml --frame flange --cell 0.3 --directions 6 --n 20000 --plane none -o belt --csv
code 0
check awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 && $at["capability"] > 0 { n++
    motor = ($at["q.shoulder"] + $at["q.elbow"]) * 180 / 3.14159265 - 90; bad += motor < -60.01 || motor > 110.01 }
    END { exit !(n > 80 && bad == 0) }' belt/map.csv
# The same a revolution further on: solutions count with that revolution alone.
sed 's/lower="-225" upper="45"/lower="-225" upper="405"/; s/lower="-60" upper="110"/lower="300" upper="470"/' \
    belt.xml >wound.xml
run workspace wound.xml --frame flange --cell 0.3 --directions 6 --n 20000 --plane none -o wound --csv
code 0
for map in belt wound; do
    awk -F, 'NR == 1 { for (i = 1; i <= NF; ++i) at[$i] = i } NR > 1 && $at["capability"] > 0 {
        printf "%.3f %.3f %.3f %.4f\n", $at["x"], $at["y"], $at["z"], $at["capability"] }' $map/map.csv >$map.cells
done
check cmp belt.cells wound.cells
end

# Nothing is computed for a folder that cannot be had, and none is left behind.
begin workspace_needs_its_folder_first
: >taken
run workspace $models/scara.xml --n 4294967296 --plane none
code 2; err '--n is a .*number from 1 to 4'
run workspace $models/scara.xml --n 4294967295 -o taken
code 3; err 'taken is needed as a folder, and is a file'
run workspace $models/scara.xml --n 1000 --cell 1e-9 --plane none -o fine
code 1; check test ! -e fine
end

begin names_of_columns_are_there_once
run dataset $models/scara.xml --n 10 --columns q,q -o same
code 1; err 'column "q.joint1" is there already, of a measure before'
run study $models/scara.xml --vary q.joint1=0:1:0.5 --measure q -o same
code 1; err 'column "q.joint1" is there already'
run study $models/scara.xml --vary q.joint1=0:1e9:1e-3 --measure q -o many
code 1; err 'more than 1e9 points'
end

# Gears tie the rolls of this wrist to all motors, so a limit of one roll, which is dependent, cuts
# the workspace though every motor is within its own (paper 004, figures 15 and 16).
begin workspace_is_cut_by_limits_of_coupled_joints
sed 's/<joint name="roll2"/& lower="-20" upper="20"/' $models/closed/geared_wrist.xml >cut_wrist.xml
check test "$(grep -c 'lower="-20"' cut_wrist.xml)" = 1
run workspace $models/closed/geared_wrist.xml --n 20000 --plane none --json
code 0; json '.failed == 0'
whole=$(jq .reached out)
run workspace cut_wrist.xml --n 20000 --json
code 0; json ".failed > 10000 and .reached < $whole"
json '.section.open_ends == 0 and .section.area == 0 and (has("no_section") | not)' # on a sphere
# R2 moves the pinion of B, 20 against -62.5: B is cut where R2 is far from its middle, at the level
# that has this pinion. 0.32 * 90 / 250 of all configurations, within 4 deviations of the sample.
cp -r $models/hr120 shaft
sed -i 's/<joint name="pinion_B"/& lower="-7812.5" upper="7812.5"/' shaft/wrist.xml
for at in high:0:0 middle:0:0 low:2304:181; do
    level=${at%%:*}; want=${at#*:}
    run workspace shaft/hr120.xml --frame payload.tool --level "*=$level" --n 20000 --plane none --cell 0.2 --json
    code 0; json "near(.failed; ${want%:*}; ${want#*:})"
done
# Motors and gears of the low level do not move the tool by themselves: the section is that of the
# high level, around its loop.
for level in high low; do
    run workspace $models/hr120/hr120.xml --frame payload.tool --level "*=$level" --n 1000 --cell 0.5 --json
    code 0; json '.section.open_ends == 0 and .section.disagreeing == 0'; cp out section_$level
done
jq -s '[.[].section | .area, .square[2]]' section_high section_low >out
json 'near(.[0]; .[2]; 1e-5) and near(.[1]; .[3]; 1e-4) and .[0] > 3 and .[1] > 1'
end
