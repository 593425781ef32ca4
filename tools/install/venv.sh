#!/bin/sh
# Installs Python packages for tests into a virtual environment: venv.sh DIRECTORY LOSS PACKAGE... Other packages than before
# rebuild the environment. If PyPI cannot be reached, it reports that LOSS is skipped, within two minutes, and leaves no
# environment. Concurrent calls are safe.
set -eu
venv="$1" loss="$2"
shift 2
is_ready() { [ "$(cat "$venv/ready" 2>/dev/null)" = "$*" ] && "$venv/bin/python" -c "" 2>/dev/null; }
is_ready "$@" && exit 0
mkdir -p "$(dirname "$venv")"
exec 9>"$venv.lock"
flock 9
is_ready "$@" && exit 0
rm -rf "$venv"
python3 -m venv "$venv"
options="--quiet --disable-pip-version-check --retries 3 --timeout 30"
# Whether the package index answers. An installation without a route would try each address of each server for 30 s.
index_answers() {
    name=$(echo "$1" | sed 's/[^A-Za-z0-9._-].*//')
    # shellcheck disable=SC2086 # options
    timeout 100 "$venv/bin/pip" index versions "$name" $options 2>&1 ||
        { [ $? != 124 ] || echo "no answer from the package index within 100 s"; return 1; }
}
# shellcheck disable=SC2086 # options
if problem=$(index_answers "$1") && problem=$("$venv/bin/pip" install $options --no-compile --only-binary :all: "$@" 2>&1); then
    echo "$*" >"$venv/ready"
else
    rm -rf "$venv"
    echo "skipped: $(basename "$venv"): $loss: $(echo "$problem" | tail -n 1)" >&2
fi
