# Xpuck: `make demo` and `make test` install what they need.

OUT ?= runs
DEMO ?=
SECONDS ?= 60
# Features that tests are built with: the logic of the shim.
FEATURES = xpuck-shim/verilated
# Third-party clients of motion capture, which read the streams of the arena.
MOCAP_VENV = target/mocap-venv
# Readers of records and of their tables.
RECORD_VENV = target/record-venv
# References for statistics, maps and CMA-ES; minisom has no wheel.
ANALYSIS_VENV = target/analysis-venv
# Third-party simulators, which load exported bodies and make them walk.
BODIES_VENV = target/bodies-venv
# Build tool and test dependencies of the Python package.
PYTHON_VENV = target/python-venv
# HyperQueue, and a parser of Kubernetes manifests.
CLUSTER_VENV = target/cluster-venv
# RSMP server of RoboCup's 3D league.
RSMP_VENV = target/rsmp-venv
# Prometheus's checker of metrics.
PROMTOOL = target/promtool/usr/bin/promtool
# Installs the missing ones of a list of Debian packages; `deps-test` replaces it by `:`, after one call for all lists.
DEPS = sh tools/install/deps.sh

include tools/install/packages.mk

.PHONY: help boot-test build-fpga cross deb deb-test devices-test oci bundled deps deps-bodies deps-console deps-boot deps-cross deps-deb deps-devices deps-films deps-fpga deps-image deps-oci deps-fuzz deps-gpu deps-kilobot deps-mocap deps-processes deps-promtool deps-python deps-record deps-rsmp deps-site deps-test deps-time build check console-test demo test lint test-long bench fuzz manuals mission-pictures pictures doc site playground playground-test python-test wheel clean deps-cluster fpga-venv

help:
	@echo "make demo          nine robots, a hub and a virtual arena on this machine (DEMO='--speed 1' adds options)"
	@echo "make check         format, lints, unit tests of the crates that changed: a minute or two, for every change"
	@echo "make test          all tests, side by side; parts whose inputs did not change are skipped (FORCE=1, PART=rust)"
	@echo "make lint          formatting, lints, documentation links (part of make test)"
	@echo "make test-long     longer checks, one after another: Slurm, fuzzing, 100000 seeds, load tests, a whole demo (PART=fuzz)"
	@echo "make bench         micro-benchmarks: simulated worlds, ticks of trees, generations, camera frames"
	@echo "make fuzz          fuzz each parser of trees for a minute (SECONDS=600: ten minutes)"
	@echo "make build         the programs, into target/debug"
	@echo "make build-fpga    the programs with the logic of the shim (fpga = true, xpuck demo --fpga)"
	@echo "make cross         the programs for ARCH=arm64 or armhf, into target/cross/ARCH"
	@echo "make deb           Debian packages, into target/deb (ARCH=arm64 or armhf: from target/cross/ARCH)"
	@echo "make deb-test      install, boot in a container, upgrade and purge the packages (part of make test)"
	@echo "make boot-test     boot, update and damage a robot's card in a virtual machine (needs root; ARCH=armhf)"
	@echo "make devices-test  camera drivers against a kernel in a virtual machine (part of make test-long)"
	@echo "make oci           container image (OCI) of hub and tools, into target/deb"
	@echo "make wheel         the Python package, into target/wheels (make python-test: its tests, part of make test)"
	@echo "make bundled       xpuck and xpuckd with all libraries included, into target/bundled/bin (needs no root)"
	@echo "make manuals       manual pages into target/man, shell completions into target/completions"
	@echo "make site          documentation site with search, into target/site; checks its links (part of make test)"
	@echo "make playground    trees, robots and evolution in a browser: static files in target/playground (xpuck serve playground)"
	@echo "make playground-test  digits of the playground against xpuck, and its page in a real browser (part of make test)"
	@echo "make console-test  the hub's web page: types, unit tests, and a real browser with a demo (part of make test)"
	@echo "make pictures      the pictures of the console in docs/operate, from runs"
	@echo "make mission-pictures  the pictures of missions, and the rows of their gallery in docs/worlds/missions"
	@echo "make deps-test     install all that make test needs"
	@echo "make clean         remove all build output"

