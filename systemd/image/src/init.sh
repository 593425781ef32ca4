#!/bin/busybox sh
# The first program of a board. It loads what the card needs, finds the card's two copies, chooses the root that is to run
# and goes there. A root under trial is booted as often as `starts` says and no more: the count is on the card before it begins.
export PATH=/bin
/bin/busybox --install -s /bin
mount -t devtmpfs dev /dev
mount -t proc proc /proc
mount -t sysfs sys /sys
say() { echo "<5>xpuck-init: $*" >/dev/kmsg; }
give_up() {
    echo "<1>xpuck-init: $*; the board starts again in 10 s" >/dev/kmsg
    sleep 10
    reboot -f
}
while read -r module; do
    insmod "/modules/$module" 2>/dev/null || say "$module was not loaded"
done </modules/order

copies=
for word in $(cat /proc/cmdline); do
    case "$word" in xpuck.copies=*) copies=${word#xpuck.copies=} ;; esac
done
one=${copies%,*}
two=${copies#*,}
waited=0
while [ ! -b "$one" ] || [ ! -b "$two" ]; do
    [ $waited -ge 100 ] && break
    waited=$((waited + 1))
    sleep 0.1
done

# With both copies, or with the one that is left: `degraded` is said to the system, which puts the other right.
options="noatime,compress=zstd:3"
copy_options=",device=$one,device=$two"
mkdir -p /top /root
find_card() {
    for copy in "$one" "$two"; do
        mount -t btrfs -o "$options$copy_options,subvolid=5" "$copy" /top 2>/dev/null && return 0
    done
    copy_options=,degraded
    for copy in "$one" "$two"; do
        if mount -t btrfs -o "$options$copy_options,subvolid=5" "$copy" /top 2>/dev/null; then
            say "only $copy of the two copies can be read"
            return 0
        fi
    done
    return 1
}
find_card || give_up "neither $one nor $two can be read"

# Kept by `xpuckd slots`, beside the programs that came over the air.
roots=/top/@slots/roots
current=@a
trial=
starts=0
if [ -f $roots ]; then
    while read -r key value; do
        case "$key" in
            current) current=$value ;;
            trial) trial=$value ;;
            starts) starts=$value ;;
        esac
    done <$roots
fi
chosen=$current
if [ -n "$trial" ]; then
    case "$starts" in
        [1-9])
            starts=$((starts - 1))
            count() { printf 'current %s\ntrial %s\nstarts %s\n' "$current" "$trial" "$starts" >$roots.new; }
            if count && sync && mv $roots.new $roots && sync && [ -x "/top/$trial/usr/lib/systemd/systemd" ]; then
                chosen=$trial
                say "trying $trial, $starts starts left"
            else
                say "$trial is not tried: its start cannot be counted, or there is no system in it"
            fi
            ;;
        *) say "$trial used up its starts; back on $current" ;;
    esac
fi
umount /top
# `copy` is the one by which the card was found.
mount -t btrfs -o "$options$copy_options,subvol=$chosen" "$copy" /root || give_up "$chosen cannot be mounted"
# What a root does not bring and does not take away: who the robot is, what it evolved, its programs' updates, its log.
while read -r name place; do
    mount -t btrfs -o "$options$copy_options,subvol=$name" "$copy" "/root$place" || say "$name cannot be mounted"
done <<END
@config /etc/xpuck
@state /var/lib/xpuck
@slots /var/lib/xpuck-slots
@log /var/log
END
mount --move /dev /root/dev
umount /proc
umount /sys
exec switch_root /root /usr/lib/systemd/systemd
