#!/bin/sh
# Builds the Debian packages xpuck (hub and tools) and xpuckd (robot) from compiled programs:
# `systemd/packaging/deb.sh [ARCH]`.
#
# ARCH is amd64, arm64 or armhf (default: this machine's). Programs for another architecture come from
# target/cross/ARCH. systemd/debian/PACKAGE holds the control file, the list of files and the maintainer scripts. The
# same commit and the same programs give the same bytes. Neither root nor fakeroot is needed.
#
# Environment variables: OUT is the output folder (default: target/deb). XPUCK_DEB_VERSION is the version (default:
# from Cargo.toml). XPUCK_DEB_FAST=1 selects light compression, for tests.
set -eu
umask 022
cd "$(dirname "$0")/../.."
own=$(dpkg --print-architecture)
arch=${1:-$own}
built=${CARGO_TARGET_DIR:-target}/debug
out=${OUT:-target/deb}
die() { echo "deb: $*" >&2; exit 1; }
case "$arch" in
    amd64) gnu=x86_64-linux-gnu ;;
    arm64) gnu=aarch64-linux-gnu ;;
    armhf) gnu=arm-linux-gnueabihf ;;
    *) die "no packages for $arch; choose amd64, arm64 or armhf" ;;
esac
programs=$built
strip="strip"
if [ "$arch" != "$own" ]; then
    programs=target/cross/$arch
    strip=$gnu-strip
fi
command -v "$strip" >/dev/null || die "$strip is missing: it is part of the compiler for $arch"
for program in "$programs/xpuck" "$programs/xpuckd" "$built/xpuck" "$built/xpuckd"; do
    [ -x "$program" ] || die "$program is missing: build it first"
done
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
release=${XPUCK_DEB_VERSION:-$(sed -n 's/^version = "\(.*\)"$/\1/p' Cargo.toml | head -n 1)}
# `~` sorts before the release itself.
version=$(echo "$release" | sed 's/-/~/')
# The compression is fixed, because the defaults of dpkg-deb differ between distributions.
compression="-Zxz -z6"
[ -z "${XPUCK_DEB_FAST:-}" ] || compression="-Zgzip -z1"

mkdir -p target/deb "$out"
stage=$(mktemp -d target/deb/stage.XXXXXX)
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM

# Generated files.
mkdir -p "$stage/completions"
date=$(date --utc --rfc-email --date="@$SOURCE_DATE_EPOCH")
for program in xpuck xpuckd; do
    "$strip" --strip-unneeded -R .comment -o "$stage/$program" "$programs/$program"
    mkdir -p "$stage/man/$program"
    [ "$program" = xpuck ] && group=dev || group=
    # `group` is empty for xpuckd, because xpuckd has no command group `dev`.
    "$built/$program" $group man "$stage/man/$program"
    gzip -9n "$stage/man/$program"/*.1
    "$built/$program" $group completions bash >"$stage/completions/$program"
    "$built/$program" $group completions zsh >"$stage/completions/_$program"
    "$built/$program" $group completions fish >"$stage/completions/$program.fish"
    printf '%s (%s) unstable; urgency=medium\n\n  * Changes: /usr/share/doc/%s/NEWS.md.gz\n\n -- The Xpuck authors <authors@xpuck.invalid>  %s\n' \
        "$program" "$version" "$program" "$date" | gzip -9nc >"$stage/$program.changelog.gz"
done
gzip -9nc CHANGELOG.md >"$stage/NEWS.md.gz"
printf 'version = "%s"\ncounter = %s\n' "$release" "$SOURCE_DATE_EPOCH" >"$stage/release"
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: xpuck\n\nFiles: *\n'
    sed -n 's/^Copyright (c) /Copyright: /p' LICENSE
    echo 'License: MIT'
    # The licence without its two headings; an empty line of a field is a dot.
    sed '1,/^Copyright/d' LICENSE | sed '1{/^$/d}; s/^$/./; s/^/ /'
} >"$stage/copyright"

for unit in systemd/units/*; do
    grep -qF "$unit " systemd/debian/*/install || die "$unit does not belong to a package: add it to systemd/debian/PACKAGE/install"
done

# Copies the files of a list to a root folder: copy LIST ROOT.
copy() {
    while read -r source target mode; do
        case "$source" in
            "" | \#*) continue ;;
            stage/*) source=$stage/${source#stage/} ;;
        esac
        for file in $source; do
            [ -f "$file" ] || die "$1: $source does not exist"
            case "$target" in
                */) place=$2/$target${file##*/} ;;
                *) place=$2/$target ;;
            esac
            install -D -m "$mode" "$file" "$place"
        done
    done <"$1"
}

# Copies the playground to a root folder, if it was built (`make playground`).
playground() {
    [ -d target/playground ] || return 0
    (cd target/playground && find . -type f -exec install -D -m 644 {} "$OLDPWD/$1/usr/share/xpuck/playground/{}" \;)
}

for package in xpuck xpuckd; do
    from=systemd/debian/$package
    root=$stage/root-$package
    mkdir "$root"
    copy "$from/install" "$root"
    [ $package = xpuckd ] || playground "$root"
    # The size is counted like by dpkg-gencontrol: files in KiB, rounded up, and 1 KiB for everything else.
    size=$(find "$root" -mindepth 1 \( -type f -printf '%s\n' -o -printf '1\n' \) | awk '{ sum += int(($1 + 1023) / 1024) } END { print sum }')
    (cd "$root" && find . -type f -printf '%P\0' | LC_ALL=C sort -z | xargs -0 md5sum) >"$stage/md5sums"
    mkdir "$root/DEBIAN"
    sed -e "s/@VERSION@/$version/" -e "s/@ARCH@/$arch/" -e "s/@SIZE@/$size/" "$from/control.in" >"$stage/control"
    install -m 644 "$stage/md5sums" "$stage/control" "$root/DEBIAN/"
    install -m 755 "$from/postinst" "$from/prerm" "$from/postrm" "$root/DEBIAN/"
    [ ! -e "$root/etc" ] || die "$from/install: files in /etc need a list of conffiles"
    # A set-group-id bit would be inherited from the folder above; the fifth digit clears it.
    find "$root" -type d -exec chmod 00755 {} +
    find "$root" -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
    deb=${package}_${version}_$arch.deb
    # shellcheck disable=SC2086 # options
    dpkg-deb --root-owner-group $compression --build "$root" "$stage/$deb" >/dev/null
    mv "$stage/$deb" "$out/$deb"
done
