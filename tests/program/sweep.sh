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
for t in 2 3 8; do
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

# The bits of exact mode belong to the plan, not to the build: gcc, clang and sanitizers give these. A
# change of the arithmetic of forward kinematics changes them deliberately.
begin exact_mode_has_the_same_bits_in_every_build
cat >exact.xml <<EOT
<sweep model="$models/ur5_class.xml" cases="5000" seed="9">
  <vary q="*"/><measure of="q"/><measure of="tool.pose"/><measure of="tool.manipulability"/><measure of="tau_gravity"/>
</sweep>
EOT
run sweep exact.xml -o exact --csv
code 0; check test "$(tail -n +2 exact/result.csv | sha256sum | cut -c1-16)" = 67f5183668d5897a
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
    kills=${LINKWORK_SWEEP_RANK_KILLS:-3} n=0 kept_some=0
    for ((try = 0; try < 10 * kills && n < kills; ++try)); do
        [ ! -e killed_rank/summary.json ] || rm -rf killed_rank
        before=$(kept killed_rank)
        rank=$((RANDOM % 4)) part=killed_rank/part-0001-000$rank.dat
        size=$(stat -c %s $part 2>/dev/null || echo 0)
        mpirun --oversubscribe -np 4 "$program" sweep plan.xml -o killed_rank >out 2>err &
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
        if [ $got != 0 ] && [ ! -e killed_rank/result.npy ] && [ "$(kept killed_rank)" -lt 30 ]; then
            err "process rank $rank with PID .* exited on signal 9"
            keeps killed_rank "$before"
            n=$((n + 1))
            [ $((n % 3)) = 0 ] || continue # another rank is killed in the same folder
        fi
        mpirun --oversubscribe -np 2 "$program" sweep plan.xml -o killed_rank >out 2>err
        got=$? line='mpirun after a killed rank'
        code 0; [ "$(sum killed_rank)" = "$(sum serial)" ] || problem "other bytes after $n killed ranks"
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
sleep 0.5
kill -TERM $!
wait $!
got=$? line='sweep, SIGTERM'
code 75; out 'stopped: [0-9]+ of 50000 blocks'
run sweep long.xml -o long --max-seconds 0.2 --json
code 0; json '.done > 0 and .resumable'
end

# A disk that is full at 20 points: a message, what is finished stays, and the same command goes on.
# Two shards have parts of half the result, so the last points are within its writing.
begin full_disk
sed 's/cases="120000" block="4000"/cases="12000" block="200"/' plan.xml >small.xml
run sweep small.xml -o small
for kb in 1 2 3 50 100 150 200 250 300 350 400 450 500 515 600 700 800 900 1000 1030; do
    rm -rf full
    "$program" sweep small.xml -o full --shard 2/2 >out 2>err
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
end

begin tolerance_agrees_with_the_parameter_jacobian
run tolerance $models/closed/palletiser.xml --vary 'L23.b.z=normal(1.2,1e-4)' --vary 'LAB.length=uniform(1.1998,1.2002)' \
    --vary q.R2=0.3 --measure flange.position --measure mass --n 4000 -o tolerance --json
code 0
# The deviation of a sample has a relative error of 1 / sqrt(2 n): 4 times that.
json '[.columns, .linear] | transpose | map(. as [$a, $b] | near($a.deviation; $b.deviation; 1e-12 + 4 * $b.deviation / 89)) | all'
json '.linear[0].deviation > 1e-5 and near(.linear[3].deviation; 0; 1e-15)'
run tolerance $models/closed/palletiser.xml --vary 'L23.bb.z=normal(1.2,1e-4)' --measure flange.position -o t2
code 1; err 'there is no parameter "L23.bb.z"; did you mean "L23.b.z"\?'
run tolerance $models/closed/palletiser.xml --vary 'L23.b.z=normal(1.2)' --measure flange.position -o t2
code 2; err 'is not NAME=normal'
end

begin study_simulates_runs_over_gains_and_masses
cat >lift.xml <<'EOT'
<run version="1" name="lift"><limits velocity="1.2" acceleration="4"/>
  <motion><to q="0.2 0.1 -0.1 0.3"/></motion><controller law="pd+gravity" frequency="4" damping="0.7"/></run>
