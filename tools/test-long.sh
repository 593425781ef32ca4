#!/bin/sh
# Islands on a real Slurm of one node, a sweep on one of three, and the templates for other schedulers; the readers of trees fuzzed for a minute each; ten thousand seeds of the
# simulation test, and a day of it in flat memory; a robot's link under load for ten minutes, and its memory for
# half an hour; a day of arena time with real processes in flat memory; crowds of 20 000 strangers at every port of a hub;
# a hub killed at 100 random moments; Kilobots' trees in a simulator of their processor; a record damaged in 10000 ways;
# 50 bodies that walk in PyBullet as well; programs with all libraries in them; an older hub with these robots and the
# other way round; drivers of cameras against a kernel; the shim's logic with many seeds and deeper proofs, and a robot of
# a demo through it; packages for other architectures under emulation, and the archive for containers; then a
# whole demo at the speed of the wall clock (16 minutes), and its best tree measured on fresh seeds.
set -eu
sh tools/slurm-test.sh
sh tools/slurm-bodies-test.sh
sh tools/slurm-sweep-test.sh
sh tools/cluster-templates-test.sh "${XPUCK_CLUSTER_PYTHON:-none}"
sh tools/fuzz.sh 60
target/debug/xpuck fuzz-swarm --seeds 10000
day=$(target/debug/xpuck fuzz-swarm --seconds 86400 --json)
memory=$(echo "$day" | sed 's/.*"memory_mib":\[\([^]]*\)\].*/\1/')
echo "memory of a day of the simulation test, at the start and after each quarter, MiB: $memory"
echo "$memory" | awk -F, '{ exit !($2 > 0 && $4 < $2 + 4) }' || { echo "memory grows" >&2; exit 1; }
sh tools/robot-test.sh 10
sh tools/soak.sh 30
sh tools/flat.sh 1440 16 3
XPUCK_ATTACK=20000 cargo test --workspace --test it attack:: -- --nocapture --test-threads 1
XPUCK_KILLS=100 cargo test --workspace --test it hub_killed_at_random_moments -- --nocapture
XPUCK_WALKS=50 cargo test --workspace --test it bodies_get_as_far_as_in_pybullet -- --nocapture
XPUCK_SIMAVR_TREES=5000 cargo test -p xpuck-kernels --test kilobot simavr -- --nocapture
XPUCK_DAMAGES=10000 cargo test -p xpuck-record --lib of_a_record_damaged_anywhere -- --nocapture
sh tools/bundled-test.sh
sh tools/skew-test.sh
sh tools/devices-test.sh
make -C fpga long
sh tools/fpga-demo.sh
if [ "$(id -u)" = 0 ]; then
    for arch in arm64 armhf; do
        sh tools/cross.sh $arch
        sh tools/deb.sh $arch
    done
    sh tools/foreign-test.sh
    sh tools/deb.sh
    sh tools/oci.sh
else
    echo "skipped: test-long: not root, so no packages for other architectures and no archive for containers" >&2
fi
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target/debug/xpuck demo --speed 1 --out "$out" --no-console
tree=$(ls "$out"/demo-*/best.bt)
result=$(target/debug/xpuck simulate "$tree" --scenario mix --runs 1000 --seed 987654321 --json)
echo "$result"
mean=$(echo "$result" | sed 's/.*"mean":\([-0-9.e]*\).*/\1/')
echo "fitness of the best tree on fresh seeds: $mean"
awk "BEGIN { exit !($mean > 0.10) }" || { echo "the best tree scores 0.10 or less" >&2; exit 1; }
