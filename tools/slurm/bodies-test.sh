#!/bin/sh
# Bodies that evolve on a Slurm of one node, from Debian's packages: one seed is killed, one is told to stop, and all end with the
# digits of runs that nothing happened to.
set -eu
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
export RUN="$work/run"
mkdir "$RUN"
slurm_begin 1 3 "PartitionName=bodies Nodes=n1 Default=YES" bodies
cp docs/cluster/again.sh "$RUN"
printf 'evaluations = 1200\nsteps = 2400\n' >"$RUN/bodies.toml"
array=$(sbatch --parsable --array=1-3 --cpus-per-task=1 --output="$work/seed-%a.out" docs/cluster/bodies.sbatch)

generations() { wc -l <"$RUN/seed-$1/generations.csv" 2>/dev/null || echo 0; }
begun() { [ "$(generations "$1")" -gt 3 ]; }
for k in 1 2 3; do
    within 120 begun $k || { echo "slurm: seed $k does not evolve" >&2; cat "$work"/*.out >&2; exit 1; }
done
kill -9 "$(pgrep -f '^xpuck evolve --kind bodies .*seed-1 ')"
echo "slurm: seed 1 killed with SIGKILL after $(generations 1) lines"
scancel --batch --signal=TERM "${array}_2"
echo "slurm: seed 2 told to stop after $(generations 2) lines"
all_done() {
    for k in 1 2 3; do [ -s "$RUN/seed-$k/result.json" ] || return 1; done
}
within 500 all_done || { echo "slurm: not everything finished" >&2; squeue >&2; tail "$work"/*.out >&2; exit 1; }
grep -q '^again: exit code 137' "$work/seed-1.out" || { echo "slurm: nobody noticed the kill" >&2; exit 1; }
grep -q '^again: exit code 75' "$work/seed-2.out" || { echo "slurm: seed 2 was not requeued" >&2; exit 1; }
for k in 1 2 3; do
    xpuck evolve --kind bodies "$RUN/bodies.toml" --seed $k --output "$work/alone-$k" --json >/dev/null
    cmp "$RUN/seed-$k/generations.csv" "$work/alone-$k/generations.csv"
done
echo "slurm: three seeds of bodies ended with the digits of runs that nothing happened to"
