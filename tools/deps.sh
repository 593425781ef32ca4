#!/bin/sh
# Installs the Debian packages named as arguments that are missing, or says how to.
set -eu
missing=""
has() { command -v "$1" >/dev/null 2>&1; }
for package in "$@"; do
    case "$package" in
        pkg-config) has pkg-config || missing="$missing $package" ;;
        gcc) has cc || missing="$missing gcc libc6-dev" ;;
        g++) has c++ || missing="$missing $package" ;;
        cmake) has cmake || missing="$missing $package" ;;
        libzmq3-dev) pkg-config --exists libzmq 2>/dev/null || missing="$missing $package" ;;
        libapriltag-dev) pkg-config --exists apriltag 2>/dev/null || missing="$missing $package" ;;
        libsqlite3-dev) pkg-config --exists sqlite3 2>/dev/null || missing="$missing $package" ;;
        libusb-1.0-0-dev) pkg-config --exists libusb-1.0 2>/dev/null || missing="$missing $package" ;;
        libzstd-dev) pkg-config --exists libzstd 2>/dev/null || missing="$missing $package" ;;
        mesa-vulkan-drivers)
            find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name '*.json' 2>/dev/null | grep -q . ||
                missing="$missing $package libvulkan1"
            ;;
        gcc-avr) has avr-gcc || missing="$missing $package" ;;
        avr-libc) [ -e /usr/lib/avr/include/avr/io.h ] || missing="$missing $package" ;;
        libsimavr-dev) [ -e /usr/include/simavr/sim_avr.h ] || missing="$missing $package" ;;
        faketime) has faketime || missing="$missing $package" ;;
        libclang-dev)
            find /usr/lib/llvm-*/lib -name libclang.so 2>/dev/null | grep -q . || missing="$missing $package"
            ;;
        procps) { has pgrep && [ -x /bin/kill ]; } || missing="$missing $package" ;;
        slurm-wlm) has slurmctld || missing="$missing $package munge" ;;
        python3) has python3 || missing="$missing $package" ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null || missing="$missing $package" ;;
        liburdfdom-tools) has check_urdf || missing="$missing $package" ;;
        chromium) has chromium || missing="$missing $package" ;;
        nodejs) has node || missing="$missing $package" ;;
        pngquant) has pngquant || missing="$missing $package" ;;
        npm) has npm || missing="$missing $package" ;;
        rustc-web) [ -x /usr/bin/rustc ] || missing="$missing $package cargo-web rust-web-src" ;;
        g++-aarch64-linux-gnu) has aarch64-linux-gnu-g++ || missing="$missing $package" ;;
        g++-arm-linux-gnueabihf) has arm-linux-gnueabihf-g++ || missing="$missing $package" ;;
        arch-test) has arch-test || missing="$missing $package" ;;
        qemu-user-static) has qemu-aarch64-static || missing="$missing $package" ;;
        cpio) has cpio || missing="$missing $package" ;;
        qemu-system-x86) has qemu-system-x86_64 || missing="$missing $package" ;;
        qemu-system-arm) has qemu-system-aarch64 || missing="$missing $package" ;;
        btrfs-progs) has mkfs.btrfs || missing="$missing $package" ;;
        dosfstools) has mkfs.vfat || missing="$missing $package" ;;
        mtools) has mcopy || missing="$missing $package" ;;
        kmod) has depmod || missing="$missing $package" ;;
        zstd) has zstd || missing="$missing $package" ;;
        device-tree-compiler) has dtc || missing="$missing $package" ;;
        mmdebstrap) has mmdebstrap || missing="$missing $package" ;;
        systemd-container) has systemd-nspawn || missing="$missing $package" ;;
        lintian) has lintian || missing="$missing $package" ;;
        buildah) has buildah || missing="$missing $package" ;;
        fdisk) has sfdisk || missing="$missing $package" ;;
        xz-utils) has xz || missing="$missing $package" ;;
        yosys | nextpnr-ice40 | iverilog | verilator | z3 | openscad | xauth) has "$package" || missing="$missing $package" ;;
        fpga-icestorm) has icepack || missing="$missing $package" ;;
        fpga-icestorm-chipdb) [ -e /usr/share/fpga-icestorm/chipdb/chipdb-1k.txt ] || missing="$missing $package" ;;
        xvfb) has xvfb-run || missing="$missing $package" ;;
        ffmpeg) has ffmpeg || missing="$missing $package" ;;
        librsvg2-bin) has rsvg-convert || missing="$missing $package" ;;
        poppler-utils) has pdffonts || missing="$missing $package" ;;
        fonts-liberation)
            find /usr/share/fonts -name 'LiberationSans-Regular.ttf' 2>/dev/null | grep -q . || missing="$missing $package"
            ;;
        openssl) has openssl || missing="$missing $package" ;;
        *)
            echo "deps: how to see whether $package is there? Say it in tools/deps.sh" >&2
            exit 2
            ;;
    esac
done
wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../Cargo.toml")
if ! has cargo; then
    echo "deps: cargo is missing: install Rust $wanted or newer from https://rustup.rs" >&2
    exit 1
fi
found=$(cargo --version | cut -d ' ' -f 2)
if [ "$(printf '%s\n' "$wanted" "$found" | sort -V | head -n 1)" != "$wanted" ]; then
    echo "deps: this is Rust $found; install $wanted or newer from https://rustup.rs" >&2
    exit 1
fi
[ -z "$missing" ] && exit 0
if ! has apt-get; then
    echo "deps: missing:$missing; this is no Debian system, install them by its own means" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    sudo=""
elif has sudo; then
    sudo="sudo"
else
    echo "deps: missing:$missing; run as root: apt-get install --no-install-recommends$missing" >&2
    exit 1
fi
echo "deps: installing$missing"
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# shellcheck disable=SC2086 # a list of packages
$sudo apt-get install -y -qq --no-install-recommends $missing
