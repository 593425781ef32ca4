#!/bin/sh
# Puts what reads records and their tables from Python into an environment of its own: record-venv.sh DIRECTORY. Where
# PyPI cannot be reached it says so and leaves no environment.
set -eu
venv="$1"
[ -e "$venv/ready" ] && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
if problem=$("$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --only-binary :all: pandas pyarrow matplotlib mcap 2>&1); then
    touch "$venv/ready"
else
    rm -rf "$venv"
    echo "record-venv: skipped, records are not read from Python: $(echo "$problem" | tail -n 1)" >&2
fi
