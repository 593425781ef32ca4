#!/bin/sh
# Installs those of the Debian packages named as arguments that are missing, or prints how to. Also checks Rust's version.
set -eu
# Users other than root often lack the folders of administration programs.
PATH=$PATH:/usr/sbin:/sbin
missing=""
has() { command -v "$1" >/dev/null 2>&1; }
# Whether a library for C is installed.
library() { pkg-config --exists "$1" 2>/dev/null; }
# Whether folders contain a file of that name: found NAME FOLDER...
found() {
    name=$1
    shift
    find "$@" -name "$name" 2>/dev/null | grep -q .
}
for package in "$@"; do
    # Packages that this one recommends and that we need.
    also=""
    case "$package" in
        arch-test | buildah | chromium | cmake | cpio | faketime | ffmpeg | iverilog | kmod | lintian | mmdebstrap | nextpnr-ice40 | npm | \
            openscad | openssl | pkg-config | pngquant | python3 | verilator | xauth | yosys | z3 | zstd) has "$package" ;;
        avr-libc) [ -e /usr/lib/avr/include/avr/io.h ] ;;
        btrfs-progs) has mkfs.btrfs ;;
        cargo-web) [ -x /usr/bin/cargo ] ;;
        device-tree-compiler) has dtc ;;
        dosfstools) has mkfs.vfat ;;
        fdisk) has sfdisk ;;
        fonts-liberation) found LiberationSans-Regular.ttf /usr/share/fonts ;;
        fpga-icestorm) has icepack ;;
        fpga-icestorm-chipdb) [ -e /usr/share/fpga-icestorm/chipdb/chipdb-1k.txt ] ;;
        g++) has c++ ;;
        g++-aarch64-linux-gnu) has aarch64-linux-gnu-g++ ;;
        g++-arm-linux-gnueabihf) has arm-linux-gnueabihf-g++ ;;
        gcc) also=libc6-dev && has cc ;;
        gcc-avr) has avr-gcc ;;
        libapriltag-dev) library apriltag ;;
        librsvg2-bin) has rsvg-convert ;;
        libsimavr-dev) [ -e /usr/include/simavr/sim_avr.h ] ;;
        libsqlite3-dev) library sqlite3 ;;
        liburdfdom-tools) has check_urdf ;;
        libusb-1.0-0-dev) library libusb-1.0 ;;
        libzmq3-dev) library libzmq ;;
        libzstd-dev) library libzstd ;;
        lld-19) has wasm-ld-19 ;;
        mesa-vulkan-drivers) also=libvulkan1 && found '*.json' /usr/share/vulkan/icd.d /etc/vulkan/icd.d ;;
        mtools) has mcopy ;;
        nodejs) has node ;;
        poppler-utils) has pdffonts ;;
        procps) has pgrep && [ -x /bin/kill ] ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null ;;
        qemu-system-arm) has qemu-system-aarch64 ;;
        qemu-system-x86) has qemu-system-x86_64 ;;
        qemu-user-static) has qemu-aarch64-static ;;
        rust-web-src) [ -d /usr/lib/rustlib/src/rust/library ] ;;
        rustc-web) [ -x /usr/bin/rustc ] ;;
        slurm-wlm) also=munge && has slurmctld ;;
        systemd-container) has systemd-nspawn ;;
        xvfb) has xvfb-run ;;
        xz-utils) has xz ;;
        *)
            echo "deps: $package: tools/install/deps.sh has no rule that detects this package; add one" >&2
            exit 2
            ;;
    esac || missing="$missing $package${also:+ $also}"
done
oldest=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$(dirname "$0")/../../Cargo.toml")
# `tomllib` reads the tables of tools/suite. Builds alone need no Python.
case " $* " in *" python3 "*)
    if has python3 && ! python3 -c 'import tomllib' 2>/dev/null; then
        echo "deps: $(python3 --version) is too old: install Python 3.11 or newer" >&2
        exit 1
    fi
    ;;
esac
if ! has cargo; then
    echo "deps: cargo is missing: install Rust $oldest or newer from https://rustup.rs" >&2
    exit 1
fi
found=$(cargo --version | cut -d ' ' -f 2)
if [ "$(printf '%s\n' "$oldest" "$found" | sort -V | head -n 1)" != "$oldest" ]; then
    echo "deps: Rust $found is too old: install $oldest or newer from https://rustup.rs" >&2
    exit 1
fi
[ -z "$missing" ] && exit 0
if ! has apt-get; then
    echo "deps: missing:$missing; this system has no apt-get: install them with its own package manager" >&2
    exit 1
fi
sudo=""
if [ "$(id -u)" != 0 ]; then
    has sudo || { echo "deps: missing:$missing; run as root: apt-get install --no-install-recommends$missing" >&2; exit 1; }
    sudo="sudo"
fi
# Runs apt-get. While another program holds a lock (dpkg's, or that of the lists, which DPkg::Lock::Timeout does not cover),
# retries for ten minutes. The output is printed only after a failure.
apt_get() {
    deadline=$(($(date +%s) + 600)) waiting=""
    # The lock's error message is recognised in English.
    until output=$($sudo env DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 apt-get -qq -o Acquire::Retries=3 "$@" 2>&1 </dev/null); do
        case "$output" in
            *"Could not get lock"* | *"Unable to lock"* | *"is locked by another process"*) ;;
            *) deadline=0 ;;
        esac
        [ "$(date +%s)" -lt "$deadline" ] || { echo "$output" >&2; return 1; }
        [ -n "$waiting" ] || echo "deps: another program is installing packages; waiting for up to 10 minutes"
        waiting=yes
        sleep 2
    done
}
echo "deps: installing$missing"
apt_get update
# shellcheck disable=SC2086 # a list of packages
apt_get install -y --no-install-recommends $missing