# The prerequisite of all builds.
deps:
	@$(DEPS) $(APT_BUILD)

# One installation of Debian packages for all of `make test`, then everything that does not come from Debian, side by side; other
# targets in ALSO beside them.
deps-test:
	@$(DEPS) $(sort $(APT_TEST))
	@$(MAKE) --no-print-directory -j 8 DEPS=: $(ALSO) deps-bodies deps-mocap deps-promtool deps-python deps-record deps-rsmp deps-site fpga-venv

build: deps
	cargo build

# Verilator translates the logic of the shim to C++.
deps-fpga: deps
	@$(DEPS) $(APT_VERILATOR) $(APT_CXX)

fpga-venv:
	@$(MAKE) -C fpga venv

build-fpga: deps-fpga
	cargo build --features xpuck-hub/fpga

demo: build
	target/debug/xpuck demo --output $(OUT) $(DEMO)

lint: deps deps-fpga
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --features $(FEATURES) -- -D warnings
	sh tools/doc.sh

# Documentation of the code, into target/doc; a broken link is an error.
doc: deps
	sh tools/doc.sh

deps-gpu: deps
	@$(DEPS) $(APT_GPU)

# Vicon, VRPN and NatNet clients.
deps-mocap: deps
	@$(DEPS) $(APT_PYTHON)
	@sh tools/install/venv.sh $(MOCAP_VENV) "no third-party client reads the arena's streams" motioncapture==1.1 numpy

deps-record: deps
	@$(DEPS) $(APT_PYTHON)
	@sh tools/install/venv.sh $(RECORD_VENV) "records and the live view are not read from Python" pandas pyarrow matplotlib mcap prometheus-client websockets foxglove-schemas-protobuf
	@sh tools/install/venv.sh $(ANALYSIS_VENV) "statistics, maps and CMA-ES are not compared with other packages" scipy minisom cma --no-binary minisom

deps-bodies: deps
	@$(DEPS) $(APT_PYTHON) $(APT_BODIES)
	@sh tools/install/venv.sh $(BODIES_VENV) "no third-party simulator loads the bodies" pybullet==3.2.7 mujoco==3.5.0 numpy

# Maturin builds the wheel; mypy checks the stubs; Gymnasium and PettingZoo test environments with their own suites.
deps-python: deps
	@$(DEPS) $(APT_PYTHON)
	@sh tools/install/venv.sh $(PYTHON_VENV) "the Python package is not tested" maturin==1.16.0 numpy==2.4.6 pytest==9.2.0 mypy==2.4.1 gymnasium==1.4.0 pettingzoo==1.27.0 pandas==3.1.1 pyarrow==26.0.1 polars==2.1.0 tqdm nbclient==0.11.0 ipykernel matplotlib

# Slurm's daemons, and schedulers from PyPI.
deps-cluster: deps
	@$(DEPS) $(APT_CLUSTER) $(APT_PYTHON) || true
	@sh tools/install/venv.sh $(CLUSTER_VENV) "no sweep runs on HyperQueue" hyperqueue==0.27.0 pyyaml

# Server of 3D viewers; it depends on MuJoCo's wheels.
deps-rsmp: deps
	@$(DEPS) $(APT_PYTHON)
	@sh tools/install/venv.sh $(RSMP_VENV) "no third-party server is watched" rcsssmj==0.2.1

deps-time: deps
	@$(DEPS) $(APT_TIME)

deps-kilobot: deps
	@$(DEPS) $(APT_KILOBOT)

deps-films: deps
	@$(DEPS) $(APT_FILMS)

deps-processes: deps
	@$(DEPS) $(APT_PROCESSES)

deps-console: deps
	@$(DEPS) $(APT_CONSOLE)

deps-promtool:
	@sh tools/install/promtool.sh $(PROMTOOL)

