#!/bin/sh
# Tests the hub's web page: `console-test.sh units` its modules and types, `console-test.sh browser` the whole of it in a real
# browser beside a demo; without an argument both. XPUCK_BIN names another folder of programs than target/debug. Pictures of
# what failed are in target/console-test.
set -eu
cd "$(dirname "$0")/.."
what=${1:-units browser}
rm -rf target/console-test
if ! node=$(sh tools/install/node.sh 2>&1); then
    echo "skipped: console-test: the page is not tested: $(echo "$node" | tail -n 1)" >&2
    exit 0
fi
PATH=$(echo "$node" | tail -n 1):$PATH
export PATH
tests=hub/service/console-tests
case "$what" in *units*) node --test --test-reporter=spec "$tests"/*.test.js ;; esac
if ! problem=$(sh tools/install/console-packages.sh 2>&1); then
    echo "skipped: console-test: the page's types are not checked, and no browser looks at it: $problem" >&2
    exit 0
fi
case "$what" in *units*) "$tests/node_modules/.bin/tsc" -p "$tests" ;; esac
case "$what" in *browser*)
    # One file after another: each has a swarm of its own.
    node --test --test-reporter=spec --test-concurrency=1 "$tests"/e2e/*.test.mjs
    ;;
esac
