//! Tests of the repository itself: dependencies between crates and modules, third-party crates, and file names in
//! documents and comments.

mod arrows;
mod circles;
mod commands;
mod dependencies;
mod facts;
mod floors;
mod licence;
mod paths;
mod readers;
mod site;
mod skips;
mod suite;
mod walks;
mod words;

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Returns the root folder of the repository.
fn root() -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().expect("the repository is there")
}

/// Reads a TOML file at a path in the repository.
fn toml(path: &str) -> toml::Table {
    let text = std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    text.parse().unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files of the repository as paths from the root folder. Hidden files, build outputs, recorded runs and
/// installed node modules are excluded.
fn files() -> Vec<String> {
    let (root, mut folders, mut found) = (root(), vec![root()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder can be read") {
            let path = entry.expect("a folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with('.') || matches!(&*name, "target" | "runs" | "node_modules") {
                continue;
            }
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path.strip_prefix(&root).expect("it is below").to_string_lossy().into_owned());
            }
        }
    }
    assert!(found.len() > 500, "only {} files were found", found.len());
    found
}

/// Returns the crates of the workspace, as listed by `cargo metadata`.
fn crates() -> Vec<Value> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline"])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("a list").clone()
}
