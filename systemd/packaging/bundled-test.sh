#!/bin/sh
# Builds the programs with bundled libraries (systemd/packaging/bundled.sh) and runs a swarm for a short time: hub,
# arena and robots with keys, therefore over CURVE. PORT is the first of four free ports.
set -eu
cd "$(dirname "$0")/../.."
sh systemd/packaging/bundled.sh
bin=${CARGO_TARGET_DIR:-target}/bundled/bin
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$bin/xpuck" demo --count 3 --minutes 2 --speed 8 --population 16 --no-console --ports "${PORT:-7850}" --output "$out" >"$out/said" 2>&1 ||
    { tail -n 20 "$out/said" >&2; echo "bundled-test: the run failed" >&2; exit 1; }
grep -q ': RUN$' "$out"/demo-*/logs/hub.log || { echo "bundled-test: the hub never logged RUN" >&2; exit 1; }
[ -s "$(ls "$out"/demo-*/best.bt)" ] || { echo "bundled-test: no tree was evolved" >&2; exit 1; }
[ -n "$(ls "$out"/demo-*/keys/hub.key)" ] || { echo "bundled-test: the run had no keys" >&2; exit 1; }
"$bin/xpuck" runs --runs "$out" list >"$out/list" || { cat "$out/list" >&2; echo "bundled-test: the run is not in the catalogue" >&2; exit 1; }
echo "bundled-test: $(grep -o '^segment 6.*generation [0-9]*' "$out/said"); $(tail -n 1 "$out/list")"
