//! Build script. With the feature `verilated`, Verilator translates the board's top level to C++. The C++ code is then
//! compiled to a library.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if std::env::var_os("CARGO_FEATURE_VERILATED").is_none() {
        return;
    }
    let fpga = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let sources = sources(&fpga);
    for path in sources.iter().chain([&fpga.join("include/shim.vh"), &fpga.join("cosim/src/glue.cpp")]) {
        println!("cargo::rerun-if-changed={}", path.display());
    }
    println!("cargo::rerun-if-changed={}", fpga.join("cores").display());

    // The folder is deleted first, because the code below compiles all files in it, including those of deleted modules.
    let translated = out.join("translated");
    let _ = std::fs::remove_dir_all(&translated);
    let mut verilator = Command::new("verilator");
    verilator.args(["--cc", "-Wall", "-O3", "--prefix", "Vtop", "--top-module", "top", "-GBUILD=32'h01234567"]);
    verilator.arg("--Mdir").arg(&translated).arg(format!("-I{}", fpga.join("include").display())).args(&sources);
    run(&mut verilator);

    let root = run(Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]));
    let include = Path::new(root.trim()).join("include");
    let mut compile = cc::Build::new();
    compile.cpp(true).std("c++17").opt_level(2).warnings(false);
    compile.include(&include).include(include.join("vltstd")).include(&translated);
    for (name, value) in [("VM_COVERAGE", "0"), ("VM_SC", "0"), ("VM_TRACE", "0")] {
        compile.define(name, value);
    }
    let made = std::fs::read_dir(&translated).expect("Verilator made it").map(|entry| entry.expect("readable").path());
    compile.files(made.filter(|path| path.extension().is_some_and(|e| e == "cpp")));
    compile.file(include.join("verilated.cpp")).file(include.join("verilated_threads.cpp"));
    compile.file("src/glue.cpp").compile("shim_verilated");
    println!("cargo::rustc-link-lib=pthread");
}

/// Returns the Verilog sources of the board's top level and of all cores, with the simulation model of the pads.
fn sources(fpga: &Path) -> Vec<PathBuf> {
    let mut list = vec![fpga.join("boards/xpuck/top.v")];
    let cores = std::fs::read_dir(fpga.join("cores")).expect("the cores are there");
    for core in cores {
        let rtl = core.expect("readable").path().join("rtl");
        let files = std::fs::read_dir(&rtl).into_iter().flatten().map(|file| file.expect("readable").path());
        list.extend(files.filter(|path| path.extension().is_some_and(|e| e == "v") && !path.ends_with("pads_ice40.v")));
    }
    list.sort();
    list
}

fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}; `make deps-fpga` installs it"));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{command:?}: {text}{}", String::from_utf8_lossy(&output.stderr));
    text
}
