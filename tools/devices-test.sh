#!/bin/sh
# Tries the robot's drivers of cameras against a kernel: `make devices-test`. In a virtual machine an FT2232H in user space
# (functionfs on dummy_hcd) is read over libusb, and the kernel's test camera (vivid) over Video4Linux. A line for each check;
# ends with 1 if one fails. LIMIT_S bounds the machine's time. The processor is emulated, so neither root nor KVM is needed.
set -eu
cd "$(dirname "$0")/.."
limit=${LIMIT_S:-300}
if [ "$(dpkg --print-architecture)" != amd64 ]; then
    # The machine runs this machine's own programs.
    echo "skipped: devices-test: only on amd64" >&2
    exit 0
fi
work=target/devices-test
mkdir -p "$work"
cargo build --quiet --example devices --example ft2232h_gadget

# Debian's kernel and busybox, kept for the next time.
package=$(apt-cache depends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
[ -n "$package" ] || { echo "devices-test: apt knows no linux-image-amd64; run apt-get update" >&2; exit 1; }
release=${package#linux-image-}
if [ "$(cat "$work/made-of" 2>/dev/null)" != "$package" ]; then
    rm -rf "$work/kernel" "$work/debs"
    mkdir -p "$work/debs"
    (cd "$work/debs" && apt-get download -qq -o APT::Sandbox::User="$(id -un)" "$package" busybox-static)
    for deb in "$work"/debs/*.deb; do
        dpkg-deb -x "$deb" "$work/kernel"
    done
    rm -rf "$work/debs"
    depmod -b "$work/kernel" "$release"
    echo "$package" >"$work/made-of"
fi

root=$work/root
rm -rf "$root"
mkdir -p "$root/bin" "$root/lib" "$root/lib64" "$root/modules"
cp "$work/kernel/bin/busybox" target/debug/examples/devices target/debug/examples/ft2232h_gadget "$root/bin/"
cp tools/devices-test/init "$root/init"
chmod 755 "$root/init"
ldd target/debug/examples/devices target/debug/examples/ft2232h_gadget | sed -n 's/.*=> \(\/[^ ]*\) .*/\1/p' | sort -u |
    xargs -I{} cp {} "$root/lib/"
cp /lib64/ld-linux-x86-64.so.2 "$root/lib64/"
for module in dummy_hcd usb_f_fs ftdi_sio vivid; do
    modprobe -d "$work/kernel" -S "$release" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
done | awk '!seen[$0]++' >"$work/needed"
while read -r path; do
    name=$(basename "$path")
    cp "$path" "$root/modules/"
    # One camera that captures, as a webcam does.
    case "$name" in
        vivid.ko) echo "$name n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0" ;;
        *) echo "$name" ;;
    esac
done <"$work/needed" >"$root/modules/order"
(cd "$root" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/initrd.gz"

code=0
timeout -k 5 "$limit" qemu-system-x86_64 -accel tcg -cpu max -smp 2 -m 1024 -nographic -no-reboot -nic none \
    -kernel "$work/kernel/boot/vmlinuz-$release" -initrd "$work/initrd.gz" \
    -append "console=ttyS0 quiet panic=-1" </dev/null >"$work/console" 2>&1 || code=$?
tr -d '\r' <"$work/console" | grep -E '^(pass|FAIL|skip|devices-test:|devices:|xpuckd:|[0-9]+ passed)' || true
if grep -q 'devices-test: ended with 0, 0 and 0' "$work/console"; then
    exit 0
fi
[ "$code" = 124 ] && echo "devices-test: not over in $limit s" >&2
echo "devices-test: failed; all that the machine said is in $work/console" >&2
exit 1
