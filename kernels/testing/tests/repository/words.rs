//! Rules of language for comments, pages and names of tests, as CONTRIBUTING states them.

use crate::{files, root};
use regex::Regex;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Words that do not begin a summary: they make a clause in the place of a noun.
const OPENINGS: &str = r"^(What|Who|Whoever|Where|How (often|many|much|long|far)|Of|By|Those|None|So)\b";
/// Verbs of speech, which must not describe programs.
const SPEECH: &str = r"(?i)\b(told|tells|says)\b";
/// Longest name of a test (characters).
const LONGEST_NAME: usize = 60;
/// Lines in which a person speaks, or a text is quoted: end of the path, and a part of the line.
const QUOTATIONS: &[(&str, &str)] = &[("docs/protocols/messages.md", "list of Told")];

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Lines of a source file that are comments: number and text without its marks.
fn comments(text: &str) -> Vec<(usize, &str)> {
    let lines = (1..).zip(text.lines()).filter_map(|(number, line)| {
        let line = line.trim_start();
        let text = line.strip_prefix("///").or(line.strip_prefix("//!")).or(line.strip_prefix("//"))?;
        Some((number, text.trim_start()))
    });
    lines.collect()
}

/// A line without what it quotes in backticks or quotation marks.
fn unquoted(line: &str) -> Cow<'_, str> {
    static QUOTES: LazyLock<Regex> =
        LazyLock::new(|| Regex::new("`[^`]*`|\"[^\"]*\"|“[^”]*”").expect("a valid pattern"));
    QUOTES.replace_all(line, "")
}

fn sources() -> Vec<String> {
    files()
        .into_iter()
        .filter(|path| path.ends_with(".rs") || path.ends_with(".js") && !path.starts_with("site"))
        .collect()
}

#[test]
fn summaries_begin_with_a_noun_or_verb() {
    let opening = Regex::new(OPENINGS).expect("a valid pattern");
    let mut wrong = Vec::new();
    for path in sources() {
        let text = read(&path);
        let mut before = 0;
        for (number, comment) in comments(&text) {
            // A summary is the first line of a block.
            if before + 1 != number && opening.is_match(comment) {
                wrong.push(format!("{path}:{number}: {comment}"));
            }
            before = if comment.is_empty() { 0 } else { number };
        }
    }
    assert!(wrong.is_empty(), "{} summaries begin with a clause:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn comments_and_pages_use_no_verbs_of_speech() {
    let speech = Regex::new(SPEECH).expect("a valid pattern");
    let quoted =
        |path: &str, line: &str| QUOTATIONS.iter().any(|(end, part)| path.ends_with(end) && line.contains(part));
    let mut wrong = Vec::new();
    for path in sources() {
        let text = read(&path);
        let lines =
            comments(&text).into_iter().filter(|(_, line)| speech.is_match(&unquoted(line)) && !quoted(&path, line));
        wrong.extend(lines.map(|(number, line)| format!("{path}:{number}: {line}")));
    }
    for path in files().into_iter().filter(|path| path.ends_with(".md")) {
        let (text, mut code) = (read(&path), false);
        for (number, line) in (1..).zip(text.lines()) {
            code ^= line.trim_start().starts_with("```");
            if !code && !line.starts_with("    ") && speech.is_match(&unquoted(line)) && !quoted(&path, line) {
                wrong.push(format!("{path}:{number}: {line}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} lines make a program speak:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn test_names_have_at_most_60_characters() {
    let function = Regex::new(r"^\s*(?:async )?fn (\w+)").expect("a valid pattern");
    let mut wrong = BTreeMap::new();
    for path in files().into_iter().filter(|path| path.ends_with(".rs")) {
        let text = read(&path);
        let mut is_test = false;
        for line in text.lines() {
            match function.captures(line) {
                Some(found) if is_test && found[1].len() > LONGEST_NAME => {
                    wrong.insert(found[1].to_string(), path.clone());
                }
                _ => {}
            }
            let attribute = line.trim_start().starts_with("#[");
            is_test = line.trim_start().starts_with("#[test]") || is_test && attribute;
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tests `tools/subjects.sh`, which CONTRIBUTING names.
#[test]
fn subjects_of_commits_are_checked() {
    let dir = tempfile::tempdir().expect("a folder");
    let run = |program: &str, arguments: &[&str]| {
        let identity = ["GIT_AUTHOR", "GIT_COMMITTER"];
        let mut command = std::process::Command::new(program);
        for who in identity {
            command.env(format!("{who}_NAME"), "a").env(format!("{who}_EMAIL"), "a@example.org");
        }
        command.args(arguments).current_dir(dir.path()).output().expect("it is installed")
    };
    assert!(run("git", &["init", "-q"]).status.success());
    let script = root().join("tools/subjects.sh").display().to_string();
    let long = format!("docs: {}", "x".repeat(67));
    for (subject, is_valid) in [
        ("docs: add a page", true),
        ("hub, cli: add a page", true),
        ("Add a page", false),
        ("docs: add a page.", false),
        (&*long, false),
    ] {
        assert!(run("git", &["commit", "-q", "--allow-empty", "-m", subject]).status.success());
        let checked = run("sh", &[&script]);
        assert_eq!(checked.status.success(), is_valid, "{subject}: {}", String::from_utf8_lossy(&checked.stdout));
    }
}
