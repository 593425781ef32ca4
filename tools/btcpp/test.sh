#!/bin/sh
# Asks BehaviorTree.CPP: its parser opens every tree of docs and 500 random ones, as files and as Groot2 gets them, and a
# thousand trees of its nodes are ticked there and here, and its publisher for Groot2 is asked beside ours. Its answers are written into kernels/tests/trees/btcpp-*.txt, which
# `make test` checks. DIR holds its source, version 4 (https://github.com/BehaviorTree/BehaviorTree.CPP), which is built under
# target/btcpp with the libraries that it brings along. Needs cmake and a C++ compiler.
set -eu
dir=${1:-${XPUCK_BTCPP_SOURCE:-}}
if [ -z "$dir" ] && [ "${XPUCK_LONG:-}" ]; then
    echo "skipped: btcpp: XPUCK_BTCPP_SOURCE does not name the source of BehaviorTree.CPP; its recorded answers were checked" >&2
    exit 0
fi
if [ ! -f "$dir/CMakeLists.txt" ]; then
    echo "btcpp-test: say where the source of BehaviorTree.CPP is: sh tools/btcpp/test.sh DIR" >&2
    exit 1
fi
source=$(cd "$dir" && pwd)
cd "$(dirname "$0")/../.."
sh tools/install/deps.sh cmake g++ libzmq3-dev
out=$(mkdir -p "${CARGO_TARGET_DIR:-target}/btcpp" && cd "${CARGO_TARGET_DIR:-target}/btcpp" && pwd)
log=$out/build.log
# shellcheck disable=SC2046 # a list of files
if ! {
    cmake -S "$source" -B "$out/build" -DCMAKE_BUILD_TYPE=Debug -DBTCPP_SHARED_LIBS=OFF -DBUILD_TESTING=OFF \
        -DBTCPP_EXAMPLES=OFF -DBTCPP_BUILD_TOOLS=OFF -DBTCPP_SQLITE_LOGGING=OFF -DBTCPP_GROOT_INTERFACE=ON &&
        cmake --build "$out/build" --parallel "$(nproc)" &&
        for program in open ticks groot; do
            c++ -std=c++17 -I "$source/include" -I "$source/3rdparty/tinyxml2" tools/btcpp/$program.cpp -o "$out/$program" \
                -Wl,--start-group $(find "$out/build/" -name '*.a') -Wl,--end-group -lzmq -ldl -pthread || exit 1
        done
} >"$log" 2>&1; then
    tail -n 30 "$log" >&2
    echo "btcpp-test: BehaviorTree.CPP does not build; the whole log is $log" >&2
    exit 1
fi
XPUCK_BTCPP_VERSION=$(sed -n 's/^project(behaviortree_cpp VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
export XPUCK_BTCPP_VERSION XPUCK_BTCPP="$out/open" XPUCK_BTCPP_TICKS="$out/ticks" XPUCK_BTCPP_GROOT="$out/groot"
cargo test -p xpuck-kernels --test trees -- --ignored its_parser_opens_every_tree behaviortree_cpp_ticks_what_we_read
cargo test -p xpuck-robot --test groot -- --ignored answers_as_the_publisher_of_behaviortree_cpp
