//! Checks that files named in documents and comments exist, and that links in documents are valid.

use crate::{files, root};
use std::collections::BTreeSet;

/// File name extensions of paths to check.
const ENDINGS: [&str; 8] = ["rs", "md", "toml", "wgsl", "sh", "c", "h", "cjs"];
/// Names of files that are not in the repository, because users, programs or third parties write them. Folders before
/// a name are ignored.
const ELSEWHERE: [&str; 26] = [
    "ID.toml",
    "NAME.toml",
    "again.sh",
    "arena.toml",
    "calibration.toml",
    "cards-written.toml",
    "cards.toml",
    "drive.toml",
    "e.toml",
    "groot2_protocol.h",
    "hub.toml",
    "i2c-dev.h",
    "own.toml",
    "palette.toml",
    "physics.toml",
    "robot.toml",
    "run.toml",
    "slower.toml",
    "state.toml",
    "stdint.h",
    "summary.md",
    "swarm.toml",
    "update.json",
    "world.toml",
    "xp01.toml",
    "xp02.toml",
];

/// Returns the prose of a line of the file `path`: the whole line of a document, or the comment in a source file.
/// Returns `None` for a line without a comment, and for files of other types.
fn prose<'a>(path: &str, line: &'a str) -> Option<&'a str> {
    // After a colon, `//` is part of a web address.
    let from = |mark| line.match_indices(mark).find(|(at, _)| !line[..*at].ends_with(':')).map(|(at, _)| &line[at..]);
    match path.rsplit_once('.').map_or(path, |(_, ending)| ending) {
        "md" => Some(line),
        "rs" | "wgsl" | "c" | "h" | "cjs" => from("//").or_else(|| from("/*")),
        "toml" | "sh" | "py" | "Makefile" => from("#"),
        _ => None,
    }
}

/// Returns the words of a line that look like file names. Web addresses are excluded.
fn named(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || "_-./:".contains(c)));
    let words = words.filter(|word| !word.contains("://")).flat_map(|word| word.split(':'));
    words.map(|word| word.trim_end_matches('.').trim_start_matches(['.', '/'])).filter(|word| {
        let ending = word.rsplit_once('.').filter(|(stem, _)| !stem.is_empty() && !stem.ends_with('/'));
        ending.is_some_and(|(_, ending)| ENDINGS.contains(&ending))
    })
}

/// Returns the valid names of the files: all suffixes of their paths that begin at a folder or at the file name.
fn ends(files: &[String]) -> BTreeSet<&str> {
    let of = |path: &str| path.match_indices('/').map(|(at, _)| at + 1).chain([0]).collect::<Vec<_>>();
    files.iter().flat_map(|path| of(path).into_iter().map(move |at| &path[at..])).collect()
}

#[test]
fn files_that_comments_and_documents_name_exist() {
    let files = files();
    let ends = ends(&files);
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in &files {
        let Ok(text) = std::fs::read_to_string(root().join(path)) else { continue };
        for (number, line) in text.lines().enumerate() {
            for name in prose(path, line).into_iter().flat_map(named) {
                checked += 1;
                let elsewhere = ELSEWHERE.contains(&name.rsplit('/').next().unwrap_or(name));
                if !ends.contains(name) && !elsewhere {
                    wrong.push(format!("{path}:{}: {name}", number + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "these files do not exist:\n{}", wrong.join("\n"));
    assert!(checked > 300, "only {checked} names of files were found");
}

#[test]
fn links_in_documents_lead_somewhere() {
    let files = files();
    let mut checked = 0;
    for document in files.iter().filter(|path| path.ends_with(".md")) {
        let file = root().join(document);
        let text = std::fs::read_to_string(&file).expect("a document");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            if target.starts_with("http") {
                continue;
            }
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let page = if path.is_empty() { file.clone() } else { file.parent().expect("a folder").join(path) };
            assert!(page.exists(), "{document}: there is no {target}");
            if !heading.is_empty() && page.extension().is_some_and(|ending| ending == "md") {
                let text = std::fs::read_to_string(&page).expect("a document");
                assert!(text.lines().any(|line| anchor(line).as_deref() == Some(heading)), "{document}: {target}");
            }
            checked += 1;
        }
    }
    assert!(checked > 100, "only {checked} links were found");
}

/// Returns the link anchor of a Markdown heading; `None` if the line is not a heading.
fn anchor(line: &str) -> Option<String> {
    let title = line.strip_prefix('#')?.trim_start_matches('#').strip_prefix(' ')?;
    let kept = title.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    Some(kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect())
}

#[test]
fn names_of_files_are_found_in_prose() {
    let found: Vec<&str> =
        named("see `world/a.rs:3`, ../docs/b.md#part; e.g. 1.5, std::fs, c.h. And .toml, (https://x.rs)").collect();
    assert_eq!(found, ["world/a.rs", "docs/b.md", "c.h"]);
    assert_eq!(anchor("## Is everything well?").as_deref(), Some("is-everything-well"));
    let line = concat!("let path = 1; /", "/ see it");
    assert_eq!((prose("a.rs", line), prose("a.md", line)), (Some("// see it"), Some(line)));
}
