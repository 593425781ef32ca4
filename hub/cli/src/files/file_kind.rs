//! Kind of a TOML file, determined by its keys. If a user gives a file to the wrong command, the error names the
//! right command.

use crate::arena::ArenaFile;
use crate::files::guests;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;
use toml::Table;
use xpuck_kernels::tree::Tree;
use xpuck_lab::schemas::{FileKind, KINDS};
use xpuck_wire::file::{self, FileError, shorten};

/// Returns all kinds of files whose schemas are part of this program, in alphabetical order.
pub fn kinds() -> Vec<FileKind> {
    let arena = FileKind::new::<ArenaFile>("arena", "arena.toml: the virtual arena");
    let mut kinds = [&[arena], &KINDS[..], &guests::kinds()].concat();
    kinds.sort_by_key(|kind| kind.name);
    kinds
}

/// Known top-level keys of a kind of file, and its required keys.
struct Keys {
    kind: &'static str,
    known: BTreeSet<String>,
    required: BTreeSet<String>,
}

static KEYS: LazyLock<Vec<Keys>> = LazyLock::new(|| {
    let mut all: Vec<Keys> = kinds()
        .iter()
        .map(|kind| {
            let schema = (kind.schema)();
            let known = schema.get("properties").and_then(|p| p.as_object()).map(|p| p.keys().cloned().collect());
            let names = |value: &serde_json::Value| -> BTreeSet<String> {
                value.as_array().into_iter().flatten().filter_map(|name| Some(name.as_str()?.to_string())).collect()
            };
            let required = schema.get("required").map(names).unwrap_or_default();
            Keys { kind: kind.name, known: known.unwrap_or_default(), required }
        })
        .collect();
    // The type and the schema of a robot's file are part of the robot's program, so the keys are listed here.
    let robot = ["id", "swarm", "groot", "devices", "control", "evolution", "calibration"];
    let set = |keys: &[&str]| keys.iter().map(|key| (*key).to_string()).collect();
    all.push(Keys { kind: "robot", known: set(&robot), required: set(&robot[..2]) });
    // Only `xpuck runs table` reads this kind of file, which holds the numbers of published runs.
    all.push(Keys { kind: "printed", known: set(&["source", "runs"]), required: set(&["runs"]) });
    all
});

/// Maximum number of keys that a message names.
const NAMED: usize = 6;

/// Assumed kind of a file.
pub struct Guess {
    /// Name of the kind.
    pub kind: &'static str,
    /// Explanation of the assumption, for users who meant another kind; `None` if the kind is certain.
    pub why: Option<String>,
}

/// Guesses the kind of a TOML file from its text. A kind that the first line declares has precedence, then the only
/// kind to which all keys belong, then the kind to which most keys belong.
///
/// # Errors
/// The text is not TOML, declares an unknown kind, or has only unknown keys. The error states a remedy.
pub fn guess(name: &str, text: &str) -> Result<Guess, FileError> {
    let table: Table = file::parse(name, text)?;
    if let Some(kind) = named(text) {
        return match KEYS.iter().find(|keys| keys.kind == kind) {
            Some(keys) => {
                let why = Some(format!("its first line declares it as {}", called(keys.kind)));
                Ok(Guess { kind: keys.kind, why })
            }
            None => {
                let what = format!("`{}` is not a kind of file; `xpuck dev schema` lists the kinds", shorten(kind));
                Err(FileError::value(name, what))
            }
        };
    }
    if let Some(kind) = detect(text) {
        return Ok(Guess { kind, why: None });
    }
    let knows = |keys: &Keys| table.keys().filter(|key| keys.known.contains(*key)).count();
    let lacks = |keys: &Keys| keys.required.iter().filter(|key| !table.contains_key(*key)).count();
    let order = |keys: &&Keys| (knows(keys), std::cmp::Reverse(lacks(keys)));
    let best = KEYS.iter().max_by_key(order).filter(|keys| knows(keys) > 0);
    let say = "if it is of another kind, make its first line `#:schema KIND.schema.json` (`xpuck dev schema` lists \
               the kinds)";
    let Some(best) = best else {
        return Err(FileError::value(name, format!("no kind of file has these keys; {say}")));
    };
    let quoted = |known: bool| {
        let mut keys = table.keys().filter(|key| best.known.contains(*key) == known);
        let named: Vec<String> = keys.by_ref().take(NAMED).map(|key| format!("`{}`", shorten(key))).collect();
        let more = keys.count();
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("{}{more}", named.join(", "))
    };
    let wrong = if table.keys().all(|key| best.known.contains(key)) {
        String::new()
    } else {
        format!(" despite {}", quoted(false))
    };
    Ok(Guess {
        kind: best.kind,
        why: Some(format!("it was read as {} because of {}{wrong}; {say}", called(best.kind), quoted(true))),
    })
}

