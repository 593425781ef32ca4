#!/bin/sh
# Prints the path of cargo-nextest, and installs it first if it is missing.
set -eu
exec sh "$(dirname "$0")/tool.sh" cargo-nextest 0.9.143 --no-default-features --features default-no-update
