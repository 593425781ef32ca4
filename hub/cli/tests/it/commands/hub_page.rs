//! Checks that the table of `hub.toml` in docs/hub.md lists every key that the program reads, and the key's default.

use crate::rig::{Layout, Swarm, http};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_hub_core::config::HubFile;

/// Content of a `hub.toml` that has only the required keys.
const LEAST: &str = "swarm = \"required\"\n[mocap]\naddress = \"required\"\nfrisbee = \"required\"\n\
    [record]\ndirectory = \"required\"\n";
/// Keys that are optional and have no default. The table in docs/hub.md has `none` for them.
const OPTIONAL: [&str; 13] = [
    "console.experiments",
    "console.key",
    "console.look",
    "console.runs",
    "console.tls.certificate",
    "console.tls.key",
    "foxglove.address",
    "mocap.file",
    "mocap.subjects.xp01",
    "mocap.up",
    "overhead.url",
    "record.budget_gib",
    "stream.address",
];
const CONSOLE: &str = "[console]\nlook = \"login\"\nkey = \"none\"\nexperiments = \"none\"\nruns = \"none\"\n\
    tls = { certificate = \"none\", key = \"none\" }\n";

fn flatten(table: &toml::Table, before: &str, rows: &mut BTreeMap<String, String>) {
    for (key, value) in table {
        let key = format!("{before}{key}");
        match value {
            toml::Value::Table(inner) => flatten(inner, &format!("{key}."), rows),
            value => drop(rows.insert(key, value.to_string())),
        }
    }
}

fn keys(text: &str) -> BTreeMap<String, String> {
    let file: HubFile = toml::from_str(text).unwrap();
    // The values are printed as text and parsed again. A direct conversion could change the digits of a value (0.05).
    let table: toml::Table = toml::to_string(&file).unwrap().parse().unwrap();
    let mut rows = BTreeMap::new();
    flatten(&table, "", &mut rows);
    rows
}

#[test]
fn documented_key_table_matches_program() {
    let with = LEAST
        .replace("[record]\n", "file = \"none\"\nup = \"z\"\nsubjects.xp01 = \"none\"\n[record]\nbudget_gib = 1.0\n");
    let expected: BTreeMap<String, String> = keys(&format!(
        "{with}[stream]\naddress = \"none\"\n[foxglove]\naddress = \"none\"\n[overhead]\nurl = \"none\"\n{CONSOLE}"
    ))
    .into_iter()
    .map(|(key, value)| {
        let shown = match value.as_str() {
            "\"required\"" => "required".into(),
            _ if OPTIONAL.contains(&key.as_str()) => "none".into(),
            value => format!("`{value}`"),
        };
        (key, shown)
    })
    .collect();
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hub.md");
    let page = std::fs::read_to_string(page).unwrap();
    let section = page.split("## hub.toml").nth(1).unwrap().split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    let shown: BTreeMap<String, String> = rows
        .map(|row| {
            let mut cells = row.split(" | ");
            let key = cells.next().unwrap().trim_end_matches('`').to_string();
            (key, cells.next().unwrap().to_string())
        })
        .collect();
    assert_eq!(shown, expected, "docs/hub.md against the program");
}

/// Starts the hub as docs/hub.md documents it: `xpuck serve hub --config hub.toml`, in the folder with the swarm's
/// files.
#[test]
fn hub_offers_experiments_in_its_folder() {
    let mut swarm = Swarm::new(&Layout { keys: false, console: true, ..Layout::default() });
    swarm.start_services();
    let (code, body) = http::get(&swarm.folder.console(), "/api/experiments");
    assert!(code == 200 && body.contains("e.toml"), "{code}: {body}");
    assert!(!http::get(&swarm.folder.console(), "/health").1.contains("main loop has not run"));
}
