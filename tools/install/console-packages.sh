#!/bin/sh
# Installs the packages of the console's tests in the versions of their lock file. If npm's registry cannot be reached, prints
# the reason and exits with 1, within two minutes.
set -eu
cd "$(dirname "$0")/../../hub/service/console-tests"
ready=node_modules/ready
wanted=$(cat package.json package-lock.json | sha256sum)
[ "$(cat "$ready" 2>/dev/null)" = "$wanted" ] && exit 0
if problem=$(npm ci --no-audit --no-fund --loglevel=error --fetch-retries=3 --fetch-timeout=20000 \
    --fetch-retry-mintimeout=2000 --fetch-retry-maxtimeout=10000 2>&1); then
    echo "$wanted" >"$ready"
else
    echo "$problem" | grep -m 1 -E 'request to|getaddrinfo|timeout at|code E' >&2 || echo "$problem" | tail -n 1 >&2
    exit 1
fi
