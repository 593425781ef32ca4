# A Slurm of Debian's packages on this machine, as plain processes in a temporary folder: for tests, which read this file with `.`
# and then call slurm_begin. Nothing of the machine's own Slurm is touched.
# It gives $work (the folder), $programs (where xpuck is), $host, and names its nodes n1, n2 and so on.
skip() {
    echo "skipped: slurm: $1"
    exit 0
}
[ "$(id -u)" = 0 ] || skip "its daemons need root"
if ! command -v slurmctld >/dev/null 2>&1 || ! command -v munged >/dev/null 2>&1; then
    sh tools/install/deps.sh slurm-wlm || skip "its packages (slurm-wlm, munge) cannot be installed"
fi
programs=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd)
[ -x "$programs/xpuck" ] || { echo "slurm: no $programs/xpuck: make build" >&2; exit 1; }
host=$(hostname -s)
work=$(mktemp -d)
chmod 755 "$work"
export SLURM_CONF="$work/slurm.conf" PATH="$programs:$PATH"
mkdir "$work/state"
# Ports that nobody uses, from one on that differs between runs.
port=$((20000 + $$ % 20000))
daemons=""
# A disk that the test mounted below $work.
mounted=""

slurm_end() {
    scancel --quiet --full --signal=KILL --user="$(id -un)" 2>/dev/null || true
    sleep 1
    for daemon in $daemons; do kill "$daemon" 2>/dev/null || true; done
    sleep 2
    for daemon in $daemons; do kill -9 "$daemon" 2>/dev/null || true; done
    [ -z "$mounted" ] || umount "$mounted"
    rm -rf "$work"
}
trap slurm_end EXIT

# Waits at most $1 seconds until the rest of the arguments succeed.
within() {
    seconds=$1
    shift
    until "$@" >/dev/null 2>&1; do
        [ "$seconds" -gt 0 ] || return 1
        sleep 1
        seconds=$((seconds - 1))
    done
}
slurmd_begin() {
    slurmd -D -N "$1" >"$work/slurmd.$1.out" 2>&1 &
    echo $! >"$work/$1.daemon"
    daemons="$! $daemons"
}
all_idle() { [ "$(sinfo --noheader --format=%D --states=idle --partition="$1")" = "$2" ]; }

# $1 nodes of $2 processors (each, or of each), and partitions by the lines of slurm.conf that are $3; the first is $4.
# The node that GPU_NODE names has a GPU, as far as Slurm is concerned.
slurm_begin() {
    cat >"$SLURM_CONF" <<CONF
ClusterName=xpuck
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthInfo=socket=$work/munge.socket,cred_expire=5
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool.%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
KillWait=10
SlurmdTimeout=10
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=bf_interval=1,sched_min_interval=100000
SlurmdParameters=config_overrides
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
SlurmctldParameters=preempt_send_user_signal
CONF
    # Where there is one number only, cut gives it for every node.
    for k in $(seq "$1"); do
        gpu=""
        if [ "n$k" = "${GPU_NODE:-}" ]; then gpu="Gres=gpu:1"; fi
        echo "NodeName=n$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + k)) RealMemory=2000 CPUs=$(echo "$2" | cut -d' ' -f"$k") $gpu"
    done >>"$SLURM_CONF"
    if [ -n "${GPU_NODE:-}" ]; then
        echo "GresTypes=gpu" >>"$SLURM_CONF"
        echo "NodeName=$GPU_NODE Name=gpu File=/dev/null" >"$work/gres.conf"
    fi
    echo "$3" >>"$SLURM_CONF"
    head -c 1024 /dev/urandom >"$work/munge.key"
    chmod 600 "$work/munge.key"
    munged --foreground --force --key-file="$work/munge.key" --socket="$work/munge.socket" --num-threads=2 \
        --pid-file="$work/munge.pid" --log-file="$work/munge.log" --seed-file="$work/munge.seed" 2>"$work/munge.err" &
    daemons="$!"
    sleep 1
    slurmctld -D >"$work/slurmctld.out" 2>&1 &
    daemons="$! $daemons"
    for k in $(seq "$1"); do slurmd_begin "n$k"; done
    within 60 all_idle "$4" "$1" || {
        tail -n 5 "$work"/*.log "$work"/*.out >&2 || true
        skip "its daemons do not come up here; their last words are above"
    }
    echo "slurm: $(slurmctld -V) runs $1 nodes, processors: $2"
}

# Has a node die as without power: its daemon and whatever runs there are killed.
slurm_kill_node() {
    kill -9 "$(cat "$work/$1.daemon")"
    for process in $(grep -lz "^SLURMD_NODENAME=$1$" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3); do
        parent=$(sed -n 's/^PPid:\t//p' "/proc/$process/status" 2>/dev/null || true)
        case "$(cat "/proc/${parent:-0}/comm" 2>/dev/null || true)" in slurmstepd*) kill -9 "$parent" 2>/dev/null || true ;; esac
        kill -9 "$process" 2>/dev/null || true
    done
}
