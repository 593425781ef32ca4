#!/bin/sh
# Two robots evolve and drive for half an hour; their memory, once a minute, has to stay flat: at most 60 MB, and the last
# third at most 5 % above the second.
set -eu
minutes=${1:-30}
out=$(mktemp -d)
target/debug/xpuck demo --count 2 --minutes "$minutes" --speed 1 --population 64 --no-console --ports 7860 --output "$out" >"$out/log" 2>&1 &
demo=$!
trap 'kill -INT $demo 2>/dev/null || true; wait $demo 2>/dev/null || true; rm -rf "$out"' EXIT
end=$(($(date +%s) + minutes * 60 - 30))
while [ "$(date +%s)" -lt "$end" ]; do
    sleep 20
    for pid in $(pgrep -P $demo -x xpuckd); do
        awk -v pid="$pid" '/^VmRSS/ { print pid, $2 }' "/proc/$pid/status" 2>/dev/null || true
    done
done >"$out/memory"
awk '{ n[$1]++; kb[$1, n[$1]] = $2; if ($2 > most) most = $2 }
    END {
        for (pid in n) {
            a = b = 0; k = int(n[pid] / 3)
            for (i = k + 1; i <= 2 * k; i++) a += kb[pid, i] / k
            for (i = 2 * k + 1; i <= 3 * k; i++) b += kb[pid, i] / k
            printf "robot %s: %d readings, middle third %.1f MB, last third %.1f MB\n", pid, n[pid], a / 1024, b / 1024
            if (k < 2 || b > 1.05 * a) bad = 1
        }
        printf "most: %.1f MB\n", most / 1024
        exit (most == 0 || most > 60 * 1024 || bad)
    }' "$out/memory" || { echo "memory is not flat, or above 60 MB" >&2; exit 1; }
