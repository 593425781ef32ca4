#!/bin/sh
# Builds the site of the documentation into target/site, out of target/doc what `cargo doc` wrote, and checks its links.
set -eu
cd "$(dirname "$0")/.."
pages=target/site-pages
python3 site/stage.py "$pages"
rm -rf target/site
# It goes on without a configuration that it cannot read, and says so.
told=$(target/tools/bin/mdbook build "$pages" 2>&1) || { echo "$told" >&2; exit 1; }
if echo "$told" | grep -q -E '^ *(WARN|ERROR)'; then
    echo "$told" >&2
    exit 1
fi
# The same files a second time would be another 150 MB.
cp -Rl target/doc target/site/api
python3 site/check.py target/site "$pages"
