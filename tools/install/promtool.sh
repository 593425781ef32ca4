#!/bin/sh
# Extracts Prometheus's promtool from Debian's package to a path: promtool.sh PATH. The package is not installed, because that
# would start a service. If it cannot be downloaded, reports that and leaves nothing.
set -eu
promtool="$1"
folder=${promtool%/usr/bin/promtool}
[ -x "$promtool" ] && exit 0
rm -rf "$folder" && mkdir -p "$folder"
download() { apt-get download -qq -o Acquire::Retries=3 prometheus; }
if problem=$(cd "$folder" && { download || { apt-get update -qq && download; }; } 2>&1 &&
    dpkg-deb -x prometheus_*.deb unpacked 2>&1 && mkdir -p usr/bin && mv unpacked/usr/bin/promtool usr/bin/ 2>&1); then
    rm -rf "$folder"/unpacked "$folder"/*.deb
else
    rm -rf "$folder"
    echo "skipped: promtool: metrics are not checked by it: $(echo "$problem" | tail -n 1)" >&2
fi
