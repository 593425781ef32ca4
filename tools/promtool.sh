#!/bin/sh
# Takes Prometheus's `promtool` out of Debian's package, to this PATH, without installing it: that would start a service.
# Where the package cannot be had it says so, and leaves nothing.
set -eu
promtool="$1"
folder=${promtool%/usr/bin/promtool}
[ -x "$promtool" ] && exit 0
rm -rf "$folder" && mkdir -p "$folder"
if problem=$(cd "$folder" && { apt-get download -qq prometheus || { apt-get update -qq && apt-get download -qq prometheus; }; } 2>&1 &&
    dpkg-deb -x prometheus_*.deb unpacked 2>&1 && mkdir -p usr/bin && mv unpacked/usr/bin/promtool usr/bin/ 2>&1); then
    rm -rf "$folder"/unpacked "$folder"/*.deb
else
    rm -rf "$folder"
    echo "skipped: promtool: metrics are not checked by it: $(echo "$problem" | tail -n 1)" >&2
fi