# FORCE=1 runs all parts, also those whose inputs have not changed; PART="rust site" only these parts and those that they need.
SUITE = XPUCK_NEXTEST=$$(sh tools/install/nextest.sh) && export XPUCK_NEXTEST && python3 tools/suite/suite.py

# Programs compile while Python packages are fetched.
test:
	@$(MAKE) --no-print-directory deps-test $(if $(PART),,ALSO=build)
	@$(SUITE) test $(if $(FORCE),--force) $(if $(PART),--part "$(PART)")

# Format, lints, and the unit tests of the crates that differ from BASE (the last commit).
check: deps-fpga
	@$(DEPS) $(APT_PYTHON)
	@$(SUITE) check $(if $(FORCE),--force)

# With the packages and features of the other tests, so that only the module itself is compiled.
python-test: build deps-fpga deps-gpu deps-python
	cargo build --workspace --exclude xpuck-fuzz --features $(FEATURES)
	sh tools/python-test.sh

# A release build that needs only glibc.
wheel: deps-python
	$(PYTHON_VENV)/bin/maturin build --release --features bundled -m hub/python/Cargo.toml -o target/wheels

console-test: build deps-console
	sh tools/console-test.sh

# Checks packages, and builds the bare Debian in which they are tested.
deps-deb: deps
	@$(DEPS) $(APT_DEB)

deps-cross: deps
	@$(DEPS) $(APT_CROSS)

cross: deps-cross
	sh systemd/packaging/cross.sh $(ARCH)

# Builds images of boards and writes cards.
deps-image: deps
	@$(DEPS) $(APT_IMAGE)

deps-boot: deps-cross deps-deb deps-image
	@$(DEPS) $(APT_BOOT)

boot-test: deps-boot
	ARCH=$(ARCH) sh systemd/boot-test/run.sh

deps-devices: deps
	@$(DEPS) $(APT_DEVICES)

devices-test: deps-devices
	sh tools/devices-test.sh

deb: deps-deb playground
	cargo build
	sh systemd/packaging/deb.sh $(ARCH)

deb-test: deps-deb
	cargo build
	sh systemd/packaging/deb-test.sh

deps-oci: deps-deb
	@$(DEPS) $(APT_OCI)

# A container image of the package that `make deb` builds.
oci: deb deps-oci
	sh systemd/packaging/oci.sh

# Needs neither root nor libraries of the system: libzmq, SQLite and the others are built from source.
bundled:
	sh systemd/packaging/bundled.sh

# The library of the fuzzer is C++.
deps-fuzz: deps
	@$(DEPS) $(APT_CXX)

# PART="fuzz seeds" runs only these parts; `python3 tools/suite/suite.py long --list` lists them.
test-long: deps-test deps-cluster deps-fpga deps-fuzz deps-cross deps-devices deps-oci build
	@$(SUITE) long --force $(if $(PART),--part "$(PART)")

bench: deps
	cargo bench -p xpuck-bench --profile dev

fuzz: build deps-fuzz
	sh tools/fuzz.sh $(SECONDS)

# Generated from the definitions of the command lines.
manuals: build
	mkdir -p target/man target/completions
	for program in xpuck xpuckd; do \
	    target/debug/$$program man target/man && \
	    target/debug/$$program completions bash >target/completions/$$program && \
	    target/debug/$$program completions zsh >target/completions/_$$program && \
	    target/debug/$$program completions fish >target/completions/$$program.fish || exit 1; \
	done

pictures: build deps-console playground
	sh tools/pictures.sh

mission-pictures: build
	python3 tools/missions.py

deps-site: deps
	@$(DEPS) $(APT_PYTHON)
	@sh tools/install/mdbook.sh >/dev/null

site: deps-site doc playground
	sh tools/site.sh

deps-wasm: deps
	@[ -d "$$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown" ] || $(DEPS) $(APT_WASM)

# The first build compiles the standard library for WebAssembly, which takes minutes.
playground: deps-wasm
	sh tools/playground.sh

playground-test: build deps-console deps-wasm
	sh tools/playground-test.sh

clean:
	cargo clean
