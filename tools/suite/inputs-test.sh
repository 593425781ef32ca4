#!/bin/sh
# Hides all pages and sources from the Rust tests that tools/suite/inputs.toml does not name, and runs those: a test that reads a
# page or a source without being named fails here. Needs root, for a mount namespace of its own.
set -eu
cd "$(dirname "$0")/../.."
[ "$(id -u)" = 0 ] || { echo "skipped: inputs-test: not root, so files cannot be hidden" >&2; exit 0; }
python3 tools/suite/rust.py build
# With all of the configuration, because a profile inherits only from profiles of its own file.
{ cat .config/nextest.toml; python3 tools/suite/rust.py unnamed; } >target/suite/unnamed.toml
unshare --mount --propagation private sh -euc '
    git ls-files -z "*.md" "*.rs" | xargs -0 -n 1 mount --bind /dev/null
    "${XPUCK_NEXTEST:-cargo-nextest}" nextest run --binaries-metadata target/suite/binaries.json --cargo-metadata target/suite/metadata.json \
        --config-file target/suite/unnamed.toml --profile unnamed --no-fail-fast'
