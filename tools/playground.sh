#!/bin/sh
# Builds the playground into target/playground: static files for any web server. The WebAssembly library has its own target
# folder, target/wasm. Without a target for WebAssembly in rustup, Debian's compiler builds the standard library too. Exits with 77
# if neither is installed.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
export CARGO_TARGET_DIR=target/wasm
build="build --profile wasm --target $target -p xpuck-playground --lib"
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    # shellcheck disable=SC2086
    RUSTFLAGS="-C target-feature=+simd128" cargo $build
elif [ ! -x /usr/bin/rustc ] || [ ! -x /usr/bin/cargo ] || [ ! -d /usr/lib/rustlib/src/rust ] || ! command -v wasm-ld-19 >/dev/null; then
    echo "no compiler for WebAssembly: \`rustup target add $target\`, or Debian's rustc-web, cargo-web, rust-web-src and lld-19" >&2
    exit 77
else
    # shellcheck disable=SC2086
    PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
        RUSTFLAGS="-C target-feature=+simd128 -C linker-flavor=wasm-ld" \
        /usr/bin/cargo $build -Zbuild-std=std,panic_abort -Zbuild-std-features=
fi
exec python3 tools/playground.py "target/wasm/$target/wasm/xpuck_playground.wasm" target/playground
