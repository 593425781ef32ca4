//! Checks that the dependencies between crates are exactly those listed in docs/architecture.md.

use crate::{crates, root};
use std::collections::{BTreeMap, BTreeSet};

/// Allowed dependencies of each crate in shipped code.
const ARROWS: [(&str, &[&str]); 31] = [
    ("xpuck-kernels", &[]),
    ("xpuck-automata", &["xpuck-kernels"]),
    ("xpuck-bodies", &["xpuck-kernels"]),
    ("xpuck-kilobots", &["xpuck-kernels"]),
    ("xpuck-registers", &[]),
    ("xpuck-testing", &[]),
    ("xpuck-wire", &[]),
    ("xpuck-update", &["xpuck-wire"]),
    ("xpuck-image", &["xpuck-update", "xpuck-wire"]),
    ("xpuck-boot-test", &["xpuck-update", "xpuck-wire"]),
    ("xpuck-evolve", &["xpuck-kernels"]),
    ("xpuck-experiment", &["xpuck-evolve", "xpuck-kernels", "xpuck-registers", "xpuck-wire"]),
    ("xpuck-robot-core", &["xpuck-evolve", "xpuck-experiment", "xpuck-kernels", "xpuck-wire"]),
    (
        "xpuck-robot",
        &[
            "xpuck-evolve",
            "xpuck-experiment",
            "xpuck-kernels",
            "xpuck-registers",
            "xpuck-robot-core",
            "xpuck-update",
            "xpuck-wire",
        ],
    ),
    ("xpuck-arena", &["xpuck-kernels", "xpuck-registers"]),
    ("xpuck-shim", &["xpuck-arena", "xpuck-registers"]),
    ("xpuck-gateway", &["xpuck-kernels", "xpuck-wire"]),
    ("xpuck-hub-core", &["xpuck-evolve", "xpuck-experiment", "xpuck-kernels", "xpuck-wire"]),
    ("xpuck-record", &["xpuck-evolve", "xpuck-experiment", "xpuck-hub-core", "xpuck-kernels", "xpuck-wire"]),
    (
        "xpuck-hub-service",
        &[
            "xpuck-evolve",
            "xpuck-experiment",
            "xpuck-hub-core",
            "xpuck-kernels",
            "xpuck-record",
            "xpuck-update",
            "xpuck-views",
            "xpuck-wire",
        ],
    ),
    ("xpuck-views", &["xpuck-kernels"]),
    ("xpuck-playground", &["xpuck-evolve", "xpuck-experiment", "xpuck-kernels", "xpuck-stats", "xpuck-views"]),
    ("xpuck-stats", &["xpuck-kernels"]),
    (
        "xpuck-calibrate",
        &[
            "xpuck-experiment",
            "xpuck-hub-core",
            "xpuck-kernels",
            "xpuck-record",
            "xpuck-registers",
            "xpuck-stats",
            "xpuck-wire",
        ],
    ),
    (
        "xpuck-lab",
        &[
            "xpuck-calibrate",
            "xpuck-evolve",
            "xpuck-experiment",
            "xpuck-hub-core",
            "xpuck-kernels",
            "xpuck-record",
            "xpuck-stats",
            "xpuck-wire",
        ],
    ),
    (
        "xpuck-hub-automata",
        &["xpuck-automata", "xpuck-evolve", "xpuck-kernels", "xpuck-lab", "xpuck-stats", "xpuck-wire"],
    ),
    ("xpuck-hub-bodies", &["xpuck-bodies", "xpuck-evolve", "xpuck-kernels", "xpuck-lab", "xpuck-stats", "xpuck-wire"]),
    (
        "xpuck-hub-kilobots",
        &["xpuck-kilobots", "xpuck-evolve", "xpuck-kernels", "xpuck-lab", "xpuck-stats", "xpuck-wire"],
    ),
    ("xpuck-python", &["xpuck-evolve", "xpuck-experiment", "xpuck-kernels", "xpuck-lab", "xpuck-record", "xpuck-wire"]),
    (
        "xpuck-simtest",
        &[
            "xpuck-arena",
            "xpuck-evolve",
            "xpuck-experiment",
            "xpuck-hub-core",
            "xpuck-kernels",
            "xpuck-registers",
            "xpuck-robot-core",
            "xpuck-wire",
        ],
    ),
    (
        "xpuck-hub",
        &[
            "xpuck-arena",
            "xpuck-automata",
            "xpuck-bodies",
            "xpuck-calibrate",
            "xpuck-evolve",
            "xpuck-experiment",
            "xpuck-gateway",
            "xpuck-hub-automata",
            "xpuck-hub-bodies",
            "xpuck-hub-core",
            "xpuck-hub-kilobots",
            "xpuck-hub-service",
            "xpuck-image",
            "xpuck-kernels",
            "xpuck-kilobots",
            "xpuck-lab",
            "xpuck-record",
            "xpuck-registers",
            "xpuck-shim",
            "xpuck-simtest",
            "xpuck-stats",
            "xpuck-update",
            "xpuck-wire",
        ],
    ),
];

