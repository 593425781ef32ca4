#!/bin/sh
# A whole swarm of real processes for so many minutes of arena time at so high a speed: after the first 10 of 90 parts no
# process may grow by more than 10 MB. `tools/flat.sh` runs a day in 90 minutes, `tools/flat.sh 60 32` an hour in two.
set -eu
minutes=${1:-1440}
speed=${2:-16}
robots=${3:-3}
port=${4:-7870}
xpuck=${XPUCK:-target/debug/xpuck}
out=$(mktemp -d)
"$xpuck" demo --robots "$robots" --minutes "$minutes" --speed "$speed" --population 32 --ports "$port" --output "$out" \
    >"$out/log" 2>&1 &
demo=$!
trap 'kill -INT $demo 2>/dev/null || true; wait $demo 2>/dev/null || true; rm -rf "$out"' EXIT
seconds=$(awk "BEGIN { printf \"%d\", $minutes * 60 / $speed }")
pause=$(awk "BEGIN { p = $seconds / 270; print (p < 1 ? 1 : p) }")
began=$(date +%s)
while now=$(($(date +%s) - began)) && [ "$now" -lt "$((seconds - 5))" ]; do
    sleep "$pause"
    kill -0 $demo 2>/dev/null || { tail -n 5 "$out/log"; echo "flat: the swarm ended after $now s" >&2; exit 1; }
    for pid in $demo $(pgrep -P $demo); do
        awk -v pid="$pid" -v now="$now" '/^Name/ { name = $2 } /^VmRSS/ { print now, pid, name, $2 }' \
            "/proc/$pid/status" 2>/dev/null || true
    done
done >"$out/memory"
# xpuck is demo, arena and hub: the command line tells which.
for pid in $demo $(pgrep -P $demo); do
    echo "$pid $(tr '\0' ' ' <"/proc/$pid/cmdline" | awk '{ sub(".*/", "", $1); print $1, $2 }')"
done >"$out/names" 2>/dev/null || true
awk -v warm="$((seconds / 9))" -v arena="$minutes" '
    FNR == NR { what[$1] = $2 " " $3; next }
    $1 >= warm { if (!($2 in first)) first[$2] = $4; if ($4 > most[$2]) most[$2] = $4; last[$2] = $4; n[$2]++ }
    END {
        for (pid in first) {
            if (n[pid] < 3) continue
            grown = (most[pid] - first[pid]) / 1024
            printf "%-22s %6.1f MB after the warm-up, %6.1f at most, %6.1f at the end\n", what[pid], first[pid] / 1024, \
                most[pid] / 1024, last[pid] / 1024
            if (grown > 10) bad = 1
            seen++
        }
        if (seen < 3) { print "flat: too few processes were seen"; exit 1 }
        exit bad
    }' "$out/names" "$out/memory" || { echo "memory is not flat" >&2; exit 1; }
