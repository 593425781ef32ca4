#!/bin/sh
# The hub of an older revision with robots' programs of this one, and the other way round: a short demo with each reaches RUN,
# evolves and ends, and neither side refuses a message. REV names the older revision, PORT the first of four free ports.
set -eu
cd "$(dirname "$0")/.."
rev=${REV:-d143702f0f5710635cf753ed29058a2e2b77e1df}
port=${PORT:-7860}
new=$(realpath "${CARGO_TARGET_DIR:-target}/debug")
die() { echo "skew-test: $*" >&2; exit 1; }
for program in xpuck xpuckd; do
    [ -x "$new/$program" ] || die "$new/$program is missing: make build"
done
git rev-parse --quiet --verify "$rev^{commit}" >/dev/null || die "there is no revision $rev here: fetch all of the history, or name one by REV"
mkdir -p target/skew
skew=$(realpath target/skew)
if [ -d "$skew/tree" ]; then
    git -C "$skew/tree" checkout --quiet --detach "$rev"
else
    git worktree add --quiet --force --detach "$skew/tree" "$rev"
fi
(cd "$skew/tree" && CARGO_TARGET_DIR="$skew/build" cargo build --locked --quiet --bin xpuck --bin xpuckd)
old=$skew/build/debug

# pair NAME HUB ROBOTS: the demo starts the robots' program that lies beside it.
pair() {
    rm -rf "${skew:?}/$1" && mkdir -p "$skew/$1"
    cp "$2/xpuck" "$3/xpuckd" "$skew/$1"
    said=$skew/$1/said
    "$skew/$1/xpuck" demo --count 3 --minutes 2 --speed 8 --population 16 --no-console --ports "$port" --output "$skew/$1/out" \
        >"$said" 2>&1 || { tail -n 20 "$said" >&2; die "$1: the run failed"; }
    logs=$(echo "$skew/$1"/out/demo-*/logs)
    grep -q ': RUN$' "$logs/hub.log" || die "$1: the hub never said RUN: $logs"
    ! grep -h 'refused' "$logs"/*.log >&2 || die "$1: messages were refused: $logs"
    [ -s "$logs/../best.bt" ] || die "$1: no tree was evolved"
    echo "skew-test: $1: $(grep -o '^segment 6.*generation [0-9]*' "$said"), best tree $(grep -c . "$logs/../best.bt") lines"
}
pair old-hub-new-robots "$old" "$new"
pair new-hub-old-robots "$new" "$old"
