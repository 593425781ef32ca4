#!/bin/sh
# A short demo whose first robot's SPI and camera go through the shim's own logic; part of make test-long.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
cargo build --quiet --features xpuck-hub/fpga
target/debug/xpuck demo --count 2 --speed 1 --minutes 1 --fpga --no-console --ports 17640 --output "$out"
target/debug/xpuck runs show "$out"/demo-*/transport-* | tee "$out/shown"
grep -q 'no robot was lost' "$out/shown"
cargo build --quiet
echo "fpga-demo: both robots lived through it"
