# Runs inside the booted container; prints `all is well` or the failed check.
set -eu
fail() {
    echo "wrong: $*"
    systemctl status --no-pager -n 10 xpuckd xpuck-hub arena || true
    journalctl --no-pager -n 60 || true
    exit 1
}
property() { systemctl show "$1" -p "$2" --value; }
# Waits until a command succeeds, up to a number of seconds.
until_true() {
    seconds=$1 what=$2
    shift 2
    end=$(($(date +%s) + seconds))
    until "$@"; do
        [ "$(date +%s)" -lt "$end" ] || fail "not within $seconds s: $what"
        sleep 0.2
    done
}
restarts_are() { [ "$(property xpuckd NRestarts)" -ge "$1" ]; }
healthy() { curl -s -o /dev/null -w '%{http_code}\n' http://127.0.0.1:7980/health | grep -qE '^(200|503)$'; }
robot_says() { property xpuckd StatusText | grep -q "$1"; }

until_true 30 "the hub answers /health" healthy
[ "$(property xpuck-hub ActiveState)" = active ] || fail "the hub runs but does not report READY"
waits() { journalctl --no-pager -u xpuckd | grep -q 'waiting for the arena'; }
until_true 20 "the robot without devices logs that it waits" waits
[ "$(property xpuckd ActiveState)" != active ] || fail "a robot without devices is READY"
healthy || fail "a waiting robot disturbs the hub"
echo "told: the hub answers; a robot without devices waits for them"

systemctl start arena
until_true 30 "the robot is READY and hears the hub" robot_says "the body answers, the hub is heard"
[ "$(property xpuckd ActiveState)" = active ] || fail "a robot with devices is not READY"
pid=$(property xpuckd MainPID)
case $(property xpuckd ControlGroup) in
    /xpuck.slice/xpuck-evolve.slice/xpuckd.service) ;;
    *) fail "the robot is in $(property xpuckd ControlGroup)" ;;
esac
ps -L -o comm=,cls=,rtprio= -p "$pid" | sed 's/^/thread: /'
ps -L -o comm=,cls=,rtprio= -p "$pid" | grep -Eq '^control +FF +40' || fail "the control loop is not real-time"
[ "$(ps -o user= -p "$pid")" = xpuck ] || fail "the robot runs as another user"
# Bit 23 is CAP_SYS_NICE.
allowed=0000000000000000
[ ! -e /etc/systemd/system/xpuckd.service.d/limit.conf ] || allowed=0000000000800000
for kind in CapEff CapBnd; do
    grep -q "^$kind:.$allowed" "/proc/$pid/status" || fail "the robot has $(grep "^$kind" "/proc/$pid/status")"
done
echo "told: READY with devices and hub; control loop real-time, no more capabilities than granted"

# Only the control thread is stopped: all other threads continue, and none of them may feed the watchdog.
before=$(property xpuckd NRestarts)
touch /root/stop-control
until_true 10 "the control thread is stopped" test -e /root/control-stopped
until_true 20 "the watchdog restarts the robot" restarts_are $((before + 1))
journalctl --no-pager -u xpuckd | grep -q 'Watchdog timeout' || fail "the robot was restarted, but not by the watchdog"
until_true 30 "the robot is READY again" robot_says "the body answers"
echo "told: a blocked control loop is restarted"
failed=$(systemctl --failed --no-legend --plain | awk '/xpuck/ { print $1 }')
[ -z "$failed" ] || fail "failed: $failed"
echo "all is well"
