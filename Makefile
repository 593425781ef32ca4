# Xpuck: `make demo` and `make test` do all the set-up they need.

OUT ?= runs
DEMO ?=
SECONDS ?= 60
# What tests are built with: cameras of Video4Linux, the shim's logic.
FEATURES = xpuck-robot/v4l,xpuck-shim/verilated
# Third-party clients that read the arena's motion capture.
MOCAP_VENV = target/mocap-venv
# Python that reads records and their tables.
RECORD_VENV = target/record-venv
# Python packages with which statistics, maps and CMA-ES are compared; minisom has no wheel.
ANALYSIS_VENV = target/analysis-venv
# Simulators of others, which load and walk the bodies that are exported.
BODIES_VENV = target/bodies-venv
# What builds the Python package, and what its tests need beside it.
PYTHON_VENV = target/python-venv
# HyperQueue, and what reads Kubernetes' manifests.
CLUSTER_VENV = target/cluster-venv
# The RSMP server of RoboCup's 3D league.
RSMP_VENV = target/rsmp-venv
# The checker of Prometheus, out of a package whose service is not wanted.
PROMTOOL = target/promtool/usr/bin/promtool

.PHONY: help boot-test build-fpga cross deb deb-test devices-test oci bundled deps deps-bodies deps-console deps-boot deps-cross deps-deb deps-devices deps-films deps-fpga deps-image deps-oci deps-fuzz deps-gpu deps-kilobot deps-mocap deps-processes deps-promtool deps-python deps-record deps-rsmp deps-site deps-time deps-v4l build console-test demo test lint test-long bench fuzz manuals pictures doc site python-test wheel clean deps-cluster

help:
	@echo "make demo       nine robots, a hub and a virtual arena on this machine (DEMO='--speed 1' adds options)"
	@echo "make test       everything that checks the project (make lint: formatting, lints, documentation links)"
	@echo "make test-long  what takes longer: islands and sweeps on Slurm, fuzzing, 10000 seeds of the simulation test, a robot under load, a whole demo, and its best tree measured"
	@echo "make bench      micro-benchmarks: cost of simulated worlds, of a tree's tick, of a generation and of a camera frame"
	@echo "make fuzz       the readers of trees fuzzed for a minute each (SECONDS=600 for longer)"
	@echo "make build      the programs, into target/debug"
	@echo "make build-fpga the same, with the shim's logic for the arena (fpga = true, xpuck demo --fpga)"
	@echo "make deb        packages for Debian into target/deb (ARCH=arm64 or armhf: of programs in target/cross/ARCH)"
	@echo "make cross      the programs for ARCH=arm64 or armhf, into target/cross/ARCH"
	@echo "make boot-test  a robot's card in a virtual machine: booted, updated, its power cut, its card damaged (as root; ARCH=armhf)"
	@echo "make devices-test  the robot's drivers of cameras, libusb and Video4Linux, against a kernel in a virtual machine (part of make test-long)"
	@echo "make deb-test   the packages installed, booted in a container, upgraded and purged (part of make test)"
	@echo "make oci        an image of the hub and the tool for containers (OCI), into target/deb"
	@echo "make wheel      the Python package, into target/wheels (make python-test: its tests, part of make test)"
	@echo "make bundled    xpuck and xpuckd with all libraries in them, without root, into target/bundled/bin"
	@echo "make manuals    manual pages into target/man, completions for shells into target/completions"
	@echo "make site       all documents as a site with search into target/site, its links checked (part of make test)"
	@echo "make console-test  the hub's web page: types, unit tests, and a real browser beside a demo (part of make test)"
	@echo "make pictures   the pictures of the console in docs/operate, from runs"
	@echo "make clean      remove what was built"

# Debian's libzmq has CURVE; SQLite keeps the catalogue of runs; AprilTag finds markers; libusb reads the xpuck's camera; zstd compresses records; a C compiler builds the calls to AprilTag.
deps:
	@sh tools/deps.sh pkg-config libzmq3-dev libapriltag-dev libsqlite3-dev libusb-1.0-0-dev libzstd-dev gcc

# The Python package is built by itself, so that nobody waits for it who does not want it.
build: deps
	cargo build --workspace --exclude xpuck-python

# Translates the shim's logic into C++.
deps-fpga: deps
	@sh tools/deps.sh verilator g++

build-fpga: deps-fpga
	cargo build --workspace --exclude xpuck-python --features xpuck-hub/fpga

demo: build
	target/debug/xpuck demo --out $(OUT) $(DEMO)