EOT
run study $models/closed/palletiser.xml --vary Payload.mass=20:60:40 --vary run.controller.frequency=3:6:3 --run lift.xml \
    --measure 'max(abs(tau[R2]))' --measure 'rms(error[R2])' -o study --csv --json
code 0; json '.cases == 4 and .failed == 0'
# More mass needs more force; more gain gives less error.
check test "$(awk -F, 'NR > 1 { print $4 }' study/result.csv | sort -g | head -n 1 | cut -c1-4)" = \
    "$(awk -F, 'NR > 1 && $2 == 20 { print $4 }' study/result.csv | sort -g | head -n 1 | cut -c1-4)"
check awk -F, 'NR > 1 { e[$2, $3] = $5 } END { exit !(e[20, 6] < e[20, 3] && e[60, 6] < e[60, 3]) }' study/result.csv
run study $models/scara.xml --structure $models/stanford.xml --measure mass -o structures --json
code 0; json '.cases == 2'
end

begin workspace_writes_map_boundary_and_picture
run workspace $models/scara.xml --frame tool --plane xy --at 0.15 --n 100000 --cell 0.02 -o reach --csv --json
code 0
json '.failed == 0 and .section.open_ends == 0 and .section.pieces > 3'
# Cells of the plane, counted, against the area within the boundary: rim cells count whole.
check awk -F, 'NR > 1 { z[$3] = 1; n[$3]++ } END { for (k in z) if (n[k] > most) most = n[k]; exit !(most * 0.0004 > 0.7 && most * 0.0004 < 1.0) }' reach/map.csv
check test "$(tail -n 1 reach/section.svg)" = '</svg>'
check test "$(head -n 1 reach/boundary.csv | cut -c1-14)" = curve,kind,u,v
run workspace $models/scara.xml --frame tol
code 2
run workspace $models/ur5_class.xml --frame tool --cell 1e-5
code 1; err 'too many cells'
end

begin workspace_is_stored_and_queried
run workspace $models/ur5_class.xml --frame tool --cell 0.4 --directions 6 --n 2000 -o stored --threads 2
code 0
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 0.4,0.1,0.6 --direction 0,0,-1 --json
code 0; json '.capability > 0 and .directions > 0 and (.witness | length) == 6'
run workspace $models/ur5_class.xml --stored stored/workspace.map --query 9,0,0
code 1; err 'outside of the map'
run workspace $models/scara.xml --stored stored/workspace.map --query 0.4,0.1,0.6
code 1; err 'map of another model'
run workspace $models/ur5_class.xml --stored stored/section.svg --query 0.4,0.1,0.6
code 1; err 'no map of a workspace'
run workspace $models/ur5_class.xml --query 0.4,0.1,0.6
code 2; err 'go together'
end

begin workspace_by_inverse_kinematics
run workspace $models/puma560.xml --frame flange --cell 0.3 --directions 6 --n 20000 --json
code 0; json '.orientations == 72 and .mean_capability > 0.05 and .mean_capability <= 1'
reach=$(jq .mean_capability out)
run workspace $models/puma560.xml --frame flange --cell 0.3 --directions 6 --n 20000 --collide --json
code 0; json ".mean_capability <= $reach"
end

# Gears tie the rolls of this wrist to all motors, so a limit of one roll, which is dependent, cuts
# the workspace though every motor is within its own (paper 004, figures 15 and 16).
begin workspace_is_cut_by_limits_of_coupled_joints
sed 's/<joint name="roll2"/& lower="-20" upper="20"/' $models/closed/geared_wrist.xml >cut_wrist.xml
check test "$(grep -c 'lower="-20"' cut_wrist.xml)" = 1
run workspace $models/closed/geared_wrist.xml --n 20000 --json
code 0; json '.failed == 0'
whole=$(jq .reached out)
run workspace cut_wrist.xml --n 20000 --json
code 0; json ".failed > 10000 and .reached < $whole"
end
