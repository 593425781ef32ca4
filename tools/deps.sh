#!/bin/sh
# Installs the Debian packages named as arguments that are missing, or says how to.
set -eu
missing=""
for package in "$@"; do
    case "$package" in
        pkg-config) command -v pkg-config >/dev/null 2>&1 || missing="$missing $package" ;;
        gcc) command -v cc >/dev/null 2>&1 || missing="$missing gcc libc6-dev" ;;
        g++) command -v c++ >/dev/null 2>&1 || missing="$missing $package" ;;
        libzmq3-dev) pkg-config --exists libzmq 2>/dev/null || missing="$missing $package" ;;
        libapriltag-dev) pkg-config --exists apriltag 2>/dev/null || missing="$missing $package" ;;
        libsqlite3-dev) pkg-config --exists sqlite3 2>/dev/null || missing="$missing $package" ;;
        libusb-1.0-0-dev) pkg-config --exists libusb-1.0 2>/dev/null || missing="$missing $package" ;;
        mesa-vulkan-drivers)
            find /usr/share/vulkan/icd.d /etc/vulkan/icd.d -name '*.json' 2>/dev/null | grep -q . ||
                missing="$missing $package libvulkan1"
            ;;
        faketime) command -v faketime >/dev/null 2>&1 || missing="$missing $package" ;;
        libclang-dev)
            find /usr/lib/llvm-*/lib -name libclang.so 2>/dev/null | grep -q . || missing="$missing $package"
            ;;
        slurm-wlm) command -v slurmctld >/dev/null 2>&1 || missing="$missing $package munge" ;;
        python3-venv) python3 -c 'import ensurepip' 2>/dev/null || missing="$missing $package" ;;
        chromium) command -v chromium >/dev/null 2>&1 || missing="$missing $package" ;;
    esac
done
if ! command -v cargo >/dev/null 2>&1; then
    echo "deps: cargo is missing: install Rust 1.90 or newer from https://rustup.rs" >&2
    exit 1
fi
[ -z "$missing" ] && exit 0
if ! command -v apt-get >/dev/null 2>&1; then
    echo "deps: missing:$missing; this is no Debian system, install them by its own means" >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    sudo=""
elif command -v sudo >/dev/null 2>&1; then
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
