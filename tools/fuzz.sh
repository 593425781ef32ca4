#!/bin/sh
# Fuzzes each reader of trees, messages, streams and files with libFuzzer for so many seconds (60 if none are given): no
# panic, no input that takes 5 s, no more than 64 MiB for trees and 256 MiB for the others. What fails is kept in
# target/fuzz/findings, what is worth trying again in target/fuzz/corpus. The flags instrument the code as `cargo fuzz`
# does, on the stable compiler.
set -eu
cd "$(dirname "$0")/.."
seconds=${1:-60}
host=$(rustc -vV | sed -n 's/^host: //p')
flags="-Cpasses=sancov-module -Ccodegen-units=1"
for option in level=4 inline-8bit-counters pc-table trace-compares; do
    flags="$flags -Cllvm-args=-sanitizer-coverage-$option"
done
out=${CARGO_TARGET_DIR:-target}
RUSTFLAGS="$flags" cargo build --profile fuzz --locked -p xpuck-fuzz --features libfuzzer --target "$host" --target-dir "$out/fuzz"

# Every name of the languages; the trees of the documentation, a wide one and a deep one in each of them.
mkdir -p "$out/fuzz/findings" "$out/fuzz/seeds"
cp docs/trees/*.bt "$out/fuzz/seeds"
{ echo seq && yes "  avoiding" | head -n 255; } >"$out/fuzz/seeds/wide.bt"
awk 'BEGIN { for (i = 0; i < 64; i++) printf "%*sinvert\n", 2 * i, ""; printf "%*ssuccessl\n", 128, "" }' \
    >"$out/fuzz/seeds/deep.bt"
grep -o '`[a-z_.]*`' docs/nodes.md | tr -d '`' | sort -u | sed 's/.*/"&"/' >"$out/fuzz/names"

# fuzz TARGET MiB OPTION...: runs it on its corpus.
fuzz() {
    target=$1
    limit=$2
    shift 2
    log=$out/fuzz/$target.log
    if ! "$out/fuzz/$host/fuzz/$target" "$out/fuzz/corpus/$target" -max_total_time="$seconds" -timeout=5 \
        -rss_limit_mb="$limit" -max_len=65536 -artifact_prefix="$out/fuzz/findings/$target-" -print_final_stats=1 "$@" \
        >"$log" 2>&1; then
        tail -n 30 "$log"
        echo "fuzz: $target failed; the input is in $out/fuzz/findings" >&2
        exit 1
    fi
    covered=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1)
    stat() { sed -n "s/^stat::$1: *//p" "$log"; }
    echo "$target: $(stat number_of_executed_units) executions, $covered, $(stat peak_rss_mb) MiB at most"
}

for target in text xml json binary; do
    format=$target
    [ "$target" = binary ] && format=bin
    corpus=$out/fuzz/corpus/$target
    mkdir -p "$corpus"
    for tree in "$out"/fuzz/seeds/*.bt; do
        "$out/debug/xpuck" tree convert "$tree" --to "$format" >"$corpus/$(basename "$tree")"
    done
    fuzz "$target" 64 -dict="$out/fuzz/names"
done
"$out/fuzz/$host/fuzz/seeds" "$out/fuzz/corpus"
for target in messages vicon vrpn natnet files groot devices record monitors evaluation curricula; do
    fuzz "$target" 256
done
