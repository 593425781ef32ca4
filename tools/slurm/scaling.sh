#!/bin/sh
# What Slurm and `xpuck sweep slurm ` cost: a sweep of 40 runs over three nodes with four processors in all, which are this
# machine's. So that runs do not wait for one another's processors, each is a run of a moment that first sleeps SECONDS_EACH (30), by
# a library that is loaded before it. Printed is the sleep's part of the time from the sweep's sending to its last result.
set -eu
cd "$(dirname "$0")/../.."
. tools/slurm/cluster.sh
slurm_begin 3 "2 1 1" "PartitionName=all Nodes=n[1-3] Default=YES" all
cc -shared -fPIC -o "$work/sleep.so" tools/slurm/sleep.c
sed 's/^seeds = .*/seeds = "1-20"/' docs/sweeps/tiny.toml >"$work/s.toml"
out=$work/out each=${SECONDS_EACH:-30}
begin=$(date +%s.%N)
SLEEP_FIRST=$each LD_PRELOAD=$work/sleep.so xpuck sweep slurm "$work/s.toml" --output "$out"
ended() { [ -z "$(squeue --noheader)" ]; }
within 3600 ended
xpuck sweep collect "$work/s.toml" --output "$out" --json | grep -q '"runs":40,"done":40,'
last=$(stat --format=%.9Y "$out"/runs/*/result.json | sort -n | tail -n 1)
echo "$begin $last $each" | awk '{
    printf "slurm: 40 runs of %d s on 4 processors of 3 nodes took %.1f s: %.1f %% of ideal\n", $3, $2 - $1, 1000 * $3 / ($2 - $1)
}'