/// Returns the kind of file that a text declares on its first line (`#:schema`, a convention of editors), if any.
fn named(text: &str) -> Option<&str> {
    let schema = text.lines().next()?.strip_prefix("#:schema")?.split_whitespace().next()?;
    let path = schema.split(['?', '#']).next()?.trim_end_matches('/');
    path.rsplit('/').next()?.strip_suffix(".schema.json")
}

/// Returns the kind of file to which all top-level keys of a text belong. If there are several, only kinds whose
/// required keys are all present count. `None` unless exactly one kind remains.
pub fn detect(text: &str) -> Option<&'static str> {
    let table = text.parse::<Table>().ok().filter(|table| !table.is_empty())?;
    let known: Vec<&Keys> = KEYS.iter().filter(|keys| table.keys().all(|key| keys.known.contains(key))).collect();
    let whole = known.iter().copied().filter(|keys| keys.required.iter().all(|key| table.contains_key(key)));
    match (&known[..], &whole.collect::<Vec<_>>()[..]) {
        ([only], _) | (_, [only]) => Some(only.kind),
        _ => None,
    }
}

/// Lists the commands that take a kind of file, with `file` as their argument.
fn commands(kind: &str, file: &str) -> String {
    match kind {
        "arena" => format!("`xpuck serve arena --config {file}`"),
        "bodies" => format!("`xpuck evolve {file}`"),
        "calibration" => format!("`xpuck simulate TREE --calibration {file}`, `xpuck evolve --calibration {file}`"),
        "curriculum" => format!("`xpuck evolve --curriculum {file}`"),
        "evolution" => format!("`xpuck evolve {file}`"),
        "experiment" => format!("`xpuck start {file}`, `xpuck demo --experiment {file}`"),
        "hub" => format!("`xpuck serve hub --config {file}`"),
        "kilobots" => format!("`xpuck evolve {file}`"),
        "machine" => format!("`xpuck tree convert {file}`"),
        "printed" => format!("`xpuck runs table --printed {file}`"),
        "primitive-set" => format!("`xpuck evolve --primitive-set {file}`"),
        "robot" => format!("`xpuckd --config {file}`"),
        "swarm" => format!("`xpuck check {file}`"),
        "sweep" => format!("`xpuck sweep run {file}`"),
        _ => format!("`xpuck check {file}`, `xpuck simulate TREE --world {file}`, `xpuck demo --world {file}`"),
    }
}

/// Returns the name of a kind of file, with its article, for use in a sentence.
pub fn called(kind: &str) -> &'static str {
    match kind {
        "arena" => "an arena's file",
        "bodies" => "a run of evolution of bodies",
        "calibration" => "a calibration",
        "curriculum" => "a curriculum",
        "evolution" => "a run of evolution",
        "experiment" => "an experiment",
        "hub" => "a hub's file",
        "kilobots" => "an experiment with Kilobots",
        "machine" => "a state machine",
        "printed" => "a table of printed runs",
        "primitive-set" => "a primitive set",
        "robot" => "a robot's file",
        "swarm" => "a swarm file",
        "sweep" => "a sweep",
        _ => "a world",
    }
}

/// Explains an error about an unknown key if the file is of another kind. The explanation states this kind, and the
/// commands that take it. `message` begins with the file's name. `None` if the kind is not the cause.
pub fn misplaced(message: &str) -> Option<String> {
    let message = message.strip_prefix("tree ").unwrap_or(message);
    let (name, rest) = message.split_once(": ")?;
    // If the error is about another file to which this file refers, the kind of that other file is explained.
    if let Some((before, inner)) = named_in(rest) {
        return misplaced(inner).map(|said| format!("{name}: {before}{said}"));
    }
    let path = Path::new(name);
    let text = file::text(path, file::MAX_TOML).ok()?;
    if rest.contains("key with no value") && Tree::parse(&text).is_ok() {
        return Some(format!("{name}: is a behaviour tree; use `xpuck simulate {name}`, `xpuck tree explain {name}`"));
    }
    let kind = detect(&text)?;
    let unknown = |what: &str| Some(message.split_once(what)?.1.split('`').next()?.to_string());
    let table = text.parse::<Table>().ok()?;
    // A wrong key at a deeper level is a mistake in a file of the right kind.
    let key = unknown("unknown field `").or_else(|| unknown("unknown node `"))?;
    // A key that is valid at the top level may be wrong below a table header. Then the file is of the right kind.
    let at: Option<usize> = message.split_once("line ").and_then(|(_, rest)| rest.split(':').next()?.parse().ok());
    let top = text.lines().position(|line| line.trim_start().starts_with('[')).unwrap_or(usize::MAX);
    let header = |line: usize| text.lines().nth(line - 1).map(|text| text.trim().trim_matches(['[', ']']).to_string());
    if at.is_some_and(|line| line > top && header(line).as_ref() != Some(&key)) {
        return None;
    }
    table.contains_key(&key).then(|| format!("{name}: is {}; use {}", called(kind), commands(kind, name)))
}

