#!/bin/sh
# Takes the pictures of docs/operate.md, docs/playground.md and of the README, in a real browser beside a demo (some five minutes).
set -eu
cd "$(dirname "$0")/.."
sh tools/install/deps.sh pngquant
sh tools/install/console-packages.sh
PATH=$(sh tools/install/node.sh):$PATH
export PATH
node hub/service/console-tests/e2e/screenshots.mjs docs/operate
node hub/service/console-tests/playground/screenshot.mjs docs/playground/page.png
