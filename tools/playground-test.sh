#!/bin/sh
# `playground-test.sh build` builds the playground, `playground-test.sh test` compares its digits with those of `xpuck` and tests the
# page in a real browser; without an argument both.
set -eu
cd "$(dirname "$0")/.."
what=${1:-build test}
skip() {
    echo "skipped: playground: the page in a browser is not tested: $1" >&2
    exit 0
}
case "$what" in *build*) sh tools/playground.sh || { [ $? = 77 ] && skip "no compiler for WebAssembly"; exit 1; } ;; esac
case "$what" in *test*) ;; *) exit 0 ;; esac
[ -d target/playground ] || skip "it was not built"
node=$(sh tools/install/node.sh 2>&1) || skip "$(echo "$node" | tail -n 1)"
PATH=$(echo "$node" | tail -n 1):$PATH
export PATH
problem=$(sh tools/install/console-packages.sh 2>&1) || skip "$problem"
exec node --test --test-reporter=spec --test-concurrency=1 hub/service/console-tests/playground/*.test.mjs
