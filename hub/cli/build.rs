//! Passes the Git commit of the sources to the program, which writes the commit to the files of runs.

#![allow(clippy::print_stdout, reason = "Cargo reads it")]

use std::process::Command;

fn main() {
    // Git appends to this log at every commit and change of branch. Sources outside a Git repository have no log.
    let log = std::path::Path::new("../../.git/logs/HEAD");
    if log.exists() {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    let output = Command::new("git").args(["rev-parse", "--short=12", "HEAD"]).output();
    let commit = output.ok().filter(|o| o.status.success()).and_then(|o| String::from_utf8(o.stdout).ok());
    println!("cargo:rustc-env=XPUCK_COMMIT={}", commit.as_deref().map_or("unknown", str::trim));
}
