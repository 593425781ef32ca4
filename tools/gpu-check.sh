#!/bin/sh
# Measures evolution on a GPU in less than five minutes: the engine alone, one run, and a sweep of twenty seeds with the
# thesis's budget in one process. docs/performance.md shows the results.
#
#     sh tools/gpu-check.sh [XPUCK]                # default: target/debug/xpuck
set -eu
xpuck=${1:-target/debug/xpuck}
[ -x "$xpuck" ] || { echo "gpu-check: $xpuck is missing; build it with 'cargo build -p xpuck-hub --bin xpuck'" >&2; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$xpuck" dev engines
"$xpuck" dev bench --engine gpu --worlds 65536
for algorithm in racing median-stopping; do
    echo "one run of $algorithm:"
    "$xpuck" evolve --engine gpu --algorithm "$algorithm" --set generations=10000 --set budget=52254720 --seed 9 --remeasure 10 --json |
        tail -n 1 | grep -o '"robot_seconds":[^,]*\|"r_acc":[^,]*\|"wall_s":[^,]*'
    cat > "$folder/$algorithm.toml" <<END
name = "gpu-$algorithm"
seeds = "1-20"
[base]
algorithm = "$algorithm"
generations = 10000
budget = 52254720
remeasure = 10
END
    echo "twenty seeds of $algorithm at once:"
    time "$xpuck" sweep run "$folder/$algorithm.toml" --output "$folder/$algorithm" --engine gpu --quiet
done
