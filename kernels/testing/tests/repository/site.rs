//! Checks that the navigation of the documentation site contains every page, and that the site's link checker finds
//! errors.

use crate::{files, root};
use std::collections::BTreeMap;
use std::process::Command;

#[test]
fn every_page_is_in_navigation_exactly_once() {
    let summary = std::fs::read_to_string(root().join("site/SUMMARY.md")).expect("the navigation");
    let mut found = BTreeMap::<&str, usize>::new();
    for page in summary.split("](../").skip(1).filter_map(|rest| rest.split(')').next()) {
        *found.entry(page).or_default() += 1;
    }
    let mut pages = 0;
    for page in files().iter().filter(|path| path.starts_with("docs/") && path.ends_with(".md")) {
        pages += 1;
        let times = found.get(page.as_str()).copied().unwrap_or(0);
        assert!(times == 1, "{page} is in site/SUMMARY.md {times} times; give it a place in one group");
    }
    assert!(pages > 50, "only {pages} pages were found");
}

/// Runs the link checker for a site of two pages, with `link` on the first page. Returns whether the checker succeeds,
/// and its error output. Returns `None` if Python is not installed.
fn checked(link: &str) -> Option<(bool, String)> {
    let place = tempfile::tempdir().expect("a folder");
    let write = |path: &str, text: &str| {
        let file = place.path().join(path);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder can be made");
        std::fs::write(file, text).expect("a file can be written");
    };
    write("pages/docs/one.md", "# One\n\nSee [two](two.md#here), [three](three.md), [two](two.md#there).\n");
    write("site/docs/one.html", link);
    write("site/docs/two.html", "<h1 id=\"here\">Here</h1>");
    let output = Command::new("python3")
        .arg(root().join("site/check.py"))
        .args([place.path().join("site"), place.path().join("pages")])
        .output();
    let Ok(output) = output else {
        xpuck_testing::skipped("there is no python3");
        return None;
    };
    Some((output.status.success(), String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[test]
fn broken_links_are_reported_with_line() {
    for (link, problem) in [
        ("<a href=\"two.html#here\">", ""),
        ("<a href=\"three.html\">", "docs/one.md:3: there is no three.html"),
        ("<a href=\"two.html#there\">", "docs/one.md:3: there is no heading two.html#there"),
        ("<img src=\"two.svg\">", "docs/one.md:1: there is no two.svg"),
        ("<script src=\"https://x.example/x.js\">", "docs/one.md:1: https://x.example/x.js is fetched from elsewhere"),
        ("<a href=\"https://example.org\">", ""),
        ("<p>See [two](two.md</p>", "docs/one.md:3: Markdown that is not rendered: See [two](two.md"),
    ] {
        let Some(found) = checked(link) else { return };
        assert_eq!(found, (problem.is_empty(), problem.to_owned()), "{link}");
    }
}
