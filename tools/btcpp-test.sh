#!/bin/sh
# Lets the parser of BehaviorTree.CPP open XML of ours: every tree of docs/trees and a hundred random ones, as files and
# as Groot2 gets them. DIR holds its source, version 4 (https://github.com/BehaviorTree/BehaviorTree.CPP), which is
# built under target/btcpp with the libraries that it brings along. Needs cmake and a C++ compiler.
set -eu
if [ ! -f "${1:-}/CMakeLists.txt" ]; then
    echo "btcpp-test: say where the source of BehaviorTree.CPP is: sh tools/btcpp-test.sh DIR" >&2
    exit 1
fi
source=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
sh tools/deps.sh cmake g++
out=$(mkdir -p "${CARGO_TARGET_DIR:-target}/btcpp" && cd "${CARGO_TARGET_DIR:-target}/btcpp" && pwd)
log=$out/build.log
# shellcheck disable=SC2046 # a list of files
if ! {
    cmake -S "$source" -B "$out/build" -DCMAKE_BUILD_TYPE=Debug -DBTCPP_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
        -DBTCPP_EXAMPLES=OFF -DBTCPP_BUILD_TOOLS=OFF -DBTCPP_SQLITE_LOGGING=OFF -DBTCPP_GROOT_INTERFACE=OFF &&
        cmake --build "$out/build" --parallel "$(nproc)" &&
        c++ -std=c++17 -I "$source/include" -I "$source/3rdparty/tinyxml2" tools/btcpp-open.cpp -o "$out/open" \
            -Wl,--start-group $(find "$out/build/" -name '*.a') -Wl,--end-group -ldl -pthread
} >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "btcpp-test: BehaviorTree.CPP does not build; the whole log is $log" >&2
    exit 1
fi
XPUCK_BTCPP=$out/open cargo test -p xpuck-kernels --test trees its_parser_opens_every_tree -- --ignored
