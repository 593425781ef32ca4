#!/bin/sh
# One robot's link to its body under load: ten minutes at 200 Hz against a virtual arena, one word of a hundred corrupted.
# The arena stands for a device that answers at once, so it runs before all others where the kernel allows that.
set -eu
minutes=${1:-10}
dir=$(mktemp -d)
cat >"$dir/swarm.toml" <<'TOML'
robots = ["xp01"]
[hub]
robots = "tcp://127.0.0.1:7851"
operator = "tcp://127.0.0.1:7852"
console = "127.0.0.1:7850"
TOML
cat >"$dir/arena.toml" <<TOML
swarm = "swarm.toml"
devices = "$dir/devices"
mocap = "127.0.0.1:0"
TOML
first=""
chrt -f 40 true 2>/dev/null && first="chrt -f 40"
$first target/debug/xpuck serve arena --config "$dir/arena.toml" >"$dir/arena.out" 2>&1 &
arena=$!
trap 'kill $arena 2>/dev/null || true; rm -rf "$dir"' EXIT
for _ in 1 2 3 4 5 6 7 8 9 10; do
    [ -S "$dir/devices/xp01.spi" ] && break
    sleep 1
done
target/debug/xpuckd bench spi --device "$dir/devices/xp01.spi" --minutes "$minutes" --speed 300
