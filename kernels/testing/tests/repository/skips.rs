//! Checks that tests report skipped checks only through [`xpuck_testing::skipped`].

use crate::{files, root};
use std::process::Command;

#[test]
fn skips_are_reported_through_one_function() {
    let mut calls = 0;
    for path in files().iter().filter(|path| path.ends_with(".rs") && !path.starts_with("kernels/testing/")) {
        let text = std::fs::read_to_string(root().join(path)).expect("a source file");
        calls += text.matches("xpuck_testing::skipped(").count();
        for (number, line) in text.lines().enumerate() {
            let by_hand = ["\"skipped:", "\"SKIPPED", "\"skipping"].iter().any(|word| line.contains(word));
            assert!(!by_hand, "{path}:{}: say it with xpuck_testing::skipped", number + 1);
        }
    }
    assert!(calls > 0, "no test skips anything; then this crate needs no `skipped`");
}

#[test]
#[ignore = "run by the next test"]
fn one_that_skips() {
    xpuck_testing::skipped("an example");
}

#[test]
fn skip_of_passing_test_is_reported() {
    let this = std::env::current_exe().expect("this program");
    let list = tempfile::NamedTempFile::new().expect("a file");
    let output = Command::new(this)
        .args(["--ignored", "--exact", "skips::one_that_skips"])
        .env("XPUCK_SKIPPED", list.path())
        .output()
        .expect("it runs");
    assert!(output.status.success());
    let line = "skipped: skips::one_that_skips: an example\n";
    assert_eq!(String::from_utf8_lossy(&output.stderr), line);
    assert_eq!(std::fs::read_to_string(list.path()).expect("the list"), line);
}
