#!/bin/sh
# Prints the path of mdBook, which renders Markdown as code hosts do. The version is pinned here.
set -eu
exec sh "$(dirname "$0")/tool.sh" mdbook 0.5.4 --no-default-features --features search
