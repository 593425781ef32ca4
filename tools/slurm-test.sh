#!/bin/sh
# Islands on a Slurm of one node, from Debian's packages, as plain processes in a temporary folder. One worker is killed,
# one is told to stop, one is preempted by a more urgent job, the geneserver is killed, and everything must finish.
# Skipped where Slurm cannot be installed or not be started: nothing of the machine's own Slurm is touched.
set -eu
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: slurm: $1"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "its daemons need root"
if ! command -v slurmctld >/dev/null 2>&1 || ! command -v munged >/dev/null 2>&1; then
    sh tools/deps.sh slurm-wlm || skip "its packages (slurm-wlm, munge) cannot be installed"
fi
programs=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
[ -x "$programs/xpuck" ] || { echo "slurm: no $programs/xpuck: make build" >&2; exit 1; }

work=$(mktemp -d)
chmod 755 "$work"
export RUN="$work/run" ISLANDS=4 SLURM_CONF="$work/slurm.conf" PATH="$programs:$PATH"
mkdir "$work/state" "$work/spool" "$RUN"
daemons=""
stop() {
    scancel --quiet --full --signal=KILL --user="$(id -un)" 2>/dev/null || true
    sleep 1
    for daemon in $daemons; do kill "$daemon" 2>/dev/null || true; done
    sleep 2
    for daemon in $daemons; do kill -9 "$daemon" 2>/dev/null || true; done
    rm -rf "$work"
}
trap stop EXIT

# Ports that nobody uses, from one on that differs between runs.
port=$((20000 + $$ % 20000))
host=$(hostname -s)
cat >"$SLURM_CONF" <<CONF
ClusterName=xpuck
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
SlurmUser=root
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
KillWait=10
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
NodeName=$host NodeAddr=127.0.0.1 CPUs=5 State=UNKNOWN
PartitionName=islands Nodes=$host Default=YES PriorityTier=1 GraceTime=30
PartitionName=urgent Nodes=$host PriorityTier=2 PreemptMode=OFF
CONF
head -c 1024 /dev/urandom >"$work/munge.key"
chmod 600 "$work/munge.key"
munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --num-threads=2 \
    --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/munge.seed" 2>"$work/munge.err" &
daemons="$!"
sleep 1
slurmctld -D >"$work/slurmctld.out" 2>&1 &
daemons="$! $daemons"
slurmd -D >"$work/slurmd.out" 2>&1 &
daemons="$! $daemons"

# Waits at most $1 seconds until the rest of the arguments succeed.
within() {
    seconds=$1
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$seconds" -gt 0 ] || return 1
        sleep 1
        seconds=$((seconds - 1))
    done
}
idle() { sinfo --noheader --format=%T --partition=islands | grep -qx idle; }
within 60 idle || {
    tail -n 5 "$work"/*.log "$work/slurmctld.out" "$work/slurmd.out" >&2 || true
    skip "its daemons do not come up here; their last words are above"
}
echo "slurm: $(slurmctld -V) runs one node of 5 processors"

cp docs/cluster/again.sh "$RUN"
xpuck keys make geneserver --dir "$RUN"
cat >"$RUN/run.toml" <<RUN
generations = ${GENERATIONS:-1000}
remeasure = 20
[settings]
population = 64
RUN
export PORT=$((port + 2))
cd "$work"
cluster=$OLDPWD/docs/cluster
server=$(sbatch --parsable --partition=urgent --output="$work/geneserver.out" "$cluster/geneserver.sbatch")
array=$(sbatch --parsable --array=0-3 --cpus-per-task=1 --output="$work/island-%a.out" "$cluster/islands.sbatch")
echo "slurm: geneserver is job $server, the islands are jobs ${array}_0 to ${array}_3"

# An island's generations so far: the last line of its table.
generation() { tail -n 1 "$RUN/island-$1/generations.csv" 2>/dev/null | cut -d, -f1 | grep -x '[0-9]*' || echo 0; }
beyond() { [ "$(generation "$1")" -ge "$2" ]; }
for k in 0 1 2 3; do
    within 120 beyond $k 5 || { echo "slurm: island $k does not evolve" >&2; cat "$work"/*.out >&2; exit 1; }
done
worker() { pgrep -f "^xpuck $1"; }
kill -9 "$(worker "island .*--resume $RUN/island-1 ")"
echo "slurm: island 1 killed with SIGKILL at generation $(generation 1)"
scancel --batch --signal=TERM "${array}_2"
echo "slurm: island 2 told to stop at generation $(generation 2)"
for k in 1 2; do
    within 180 beyond $k $(($(generation $k) + 20)) || {
        echo "slurm: island $k does not go on from generation $(generation $k)" >&2
        squeue >&2
        tail -n 5 "$work"/*.out >&2
        exit 1
    }
done
echo "slurm: both go on, at generations $(generation 1) and $(generation 2)"
urgent=$(sbatch --parsable --partition=urgent --ntasks=2 --output="$work/urgent.out" --wrap="sleep 5")
gone() { [ -z "$(squeue --noheader --jobs="$urgent")" ]; }
within 90 gone || { echo "slurm: the urgent job got no processors" >&2; squeue >&2; exit 1; }
echo "slurm: an urgent job took the processors of two islands"
kill -9 "$(worker "geneserver $RUN/run.toml")"
echo "slurm: the geneserver killed with SIGKILL"

all_done() {
    for k in 0 1 2 3; do [ -s "$RUN/island-$k/result.json" ] || return 1; done
}
ended() { [ -z "$(squeue --noheader)" ]; }
if ! within 400 all_done || ! within 60 ended; then
    echo "slurm: not everything finished:" >&2
    squeue >&2
    tail -n 20 "$work"/*.out "$work/slurmctld.log" >&2
    exit 1
fi
for k in 0 1 2 3; do
    starts=$(grep -c '^again: ' "$work/island-$k.out" || true)
    echo "slurm: requeued $starts times: $(grep '^island .* re-measured' "$work/island-$k.out")"
done
grep '4 islands, 4 of them done' "$work/geneserver.out" || { echo "slurm: the geneserver is not done" >&2; exit 1; }
grep -q '^again: exit code 137' "$work/geneserver.out" || { echo "slurm: the geneserver was not requeued" >&2; exit 1; }
grep -q '^again: exit code 137' "$work/island-1.out" || { echo "slurm: nobody noticed the kill" >&2; exit 1; }
grep -q '^again: exit code 75' "$work/island-2.out" || { echo "slurm: island 2 was not requeued" >&2; exit 1; }
stops=$(cat "$work"/island-?.out | grep -c '^again: exit code 75')
[ "$stops" -ge 3 ] || { echo "slurm: $stops islands were told to stop; it should be three" >&2; exit 1; }
echo "slurm: everything finished"
