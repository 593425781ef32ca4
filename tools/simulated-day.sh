#!/bin/sh
# Simulates a day of a swarm; after the first quarter memory may grow by less than 4 MiB.
set -eu
cd "$(dirname "$0")/.."
day=$(target/debug/xpuck dev fuzz-swarm --seconds 86400 --json)
memory=$(echo "$day" | sed 's/.*"memory_mib":\[\([^]]*\)\].*/\1/')
echo "memory at the start and after each quarter [MiB]: $memory"
echo "$memory" | awk -F, '{ exit !($2 > 0 && $4 < $2 + 4) }' || { echo "simulated-day: memory grows" >&2; exit 1; }
