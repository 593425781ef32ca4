//! Checks that the tests and benchmarks named by commands in documents and scripts exist.

use crate::{files, root, toml};
use std::collections::BTreeMap;

/// Options of cargo and of the test harness that take a value.
const WITH_VALUE: [&str; 8] = [
    "--exclude",
    "--features",
    "--profile",
    "--test-threads",
    "--warm-up-time",
    "--measurement-time",
    "--baseline",
    "--save-baseline",
];

/// Targets of a `cargo test` or `cargo bench` command.
#[derive(Debug, Default, PartialEq)]
struct Targets<'a> {
    package: Option<&'a str>,
    target: Option<(&'a str, &'a str)>,
    filters: Vec<&'a str>,
}

/// Returns the text and the targets of each `cargo test` and `cargo bench` command in a line.
fn commands(line: &str) -> impl Iterator<Item = (&str, Targets<'_>)> {
    let starts = line.match_indices("cargo test ").chain(line.match_indices("cargo bench "));
    starts.map(move |(at, start)| {
        let text = line[at..].split(['`', '|', '"', ';']).next().unwrap_or_default().trim();
        let mut wanted = Targets::default();
        let mut words = text[start.len().min(text.len())..].split_whitespace();
        while let Some(word) = words.next() {
            match word {
                "-p" => wanted.package = words.next(),
                "--test" | "--bench" => wanted.target = words.next().map(|name| (&word[2..], name)),
                "--lib" => wanted.target = Some(("lib", "")),
                _ if WITH_VALUE.contains(&word) => drop(words.next()),
                _ if word.starts_with('-') => {}
                _ => wanted.filters.push(word),
            }
        }
        (text, wanted)
    })
}

/// Maps the name of each package to its folder, which ends with a slash.
fn packages(files: &[String]) -> BTreeMap<String, String> {
    let manifests = files.iter().filter_map(|path| path.strip_suffix("/Cargo.toml"));
    let named = manifests.map(|folder| {
        let manifest = toml(&format!("{folder}/Cargo.toml"));
        (manifest["package"]["name"].as_str().expect("a name").to_string(), format!("{folder}/"))
    });
    named.collect()
}

/// Returns the paths of the functions in a file. A path consists of the folders, the file name and the function name,
/// for example `kernels::tests::tick::name`. A filter of the test harness matches a part of such a path.
fn functions(path: &str, text: &str) -> Vec<String> {
    let modules = path.trim_end_matches(".rs").replace('/', "::");
    let names = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn ")?.split(['(', '<']).next());
    names.map(|name| format!("{modules}::{name}")).collect()
}

#[test]
fn tests_that_documents_and_scripts_run_are_there() {
    let files = files();
    let packages = packages(&files);
    let sources: Vec<(&String, Vec<String>)> = files
        .iter()
        .filter(|path| path.ends_with(".rs"))
        .map(|path| (path, functions(path, &std::fs::read_to_string(root().join(path)).expect("a source"))))
        .collect();
    let (mut wrong, mut checked) = (Vec::new(), 0);
    for path in files.iter().filter(|path| [".md", ".sh", "Makefile"].iter().any(|end| path.ends_with(end))) {
        let text = std::fs::read_to_string(root().join(path)).expect("a text");
        for (command, wanted) in text.lines().flat_map(commands) {
            // A source file belongs to the innermost package whose folder contains the file.
            let owner =
                |source: &str| packages.iter().filter(|(_, f)| source.starts_with(*f)).max_by_key(|(_, f)| f.len());
            let of_package = |source: &str| match wanted.package {
                Some("CRATE") | None => true,
                Some(package) => owner(source).is_some_and(|(name, _)| name == package),
            };
            let place = match wanted.target {
                Some(("lib", _)) => "src/".into(),
                Some(("bench", name)) => format!("benches/{name}"),
                Some((_, name)) => format!("tests/{name}"),
                None => String::new(),
            };
            let within = |source: &str| of_package(source) && source.contains(&place);
            let mut here = sources.iter().filter(|(source, _)| within(source)).peekable();
            let found = here.peek().is_some();
            let names: Vec<&String> = here.flat_map(|(_, names)| names).collect();
            let filtered = wanted.filters.iter().all(|filter| names.iter().any(|name| name.contains(filter)));
            if !(found && filtered) {
                wrong.push(format!("{path}: {command}"));
            }
            checked += 1;
        }
    }
    assert!(wrong.is_empty(), "these run nothing:\n{}", wrong.join("\n"));
    assert!(checked > 20, "only {checked} commands were found");
}

#[test]
fn commands_are_read_from_prose() {
    let line =
        "figure | `XPUCK_KILLS=9 cargo test -p a --test it b::c -- --test-threads 1 --nocapture d` | cargo bench -p e";
    let found: Vec<_> = commands(line).map(|(_, wanted)| wanted).collect();
    let first = Targets { package: Some("a"), target: Some(("test", "it")), filters: vec!["b::c", "d"] };
    assert_eq!(found, [first, Targets { package: Some("e"), ..Targets::default() }]);
    assert_eq!(
        functions("a/tests/it/b.rs", "    fn c() {}\nfn d<T>() {}"),
        ["a::tests::it::b::c", "a::tests::it::b::d"]
    );
}
