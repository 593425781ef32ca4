#!/bin/sh
# Tests the Debian packages: rates the services, runs lintian, and installs, upgrades and purges the packages in a bare
# Debian. Also boots a container, in which the robot's program waits for its devices, runs, and is restarted after its
# control loop alone is stopped. Takes under two minutes once the bare Debian has been built. XPUCK_DEB_TWICE=1 also
# compares the bytes of two builds.
set -eu
cd "$(dirname "$0")/../.."
skipped() { echo "skipped: deb-test: $*" >&2; }
die() { echo "deb-test: $*" >&2; exit 1; }
say() { echo "deb-test: $*"; }
has() { command -v "$1" >/dev/null 2>&1; }
# Packages of the bare Debian besides the minimal set: dependencies of the tested packages, and tools of this test.
include=systemd,systemd-sysv,dbus,udev,libapriltag3,libusb-1.0-0,libzmq5,libsqlite3-0,libzstd1,libgcc-s1,curl,procps

# 1. Rates the exposure of each service: at most 2.0 of 10 on systemd's scale.
if has systemd-analyze; then
    for unit in systemd/units/*.service; do
        systemd-analyze security --offline=yes --threshold=20 "./$unit" >/dev/null 2>&1 ||
            die "$unit: $(systemd-analyze security --offline=yes "./$unit" 2>&1 | tail -n 1)"
    done
    say "the exposure of every service is at most 2.0"
else
    skipped "systemd-analyze is missing: units are not rated"
fi

# 2. Builds the packages, and a next version for the upgrade.
has dpkg-deb || { skipped "dpkg-deb is missing: packages are not built"; exit 0; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XPUCK_DEB_FAST=1
OUT=$work/one sh systemd/packaging/deb.sh
if [ "${XPUCK_DEB_TWICE:-}" = 1 ]; then
    OUT=$work/again sh systemd/packaging/deb.sh
    for deb in "$work"/one/*.deb; do
        cmp -s "$deb" "$work/again/${deb##*/}" || die "${deb##*/}: two builds differ"
    done
    say "two builds have the same bytes"
fi
XPUCK_DEB_VERSION=99.0.0 OUT=$work/next sh systemd/packaging/deb.sh
if has lintian; then
    lintian --allow-root --fail-on error,warning "$work"/one/*.deb || die "lintian reports problems"
    say "lintian reports no problems"
else
    skipped "lintian is missing (make deps-deb)"
fi

# 3. Installs the packages in a bare Debian.
[ "$(id -u)" = 0 ] || { skipped "not root: packages are not installed"; exit 0; }
has mmdebstrap || { skipped "mmdebstrap is missing (make deps-deb): packages are not installed"; exit 0; }
mkdir -p target/deb
bare=target/deb/bare-$(echo "$include" | cksum | cut -d ' ' -f 1).tar
if [ ! -s "$bare" ]; then
    mmdebstrap --quiet --mode=root --variant=minbase --format=tar --include="$include" bookworm "$bare.new" ||
        { rm -f "$bare.new"; skipped "mmdebstrap cannot build a bare Debian: packages are not installed"; exit 0; }
    mv "$bare.new" "$bare"
fi
root=$work/root
mkdir "$root" && tar -C "$root" -xf "$bare" --exclude='./dev/*'
mkdir "$root/debs" && cp -r "$work/one" "$work/next" "$root/debs/"
# Runs a command in the root, with /proc.
inside() {
    unshare --mount --propagation private sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"' "$root" "$@"
}
inside sh -c 'dpkg -i /debs/one/*.deb' >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "dpkg cannot install the packages"; }
wrong=$(inside sh -c 'cd /usr/lib/systemd/system && for unit in xpuck*; do case $unit in
    *@.service) systemd-analyze verify --man=no "./${unit%.service}test.service" ;; *) systemd-analyze verify --man=no "./$unit" ;; esac
done' 2>&1)
[ -z "$wrong" ] || die "systemd-analyze verify: $wrong"
for unit in xpuckd.service xpuck-wifi.service xpuck-power-run.service xpuck-hub.service xpuck-slots.path; do
    [ -L "$root/etc/systemd/system/multi-user.target.wants/$unit" ] || die "$unit is not enabled"
done
[ -L "$root/etc/systemd/system/sysinit.target.wants/xpuck-power.service" ] || die "xpuck-power.service is not enabled"
inside id -nG xpuck | grep -q spi || die "the robot's user is not in the groups of its devices"
[ "$(inside readlink /var/lib/xpuck-slots/current)" = / ] || die "the current slot is not the packaged version"
missing=$(inside sh -c 'ldd /usr/bin/xpuck /usr/bin/xpuckd' | grep 'not found' || true)
[ -z "$missing" ] || die "libraries are missing from Depends: $missing"
# Each needed library belongs to a package named in Depends.
for program in xpuck xpuckd; do
    for library in $(objdump -p "$root/usr/bin/$program" | sed -n 's/ *NEEDED *//p'); do
        file=$(inside ldconfig -p | sed -n "s|^\t$library .* => ||p" | head -n 1)
        owner=$(inside dpkg -S "*${file##*/}" 2>/dev/null | sed -n '1s/:.*//p')
        inside dpkg-query -W -f '${Depends}\n' "$program" | grep -qF "${owner:-nobody}" ||
            die "$program needs $library: add $owner to Depends in systemd/debian/$program/control.in"
    done
done
say "installed: units valid and enabled, libraries present"

# 4. Boots a container.
if has systemd-nspawn; then
    sh systemd/packaging/deb-test/boot.sh "$root" "$work" || exit 1
else
    skipped "systemd-nspawn is missing (make deps-deb): the packages are not booted"
fi

# 5. Checks that an upgrade does not enable units that an administrator disabled, and that a purge keeps keys.
inside systemctl disable xpuck-wifi.service >/dev/null 2>&1
inside sh -c 'dpkg -i /debs/next/*.deb' >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "dpkg cannot upgrade the packages"; }
grep -q '^version = "99.0.0"' "$root/usr/lib/xpuck/release" || die "the upgrade kept the old release file"
[ ! -e "$root/etc/systemd/system/multi-user.target.wants/xpuck-wifi.service" ] || die "the upgrade enabled a disabled unit"
mkdir -p "$root/etc/xpuck/keys" && echo secret >"$root/etc/xpuck/keys/hub.pub"
# boot.sh created this folder, so a purge does not remove it.
rm -rf "$root/etc/systemd/system/xpuckd.service.d"
inside dpkg --purge xpuck xpuckd >"$work/dpkg.log" 2>&1 || { cat "$work/dpkg.log"; die "dpkg cannot purge the packages"; }
grep -q '/etc/xpuck stays' "$work/dpkg.log" || die "the purge does not report that keys stay"
[ -s "$root/etc/xpuck/keys/hub.pub" ] || die "the purge removed keys"
left=$(cd "$root" && find usr/lib/systemd usr/bin usr/share var/lib etc/systemd usr/lib/udev usr/lib/sysusers.d usr/lib/tmpfiles.d -iname '*xpuck*' \
    ! -path 'var/lib/xpuck-hub*' ! -path '*/dpkg/*' 2>/dev/null || true)
[ -z "$left" ] || die "files are left after the purge: $left"
say "upgraded and purged"
