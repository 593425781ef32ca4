//! Checks the call paths in docs/architecture.md. Each step of a path names a file, and an item that the file defines.

use crate::root;

/// Maximum number of steps of a call path.
const LONGEST: usize = 10;

/// Returns the call paths of a page. Each path is a list of steps. A step contains a file and the name of an item.
fn walks(page: &str) -> Vec<Vec<(String, String)>> {
    let mut walks: Vec<Vec<(String, String)>> = Vec::new();
    let (_, after) = page.split_once("\n## Call paths\n").expect("the page has walks");
    for line in after.lines().take_while(|line| !line.starts_with("## ")) {
        let Some((number, step)) = line.split_once(". `") else { continue };
        let Ok(number) = number.parse::<usize>() else { continue };
        let (file, name) = step.split_once("`, `").unwrap_or_else(|| panic!("no name: {line}"));
        let (name, _) = name.split_once('`').unwrap_or_else(|| panic!("no end of a name: {line}"));
        if number == 1 {
            walks.push(Vec::new());
        }
        let walk = walks.last_mut().unwrap_or_else(|| panic!("does not begin with 1: {line}"));
        walk.push((file.into(), name.into()));
        assert_eq!(walk.len(), number, "{line}");
    }
    walks
}

/// Returns whether a source file defines a function, type, constant or static with this name.
fn defines(source: &str, name: &str) -> bool {
    ["fn", "struct", "enum", "trait", "const", "static"].iter().any(|kind| {
        let after = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
        let defined = format!("{kind} {name}");
        source.match_indices(&defined).any(|(at, _)| after(&source[at + defined.len()..]))
    })
}

#[test]
fn walks_lead_along_files_that_define_what_they_name() {
    let page = std::fs::read_to_string(root().join("docs/architecture.md")).unwrap();
    let walks = walks(&page);
    assert_eq!(walks.len(), 3);
    for walk in &walks {
        assert!((5..=LONGEST).contains(&walk.len()), "{walk:?}");
        for (file, name) in walk {
            let source = std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"));
            assert!(defines(&source, name), "{file} defines no {name}");
        }
    }
}

#[test]
fn name_that_is_only_used_is_not_defined() {
    let source = "fn taken() { pass() }\npub struct Offers;";
    assert!(defines(source, "taken") && defines(source, "Offers"));
    assert!(!defines(source, "pass") && !defines(source, "Offer"));
}
