//! Checks the layers of the repository. Each layer is a top-level folder. Its crates depend only on crates of the same
//! layer and of lower layers, and its sources include only files of these layers.

use crate::{crates, files, root};
use std::path::{Component, Path, PathBuf};

const FLOORS: [&str; 5] = ["kernels", "robot", "fpga", "systemd", "hub"];

/// Returns the index in `FLOORS` of the layer of a path, which is relative to the top folder. Returns `None` for paths
/// outside all layers, such as documents and tools.
fn floor(path: &Path) -> Option<usize> {
    let first = path.components().next()?.as_os_str();
    FLOORS.iter().position(|floor| first == *floor)
}

/// Returns a description of the violation if `to` is in a higher layer than `from`.
fn upward(from: &Path, to: &Path) -> Option<String> {
    (floor(to)? > floor(from)?).then(|| format!("{} uses {}", from.display(), to.display()))
}

/// Resolves `..` in a path without access to the file system.
fn plain(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut plain, part| {
        match part {
            Component::ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
        plain
    })
}

/// Returns the paths of files that a source file includes: arguments of `include_str!` and similar macros, and values
/// of `#[path]` attributes.
fn included(text: &str) -> impl Iterator<Item = &str> {
    ["include_str!(\"", "include_bytes!(\"", "include!(\"", "#[path = \""]
        .into_iter()
        .flat_map(|begins| text.split(begins).skip(1))
        .filter_map(|rest| rest.split('"').next())
}

#[test]
fn crates_use_no_floor_above_their_own() {
    let crates = crates();
    let place = |name: &str| {
        let found = crates.iter().find(|package| package["name"] == name)?;
        let manifest = Path::new(found["manifest_path"].as_str()?);
        Some(manifest.parent()?.strip_prefix(root()).ok()?.to_path_buf())
    };
    let mut upwards = Vec::new();
    for package in &crates {
        let from = place(package["name"].as_str().unwrap()).unwrap();
        let used = package["dependencies"].as_array().unwrap().iter();
        let used = used.filter_map(|dependency| place(dependency["name"].as_str()?));
        upwards.extend(used.filter_map(|to| upward(&from, &to)));
    }
    assert_eq!(upwards, Vec::<String>::new());
    assert!(FLOORS.iter().all(|floor| {
        crates
            .iter()
            .any(|package| place(package["name"].as_str().unwrap()).is_some_and(|place| place.starts_with(floor)))
    }));
}

#[test]
fn programs_take_in_no_file_of_a_floor_above() {
    let (mut upwards, mut seen) = (Vec::new(), 0);
    for file in files().iter().filter(|file| file.ends_with(".rs")) {
        let (from, text) = (Path::new(file), std::fs::read_to_string(root().join(file)).unwrap());
        let folder = from.parent().unwrap();
        for path in included(&text) {
            seen += 1;
            upwards.extend(upward(from, &plain(&folder.join(path))));
        }
    }
    assert_eq!(upwards, Vec::<String>::new());
    assert!(seen > 50, "{seen}");
}

#[test]
fn path_upward_is_seen() {
    let of = |from: &str, to: &str| {
        let from = Path::new(from);
        upward(from, &plain(&from.parent().unwrap().join(to)))
    };
    assert_eq!(of("robot/src/a.rs", "../../hub/b.toml").as_deref(), Some("robot/src/a.rs uses hub/b.toml"));
    assert_eq!(of("hub/cli/src/a.rs", "../../robot/b.toml"), None);
    assert_eq!(of("kernels/src/a.rs", "../../docs/b.md"), None);
    assert_eq!(included("x(include_str!(\"a/b\")) #[path = \"c\"]").collect::<Vec<_>>(), ["a/b", "c"]);
}
