#!/bin/sh
# Documentation of the code, into target/doc; a broken link is an error. rustdoc needs the metadata of every crate: it takes what
# `cargo clippy ... -- -D warnings` left, because with the same wrapper and arguments Cargo sees the same units.
set -eu
cd "$(dirname "$0")/.."
RUSTC_WORKSPACE_WRAPPER="$(rustc --print sysroot)/bin/clippy-driver"
CLIPPY_ARGS=-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__
export RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
RUSTDOCFLAGS="-D warnings" exec cargo doc --workspace --no-deps --features xpuck-shim/verilated --quiet
