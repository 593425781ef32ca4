#!/bin/sh
# Puts the third-party motion-capture clients into a Python environment of their own, for the tests of the arena's
# streams: mocap-venv.sh DIRECTORY. Where PyPI cannot be reached it says so and leaves no environment.
set -eu
venv="$1"
[ -e "$venv/ready" ] && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
if problem=$("$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --only-binary :all: motioncapture==1.1 numpy 2>&1); then
    touch "$venv/ready"
else
    rm -rf "$venv"
    echo "mocap-venv: skipped, the arena's streams are not read by third parties: $(echo "$problem" | tail -n 1)" >&2
fi
