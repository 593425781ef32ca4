#!/bin/sh
# Measures evolution on a GPU in less than five minutes: the engine alone, one run, and a sweep of twenty seeds in one process,
# each with the thesis's budget. docs/performance.md holds earlier results.
#
#     sh tools/gpu-check.sh [XPUCK]                # default: target/debug/xpuck
#
# BUDGET (robot-seconds of a run), SEEDS and WORLDS (of the engine's measurement) may be set, for example to try the script.
set -eu
xpuck=${1:-target/debug/xpuck}
budget=${BUDGET:-52254720}
[ -x "$xpuck" ] || { echo "gpu-check: $xpuck is missing; build it with 'cargo build -p xpuck-hub --bin xpuck'" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$xpuck" dev engines
"$xpuck" dev bench --engine gpu --worlds "${WORLDS:-65536}"
for algorithm in racing median-stopping; do
    cat > "$folder/$algorithm.toml" <<END
name = "gpu-$algorithm"
seeds = "${SEEDS:-1-20}"
[base]
algorithm = "$algorithm"
generations = 10000
budget = $budget
remeasure = 10
END
    echo "one run of $algorithm:"
    "$xpuck" evolve --engine gpu --algorithm "$algorithm" --seed 9 --generations 10000 --budget "$budget" --remeasure 10 --json |
        tail -n 1 | grep -o '"robot_seconds":[^,]*\|"r_acc":[^,]*\|"wall_s":[^,]*'
    began=$(date +%s)
    "$xpuck" sweep run "$folder/$algorithm.toml" --output "$folder/$algorithm" --engine gpu --quiet
    echo "seeds ${SEEDS:-1-20} of $algorithm at once: $(($(date +%s) - began)) s"
done
