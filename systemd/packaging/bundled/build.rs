//! Compiles libzmq with CURVE, and installs it in the folder that the environment variable PREFIX names. This folder
//! must contain libsodium. `systemd/packaging/bundled.sh` runs this build script.

use std::path::{Path, PathBuf};

fn main() {
    println!("cargo::rerun-if-env-changed=PREFIX");
    let prefix = PathBuf::from(std::env::var_os("PREFIX").expect("PREFIX, as systemd/packaging/bundled.sh sets it"));
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("Cargo sets it"));
    let sodium = zeromq_src::LibLocation::new(prefix.join("lib"), prefix.join("include"));
    zeromq_src::Build::new().with_libsodium(Some(sodium)).build();
    let copy = |from: &Path, to: &str| std::fs::copy(from, prefix.join(to)).expect("a folder that may be written to");
    copy(&out.join("lib/libzmq.a"), "lib/libzmq-alone.a");
    copy(&out.join("source/include/zmq.h"), "include/zmq.h");
}
