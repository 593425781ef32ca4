#!/bin/sh
# A whole demo at the speed of the wall clock (16 minutes), and its best tree measured on fresh seeds.
set -eu
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target/debug/xpuck demo --speed 1 --out "$out" --no-console
tree=$(ls "$out"/demo-*/best.bt)
result=$(target/debug/xpuck simulate "$tree" --scenario mix --runs 1000 --seed 987654321 --json)
echo "$result"
echo "$result" | python3 -c '
import json, sys
mean = json.load(sys.stdin)["mean"]
print("fitness of the best tree on fresh seeds:", round(mean, 4))
sys.exit(0 if mean > 0.10 else "the best tree scores 0.10 or less")'
