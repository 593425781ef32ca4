#!/bin/sh
# Islands on a Slurm of one node, from Debian's packages, as plain processes in a temporary folder. One worker is killed,
# one is told to stop, one is preempted by a more urgent job, the geneserver is killed, and everything must finish.
# Skipped where Slurm cannot be installed or not be started: nothing of the machine's own Slurm is touched.
set -eu
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
export RUN="$work/run" ISLANDS=4
mkdir "$RUN"
slurm_begin 1 5 "PartitionName=islands Nodes=n1 Default=YES PriorityTier=1 GraceTime=30
PartitionName=urgent Nodes=n1 PriorityTier=2 PreemptMode=OFF" islands

cp docs/cluster/again.sh "$RUN"
xpuck keys make geneserver --dir "$RUN"
cat >"$RUN/run.toml" <<RUN
generations = ${GENERATIONS:-1000}
remeasure = 20
[settings]
population = 64
RUN

cd "$work"
cluster=$OLDPWD/docs/cluster
server=$(sbatch --parsable --partition=urgent --output="$work/geneserver.out" "$cluster/geneserver.sbatch")
array=$(sbatch --parsable --array=0-3 --cpus-per-task=1 --output="$work/island-%a.out" "$cluster/islands.sbatch")
sbatch --parsable --dependency="afterany:$array" --output="$work/best.out" "$cluster/best.sbatch" >/dev/null
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
[ -s "$RUN/best.bt" ] || { cat "$work/best.out" >&2; echo "slurm: no best tree" >&2; exit 1; }
cat "$work/best.out"
grep -h 'has moved to' "$work"/island-?.out || { echo "slurm: nobody followed the geneserver" >&2; exit 1; }
grep '4 islands, 4 of them done' "$work/geneserver.out" || { echo "slurm: the geneserver is not done" >&2; exit 1; }
grep -q '^again: exit code 137' "$work/geneserver.out" || { echo "slurm: the geneserver was not requeued" >&2; exit 1; }
grep -q '^again: exit code 137' "$work/island-1.out" || { echo "slurm: nobody noticed the kill" >&2; exit 1; }
grep -q '^again: exit code 75' "$work/island-2.out" || { echo "slurm: island 2 was not requeued" >&2; exit 1; }
stops=$(cat "$work"/island-?.out | grep -c '^again: exit code 75')
[ "$stops" -ge 3 ] || { echo "slurm: $stops islands were told to stop; it should be three" >&2; exit 1; }
echo "slurm: everything finished"
