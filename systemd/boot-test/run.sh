#!/bin/sh
# Boots a robot's card in a virtual machine, with power cuts and damage to the card: `make boot-test`, or with
# ARCH=armhf for 32 bits. CUTS, DAMAGES and SEED set the number of cuts and damages and the random seed; MIRROR is
# another Debian archive.
set -eu
cd "$(dirname "$0")/../.."
arch=${ARCH:-${ARM:-arm64}}
case "$arch" in
    arm64) board=qemu-arm64 ;;
    armhf) board=qemu-arm ;;
    *) echo "boot-test: $arch is not supported; choose ARCH=arm64 or ARCH=armhf" >&2; exit 2 ;;
esac
if [ "$(id -u)" != 0 ]; then
    echo "boot-test: requires root (loop devices, mounts): run it with sudo" >&2
    exit 1
fi
work=target/boot-test/$arch
step() { echo "boot-test: $* ($(($(date +%s) - begun)) s)"; }
begun=$(date +%s)
cargo build --quiet
step "this machine's programs are built"
sh systemd/packaging/cross.sh "$arch"
step "the board's programs are built"
OUT=target/deb/$arch XPUCK_DEB_FAST=1 sh systemd/packaging/deb.sh "$arch"
packages=target/deb/$arch
package=$(ls -t "$packages"/xpuckd_*_"$arch".deb | head -n 1)
# Two newer packages, and one between them whose program does not run.
mkdir -p "$work/packages"
newer() {
    rm -rf "$work/packages/$1"
    dpkg-deb --raw-extract "$package" "$work/packages/$1"
    printf 'version = "%s"\ncounter = %s\n' "$2" "$3" >"$work/packages/$1/usr/lib/xpuck/release"
    [ -z "$4" ] || printf '#!/bin/sh\nexit 1\n' >"$work/packages/$1/usr/bin/xpuckd"
    dpkg-deb --root-owner-group -Zgzip -z1 --build "$work/packages/$1" "$work/packages/$1.deb" >/dev/null
}
counter=$(dpkg-deb --fsys-tarfile "$package" | tar -xO ./usr/lib/xpuck/release | sed -n 's/^counter = //p')
newer newer 98.0.0 $((counter + 1)) ""
newer broken 98.5.0 $((counter + 2)) broken
newer newest 99.0.0 $((counter + 3)) ""
step "its packages are made"
mkdir -p "$work"
target/debug/xpuck keys new --dir "$work/keys"
target/debug/xpuck card build --board "$board" --output "$work/$board.xpb" --cache target/image-cache \
    --key "$work/keys/operators/operator.key" --package "$package" ${MIRROR:+--mirror "$MIRROR"}
step "its image is built"
rm -rf "$work/run"
target/debug/xpuck-boot-test --architecture "$arch" --image "$work/$board.xpb" --keys "$work/keys" --work "$work/run" \
    --newer "$work/packages/newer.deb" --newest "$work/packages/newest.deb" --broken "$work/packages/broken.deb" \
    --cuts "${CUTS:-20}" --damages "${DAMAGES:-5}" --seed "${SEED:-1}"
step "done"
