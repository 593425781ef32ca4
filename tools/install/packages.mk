# Debian packages that targets need, included by Makefile and fpga/Makefile. Each package is named here once; lists are
# combined where a target needs several. tools/install/deps.sh detects and installs packages.

# Libraries: libzmq with CURVE, AprilTag (markers), SQLite (catalogue of runs), libusb (camera of the Xpuck), zstd (records).
# The C compiler builds the calls to AprilTag.
APT_BUILD = pkg-config libzmq3-dev libapriltag-dev libsqlite3-dev libusb-1.0-0-dev libzstd-dev gcc
APT_CXX = g++
APT_PYTHON = python3 python3-venv
# Software adapter on which the GPU kernels are tested; an installed driver serves as well.
APT_GPU = mesa-vulkan-drivers
# ROS's checker of URDF files.
APT_BODIES = liburdfdom-tools
# Compiler for Kilobots, and a simulator of their processor.
APT_KILOBOT = gcc-avr avr-libc libsimavr-dev
# Programs under another clock.
APT_TIME = faketime
# Export of drawings as PNG and PDF and of films, and tools that inspect the results.
APT_FILMS = ffmpeg librsvg2-bin fonts-liberation poppler-utils
# `pgrep` and `kill`, which minimal installations of Debian lack.
APT_PROCESSES = procps
# Browser for the tests of the console, and its driver.
APT_CONSOLE = chromium nodejs npm openssl
APT_CLUSTER = slurm-wlm

# Logic of the shim: translation to C++, synthesis, checks, printed parts.
APT_VERILATOR = verilator
APT_SYNTHESIS = yosys nextpnr-ice40 fpga-icestorm fpga-icestorm-chipdb
APT_PROOFS = iverilog z3
APT_SHELLS = openscad xvfb xauth

# Packages and images.
APT_DEBIAN = mmdebstrap
APT_MODULES = kmod
APT_DEB = $(APT_DEBIAN) systemd-container lintian
APT_IMAGE = $(APT_DEBIAN) $(APT_MODULES) arch-test qemu-user-static btrfs-progs dosfstools mtools device-tree-compiler fdisk zstd xz-utils
APT_OCI = buildah
APT_BOOT = qemu-system-arm
APT_DEVICES = $(APT_MODULES) cpio qemu-system-x86
# Debian's own compiler builds the standard library for other architectures; rustup would download it.
APT_CROSS = $(APT_DEBIAN) rustc-web cargo-web rust-web-src g++-aarch64-linux-gnu g++-arm-linux-gnueabihf

# Standard library and linker for WebAssembly, where rustup has no such target.
APT_WASM = rustc-web cargo-web rust-web-src lld-19

# All that `make test` needs.
APT_TEST = $(APT_BUILD) $(APT_CXX) $(APT_PYTHON) $(APT_GPU) $(APT_BODIES) $(APT_KILOBOT) $(APT_TIME) $(APT_FILMS) $(APT_PROCESSES) \
    $(APT_CONSOLE) $(APT_VERILATOR) $(APT_SYNTHESIS) $(APT_PROOFS) $(APT_DEB) $(APT_IMAGE) $(APT_WASM)
