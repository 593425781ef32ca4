#!/bin/busybox sh
# First program of a board. Loads the modules that the card needs, finds the card's two copies, and selects and starts
# the root. A root on trial is booted at most `starts` times: the count is written to the card before each boot.
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

# Mounts both copies or, if necessary, the remaining one: `degraded` in the options makes the system restore the other
# copy.
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

# `xpuckd slots` writes this file, next to the updates of the robot's program.
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
                say "$trial is not tried: its start cannot be counted, or it does not contain a system"
            fi
            ;;
        *) say "$trial used up its starts; back on $current" ;;
    esac
fi
umount /top
# `copy` is the device that could be mounted.
mount -t btrfs -o "$options$copy_options,subvol=$chosen" "$copy" /root || give_up "$chosen cannot be mounted"
# Data that is independent of the root: the robot's identity, results of evolution, program updates, logs.
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
