//! Build script that finds the AprilTag library and compiles the C wrapper around it.

#![allow(clippy::print_stdout, reason = "Cargo reads it")]

fn main() {
    if std::env::var_os("CARGO_FEATURE_APRILTAG").is_none() {
        println!("cargo::rerun-if-changed=build.rs");
        return;
    }
    println!("cargo::rerun-if-changed=src/device/apriltag.c");
    let library = match pkg_config::Config::new().atleast_version("3.1").probe("apriltag") {
        Ok(library) => library,
        Err(error) => {
            println!("cargo::error=the Debian package libapriltag-dev is missing: `make deps` installs it ({error})");
            return;
        }
    };
    let mut build = cc::Build::new();
    build.file("src/device/apriltag.c").includes(&library.include_paths).std("c11").warnings(true);
    build.compile("xpuck_apriltag");
}
