#!/bin/sh
# Prints the path of a program that cargo builds, and installs the program if necessary:
# tool.sh NAME VERSION [CARGO-INSTALL-OPTION...]
#
# A program on PATH of at least VERSION is used. Otherwise cargo installs VERSION once per machine, into
# ${XDG_CACHE_HOME:-$HOME/.cache}/xpuck/tools/NAME-VERSION. Concurrent calls are safe: one builds, the others wait.
set -eu
[ $# -ge 2 ] || { echo "usage: tool.sh NAME VERSION [CARGO-INSTALL-OPTION...]" >&2; exit 2; }
name=$1 version=$2
shift 2
say() { echo "tool: $*" >&2; }
# Whether a program runs and is new enough.
fits() {
    found=$("$1" --version 2>/dev/null | grep -oE '[0-9]+(\.[0-9]+)+' | head -n 1)
    [ -n "$found" ] && [ "$(printf '%s\n' "$version" "$found" | sort -V | head -n 1)" = "$version" ]
}
own=$(command -v "$name" || true)
if [ -n "$own" ] && fits "$own"; then
    echo "$own"
    exit 0
fi
tools=${XDG_CACHE_HOME:-$HOME/.cache}/xpuck/tools
root=$tools/$name-$version
program=$root/bin/$name
if ! fits "$program"; then
    mkdir -p "$tools"
    exec 9>"$root.lock"
    flock -n 9 || { say "waiting for another build of $name $version"; flock 9; }
fi
# Another call may have built it in the meantime.
if ! fits "$program"; then
    say "building $name $version, once per machine; this takes minutes"
    # Folders of killed builds; the lock is ours.
    rm -rf "$root".??????
    new=$(mktemp -d "$root.XXXXXX")
    trap 'rm -rf "$new"' EXIT
    trap 'exit 1' HUP INT TERM
    # The build folder of the project would keep hundreds of megabytes. The compiler must not inherit the lock.
    CARGO_TARGET_DIR="$new/build" cargo install "$name" --version "$version" --locked --quiet --root "$new" "$@" >&2 9>&- ||
        { say "cannot build $name $version"; exit 1; }
    fits "$new/bin/$name" || { say "$name $version was built but reports another version"; exit 1; }
    rm -rf "$new/build" "$root"
    mv "$new" "$root"
fi
echo "$program"
