//! Checks that CONTRIBUTING.md lists the parts of `make test` and `make test-long`, and that test modules named in
//! tools/suite/inputs.toml exist.

use crate::{files, root, toml};
use std::fmt::Write;

/// Returns the table of parts for CONTRIBUTING.md, from tools/suite/parts.toml.
fn table() -> String {
    let parts = toml("tools/suite/parts.toml");
    let mut text = String::from("| property | part | run by |\n|---|---|---|\n");
    for (suite, command) in [("test", "`make test`"), ("long", "`make test-long`")] {
        for (name, part) in parts[suite].as_table().expect("a table of parts") {
            let promise = part["promise"].as_str().expect("a promise");
            writeln!(text, "| {promise} | `{name}` | {command} |").expect("a String takes text");
        }
    }
    text
}

#[test]
fn contributing_lists_all_parts() {
    let path = root().join("CONTRIBUTING.md");
    let page = std::fs::read_to_string(&path).expect("CONTRIBUTING.md");
    let start = page.find("| property | part |").expect("the table of parts");
    let end = page[start..].find("\n\n").map_or(page.len(), |end| start + end + 1);
    if std::env::var_os("XPUCK_RENEW").is_some() {
        let renewed = format!("{}{}{}", &page[..start], table(), &page[end..]);
        std::fs::write(&path, renewed).expect("CONTRIBUTING.md can be written");
        return;
    }
    assert!(
        page[start..end] == table(),
        "the table of parts in CONTRIBUTING.md is old; `XPUCK_RENEW=1 cargo test -p xpuck-testing suite` renews it"
    );
}

#[test]
fn modules_named_in_inputs_exist() {
    let files = files();
    for test in toml("tools/suite/inputs.toml")["more"].as_table().expect("a table of tests").keys() {
        let Some(module) = test.strip_prefix("xpuck-hub::it ") else { continue };
        let place: Vec<&str> = module.split("::").take(2).collect();
        let place = format!("hub/cli/tests/it/{}", place.join("/"));
        let found = files.iter().any(|file| *file == format!("{place}.rs") || *file == format!("{place}/mod.rs"));
        assert!(found, "tools/suite/inputs.toml names {test}, and there is no {place}.rs");
    }
}
