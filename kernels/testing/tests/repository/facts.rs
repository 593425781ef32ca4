//! Checks that facts repeated in documents and other files agree with `Cargo.toml` and with the source code.

use crate::{files, root, toml};

/// Returns the components of a version as numbers, for comparison.
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
    // If the current version is unreleased, CITATION.cff names the last release.
    let [changes, cited] = match version.ends_with("-dev") {
        true => ["\n## [Unreleased]\n".to_string(), "\nversion: ".to_string()],
        false => [format!("\n## [{version}] - "), format!("\nversion: {version}\n")],
    };
    for (path, line) in
        [("CHANGELOG.md", changes), ("CITATION.cff", cited), ("README.md", format!("({oldest} or newer)"))]
    {
        assert!(file(path).contains(&line), "{path} does not say {:?}", line.trim());
    }
    // The channel of the toolchain must be `stable`, or a version that is not older than `rust-version` in Cargo.toml.
    let toolchain = toml("rust-toolchain.toml")["toolchain"]["channel"].as_str().expect("a channel").to_owned();
    assert!(
        toolchain == "stable" || numbers(&toolchain) >= numbers(&oldest),
        "rust-toolchain.toml has {toolchain}, which is older than {oldest}"
    );
}

/// Checks that messages explained in docs/robots.md under "What is wrong" exist in the programs.
#[test]
fn messages_explained_in_robots_page_exist() {
    const MESSAGES: [&str; 19] = [
        "cannot be read",
        "chmod 600",
        "cannot open ",
        ", which drives this robot: end it first",
        "does not acknowledge",
        "answered with a corrupt packet",
        "answered with a packet of zeros only",
        "the dsPIC's report to command ",
        "no USB device ",
        ", which is not a camera sensor of an e-puck",
        "all pixels alike",
        "the hub rejects this robot's key",
        " has no operators/*.pub, so every experiment is refused",
        "wheels and evolution stand still until it sends RUN",
        " is lost (silent for 3 s): check its power and network",
        "two programs with the key of robot ",
        "the kernel refuses real-time priority",
        "the robot runs without evolution",
        "; evolution continues without checkpoints",
    ];
    let read =
        |path: &str| std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    let page = read("docs/robots.md");
    let of_programs =
        |path: &&String| path.ends_with(".rs") && (path.starts_with("robot/") || path.starts_with("hub/"));
    let sources: Vec<String> = files().iter().filter(of_programs).map(|path| read(path)).collect();
    for message in MESSAGES {
        assert!(page.contains(message), "docs/robots.md no longer explains {message:?}");
        assert!(sources.iter().any(|source| source.contains(message)), "no program says {message:?}");
    }
}
