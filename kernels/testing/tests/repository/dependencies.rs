//! Checks that licences, sources and names of third-party crates satisfy `deny.toml`, which cargo-deny also reads.

use crate::{licence, root, toml};
use serde_json::Value;
use std::collections::BTreeMap;
use std::process::Command;
use std::sync::LazyLock;

/// Maximum number of additional crate versions. If a crate is built in n versions, n - 1 of them count. One of the
/// current additional versions is used only by the Python package.
const MOST_DUPLICATES: usize = 17;
/// Public registry of crates, in the notation of lock files.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Returns the lists of `deny.toml`: allowed licences and banned crates.
fn lists() -> (Vec<String>, Vec<String>) {
    let deny = toml("deny.toml");
    let texts = |list: &toml::Value, text: fn(&toml::Value) -> Option<&str>| -> Vec<String> {
        let list = list.as_array().expect("a list");
        list.iter().map(|entry| text(entry).expect("a name").to_owned()).collect()
    };
    let licences = texts(&deny["licenses"]["allow"], toml::Value::as_str);
    let banned = texts(&deny["bans"]["deny"], |entry| entry.get("crate")?.as_str());
    assert!(!licences.is_empty() && !banned.is_empty(), "deny.toml has both lists");
    (licences, banned)
}

/// All crates built on this machine, as entries of `cargo metadata`. Crates used only by tests or build scripts are
/// included.
static PACKAGES: LazyLock<Vec<Value>> = LazyLock::new(packages);

fn packages() -> Vec<Value> {
    let rustc = Command::new("rustc").arg("-vV").output().expect("rustc runs");
    let version = String::from_utf8(rustc.stdout).expect("text");
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host");
    // Crates that only other operating systems need may be missing on this disk, and this test must not download them.
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--filter-platform", host])
        .current_dir(root())
        .output()
        .expect("cargo runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let metadata: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    metadata["packages"].as_array().expect("a list").clone()
}

/// Returns name, version and source of every crate in the lock file, which covers all operating systems. The source of
/// this repository's crates is `None`.
fn locked() -> Vec<(String, String, Option<String>)> {
    let lock = toml("Cargo.lock");
    let text = |package: &toml::Value, key| package.get(key).and_then(toml::Value::as_str).map(str::to_owned);
    let named =
        |p: &toml::Value| (text(p, "name").expect("a name"), text(p, "version").expect("one"), text(p, "source"));
    lock["package"].as_array().expect("a list").iter().map(named).collect()
}

#[test]
fn licences_are_among_those_allowed() {
    let (allowed, _) = lists();
    let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
    let mut checked = 0;
    for package in PACKAGES.iter().filter(|package| !package["source"].is_null()) {
        let name = package["name"].as_str().expect("a name");
        let expression = package["license"].as_str().unwrap_or_else(|| panic!("{name} names no licence"));
        let result = licence::satisfied(expression, &allowed).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(result, "{name}: {expression} is not satisfied by deny.toml");
        checked += 1;
    }
    assert!(checked > 100, "only {checked} crates were found");
}

#[test]
fn crates_come_from_the_registry_and_none_is_banned() {
    let (_, banned) = lists();
    for (name, _, source) in locked() {
        assert!(!banned.contains(&name), "deny.toml bans {name}");
        let ours = name.starts_with("xpuck-");
        assert_eq!(source.as_deref(), if ours { None } else { Some(REGISTRY) }, "{name}");
    }
}

/// Checks the number of additional crate versions, because each version costs build time and program size. The failure
/// message lists the versions.
#[test]
fn few_crates_are_there_in_several_versions() {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for package in PACKAGES.iter() {
        let text = |key| package[key].as_str().expect("text").to_owned();
        versions.entry(text("name")).or_default().push(text("version"));
    }
    versions.retain(|_, versions| versions.len() > 1);
    let beyond: usize = versions.values().map(|versions| versions.len() - 1).sum();
    assert!(beyond <= MOST_DUPLICATES, "{beyond} versions beyond the first of their crates: {versions:?}");
}

#[test]
fn no_version_is_left_open() {
    for package in PACKAGES.iter().filter(|package| package["source"].is_null()) {
        for dependency in package["dependencies"].as_array().expect("a list") {
            let open = dependency["req"] == "*" && dependency["path"].is_null();
            assert!(!open, "{}: which version of {}?", package["name"], dependency["name"]);
        }
    }
}
