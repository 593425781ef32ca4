#!/bin/sh
# Builds the playground into target/playground: static files for any web server. The WebAssembly library has its own target
# folder, target/wasm. Without a target for WebAssembly in rustup, Debian's compiler builds the standard library too.
set -eu
cd "$(dirname "$0")/.."
target=wasm32-unknown-unknown
out=target/playground
export CARGO_TARGET_DIR=target/wasm
build="build --profile wasm --target $target -p xpuck-playground --lib"
if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
    # shellcheck disable=SC2086
    RUSTFLAGS="-C target-feature=+simd128" cargo $build
else
    # shellcheck disable=SC2086
    PATH=/usr/bin:/bin RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER=wasm-ld-19 \
        RUSTFLAGS="-C target-feature=+simd128 -C linker-flavor=wasm-ld" \
        /usr/bin/cargo $build -Zbuild-std=std,panic_abort -Zbuild-std-features=
fi
rm -rf "$out"
mkdir -p "$out"
console=hub/service/console
for folder in arena link playground shared style tree vendor; do cp -R "$console/$folder" "$out/$folder"; done
cp "$console/icon.svg" "$out/icon.svg"
mv "$out/playground/page.html" "$out/index.html"
cp "target/wasm/$target/wasm/xpuck_playground.wasm" "$out/playground/xpuck.wasm"
python3 - "$out/playground/examples.json" <<'EOF'
import json, pathlib, sys

# Trees of Kilobots and networks are not for this page. The first tree is shown at the start.
trees = ["806768", "explore", "attract", "repel", "bsearch", "square", "wanderer", "gardening", "aac", "for"]
worlds = sorted(pathlib.Path("docs/worlds/missions").glob("*.toml")) + [pathlib.Path(f"docs/worlds/{name}.toml") for name in ["aggregation", "coverage", "dispersion", "foraging", "phototaxis"]]
read = lambda path: {"name": path.stem, "text": path.read_text()}
examples = {"trees": [read(pathlib.Path(f"docs/trees/{name}.bt")) for name in trees], "worlds": [read(path) for path in worlds]}
pathlib.Path(sys.argv[1]).write_text(json.dumps(examples))
EOF
size=$(find "$out" -type f ! -name '*.d.ts' -exec gzip -9 -c {} \; | wc -c)
echo "$out: $size bytes compressed; for example: python3 -m http.server --directory $out 8000"
