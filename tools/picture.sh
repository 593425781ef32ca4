#!/bin/sh
# Makes docs/console.png: a demo runs, and a real browser takes a picture of its console.
set -eu
cd "$(dirname "$0")/.."
sh tools/deps.sh chromium
command -v npm >/dev/null 2>&1 || { echo "picture: npm is missing: apt-get install nodejs npm" >&2; exit 1; }
work=$(mktemp -d)
npm install --silent --no-audit --no-fund --prefix "$work" playwright-core@1.64.1
# The browser starts first: beside a busy swarm it takes minutes to come up. It waits for the console.
NODE_PATH="$work/node_modules" node tools/picture.cjs http://127.0.0.1:7700/ docs/console.png "${RUN_SECONDS:-225}" &
browser=$!
sleep 5
target/debug/xpuck demo --minutes 4 --speed 2 --ports 7700 --out "$work" >"$work/demo.txt" 2>&1 &
demo=$!
trap 'kill -INT $demo 2>/dev/null || true; wait $demo 2>/dev/null || true; rm -rf "$work"' EXIT
wait $browser
