#!/bin/sh
# The packages as a machine meets them: made twice with the same digest, looked at by lintian, units verified and rated,
# installed, upgraded and purged in a bare Debian, and booted in a container, where the robot's program waits for its devices,
# works, and is started again when its control loop alone stands still. Under two minutes once the bare Debian is there.
set -eu
cd "$(dirname "$0")/.."
skipped() { echo "skipped: deb-test: $*" >&2; }
die() { echo "deb-test: $*" >&2; exit 1; }
say() { echo "deb-test: $*"; }
has() { command -v "$1" >/dev/null 2>&1; }
# Packages that the bare Debian has besides the smallest: what ours need, and what the test asks with.
include=systemd,systemd-sysv,dbus,udev,libapriltag3,libusb-1.0-0,libzmq5,libsqlite3-0,libzstd1,libgcc-s1,curl,procps

# 1. How much each unit may do: 2.0 at most on systemd's scale of 10.
if has systemd-analyze; then
    for unit in systemd/units/*.service; do
        systemd-analyze security --offline=yes --threshold=20 "./$unit" >/dev/null 2>&1 ||
            die "$unit: $(systemd-analyze security --offline=yes "./$unit" 2>&1 | tail -n 1)"
    done
    say "every service is at 2.0 or below"
else
    skipped "systemd-analyze is missing, so units are not rated"
fi

# 2. The same digest twice, and a second version for the upgrade.
[ -x "${CARGO_DEB:-target/tools/bin/cargo-deb}" ] || { skipped "cargo-deb is missing (make deps-deb), so no packages are made"; exit 0; }
work=$(mktemp -d)
container=""
cleanup() {
    [ -z "$container" ] || { kill "$container" 2>/dev/null || true; wait "$container" 2>/dev/null || true; }
    rm -rf "$work"
}
trap cleanup EXIT
export XPUCK_DEB_FAST=1
OUT=$work/one sh tools/deb.sh >/dev/null
OUT=$work/again sh tools/deb.sh >/dev/null
for deb in "$work"/one/*.deb; do
    cmp -s "$deb" "$work/again/${deb##*/}" || die "${deb##*/} has other bytes when it is made again"
done
say "packages have the same bytes twice"
XPUCK_DEB_VERSION=99.0.0 OUT=$work/next sh tools/deb.sh >/dev/null
if has lintian; then
    lintian --allow-root --fail-on error,warning "$work"/one/*.deb || die "lintian finds errors"
    say "lintian finds nothing"
else
    skipped "lintian is missing"
fi

# 3. In a bare Debian.
[ "$(id -u)" = 0 ] || { skipped "not root, so packages are not installed"; exit 0; }
has mmdebstrap || { skipped "mmdebstrap is missing (make deps-deb), so packages are not installed"; exit 0; }
bare=target/deb/bare-$(echo "$include" | cksum | cut -d ' ' -f 1).tar
if [ ! -s "$bare" ]; then
    mmdebstrap --quiet --mode=root --variant=minbase --format=tar --include="$include" bookworm "$bare.new" ||
        { rm -f "$bare.new"; skipped "mmdebstrap makes no bare Debian, so packages are not installed"; exit 0; }
    mv "$bare.new" "$bare"
fi
root=$work/root
mkdir "$root" && tar -C "$root" -xf "$bare" --exclude='./dev/*'
mkdir "$root/debs" && cp -r "$work/one" "$work/next" "$root/debs/"
# Runs a command in it, with /proc.
inside() {
    unshare --mount --propagation private sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}
inside sh -c 'dpkg -i /debs/one/*.deb' >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "the packages are not installed"; }
wrong=$(inside sh -c 'cd /usr/lib/systemd/system && for unit in xpuck*; do case $unit in
    *@.service) systemd-analyze verify --man=no "./${unit%.service}test.service" ;; *) systemd-analyze verify --man=no "./$unit" ;; esac
done' 2>&1)
[ -z "$wrong" ] || die "systemd-analyze verify says: $wrong"
for unit in xpuckd.service xpuck-wifi.service xpuck-power-run.service xpuck-hub.service xpuck-slots.path; do
    [ -L "$root/etc/systemd/system/multi-user.target.wants/$unit" ] || die "$unit is not enabled"
done
[ -L "$root/etc/systemd/system/sysinit.target.wants/xpuck-power.service" ] || die "xpuck-power.service is not enabled"
inside id -nG xpuck | grep -q spi || die "the robot's user is not in the groups of its devices"
[ "$(inside readlink /var/lib/xpuck-slots/current)" = / ] || die "the packaged version is not the one that runs"
missing=$(inside sh -c 'ldd /usr/bin/xpuck /usr/bin/xpuckd' | grep 'not found' || true)
[ -z "$missing" ] || die "packages forget a library: $missing"
# The libraries that the programs name come from packages that theirs name.
for program in xpuck xpuckd; do
    for library in $(objdump -p "$root/usr/bin/$program" | sed -n 's/ *NEEDED *//p'); do
        file=$(inside ldconfig -p | sed -n "s|^\t$library .* => ||p" | head -n 1)
        owner=$(inside dpkg -S "*${file##*/}" 2>/dev/null | sed -n '1s/:.*//p')
        inside dpkg-query -W -f '${Depends}\n' "$program" | grep -qF "${owner:-nobody}" || die "$program needs $library of $owner, and does not say so"
    done
done
say "installed: units verified and enabled, libraries there"

# 4. Booted.
if has systemd-nspawn; then
    sh tools/deb-test/boot.sh "$root" "$work" || exit 1
else
    skipped "systemd-nspawn is missing (make deps-deb), so the packages are not booted"
fi

# 5. Upgraded, which keeps what an administrator switched off, and purged, which keeps keys.
inside systemctl disable xpuck-wifi.service >/dev/null 2>&1
inside sh -c 'dpkg -i /debs/next/*.deb' >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "the packages are not upgraded"; }
grep -q '^version = "99.0.0"' "$root/usr/lib/xpuck/release" || die "the upgrade left the old release"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/xpuck-wifi.service" ] || die "the upgrade enabled what was disabled"
mkdir -p "$root/etc/xpuck/keys" && echo secret >"$root/etc/xpuck/keys/hub.pub"
# What the boot's script put there, not the packages.
rm -rf "$root/etc/systemd/system/xpuckd.service.d"
inside dpkg --purge xpuck xpuckd >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "the packages are not purged"; }
grep -q '/etc/xpuck stays' "$work/dpkg.log" || die "the purge does not say that keys stay"
[ -s "$root/etc/xpuck/keys/hub.pub" ] || die "the purge took keys away"
left=$(cd "$root" && find usr/lib/systemd usr/bin usr/share var/lib etc/systemd usr/lib/udev usr/lib/sysusers.d usr/lib/tmpfiles.d -iname '*xpuck*' \
    ! -path 'var/lib/xpuck-hub*' ! -path '*/dpkg/*' 2>/dev/null || true)
[ -z "$left" ] || die "the purge left $left"
say "upgraded and purged"
