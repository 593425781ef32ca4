#!/bin/sh
# Makes the Debian packages xpuck (hub and tool) and xpuckd (robot) out of programs that are built: `tools/deb.sh [ARCH]`.
# ARCH is amd64, arm64 or armhf, or this machine's without it; programs of others are taken from target/cross/ARCH. The same
# commit and the same programs give the same bytes. OUT names the folder, XPUCK_DEB_VERSION another version,
# XPUCK_DEB_FAST asks for larger packages sooner (for tests).
set -eu
cd "$(dirname "$0")/.."
own=$(dpkg --print-architecture)
arch=${1:-$own}
built=${CARGO_TARGET_DIR:-target}/debug
out=${OUT:-target/deb}
cargo_deb=${CARGO_DEB:-target/tools/bin/cargo-deb}
die() { echo "deb: $*" >&2; exit 1; }
case "$arch" in
    amd64) triple=x86_64-unknown-linux-gnu gnu=x86_64-linux-gnu ;;
    arm64) triple=aarch64-unknown-linux-gnu gnu=aarch64-linux-gnu ;;
    armhf) triple=armv7-unknown-linux-gnueabihf gnu=arm-linux-gnueabihf ;;
    *) die "no packages for $arch; there are amd64, arm64 and armhf" ;;
esac
programs=$built
strip=strip
if [ "$arch" != "$own" ]; then
    programs=target/cross/$arch
    strip=$gnu-strip
fi
command -v "$strip" >/dev/null || die "$strip is missing: it comes with the compiler for $arch"
[ -x "$cargo_deb" ] || die "$cargo_deb is missing: make deps-deb"
for program in "$programs/xpuck" "$programs/xpuckd" "$built/xpuck" "$built/xpuckd"; do
    [ -x "$program" ] || die "$program is missing: build it first"
done
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
release=${XPUCK_DEB_VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)}
# Debian's mark of what comes before a release.
version=$(echo "$release" | sed 's/-/~/')

# One at a time: what goes into the packages is named in the manifests, so its place is fixed.
mkdir -p target/deb "$out"
exec 9>target/deb/lock
flock 9
stage=target/deb/stage
rm -rf "$stage" && mkdir -p "$stage/man" "$stage/completions"
for program in xpuck xpuckd; do
    "$strip" --strip-unneeded -R .comment -o "$stage/$program" "$programs/$program"
    "$built/$program" man "$stage/man/$program"
    "$built/$program" completions bash >"$stage/completions/$program"
    "$built/$program" completions zsh >"$stage/completions/_$program"
    "$built/$program" completions fish >"$stage/completions/$program.fish"
    date=$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
    printf '%s (%s) unstable; urgency=medium\n\n  * What is new: /usr/share/doc/%s/NEWS.md.gz\n\n -- The Xpuck authors <authors@xpuck.invalid>  %s\n' \
        "$program" "$version" "$program" "$date" | gzip -9nc >"$stage/$program.changelog.gz"
done
gzip -9nc CHANGELOG.md >"$stage/NEWS.md.gz"
printf 'version = "%s"\ncounter = %s\n' "$release" "$SOURCE_DATE_EPOCH" >"$stage/release"
for unit in systemd/units/*; do
    case "$unit" in
        */xpuck-hub.service | */xpuck-geneserver@.service) install -Dm644 "$unit" "$stage/units/xpuck/${unit##*/}" ;;
        *) install -Dm644 "$unit" "$stage/units/xpuckd/${unit##*/}" ;;
    esac
done
fast=""
[ -z "${XPUCK_DEB_FAST:-}" ] || fast="--fast"
for package in xpuck-robot xpuck-hub; do
    # shellcheck disable=SC2086 # an option or none
    "$cargo_deb" -q $fast -p "$package" --no-build --no-strip --profile dev --target "$triple" --deb-version "$version" \
        --output "$out/" -- --offline
done
