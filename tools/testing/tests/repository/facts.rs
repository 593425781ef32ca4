//! Facts that files outside Cargo's reach have to repeat, compared with `Cargo.toml`.

use crate::{root, toml};

/// The numbers of a version, compared one by one.
fn numbers(version: &str) -> Vec<u32> {
    version.split('.').map(|part| part.parse().unwrap_or_else(|_| panic!("{version:?} is no version"))).collect()
}

#[test]
fn versions_are_the_same_everywhere() {
    let package = &toml("Cargo.toml")["workspace"]["package"];
    let text = |key: &str| package[key].as_str().unwrap_or_else(|| panic!("workspace.package.{key}")).to_owned();
    let (version, oldest) = (text("version"), text("rust-version"));
    let file =
        |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    for (path, line) in [
        ("CHANGELOG.md", format!("\n## [{version}] - ")),
        ("CITATION.cff", format!("\nversion: {version}\n")),
        ("README.md", format!("({oldest} or newer)")),
        ("fuzz/Cargo.toml", format!("\nrust-version = \"{oldest}\"\n")),
    ] {
        assert!(file(path).contains(&line), "{path} does not say {:?}", line.trim());
    }
    // The stable one, whatever its number, or one that is new enough.
    let toolchain = toml("rust-toolchain.toml")["toolchain"]["channel"].as_str().expect("a channel").to_owned();
    assert!(
        toolchain == "stable" || numbers(&toolchain) >= numbers(&oldest),
        "rust-toolchain.toml has {toolchain}, which is older than {oldest}"
    );
}