/// Splits a message before the part that is about another file. `None` if the message has no such part.
fn named_in(message: &str) -> Option<(&str, &str)> {
    let starts = std::iter::once(0).chain(message.match_indices(": ").map(|(at, _)| at + 2));
    let is_file = |at: &usize| {
        message[*at..].split_once(": ").is_some_and(|(name, _)| name.contains('.') && Path::new(name).is_file())
    };
    starts.into_iter().find(is_file).map(|at| message.split_at(at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nested_mistake_does_not_suggest_other_file_kind() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("c.toml");
        let text = "species = \"tree\"\nalgorithm = \"racing\"\n[worlds.w]\n[[steps]]\nalgorithm = \"racing\"\n";
        std::fs::write(&path, text).unwrap();
        let message =
            |line: u32| format!("{}: line {line}: unknown field `algorithm`, expected `name`", path.display());
        assert!(misplaced(&message(2)).is_some_and(|said| said.contains("; use ")), "of a reader of another kind");
        let outer = place.path().join("s.toml");
        std::fs::write(&outer, "algorithm = \"racing\"\n").unwrap();
        let said = misplaced(&format!("{}: point 1: world: {}", outer.display(), message(2))).unwrap();
        assert!(
            said.starts_with(&format!("{}: point 1: world: {}: is a curriculum", outer.display(), path.display())),
            "{said}"
        );
        assert_eq!(misplaced(&message(5)), None);
    }

    #[test]
    fn file_kind_is_detected_by_keys() {
        for (text, kind) in [
            (include_str!("../../../../docs/worlds/foraging.toml"), Some("world")),
            (include_str!("../../../../docs/worlds/aggregation.toml"), Some("world")),
            (include_str!("../../../../docs/sweeps/tiny.toml"), Some("sweep")),
            (include_str!("../../../../docs/experiments/transport.toml"), Some("experiment")),
            (include_str!("../../../../docs/experiments/aggregation.toml"), Some("experiment")),
            (include_str!("../../../../docs/experiments/chapter-8.toml"), Some("primitive-set")),
            (include_str!("../../../../docs/experiments/kilobot-foraging.toml"), Some("kilobots")),
            (include_str!("../../../../docs/trees/machines/rest.toml"), Some("machine")),
            (include_str!("../../../../docs/curricula/cargo-creative.toml"), Some("curriculum")),
            (include_str!("../../../../docs/bodies/large.toml"), Some("bodies")),
            ("islands = 3\ngenerations = 2\n", Some("evolution")),
            ("id = \"xp01\"\nswarm = \"s\"\n[devices]\nkind = \"virtual\"\n", Some("robot")),
            ("colour = 3\n", None),
            ("", None),
            ("not TOML", None),
        ] {
            assert_eq!(detect(text), kind, "{text}");
        }
        for kind in kinds() {
            assert!(!called(kind.name).is_empty() && commands(kind.name, "F").contains('F'), "{}", kind.name);
        }
    }

    #[test]
    fn file_with_wrong_key_gets_kind_of_most_keys() {
        let guess = |text: &str| guess("f.toml", text);
        let world = "robots = 9\ncolour = 3\n[task]\nkind = \"coverage\"\n[[start]]\n";
        let found = guess(world).unwrap();
        assert_eq!(found.kind, "world");
        let why = found.why.unwrap();
        assert!(why.contains("because of `robots`, `start`, `task` despite `colour`"), "{why}");
        let named = guess(&format!("#:schema ../schemas/experiment.schema.json\n{world}")).unwrap();
        assert!(
            (named.kind, named.why.unwrap().as_str()) == ("experiment", "its first line declares it as an experiment")
        );
        assert_eq!(guess(include_str!("../../../../docs/experiments/table-8.3.toml")).unwrap().kind, "printed");
        for (text, said) in [
            ("#:schema cat.schema.json\n", "`cat` is not a kind of file"),
            ("purr = 1\n", "no kind of file has these keys"),
            ("a = ", "line 1"),
        ] {
            assert!(guess(text).err().unwrap().to_string().contains(said), "{text}");
        }
    }
}
