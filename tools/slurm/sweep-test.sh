#!/bin/sh
# A sweep that `xpuck sweep slurm ` sends to a Slurm of three nodes on this machine: one node dies, one task is cancelled, one
# is told to stop, and everything is done and collected, to the digits of a sweep without Slurm. Then a run reaches its time
# limit, a sweep is cancelled as a whole, and a disk is full.
set -eu
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
GPU_NODE=n2
slurm_begin 3 1 "PartitionName=all Nodes=n[1-3] Default=YES" all

sweep=$work/sweep
out=$sweep/out
mkdir "$sweep"
cat >"$sweep/s.toml" <<SWEEP
name = "three-nodes"
seeds = "1-3"
[base]
islands = 2
generations = ${GENERATIONS:-600}
seconds = 6.0
remeasure = 10
settings.population = 32
[grid]
algorithm = ["noise-aware", "racing"]
SWEEP
generation() { tail -n 1 "$out/runs/$1/generations.csv" 2>/dev/null | cut -d, -f1 | grep -x '[0-9]*' || echo 0; }
beyond() { [ "$(generation "$1")" -ge "$2" ]; }
fail() {
    echo "slurm: $1" >&2
    squeue >&2
    tail -n 20 "$out"/slurm/*.out "$work/slurmctld.log" >&2
    exit 1
}
# Where a run is at work.
node() { squeue --noheader --array --jobs="$array" --states=running --format='%K %N' | sed -n "s/^$1 //p"; }

xpuck sweep slurm "$sweep/s.toml" --output "$out" --time 30 --mem 100M --json >"$work/sent.json"
array=$(sed 's/.*"array":"\([0-9]*\)".*/\1/' "$work/sent.json")
echo "slurm: sent: $(cat "$work/sent.json")"
xpuck sweep slurm "$sweep/s.toml" --output "$out" 2>&1 | grep "job $array is still doing its runs" || fail "a second array"
for run in p1-s1 p2-s1 p1-s2; do within 120 beyond $run 5 || fail "$run does not evolve"; done
dead=$(node 1)
slurm_kill_node "$dead"
before=$(generation p1-s1)
echo "slurm: $dead died with run p1-s1 at generation $before"
scancel "${array}_2"
echo "slurm: the task of run p2-s1 cancelled at generation $(generation p2-s1)"
scancel --batch --signal=TERM "${array}_3"
echo "slurm: the task of run p1-s2 told to stop at generation $(generation p1-s2)"
within 120 beyond p1-s1 $((before + 5)) || fail "run p1-s1 does not go on after its node died"
echo "slurm: run p1-s1 goes on, on $(node 1)"
slurmd_begin "$dead"
ended() { [ -z "$(squeue --noheader)" ]; }
within 500 ended || fail "not everything ended"
[ -s "$out/results.csv" ] || fail "nothing was collected"
grep -h "missing\|^xpuck\| in .* tasks*:\|^again" "$out"/slurm/*.out || true
xpuck sweep collect "$sweep/s.toml" --output "$out" --json | grep -q '"runs":6,"done":6,' || fail "not all runs are there"
grep -q '^task 1 on .*, start 2: p1-s1$' "$out/slurm/task-1.out" || fail "the dead node's task was not started again"
grep -q '^again: exit code 75' "$out/slurm/task-3.out" || fail "the stopped task was not requeued"
grep -q '^again: exit code 75, cancelled' "$out/slurm/task-2.out" || fail "the cancelled task did not end"
grep -q 'p2-s1 is missing: ' "$out/slurm/collect.out" || fail "nobody noticed that a task was cancelled"

xpuck sweep run "$sweep/s.toml" --output "$sweep/alone" --jobs 2 >/dev/null
cmp "$out/generations.csv" "$sweep/alone/generations.csv" || fail "other digits than without Slurm"
echo "slurm: the same digits as without Slurm"

# Only n2 has what Slurm takes for a GPU.
sed 's/^name = .*/name = "gpu"/; s/^generations = .*/generations = 2/' "$sweep/s.toml" >"$sweep/gpu.toml"
xpuck sweep slurm "$sweep/gpu.toml" --output "$sweep/gpu" --gres gpu:1 --engine simd --per-task 2 >/dev/null
within 120 ended || fail "the sweep with a GPU does not end"
[ "$(grep -hc '^task . on n2, start 1: ' "$sweep"/gpu/slurm/task-?.out | paste -sd+)" = 1+1+1 ] || fail "tasks ran where no GPU is"
grep -q '6 of 6\|results.csv' "$sweep/gpu/slurm/collect.out" || fail "the sweep with a GPU found nothing"
echo "slurm: three tasks of two runs went to the node with a GPU"

# A run that is longer than its time limit: told to stop a minute before it, or up to a minute earlier.
out=$sweep/long
sed 's/^seeds = .*/seeds = [1]/; s/^generations = .*/generations = 100000/; s/^name = .*/name = "long"/; s/"noise-aware", //' \
    "$sweep/s.toml" >"$sweep/long.toml"
xpuck sweep slurm "$sweep/long.toml" --output "$out" --time 2 --json >"$work/sent.json"
array=$(sed 's/.*"array":"\([0-9]*\)".*/\1/' "$work/sent.json")
within 60 beyond p1-s1 5 || fail "the long run does not evolve"

# Meanwhile the disk of another sweep's runs is full.
full=$sweep/full
mkdir -p "$full/runs"
mount -t tmpfs -o size=40m tmpfs "$full/runs" && mounted=$full/runs
sed 's/^seeds = .*/seeds = "1-2"/; s/^name = .*/name = "full"/' "$sweep/s.toml" >"$sweep/full.toml"
if [ -n "$mounted" ]; then
    xpuck sweep slurm "$sweep/full.toml" --output "$full" >/dev/null
    began() { [ "$(grep -c '' "$full/runs/p1-s1/generations.csv")" -gt 10 ]; }
    within 60 began || fail "the sweep on a small disk does not evolve"
    head -c 40m /dev/zero >"$full/runs/filler" 2>/dev/null || true
    collected() { grep -q 'so they are not submitted again' "$full/slurm/collect.out"; }
    within 120 collected || { cat "$full"/slurm/*.out && fail "nobody noticed the full disk"; }
    grep -h 'p1-s1' "$full/slurm/task-1.out" "$full/slurm/collect.out"
    grep -q 'No space left\|disk is full' "$full/slurm/task-1.out" || fail "the full disk is not named"
    rm "$full/runs/filler"
    xpuck sweep slurm "$sweep/full.toml" --output "$full" >/dev/null
    whole() { xpuck sweep collect "$sweep/full.toml" --output "$full" --json | grep -q '"runs":4,"done":4,'; }
    within 300 whole || fail "the sweep of the full disk is not done with room"
    for run in p1-s1 p2-s2; do
        cmp "$full/runs/$run/generations.csv" "$sweep/alone/runs/$run/generations.csv" || fail "other digits after a full disk"
    done
    echo "slurm: done after room was made, to the same digits"
fi
requeued() { grep -q '^again: exit code 75, requeued after start 1' "$out/slurm/task-1.out"; }
within 150 requeued || fail "the run was not requeued at its time limit"
reached=$(generation p1-s1)
echo "slurm: the run reached its time limit at generation $reached"
within 60 beyond p1-s1 $((reached + 5)) || fail "the run does not go on after its time limit"
echo "slurm: and goes on"
scancel --name=xpuck-long
within 60 ended || fail "a cancelled sweep does not end"
grep -q '^again: exit code 75, cancelled' "$out/slurm/task-1.out" || fail "the cancelled sweep was requeued"
xpuck sweep collect "$sweep/long.toml" --output "$out" 2>&1 | grep 'p1-s1 is missing' || fail "the cancelled run is not named"
echo "slurm: cancelled as a whole"
