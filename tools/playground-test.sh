#!/bin/sh
# Builds the playground, and tests it: its digits against `xpuck`, and the page in a real browser.
set -eu
cd "$(dirname "$0")/.."
skip() {
    echo "skipped: playground: the page in a browser is not tested: $1" >&2
    exit 0
}
sh tools/playground.sh || { [ $? = 77 ] && skip "no compiler for WebAssembly"; exit 1; }
node=$(sh tools/install/node.sh 2>&1) || skip "$(echo "$node" | tail -n 1)"
PATH=$(echo "$node" | tail -n 1):$PATH
export PATH
problem=$(sh tools/install/console-packages.sh 2>&1) || skip "$problem"
exec node --test --test-reporter=spec --test-concurrency=1 hub/service/console-tests/playground/*.test.mjs
