#!/bin/sh
# The packages for boards' architectures, on this machine: unpacked into a bare Debian of that architecture that has only what they
# depend on, where the programs run by qemu's user-mode emulation and a simulation gives the same digits as here.
# `tools/foreign-test.sh [arm64 armhf]`, after `make deb ARCH=...`; needs root, mmdebstrap and qemu-user-static.
set -eu
cd "$(dirname "$0")/.."
built=${CARGO_TARGET_DIR:-target}/debug
die() { echo "foreign-test: $*" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "skipped: foreign-test: not root, so packages of other architectures are not run" >&2; exit 0; }
for arch in ${*:-arm64 armhf}; do
    case "$arch" in
        arm64) machine=aarch64 ;;
        armhf) machine=arm ;;
        *) die "$arch is no architecture of ours; say arm64 or armhf" ;;
    esac
    qemu=$(command -v qemu-$machine-static) || die "qemu-$machine-static is missing: make deps-image"
    command -v mmdebstrap >/dev/null || die "mmdebstrap is missing: make deps-image"
    debs=""
    needs=libc6
    for program in xpuck xpuckd; do
        deb=$(ls -t target/deb/"$program"_*_"$arch".deb 2>/dev/null | head -n 1)
        [ -n "$deb" ] || die "target/deb has no package $program for $arch: make deb ARCH=$arch"
        debs="$debs $deb"
        needs="$needs,$(dpkg-deb --field "$deb" Depends | sed 's/([^)]*)//g; s/ //g')"
    done
    # Kept, as it comes from the network. No script of a package runs in it, so the kernel need not know the architecture.
    bare=target/deb/foreign-$arch-$(echo "$needs" | cksum | cut -d ' ' -f 1).tar
    if [ ! -s "$bare" ]; then
        mmdebstrap --quiet --mode=root --format=tar --architectures="$arch" --variant=extract --include="$needs" bookworm "$bare.new"
        mv "$bare.new" "$bare"
    fi
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    tar -C "$root" -xf "$bare" --exclude='./dev/*'
    for deb in $debs; do
        dpkg-deb --extract "$deb" "$root"
    done
    cp "$qemu" "$root/qemu"
    cp docs/trees/806768.bt "$root/tree.bt"
    foreign() { chroot "$root" /qemu "$@"; }

    version=$(foreign /usr/bin/xpuckd --version)
    [ "$(foreign /usr/bin/xpuck --version)" = "$(echo "$version" | sed 's/xpuckd/xpuck/')" ] || die "$arch: xpuck and xpuckd differ in version"
    foreign /usr/bin/xpuckd selftest --help >/dev/null || die "$arch: xpuckd selftest --help fails"
    began=$(date +%s)
    there=$(foreign /usr/bin/xpuck simulate /tree.bt --runs 8 --seed 7 --json)
    took=$(($(date +%s) - began))
    here=$("$built/xpuck" simulate docs/trees/806768.bt --runs 8 --seed 7 --json)
    figures() { echo "$1" | grep -o '"mean":[-0-9.e]*'; }
    [ -n "$(figures "$here")" ] || die "the simulation here gives no mean: $here"
    [ "$(figures "$there")" = "$(figures "$here")" ] || die "$arch: $(figures "$there"), and here $(figures "$here")"
    echo "foreign-test: $arch: $version; a simulation gives $(figures "$there") there and here, in $took s"
    rm -rf "$root"
done
