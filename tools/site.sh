#!/bin/sh
# Builds the site of the documentation into target/site from the pages and from the output of `cargo doc` in target/doc, and
# checks its links. The site has the playground of target/playground if it was built (`make playground`).
set -eu
cd "$(dirname "$0")/.."
pages=target/site-pages
mdbook=$(sh tools/install/mdbook.sh)
python3 site/stage.py "$pages"
rm -rf target/site
# mdBook exits with 0 after a warning, for example about an unreadable configuration.
output=$("$mdbook" build "$pages" 2>&1) || { echo "$output" >&2; exit 1; }
if echo "$output" | grep -q -E '^ *(WARN|ERROR)'; then
    echo "$output" >&2
    exit 1
fi
# Hard links save a copy of 150 MB.
cp -Rl target/doc target/site/api
[ ! -d target/playground ] || cp -R target/playground target/site/playground
python3 site/check.py target/site "$pages"
