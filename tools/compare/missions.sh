#!/bin/sh
# Speed of missions beside built-in tasks, in robot-seconds per second: seven rounds, one after the other in each.
# Usage: sh tools/compare/missions.sh [XPUCK]
set -eu
xpuck=$(realpath "${1:-target/debug/xpuck}")
root=$(dirname "$(dirname "$(dirname "$(realpath "$0")")")")
cd "$(mktemp -d)"

# The benchmark's world without relocation of the frisbee, and the same world with regions, counts, items and a latch.
sed 's/kind = "transport"/kind = "transport-once"/' "$root/docs/worlds/transport.toml" > transport.toml
{
    sed 's/kind = "transport"/kind = "objective"\
score = "last(delivered(source, nest)) + mean(max(n(source), n(nest))) + mean(if(found, share(nest), 0))"\
worst = 0\
best = 10/' "$root/docs/worlds/transport.toml"
    cat << 'WORLD'
[[region]]
name = "source"
disc = { at_m = [0.6, 0.3], radius_m = 0.2 }
paint = "black"
[[region]]
name = "nest"
half_plane = { towards_deg = 180, from_m = 0.6 }
paint = "white"
[[latch]]
name = "found"
when = "n(source) > 2"
WORLD
} > regions.toml
# The world of the task aggregation, and the same world with clusters and pairs.
cp "$root/docs/worlds/aggregation.toml" aggregation.toml
sed 's/kind = "aggregation"/kind = "objective"\
score = "mean(cluster(0.15)) \/ N + mean(pairs()) * 0"\
worst = 0\
best = 1/; /^range_m/d' "$root/docs/worlds/aggregation.toml" > clusters.toml
# Tree 806768 behind two conditions that read the ground.
{
    printf 'sel\n  seq\n    ifsect s_ground 180deg 20deg\n    ifsect s_ground 0deg 20deg\n    movcv v_goal 0deg\n'
    grep -v '^#' "$root/docs/trees/806768.bt" | sed '/^ *$/d; s/^/  /'
} > ground.bt

for round in 1 2 3 4 5 6 7; do
    for pair in "ground.bt transport" "ground.bt regions" "$root/docs/trees/attract.bt aggregation" \
        "$root/docs/trees/attract.bt clusters"; do
        set -- $pair
        speed=$("$xpuck" simulate "$1" --world "$2.toml" --runs 2000 --engine simd | grep -o '[0-9]* a second')
        echo "$2 ${speed% a second}"
    done
done | sort -k1,1 -k2,2n | awk '{ all[$1] = all[$1] " " $2; n[$1]++; if (n[$1] == 4) median[$1] = $2 }
    END { for (world in all) print world ": median " median[world] ", all" all[world] }'
