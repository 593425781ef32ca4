#!/bin/sh
# Tests the Python package. `python-test.sh` takes the module from target/debug (`make python-test` builds it there);
# `python-test.sh wheel` builds the wheel with all libraries in it, and installs it in a new environment with NumPy alone.
set -eu
cd "$(dirname "$0")/.."
tools="$PWD/target/python-venv"
if [ ! -x "$tools/bin/maturin" ]; then
    echo "skipped: python-test: the Python package is not tried (make deps-python)"
    exit 0
fi
export XPUCK="$PWD/target/debug/xpuck"
if [ "${1:-module}" = wheel ]; then
    wheels=target/wheels/test fresh=target/python-fresh
    rm -rf "$wheels"
    "$tools/bin/maturin" build --quiet --profile dev --features bundled -m hub/python/Cargo.toml -o "$wheels"
    wheel=$(ls "$wheels"/*.whl)
    bytes=$(wc -c <"$wheel")
    [ "$bytes" -lt 20000000 ] || { echo "python-test: $wheel has $bytes bytes; the limit is 20 MB" >&2; exit 1; }
    python3 -m venv --clear "$fresh"
    "$fresh/bin/pip" install --quiet --disable-pip-version-check --retries 3 "$wheel"
    "$fresh/bin/python" -W error -c 'import xpuck; print(xpuck.__version__, xpuck.simulate(xpuck.Tree("explore 20"), runs=2))'
    "$tools/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
else
    module=target/python-module
    rm -rf "$module"
    mkdir -p "$module"
    cp -R hub/python/python/xpuck "$module/xpuck"
    cp target/debug/lib_xpuck.so "$module/xpuck/_xpuck.abi3.so"
    "$tools/bin/pip" uninstall --quiet --yes --disable-pip-version-check xpuck 2>/dev/null || true
    export PYTHONPATH="$PWD/$module" MYPYPATH="$PWD/$module"
    bytes=$(wc -c <"$module/xpuck/_xpuck.abi3.so")
    echo "python-test: the module has $bytes bytes"
fi
cd hub/python
"$tools/bin/python" -m mypy.stubtest xpuck._xpuck
"$tools/bin/python" -m mypy -p xpuck
"$tools/bin/python" -m pytest -q -rs -p no:cacheprovider tests
