#!/bin/sh
# Builds the programs and packages for arm64 and armhf, runs them under emulation, and makes the image for containers.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "skipped: foreign-all: not root, so no packages for other architectures" >&2; exit 0; }
for arch in arm64 armhf; do
    sh systemd/packaging/cross.sh $arch
    sh systemd/packaging/deb.sh $arch
done
sh tools/foreign-test.sh
sh systemd/packaging/deb.sh
sh systemd/packaging/oci.sh
