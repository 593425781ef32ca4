#!/bin/sh
# Builds the programs for another architecture into target/cross/ARCH: `sh systemd/packaging/cross.sh arm64|armhf
# [PROGRAMS]`. MIRROR selects another Debian archive. The standard library comes from rustup if the target is
# installed (`rustup target add TRIPLE`); otherwise Debian's compiler builds it.
set -eu
cd "$(dirname "$0")/../.."
arch=${1:?which architecture: arm64 or armhf}
case "$arch" in
    arm64) triple=aarch64-unknown-linux-gnu gnu=aarch64-linux-gnu ;;
    armhf) triple=armv7-unknown-linux-gnueabihf gnu=arm-linux-gnueabihf ;;
    *) echo "cross: $arch is not supported; choose arm64 or armhf" >&2; exit 2 ;;
esac
programs=${2:-xpuck xpuckd}
suite=bookworm
mkdir -p target/cross
cross=$(realpath target/cross)
sysroot=$cross/sysroot-$arch
libraries=libc6-dev,libstdc++-12-dev,libgcc-12-dev,libzmq3-dev,libsodium-dev,libusb-1.0-0-dev,libudev-dev,linux-libc-dev,libapriltag-dev,libsqlite3-dev,libzstd-dev

# Debian's libraries of that architecture are only unpacked: they are not run here, and this machine's dpkg need not
# support the architecture.
if [ "$(cat "$sysroot/made-of" 2>/dev/null)" != "$suite $libraries" ]; then
    rm -rf "$sysroot" "$sysroot.new"
    echo "cross: Debian's libraries for $arch"
    mmdebstrap --quiet --architectures="$arch" --variant=extract --include="$libraries" "$suite" "$sysroot.new" \
        ${MIRROR:+"deb $MIRROR $suite main"}
    echo "$suite $libraries" >"$sysroot.new/made-of"
    mv "$sysroot.new" "$sysroot"
fi

under=$(echo "$triple" | tr - _)
upper=$(echo "$under" | tr a-z A-Z)
export "CC_$under=$gnu-gcc" "CXX_$under=$gnu-g++" "CARGO_TARGET_${upper}_LINKER=$gnu-gcc"
export "CFLAGS_$under=--sysroot=$sysroot" "CXXFLAGS_$under=--sysroot=$sysroot"
export "CARGO_TARGET_${upper}_RUSTFLAGS=-C link-arg=--sysroot=$sysroot -C link-arg=-Wl,-rpath-link,$sysroot/usr/lib/$gnu"
export PKG_CONFIG_ALLOW_CROSS=1 PKG_CONFIG_SYSROOT_DIR="$sysroot"
export PKG_CONFIG_LIBDIR="$sysroot/usr/lib/$gnu/pkgconfig:$sysroot/usr/share/pkgconfig:$sysroot/usr/lib/pkgconfig"
export CARGO_TARGET_DIR="$cross/build"

if [ -d "$(rustc --print sysroot 2>/dev/null)/lib/rustlib/$triple/lib" ]; then
    set -- cargo build
else
    # Building the standard library requires an unstable feature; the variable enables it in a stable compiler.
    export PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    set -- /usr/bin/cargo build -Zbuild-std=std,panic_abort
fi
for program in $programs; do
    set -- "$@" --bin "$program"
done
"$@" --locked --target "$triple"
mkdir -p "$cross/$arch"
for program in $programs; do
    "$gnu-strip" -o "$cross/$arch/$program.new" "$cross/build/$triple/debug/$program"
    mv "$cross/$arch/$program.new" "$cross/$arch/$program"
done
ls -l "$cross/$arch"
