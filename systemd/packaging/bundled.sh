#!/bin/sh
# Builds xpuck and xpuckd with bundled libraries (libzmq with CURVE, libsodium, SQLite, zstd, libusb; no AprilTag),
# for machines without permission to install packages: `sh systemd/packaging/bundled.sh` needs Rust, a C and C++
# compiler, make and access to the crate registry; the results are in target/bundled/bin. The library sources come
# from crates, verified by the checksums of the lock files.
set -eu
cd "$(dirname "$0")/../.."
die() { echo "bundled: $*" >&2; exit 1; }
for program in cargo cc c++ ar make tar; do
    command -v $program >/dev/null || die "$program is missing"
done
mkdir -p "${CARGO_TARGET_DIR:-target}/bundled"
work=$(realpath "${CARGO_TARGET_DIR:-target}/bundled")
manifest=systemd/packaging/bundled/Cargo.toml
export PREFIX="$work/prefix"

made_of=$(cat systemd/packaging/bundled.sh systemd/packaging/bundled/* | cksum)
if [ "$(cat "$PREFIX/made-of" 2>/dev/null)" != "$made_of" ]; then
    # Cargo does not detect changes of a library that is linked by name.
    rm -rf "$PREFIX" "$work/make" "$work/libzmq" "$work/build" && mkdir -p "$PREFIX/lib" "$PREFIX/include" "$work/make"
    cargo fetch --locked --quiet --manifest-path $manifest
    crate=$(cargo metadata --locked --offline --format-version 1 --manifest-path $manifest |
        grep -o '"manifest_path":"[^"]*/libsodium-sys-stable-[^"]*/Cargo.toml"' | cut -d '"' -f 4)
    [ -n "$crate" ] || die "cargo does not list the sources of libsodium"
    echo "bundled: libsodium"
    tar -C "$work/make" -xzf "${crate%/Cargo.toml}/LATEST.tar.gz"
    (cd "$work"/make/libsodium-* && ./configure --quiet --disable-shared --enable-static --prefix="$PREFIX" &&
        make -s -j "$(nproc)" install) >"$work/libsodium.log" 2>&1 || { tail "$work/libsodium.log" >&2; die "libsodium does not build"; }
    echo "bundled: libzmq"
    # Results of libzmq's own configure checks on Linux; the crate does not run these checks. Without mkdtemp,
    # `ipc://*` would be a name in the working directory.
    for found in FORK CLOCK_GETTIME MKDTEMP ACCEPT4 IF_NAMETOINDEX; do
        flags="${flags:-} -DHAVE_$found=1"
    done
    for found in EVENTFD EVENTFD_CLOEXEC IFADDRS SO_BINDTODEVICE SO_PEERCRED O_CLOEXEC SOCK_CLOEXEC SO_KEEPALIVE SO_PRIORITY \
        TCP_KEEPCNT TCP_KEEPIDLE TCP_KEEPINTVL TCP_KEEPALIVE PTHREAD_SETNAME_2 PTHREAD_SET_AFFINITY; do
        flags="$flags -DZMQ_HAVE_$found=1"
    done
    CXXFLAGS="${CXXFLAGS:-} $flags -DZMQ_IOTHREAD_POLLER_USE_EPOLL_CLOEXEC=1" \
        cargo build --locked --quiet --release --manifest-path $manifest --target-dir "$work/libzmq"
    # One archive of all libraries that libzmq needs, because zmq-sys passes no other library to the linker.
    {
        echo "create $PREFIX/lib/libzmq.a"
        echo "addlib $PREFIX/lib/libzmq-alone.a"
        echo "addlib $PREFIX/lib/libsodium.a"
        cxx=$(c++ -print-file-name=libstdc++.a)
        [ ! -f "$cxx" ] || echo "addlib $cxx"
        echo save
        echo end
    } | ar -M
    echo "$made_of" >"$PREFIX/made-of"
fi

# Without a static libstdc++ on the system, the shared one of the compiler is used.
[ -f "$(c++ -print-file-name=libstdc++.a)" ] || export RUSTFLAGS="${RUSTFLAGS:-} -C link-arg=-lstdc++"
LIBZMQ_PREFIX="$PREFIX" cargo build --locked --target-dir "$work/build" --no-default-features -p xpuck-hub -p xpuck-robot \
    --features xpuck-hub/bundled,xpuck-robot/bundled
mkdir -p "$work/bin"
for program in xpuck xpuckd; do
    strip -o "$work/bin/$program.new" "$work/build/debug/$program"
    mv "$work/bin/$program.new" "$work/bin/$program"
    foreign=$(ldd "$work/bin/$program" | grep -vE 'linux-vdso|ld-linux|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt)\.so' || true)
    [ -z "$foreign" ] || die "$program still needs the system's libraries: $foreign"
done
ls -l "$work/bin"
