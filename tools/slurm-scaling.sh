#!/bin/sh
# What Slurm and `xpuck sweep --slurm` cost: a sweep of 40 runs of one thread each over three nodes of one processor. The ratio
# is the time in which processors evolved to the time for which the sweep had them, from its sending to the end of the last
# run. The nodes are this machine's, so runs may slow each other down; both times then grow alike.
set -eu
cd "$(dirname "$0")/.."
. tools/slurm-cluster.sh
slurm_begin 3 1 "PartitionName=all Nodes=n[1-3] Default=YES" all
cat >"$work/s.toml" <<SWEEP
name = "scaling"
seeds = "1-10"
[base]
islands = 2
generations = ${GENERATIONS:-200}
seconds = 6.0
remeasure = 10
[grid]
algorithm = ["noise-aware", "racing"]
"settings.population" = [24, 32]
SWEEP
out=$work/out
begin=$(date +%s.%N)
xpuck sweep "$work/s.toml" --out "$out" --slurm
ended() { [ -z "$(squeue --noheader)" ]; }
within 1800 ended
xpuck sweep "$work/s.toml" --out "$out" --collect --json | grep -q '"runs":40,"done":40,'
last=$(stat --format=%.9Y "$out"/runs/*/result.json | sort -n | tail -n 1)
sed -n 's/.*"wall_s":\([0-9.]*\).*/\1/p' "$out"/runs/*/result.json | awk -v took="$(echo "$last - $begin" | awk '{ print $1 - $3 }')" '
    { sum += $1; n++; if ($1 > longest) longest = $1 }
    END { printf "slurm: %d runs took %.1f s (the longest %.1f s) on 3 processors in %.1f s: %.1f %% of ideal\n", n, sum, longest, took, 100 * sum / 3 / took }'
