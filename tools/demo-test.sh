#!/bin/sh
# A whole demo at the speed of the wall clock (16 minutes); its best tree must score more than 0.10 on fresh seeds.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target/debug/xpuck demo --speed 1 --output "$out" --no-console
tree=$(ls "$out"/demo-*/best.bt)
result=$(target/debug/xpuck simulate "$tree" --scenario mix --runs 1000 --seed 987654321 --json)
echo "$result"
mean=$(echo "$result" | sed 's/.*"mean":\([-0-9.e]*\).*/\1/')
echo "fitness of the best tree on fresh seeds: $mean"
awk "BEGIN { exit !($mean > 0.10) }" || { echo "demo-test: the best tree scores 0.10 or less" >&2; exit 1; }