lint: deps deps-fpga deps-v4l doc
	cargo fmt --all --check
	cargo fmt --manifest-path fuzz/Cargo.toml --check
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings

# Interfaces of the code, into target/doc; a broken link is an error.
doc: deps
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

# The software adapter on which the kernels are tested; a driver that is there already serves as well.
deps-gpu: deps
	@sh tools/deps.sh mesa-vulkan-drivers

# The bindings of Video4Linux are made with libclang.
deps-v4l: deps
	@sh tools/deps.sh libclang-dev

# Real Vicon, VRPN and NatNet clients as a Python wheel, in an environment of their own.
deps-mocap: deps
	@sh tools/deps.sh python3-venv
	@sh tools/venv.sh $(MOCAP_VENV) "the arena's streams are not read by third parties" motioncapture==1.1 numpy

deps-record: deps
	@sh tools/deps.sh python3-venv
	@sh tools/venv.sh $(RECORD_VENV) "records and the live view are not read from Python" pandas pyarrow matplotlib mcap prometheus-client websockets foxglove-schemas-protobuf
	@sh tools/venv.sh $(ANALYSIS_VENV) "statistics, maps and CMA-ES are not compared with packages of others" scipy minisom cma --no-binary minisom

# PyBullet, MuJoCo, and ROS's checker of URDF files.
deps-bodies: deps
	@sh tools/deps.sh python3-venv liburdfdom-tools
	@sh tools/venv.sh $(BODIES_VENV) "no simulator of others loads the bodies" pybullet==3.2.7 mujoco==3.5.0 numpy

# Maturin packs the wheel; the stubs are checked by mypy, environments by Gymnasium's and PettingZoo's own tests.
deps-python: deps
	@sh tools/deps.sh python3-venv
	@sh tools/venv.sh $(PYTHON_VENV) "the Python package is not tried" maturin==1.16.0 numpy==2.4.6 pytest==9.2.0 mypy==2.4.1 gymnasium==1.4.0 pettingzoo==1.27.0 pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 tqdm nbclient==0.11.0 ipykernel matplotlib

# Slurm's daemons, and schedulers from PyPI.
deps-cluster: deps
	@sh tools/deps.sh slurm-wlm python3-venv || true
	@sh tools/venv.sh $(CLUSTER_VENV) "no sweep runs on HyperQueue" hyperqueue==0.27.0 pyyaml

# A real server of 3D viewers (MuJoCo's wheels come with it).
deps-rsmp: deps
	@sh tools/deps.sh python3-venv
	@sh tools/venv.sh $(RSMP_VENV) "no server of others is watched" rcsssmj==0.2.1

# Programs under another clock.
deps-time: deps
	@sh tools/deps.sh faketime

# Debian's compiler for Kilobots, and a simulator of their processor.
deps-kilobot: deps
	@sh tools/deps.sh gcc-avr avr-libc libsimavr-dev

# Drawings as PNG and PDF, films, and what looks into them.
deps-films: deps
	@sh tools/deps.sh ffmpeg librsvg2-bin fonts-liberation poppler-utils

# `pgrep` and `kill`, which small images of Debian lack.
deps-processes: deps
	@sh tools/deps.sh procps

# A real browser and what drives it.
deps-console: deps
	@sh tools/deps.sh chromium nodejs npm openssl

deps-promtool:
	@sh tools/promtool.sh $(PROMTOOL)

test: lint deps-bodies deps-console deps-deb deps-films deps-gpu deps-image deps-kilobot deps-mocap deps-processes deps-python deps-record deps-rsmp deps-site deps-time deps-promtool
	$(if $(wildcard $(BODIES_VENV)/ready),XPUCK_BODIES_PYTHON=$(CURDIR)/$(BODIES_VENV)/bin/python) $(if $(wildcard $(PROMTOOL)),XPUCK_PROMTOOL=$(CURDIR)/$(PROMTOOL)) $(if $(wildcard $(MOCAP_VENV)/ready),XPUCK_MOCAP_PYTHON=$(CURDIR)/$(MOCAP_VENV)/bin/python) $(if $(wildcard $(RECORD_VENV)/ready),XPUCK_RECORD_PYTHON=$(CURDIR)/$(RECORD_VENV)/bin/python) $(if $(wildcard $(ANALYSIS_VENV)/ready),XPUCK_ANALYSIS_PYTHON=$(CURDIR)/$(ANALYSIS_VENV)/bin/python) $(if $(wildcard $(RSMP_VENV)/ready),XPUCK_RSMP_SERVER=$(CURDIR)/$(RSMP_VENV)/bin/rcssservermj) cargo test --workspace --exclude xpuck-python --features $(FEATURES)
	$(MAKE) -C fpga check
	sh tools/python-test.sh $(PYTHON_VENV)
	sh tools/site.sh
	sh tools/console-test.sh
	sh tools/flat.sh 60 32 3
	sh tools/deb-test.sh

