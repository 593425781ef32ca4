//! Reader that parses and validates curriculum files.

use super::file::{Evolving, ScenarioFile, StepAlgorithm, StepEntry};
use super::step::{Sources, StepError, saved_name, step};
use super::{Population, Scenario, ScenarioError, race};
use std::collections::BTreeMap;
use xpuck_automata::cargo::{PreparedScene, Scene};
use xpuck_evolve::curriculum::{Graph, Node};
use xpuck_kernels::tree::suggest;

/// Maximum length of a curriculum file (bytes).
const MAX_TEXT: usize = 1024 * 1024;
/// Maximum number of steps.
const MAX_STEPS: usize = 64;
/// Maximum number of saved populations.
const MAX_POPULATIONS: usize = 64;

impl Scenario {
    /// Parses a curriculum file without saved populations. Errors contain `file` as the name of the file.
    pub fn parse(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        Scenario::parse_with(file, text, |path| Err(format!("{path:?} cannot be read here; remove the population")))
    }

    /// Parses a curriculum file. `read` returns the content of a saved population file that the curriculum names.
    pub fn parse_with(
        file: &str,
        text: &str,
        mut read: impl FnMut(&str) -> Result<String, String>,
    ) -> Result<Scenario, ScenarioError> {
        let fail = |line: usize, message: String| ScenarioError { file: file.into(), line, message };
        if text.len() > MAX_TEXT {
            return Err(fail(1, format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let entries: ScenarioFile = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            fail(line, plain(error.message()))
        })?;
        let of_key = |header: &str, number: usize, key: &str| line_of(text, header, number, key);
        if !(1..=100_000).contains(&entries.generations) {
            let message = format!("generations is {}; must be 1 to 100000", entries.generations);
            return Err(fail(of_key("", 0, "generations"), message));
        }
        let worlds = worlds(&entries.worlds).map_err(|(name, message)| {
            fail(of_key(&format!("[worlds.{name}]"), 0, ""), format!("worlds.{name}: {message}"))
        })?;
        let mut sources = Sources { worlds, names: vec![], populations: vec![] };
        if entries.populations.len() > MAX_POPULATIONS {
            let message =
                format!("populations has {} entries; at most {MAX_POPULATIONS} are allowed", entries.populations.len());
            return Err(fail(of_key("[populations]", 0, ""), message));
        }
        for (name, path) in &entries.populations {
            let text = read(path)
                .map_err(|message| fail(of_key("[populations]", 0, name), format!("populations.{name}: {message}")))?;
            sources.populations.push(Population::parse(path, &text)?);
            sources.names.push(name.clone());
        }
        let wrong = |step: Option<usize>, (key, message): StepError| match step {
            Some(i) => {
                let name = &entries.steps[i].name;
                fail(of_key("[[steps]]", i, key), format!("step {name:?}: {key}: {message}"))
            }
            None => fail(1, format!("{key} {message}")),
        };
        if entries.species == Evolving::Tree && !entries.populations.is_empty() {
            let message = "saved populations contain automata; with species = \"tree\" remove [populations]".into();
            return Err(fail(of_key("[populations]", 0, ""), message));
        }
        if entries.algorithm == StepAlgorithm::Racing && entries.species != Evolving::Tree {
            let message = "algorithm: a race requires trees; set species = \"tree\", or remove `algorithm`".into();
            return Err(fail(of_key("", 0, "algorithm"), message));
        }
        let scenario = Scenario::of_entries(entries.name.clone(), entries.generations, &entries.steps, sources, wrong)?;
        if entries.algorithm == StepAlgorithm::Racing {
            for (i, step) in scenario.steps.iter().enumerate() {
                race::check(step).map_err(|error| wrong(Some(i), error))?;
            }
        }
        Ok(Scenario { species: entries.species, algorithm: entries.algorithm, ..scenario })
    }

    /// Builds a curriculum from the steps of a file. `wrong` creates an error for a key of the step with the given
    /// index, or for a key of the whole file.
    pub(super) fn of_entries(
        name: String,
        generations: u32,
        entries: &[StepEntry],
        sources: Sources,
        wrong: impl Fn(Option<usize>, StepError) -> ScenarioError,
    ) -> Result<Scenario, ScenarioError> {
        if !(1..=MAX_STEPS).contains(&entries.len()) {
            let message = format!("has {} entries; 1 to {MAX_STEPS} are allowed", entries.len());
            return Err(wrong(None, ("steps", message)));
        }
        for (i, entry) in entries.iter().enumerate() {
            if !is_name(&entry.name) {
                return Err(wrong(Some(i), ("name", "must be 1 to 64 letters, digits, blanks or -_.,+()".into())));
            }
            let names = || entries.iter().map(|step| step.name.clone());
            let known = |from: &&String| {
                *from == BY_HAND || saved_name(from).is_some() || entries.iter().any(|step| step.name == **from)
            };
            if let Some(from) = entry.fixed.values().find(|from| !known(from)) {
                let near = suggest(from, names().chain([BY_HAND.into()]));
                let steps = names().collect::<Vec<_>>().join(", ");
                let message = format!("{from:?} is neither {BY_HAND:?} nor a step{near}; the steps are {steps}");
                return Err(wrong(Some(i), ("fixed", message)));
            }
        }
        let nodes: Vec<Node> = entries.iter().map(node).collect();
        let graph = Graph::new(&nodes).map_err(|(i, message)| wrong(Some(i), ("after", message)))?;
        let steps = entries
            .iter()
            .enumerate()
            .map(|(i, entry)| step(entry, entries, &sources, generations).map_err(|error| wrong(Some(i), error)));
        let steps = steps.collect::<Result<_, _>>()?;
        Ok(Scenario {
            name,
            species: Evolving::default(),
            algorithm: StepAlgorithm::default(),
            steps,
            order: graph.order,
            populations: sources.populations,
        })
    }
}

/// Returns the line (from 1) of a key below a header. The file may contain the header several times; `number` (from
/// 0) selects one of them. If the key is absent, returns the line of the header.
fn line_of(text: &str, header: &str, number: usize, key: &str) -> usize {
    let headers = text.lines().enumerate().filter(|(_, line)| header.is_empty() || line.trim() == header);
    let begin = headers.map(|(i, _)| i).nth(number).unwrap_or(0);
    let top = header.trim_matches(['[', ']']);
    let mut below = text.lines().enumerate().skip(begin + usize::from(!header.is_empty()));
    let key_line = below
        .by_ref()
        .take_while(|(_, line)| !line.trim().starts_with('[') || line.contains(&format!("{top}.")))
        .find(|(_, line)| {
            let line = line.trim().trim_start_matches(['[']);
            let rest = line.strip_prefix(&format!("{top}.")).unwrap_or(line);
            !key.is_empty() && rest.strip_prefix(key).is_some_and(|rest| rest.starts_with([' ', '=', ']', '.']))
        });
    key_line.map_or(begin, |(i, _)| i) + 1
}

/// Returns whether a string is a valid name of a step. Names are used in tables, pictures and the names of folders.
fn is_name(name: &str) -> bool {
    (1..=64).contains(&name.chars().count()) && name.chars().all(|c| c.is_alphanumeric() || " -_.,+()".contains(c))
}

/// Value of a key in `fixed` that selects the hand-made automaton of the module.
const BY_HAND: &str = "hand-made";

/// Returns a step's name and its dependencies: the steps from which it takes populations or fixed automata.
fn node(entry: &StepEntry) -> Node {
    let fixed = entry.fixed.values().filter(|&from| from != BY_HAND && saved_name(from).is_none());
    Node { name: entry.name.clone(), after: entry.after.iter().chain(fixed).cloned().collect() }
}

fn worlds(tables: &BTreeMap<String, toml::Table>) -> Result<BTreeMap<String, PreparedScene>, (String, String)> {
    let mut worlds = BTreeMap::new();
    for name in tables.keys() {
        let prepared = whole_table(tables, name, 0)
            .and_then(scene)
            .and_then(PreparedScene::new)
            .map_err(|message| (name.clone(), message))?;
        worlds.insert(name.clone(), prepared);
    }
    Ok(worlds)
}

/// Returns the error message of the TOML library on one line, without type names.
fn plain(message: &str) -> String {
    let message = message.replace('\n', "; ");
    match message.split_once(", expected ") {
        Some((found, "f32" | "f64")) => format!("{found}, expected a number"),
        Some((found, "u8" | "u16" | "u32" | "usize")) => format!("{found}, expected a whole number >= 0"),
        _ => message,
    }
}

fn scene(table: toml::Table) -> Result<Scene, String> {
    table.try_into().map_err(|error: toml::de::Error| plain(error.message()))
}

/// Returns the keys of a world. Missing keys are taken from the world that `like` names.
fn whole_table(tables: &BTreeMap<String, toml::Table>, name: &str, depth: usize) -> Result<toml::Table, String> {
    let table = tables
        .get(name)
        .ok_or_else(|| format!("like = {name:?}: unknown world{}", suggest(name, tables.keys().cloned())))?;
    if depth > tables.len() {
        return Err("`like` forms a cycle; remove one `like`".into());
    }
    let mut own = table.clone();
    match own.remove("like") {
        None => Ok(own),
        Some(toml::Value::String(like)) => {
            let mut whole = whole_table(tables, &like, depth + 1)?;
            whole.extend(own);
            Ok(whole)
        }
        Some(_) => Err("`like` must be the name of a world".into()),
    }
}
