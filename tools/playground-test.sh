#!/bin/sh
# Tests the playground of target/playground: its digits against `xpuck`, and the page in a real browser.
set -eu
cd "$(dirname "$0")/.."
node=$(sh tools/install/node.sh)
PATH=$(echo "$node" | tail -n 1):$PATH
export PATH
sh tools/install/console-packages.sh
exec node --test --test-reporter=spec --test-concurrency=1 hub/service/console-tests/playground/*.test.mjs