/// Additional dependencies that are allowed in tests, as pairs of user and used crate. Clients of motion capture are
/// tested with streams of the simulated arena. Tests of the shim connect the robot's drivers to the arena's dsPIC. In
/// these tests, the drivers display the lamp patterns of experiments. The playground's evolution is compared with that of
/// the laboratory.
const TEST_ARROWS: [(&str, &str); 6] = [
    ("xpuck-hub-service", "xpuck-arena"),
    ("xpuck-playground", "xpuck-lab"),
    ("xpuck-shim", "xpuck-experiment"),
    ("xpuck-shim", "xpuck-kernels"),
    ("xpuck-shim", "xpuck-robot"),
    ("xpuck-shim", "xpuck-wire"),
];

#[test]
fn crates_use_only_whom_they_may() {
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut found_in_tests = BTreeSet::new();
    for package in &crates() {
        let name = package["name"].as_str().unwrap();
        // Fuzz targets and benchmarks may use any crate, and no crate depends on them.
        if ["xpuck-fuzz", "xpuck-bench"].contains(&name) {
            continue;
        }
        let used = found.entry(name.into()).or_default();
        for dependency in package["dependencies"].as_array().unwrap() {
            let other = dependency["name"].as_str().unwrap();
            if !other.starts_with("xpuck-") {
                continue;
            }
            // xpuck-testing is allowed in the tests of any crate, and only there.
            if other == "xpuck-testing" {
                assert_eq!(dependency["kind"], "dev", "{name} uses xpuck-testing outside its tests");
                continue;
            }
            match dependency["kind"].as_str() {
                Some("dev") => drop(found_in_tests.insert((name.to_string(), other.to_string()))),
                _ => drop(used.insert(other.to_string())),
            }
        }
    }
    let set = |list: &[&str]| list.iter().map(|name| name.to_string()).collect::<BTreeSet<_>>();
    let allowed = ARROWS.iter().map(|(name, list)| (name.to_string(), set(list))).collect::<BTreeMap<_, _>>();
    assert_eq!(found, allowed, "an arrow was added or lost; docs/architecture.md says why each is there");
    let allowed = TEST_ARROWS.iter().map(|(a, b)| (a.to_string(), b.to_string())).collect::<BTreeSet<_>>();
    assert_eq!(found_in_tests, allowed, "an arrow of tests was added or lost");
}

fn excepted(path: &std::path::Path) -> bool {
    let places = [
        "tests/repository/arrows.rs",
        "hub/service/src/heap.rs",
        "fpga/cosim/src/verilated.rs",
        // This file compiles GPU kernels without loop counters, which requires an unsafe function.
        "kernels/src/engine/gpu/device.rs",
    ];
    places.iter().any(|end| path.ends_with(end))
}

#[test]
fn unsafe_code_only_in_listed_files() {
    let mut folders = vec![root()];
    let mut seen = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(name.as_str(), "target" | ".git" | "runs" | "device") {
                    folders.push(path);
                }
            } else if name.ends_with(".rs") && !excepted(&path) {
                seen += 1;
                let text = std::fs::read_to_string(&path).unwrap();
                assert!(!text.contains("unsafe {") && !text.contains("unsafe fn"), "{}", path.display());
            }
        }
    }
    assert!(seen > 50, "the sources were found");
}
