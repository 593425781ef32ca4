#!/bin/sh
# Boots a root with the packages in a container: `boot.sh ROOT WORK`. A script inside checks the system; this script
# stops only the control thread, with a debugger call, when the inner script requests it.
set -eu
root=$1 work=$2 here=$(dirname "$0")
die() { echo "deb-test: $*" >&2; exit 1; }
inside() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 "$@"; }
# A swarm of one robot in an arena, as an operator creates it; the robot's files are copied to the robot's folder.
inside xpuck init /etc/xpuck-hub --count 1 --ports 7980 >/dev/null
cp -r "$root/etc/xpuck-hub/keys" "$root/etc/xpuck-hub/swarm.toml" "$root/etc/xpuck/"
cp "$root/etc/xpuck-hub/robots/xp01.toml" "$root/etc/xpuck/robots/"
ln -s robots/xp01.toml "$root/etc/xpuck/robot.toml"
sed -i 's|^directory = .*|directory = "/run/arena"|' "$root/etc/xpuck/robots/xp01.toml"
sed -i 's|^devices = .*|devices = "/run/arena"|' "$root/etc/xpuck-hub/arena.toml"
echo qemu-arm64 >"$root/etc/xpuck/board"
inside chown -R xpuck:xpuck /etc/xpuck/keys /etc/xpuck/robots
inside chown -R xpuck-hub:xpuck-hub /etc/xpuck-hub/keys
# The robot creates its lock next to the arena's sockets.
mkdir -p "$root/etc/systemd/system/xpuckd.service.d"
printf '[Service]\nReadWritePaths=-/run/arena\n' >"$root/etc/systemd/system/xpuckd.service.d/arena.conf"
# If this machine does not permit higher limits, a capability replaces the unit's limit.
if ! prlimit --rtprio=45 true 2>/dev/null; then
    echo "skipped: deb-test: this machine does not allow raising limits (CAP_SYS_RESOURCE): CAP_SYS_NICE is tested instead of LimitRTPRIO" >&2
    printf '[Service]\nCapabilityBoundingSet=CAP_SYS_NICE\nAmbientCapabilities=CAP_SYS_NICE\n' \
        >"$root/etc/systemd/system/xpuckd.service.d/limit.conf"
fi
cat >"$root/etc/systemd/system/arena.service" <<'UNIT'
[Service]
User=xpuck
SupplementaryGroups=xpuck-hub
RuntimeDirectory=arena
ExecStart=/usr/bin/xpuck serve arena --config /etc/xpuck-hub/arena.toml
UNIT
cat >"$root/etc/systemd/system/judge.service" <<'UNIT'
[Unit]
After=basic.target
[Service]
ExecStart=/bin/sh /root/judge.sh
StandardOutput=append:/root/judge.log
StandardError=append:/root/judge.log
ExecStopPost=/bin/systemctl --no-block poweroff --force --force
[Install]
WantedBy=basic.target
UNIT
cp "$here/judge.sh" "$root/root/judge.sh"
inside systemctl enable judge.service >/dev/null 2>&1
inside systemctl mask systemd-udevd.service systemd-udev-trigger.service systemd-networkd-wait-online.service >/dev/null 2>&1
timeout 150 systemd-nspawn -q -D "$root" --register=no --keep-unit --private-network -b >"$work/console.log" 2>&1 </dev/null &
container=$!
trap 'kill $container 2>/dev/null || true; wait $container 2>/dev/null || true' EXIT
stopped=""
while kill -0 $container 2>/dev/null; do
    if [ -z "$stopped" ] && [ -e "$root/root/stop-control" ]; then
        stopped=yes
        python3 "$here/hold_thread.py" control $container "$root/root/control-stopped" >&2 &
    fi
    sleep 0.2
done
grep -qx 'all is well' "$root/root/judge.log" 2>/dev/null || {
    tail -n 20 "$work/console.log"
    cat "$root/root/judge.log" 2>/dev/null || true
    die "the booted packages failed a check"
}
sed -n 's/^told: /deb-test: booted: /p' "$root/root/judge.log"
