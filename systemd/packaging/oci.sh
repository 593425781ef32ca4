#!/bin/sh
# Builds an OCI container image for clusters, as an archive. The image is a bare Debian with the package xpuck. No
# registry is used. `systemd/packaging/oci.sh [OUT]`; needs root, mmdebstrap and buildah. The last step unpacks the
# result and runs the program with chroot.
set -eu
cd "$(dirname "$0")/../.."
out=${1:-target/deb/xpuck-oci.tar}
die() { echo "oci: $*" >&2; exit 1; }
for program in mmdebstrap buildah tar; do
    command -v $program >/dev/null || die "$program is missing: make deps-oci"
done
[ "$(id -u)" = 0 ] || die "must run as root, as mmdebstrap and buildah require it"
deb=$(ls target/deb/xpuck_*_"$(dpkg --print-architecture)".deb 2>/dev/null | tail -n 1)
[ -n "$deb" ] || die "target/deb does not contain the package xpuck: run make deb"
: "${SOURCE_DATE_EPOCH:=$(git log -1 --format=%ct)}"
export SOURCE_DATE_EPOCH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The package without its services, because a container has no service manager.
mmdebstrap --quiet --mode=root --variant=minbase --include=libc6,libgcc-s1,libsqlite3-0,libzmq5,libzstd1 \
    --customize-hook="dpkg-deb -x '$deb' \"\$1\"" --customize-hook='rm -rf "$1"/usr/lib/systemd/system/xpuck* "$1"/var/cache/apt/* "$1"/var/lib/apt/lists/*' \
    bookworm "$work/root.tar"
run_buildah() { buildah --storage-driver vfs --root "$work/store" --runroot "$work/run" "$@"; }
mkdir "$work/context" && mv "$work/root.tar" "$work/context/"
cat >"$work/context/Containerfile" <<'FILE'
FROM scratch
ADD root.tar /
ENTRYPOINT ["/usr/bin/xpuck"]
CMD ["--help"]
FILE
run_buildah bud --quiet --isolation chroot --timestamp "$SOURCE_DATE_EPOCH" --tag xpuck "$work/context" >/dev/null
rm -f "$out.new"
run_buildah push --quiet xpuck "oci-archive:$out.new"
# Checks the image: unpacks the layers in order and runs the program.
mkdir "$work/layout" "$work/unpacked"
tar -C "$work/layout" -xf "$out.new"
blob() { echo "$work/layout/blobs/sha256/$1"; }
digests() { grep -o '"digest":"sha256:[0-9a-f]*"' "$1" | sed 's/.*sha256:\(.*\)"/\1/'; }
manifest=$(blob "$(digests "$work/layout/index.json" | head -n 1)")
for layer in $(digests "$manifest" | tail -n +2); do
    tar -C "$work/unpacked" -xzf "$(blob "$layer")" --exclude='./dev/*' --exclude='dev/*'
done
said=$(chroot "$work/unpacked" /usr/bin/xpuck simulate --help | head -n 1)
[ -n "$said" ] || die "the program in the archive prints nothing"
version=$(chroot "$work/unpacked" /usr/bin/xpuck --version)
mv "$out.new" "$out"
echo "$out: $version, $(du -m "$out" | cut -f 1) MB"
