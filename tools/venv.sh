#!/bin/sh
# Puts Python packages that tests need into an environment of their own: venv.sh DIRECTORY LOSS PACKAGE... Where PyPI cannot
# be reached it says so, with the LOSS, and leaves no environment.
set -eu
venv="$1" loss="$2"
shift 2
# An environment of other packages is made anew.
[ "$(cat "$venv/ready" 2>/dev/null)" = "$*" ] && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
if problem=$("$venv/bin/pip" install --quiet --disable-pip-version-check --timeout 20 --retries 1 \
    --only-binary :all: "$@" 2>&1); then
    echo "$*" >"$venv/ready"
else
    rm -rf "$venv"
    echo "skipped: $(basename "$venv"): $loss: $(echo "$problem" | tail -n 1)" >&2
fi
