# Xpuck: `make demo` and `make test` do all the set-up they need.

OUT ?= runs
DEMO ?=

.PHONY: help deps build demo test lint test-long bench picture clean

help:
	@echo "make demo       nine robots, a hub and a virtual arena on this machine (DEMO='--speed 1' adds options)"
	@echo "make test       everything that checks the project"
	@echo "make test-long  what takes longer: a whole demo, and its best tree measured"
	@echo "make bench      micro-benchmarks: cost of a tree's tick"
	@echo "make build      the programs, into target/debug"
	@echo "make picture    the picture of the README, from a run"
	@echo "make clean      remove what was built"

# Debian's libzmq has CURVE; a C compiler builds zstd for the recorder.
deps:
	@sh tools/deps.sh pkg-config libzmq3-dev gcc

build: deps
	cargo build --workspace

demo: build
	target/debug/xpuck demo --out $(OUT) $(DEMO)

lint: deps
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings

test: lint
	cargo test --workspace

test-long: build
	sh tools/test-long.sh

bench: deps
	cargo bench -p xpuck-kernels --profile dev

picture: build
	sh tools/picture.sh

clean:
	cargo clean
