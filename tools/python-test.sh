#!/bin/sh
# The Python package as a wheel, in new environments: with NumPy alone, and with what its tests need. python-test.sh ENVIRONMENT
set -eu
tools="$PWD/$1" wheels=target/wheels/test fresh=target/python-fresh
if [ ! -x "$tools/bin/maturin" ]; then
    echo "skipped: python-test: the Python package is not tried (make deps-python)"
    exit 0
fi
rm -rf "$wheels"
# Of the profile that all tests are built with; `make wheel` makes the one for people.
"$tools/bin/maturin" build --quiet --profile dev --features bundled -m hub/python/Cargo.toml -o "$wheels"
wheel=$(ls "$wheels"/*.whl)
python3 -m venv --clear "$fresh"
"$fresh/bin/pip" install --quiet --disable-pip-version-check "$wheel"
"$fresh/bin/python" -W error -c 'import xpuck; print(xpuck.__version__, xpuck.simulate(xpuck.Tree("explore 20"), runs=2))'
bytes=$(wc -c <"$wheel")
[ "$bytes" -lt 20000000 ] || { echo "python-test: $wheel has $bytes bytes; less than 20 MB were promised" >&2; exit 1; }
"$tools/bin/pip" install --quiet --disable-pip-version-check --force-reinstall --no-deps "$wheel"
export XPUCK="$PWD/target/debug/xpuck"
cd hub/python
"$tools/bin/python" -m mypy.stubtest xpuck._xpuck
"$tools/bin/python" -m mypy -p xpuck
"$tools/bin/python" -m pytest -q -p no:cacheprovider tests