python-test: build deps-gpu deps-python
	sh tools/python-test.sh $(PYTHON_VENV)

# For people: nothing of it is looked for on the machine but glibc.
wheel: deps-python
	$(PYTHON_VENV)/bin/maturin build --release --features bundled -m hub/python/Cargo.toml -o target/wheels

console-test: build deps-console
	sh tools/console-test.sh

# What makes packages, and a bare Debian in which they are tried.
deps-deb: deps
	@sh tools/deps.sh mmdebstrap systemd-container lintian
	@[ -x target/tools/bin/cargo-deb ] || cargo install cargo-deb --locked --root target/tools --version 3.8.0

# Debian's own compiler builds the standard library of other architectures, which rustup brings only from the network.
deps-cross: deps-v4l
	@sh tools/deps.sh rustc-web g++-aarch64-linux-gnu g++-arm-linux-gnueabihf mmdebstrap

cross: deps-cross
	sh tools/cross.sh $(ARCH)

# What makes images of boards and writes cards.
deps-image: deps
	@sh tools/deps.sh mmdebstrap arch-test qemu-user-static btrfs-progs dosfstools mtools device-tree-compiler kmod fdisk zstd xz-utils

deps-boot: deps-cross deps-deb deps-image
	@sh tools/deps.sh qemu-system-arm

boot-test: deps-boot
	ARCH=$(ARCH) sh tools/boot-test.sh

deps-devices: deps-v4l
	@sh tools/deps.sh cpio kmod qemu-system-x86

devices-test: deps-devices
	FEATURES=$(FEATURES) sh tools/devices-test.sh

deb: deps-v4l deps-deb
	cargo build --workspace --exclude xpuck-python --features xpuck-robot/v4l
	sh tools/deb.sh $(ARCH)

deb-test: deps-v4l deps-deb
	cargo build --workspace --exclude xpuck-python --features xpuck-robot/v4l
	sh tools/deb-test.sh

deps-oci: deps-deb
	@sh tools/deps.sh buildah

# An image for containers, of the package that `make deb` made.
oci: deb deps-oci
	sh tools/oci.sh

# Neither root nor any library of the system: libzmq, SQLite and the others are built from sources.
bundled:
	sh tools/bundled.sh

# The fuzzer's own library is C++.
deps-fuzz: deps
	@sh tools/deps.sh g++

test-long: build deps-bodies deps-cluster deps-fpga deps-fuzz deps-kilobot deps-processes deps-cross deps-deb deps-devices deps-image deps-oci
	$(if $(wildcard $(BODIES_VENV)/ready),XPUCK_BODIES_PYTHON=$(CURDIR)/$(BODIES_VENV)/bin/python) XPUCK_CLUSTER_PYTHON=$(CURDIR)/$(CLUSTER_VENV)/bin/python sh tools/test-long.sh

bench: deps
	cargo bench -p xpuck-kernels --profile dev
	cargo bench -p xpuck-evolve --profile dev --bench generation
	cargo bench -p xpuck-robot --profile dev --bench vision
	cargo bench -p xpuck-robot --profile dev --bench record

fuzz: build deps-fuzz
	sh tools/fuzz.sh $(SECONDS)

# Both come from the programs' one definition of their command lines.
manuals: build
	mkdir -p target/man target/completions
	for program in xpuck xpuckd; do \
	    target/debug/$$program man target/man && \
	    target/debug/$$program completions bash >target/completions/$$program && \
	    target/debug/$$program completions zsh >target/completions/_$$program && \
	    target/debug/$$program completions fish >target/completions/$$program.fish || exit 1; \
	done

pictures: build deps-console
	sh tools/pictures.sh

# Of all that builds sites only mdBook renders our Markdown as code hosts do.
deps-site: deps
	@sh tools/deps.sh python3
	@[ -x target/tools/bin/mdbook ] || cargo install mdbook --locked --no-default-features --features search --root target/tools --version 0.5.4

site: deps-site doc
	sh tools/site.sh

clean:
	cargo clean
