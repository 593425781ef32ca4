//! The arrows between crates: exactly those of docs/architecture.md.

use std::collections::BTreeSet;
use std::process::Command;

/// Who may use whom. `hub` uses `arena` for the demo and the microscope only, `robot-core` for the microscope only, and
/// `registers` for the infra-red curve that it fits.
const ARROWS: [(&str, &str); 17] = [
    ("xpuck-robot", "xpuck-evolve"),
    ("xpuck-robot", "xpuck-robot-core"),
    ("xpuck-robot-core", "xpuck-evolve"),
    ("xpuck-robot-core", "xpuck-kernels"),
    ("xpuck-robot-core", "xpuck-wire"),
    ("xpuck-hub", "xpuck-robot-core"),
    ("xpuck-robot", "xpuck-kernels"),
    ("xpuck-evolve", "xpuck-kernels"),
    ("xpuck-robot", "xpuck-wire"),
    ("xpuck-hub", "xpuck-wire"),
    ("xpuck-robot", "xpuck-registers"),
    ("xpuck-arena", "xpuck-registers"),
    ("xpuck-arena", "xpuck-kernels"),
    ("xpuck-hub", "xpuck-evolve"),
    ("xpuck-hub", "xpuck-kernels"),
    ("xpuck-hub", "xpuck-arena"),
    ("xpuck-hub", "xpuck-registers"),
];

#[test]
fn crates_use_only_whom_they_may() {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--no-deps", "--format-version", "1", "--offline", "--manifest-path"])
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/../Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found = BTreeSet::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            // Any crate's tests may use it, and nothing else.
            if other == "xpuck-testing" {
                assert_eq!(dependency["kind"], "dev", "{name} uses xpuck-testing outside its tests");
            } else if other.starts_with("xpuck-") {
                found.insert((name.to_string(), other.to_string()));
            }
        }
    }
    let allowed: BTreeSet<(String, String)> = ARROWS.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect();
    assert_eq!(found, allowed, "an arrow was added or lost; docs/architecture.md says why each is there");
}

#[test]
fn only_device_files_and_the_heap_may_hold_unsafe_code() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let mut folders = vec![root.to_path_buf()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(name.as_str(), "target" | ".git" | "runs" | "device") {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") && name != "arrows.rs" && !path.ends_with("hub/src/heap.rs") {
                seen += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(!text.contains("unsafe {") && !text.contains("unsafe fn"), "{}", path.display());
            }
        }
    }
    assert!(seen > 50, "the sources were found");
}
