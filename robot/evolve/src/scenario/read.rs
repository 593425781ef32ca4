//! From the file to what can be run.

use super::file::{AutomatonEntry, BlendEntry, ScenarioFile, StepEntry, WeightsEntry};
use super::{Fixed, Scenario, ScenarioError, Step};
use crate::automata::{Bounds, MUTATIONS, Rates};
use crate::curriculum::{Blend, Formula, Graph, Node, Selection, StepSettings};
use std::collections::BTreeMap;
use xpuck_kernels::automaton::{Kind, MAX_STATES, MAX_TRANSITIONS, Module};
use xpuck_kernels::cargo::{COUNTED_SCRIPTS, MAX_TIME, Prepared, Scene, Weights};
use xpuck_kernels::tree::suggest;

/// Longest curriculum file, bytes.
const MAX_TEXT: usize = 1024 * 1024;
/// Most steps.
const MAX_STEPS: usize = 64;

/// Key and message of what is wrong in a step.
type Wrong = (&'static str, String);

impl Scenario {
    /// Reads a curriculum file; `file` is what errors call it.
    pub fn parse(file: &str, text: &str) -> Result<Scenario, ScenarioError> {
        let fail = |line: usize, message: String| ScenarioError { file: file.into(), line, message };
        if text.len() > MAX_TEXT {
            return Err(fail(1, format!("{} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let entries: ScenarioFile = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            fail(line, error.message().replace('\n', "; "))
        })?;
        let of_key = |header: &str, number: usize, key: &str| line_of(text, header, number, key);
        if !(1..=100_000).contains(&entries.generations) {
            let message = format!("generations is {}; 1 to 100000 is allowed", entries.generations);
            return Err(fail(of_key("", 0, "generations"), message));
        }
        if !(1..=MAX_STEPS).contains(&entries.steps.len()) {
            return Err(fail(1, format!("steps has {} entries; 1 to {MAX_STEPS} are allowed", entries.steps.len())));
        }
        let worlds = worlds(&entries.worlds).map_err(|(name, message)| {
            fail(of_key(&format!("[worlds.{name}]"), 0, ""), format!("worlds.{name}: {message}"))
        })?;
        let wrong = |i: usize, (key, message): Wrong| {
            let name = &entries.steps[i].name;
            fail(of_key("[[steps]]", i, key), format!("step {name:?}: {key}: {message}"))
        };
        let nodes: Vec<Node> = entries.steps.iter().map(node).collect();
        let graph = Graph::new(&nodes).map_err(|(i, message)| wrong(i, ("after", message)))?;
        let steps = entries.steps.iter().enumerate().map(|(i, entry)| {
            step(entry, &entries.steps, &worlds, entries.generations).map_err(|error| wrong(i, error))
        });
        Ok(Scenario { steps: steps.collect::<Result<_, _>>()?, name: entries.name.clone(), order: graph.order })
    }
}

/// The line of a key below the header with that number, from 1; the header's own if the key is not there.
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

/// What a step needs of others: populations, and automata that are fixed.
fn node(entry: &StepEntry) -> Node {
    let fixed = entry.fixed.values().filter(|&from| from != "hand-made");
    Node { name: entry.name.clone(), after: entry.after.iter().chain(fixed).cloned().collect() }
}

fn worlds(tables: &BTreeMap<String, toml::Table>) -> Result<BTreeMap<&str, Prepared>, (String, String)> {
    let mut worlds = BTreeMap::new();
    for name in tables.keys() {
        let prepared = whole_table(tables, name, 0)
            .and_then(scene)
            .and_then(Prepared::new)
            .map_err(|message| (name.clone(), message))?;
        worlds.insert(name.as_str(), prepared);
    }
    Ok(worlds)
}

fn scene(table: toml::Table) -> Result<Scene, String> {
    table.try_into().map_err(|error: toml::de::Error| error.message().replace('\n', "; "))
}

/// A world's keys, with those of the world that it is like.
fn whole_table(tables: &BTreeMap<String, toml::Table>, name: &str, depth: usize) -> Result<toml::Table, String> {
    let table = tables
        .get(name)
        .ok_or_else(|| format!("like {name:?}, which is no world{}", suggest(name, tables.keys().cloned())))?;
    if depth > tables.len() {
        return Err("worlds are like each other in a circle; leave one `like` out".into());
    }
    let mut own = table.clone();
    match own.remove("like") {
        None => Ok(own),
        Some(toml::Value::String(like)) => {
            let mut whole = whole_table(tables, &like, depth + 1)?;
            whole.extend(own);
            Ok(whole)
        }
        Some(_) => Err("like must be the name of a world".into()),
    }
}

fn within<T: PartialOrd + std::fmt::Display>(key: &'static str, value: T, low: T, high: T) -> Result<T, Wrong> {
    if value >= low && value <= high {
        Ok(value)
    } else {
        Err((key, format!("{value} is out of range; {low} to {high} is allowed")))
    }
}

fn step(
    entry: &StepEntry,
    all: &[StepEntry],
    worlds: &BTreeMap<&str, Prepared>,
    generations: u32,
) -> Result<Step, Wrong> {
    let end = Formula::parse(&entry.end).map_err(|message| ("end", message))?;
    if let Some(reason) = end.never(generations) {
        return Err(("end", format!("it can never hold: {reason}; ask for something that evolution can reach")));
    }
    let world = worlds.get(entry.world.as_str()).ok_or_else(|| {
        let near = suggest(&entry.world, worlds.keys().map(|&name| name.into()));
        ("world", format!("there is no world {:?}{near}", entry.world))
    })?;
    within("repeats", entry.repeats, 1, 64)?;
    within("starts", entry.starts, 1, 64)?;
    within("time", entry.time, 1.0, f64::from(MAX_TIME) / 1000.0)?;
    let place = |key: &'static str, name: &String| {
        all.iter().position(|step| step.name == *name).ok_or((key, format!("there is no step {name:?}")))
    };
    let bounds: Vec<Bounds> = entry.automata.iter().map(bounds).collect::<Result<_, _>>()?;
    if bounds.is_empty() {
        return Err(("automata", "nothing evolves; name a module".into()));
    }
    let fixed = entry.fixed.iter().map(|(name, from)| {
        let module = arbitrated("fixed", name)?;
        if from == "hand-made" {
            return Ok((module, Fixed::HandMade));
        }
        let step = place("fixed", from)?;
        let evolved = all[step].automata.iter().any(|automaton| automaton.module == *name);
        if !evolved {
            return Err(("fixed", format!("{name} does not evolve in step {from:?}; name one in which it does")));
        }
        Ok((module, Fixed::Step(step)))
    });
    Ok(Step {
        name: entry.name.clone(),
        settings: settings(entry, end, generations)?,
        after: entry.after.iter().map(|name| place("after", name)).collect::<Result<_, _>>()?,
        blends: entry.blend.iter().map(|row| blend(row, entry, &bounds)).collect::<Result<_, _>>()?,
        rates: rates(entry)?,
        fixed: fixed.collect::<Result<_, _>>()?,
        bounds,
        world: world.clone(),
        weights: weights(&entry.weights)?,
        size: [entry.weights.states, entry.weights.transitions],
        starts: entry.starts,
        repeats: entry.repeats,
        time: (entry.time * 1000.0) as u32,
        combine: entry.combine,
    })
}

fn settings(entry: &StepEntry, end: Formula, total_generations: u32) -> Result<StepSettings, Wrong> {
    match entry.selection {
        Selection::Roulette(scale) => within("selection", scale, 1.0, 10.0).map(|_| ())?,
        Selection::Tournament(size) => within("selection", size, 1, 64).map(|_| ())?,
    }
    Ok(StepSettings {
        population: within("population", entry.population, 2, 4096)?,
        crossover: within("crossover", entry.crossover, 0.0, 1.0)?,
        mutation: within("mutation", entry.mutation, 0.0, 1.0)?,
        replace: within("replace", entry.replace, 0.01, 1.0)?,
        selection: entry.selection,
        phi: within("phi", entry.phi, 0.0, 0.999)?,
        end,
        reinitialise_below: entry.reinitialise.below,
        reinitialise: within("reinitialise", entry.reinitialise.share, 0.0, 1.0)?,
        total_generations,
    })
}

fn rates(entry: &StepEntry) -> Result<Rates, Wrong> {
    let mut rates = Rates {
        trim: within("trim", entry.trim, 0.0, 1.0)?,
        new_in_last: within("new-in-last", entry.new_in_last, 0.0, 1.0)?,
        ..Rates::default()
    };
    for (name, &rate) in &entry.mutations {
        let Some(i) = MUTATIONS.iter().position(|mutation| mutation.name() == name) else {
            let near = suggest(name, MUTATIONS.iter().map(|mutation| mutation.name().into()));
            return Err(("mutations", format!("there is no mutation {name:?}{near}")));
        };
        rates.mutations[i] = within("mutations", rate, 0.0, 1.0)?;
    }
    let sum: f32 = rates.mutations.iter().sum();
    if (sum - 1.0).abs() > 1e-3 {
        return Err(("mutations", format!("probabilities sum to {sum}; they must sum to 1")));
    }
    Ok(rates)
}

fn weights(entry: &WeightsEntry) -> Result<Weights, Wrong> {
    if entry.scripts.len() > COUNTED_SCRIPTS {
        return Err((
            "weights",
            format!("scripts has {} entries; at most {COUNTED_SCRIPTS} count", entry.scripts.len()),
        ));
    }
    let mut scripts = [0.0; COUNTED_SCRIPTS];
    scripts[..entry.scripts.len()].copy_from_slice(&entry.scripts);
    Ok(Weights {
        obstacle_time: entry.obstacle_time,
        lit_time: entry.lit_time,
        line_time: entry.line_time,
        lit_line_time: entry.lit_line_time,
        distance: entry.distance,
        changes: entry.changes,
        lit_changes: entry.lit_changes,
        scripts,
        offset: entry.offset,
        only_after_load: entry.only_after_load,
    })
}

fn arbitrated(key: &'static str, name: &str) -> Result<Module, Wrong> {
    let found = Module::ARBITRATED.into_iter().find(|module| module.name() == name);
    found.ok_or_else(|| {
        let names = Module::ARBITRATED.map(Module::name).join(", ");
        (key, format!("{name:?} is no module with a post-office; there are {names}"))
    })
}

fn bounds(entry: &AutomatonEntry) -> Result<Bounds, Wrong> {
    let kinds = |names: &[String]| -> Result<Vec<Kind>, Wrong> {
        let kind = |name: &String| {
            Kind::of_name(name).ok_or_else(|| {
                let near = suggest(name, Kind::ALL.iter().map(|kind| kind.name().into()));
                ("automata", format!("{name:?} is no message{near}"))
            })
        };
        names.iter().map(kind).collect()
    };
    let key = "automata";
    if entry.triggers.is_empty() || entry.triggers.len() > 64 {
        return Err((key, format!("triggers has {} entries; 1 to 64 are allowed", entry.triggers.len())));
    }
    let new_states = entry.new_states.unwrap_or([1, entry.states]);
    within(key, entry.states, 1, MAX_STATES)?;
    for pair in [new_states, entry.transitions, entry.new_transitions] {
        within(key, pair[0], 0, pair[1])?;
    }
    within(key, new_states[0], 1, entry.states)?;
    within(key, new_states[1], 1, entry.states)?;
    within(key, entry.transitions[1], 1, MAX_TRANSITIONS)?;
    within(key, entry.new_transitions[1], 1, entry.transitions[1])?;
    Ok(Bounds {
        module: arbitrated(key, &entry.module)?,
        triggers: kinds(&entry.triggers)?,
        outgoing_triggers: kinds(&entry.outgoing_triggers)?,
        max_states: entry.states,
        new_states,
        transitions: entry.transitions,
        new_transitions: entry.new_transitions,
        out: within(key, entry.out, 0.0, 1.0)?,
    })
}

fn blend(row: &BlendEntry, entry: &StepEntry, bounds: &[Bounds]) -> Result<Blend, Wrong> {
    let from = entry.after.iter().position(|name| *name == row.from);
    let from = from.ok_or(("blend", format!("{:?} is not in `after`; name it there", row.from)))?;
    let part = bounds.iter().position(|bounds| bounds.module.name() == row.module);
    let part = part.ok_or(("blend", format!("{} does not evolve in this step", row.module)))?;
    let [pool, copied, mutated, times] = row.row;
    within("blend", copied + mutated, 0.0, 1.0)?;
    Ok(Blend {
        part,
        from,
        pool: within("blend", pool, 0.0, 1.0)?,
        copied: within("blend", copied, 0.0, 1.0)?,
        mutated: within("blend", mutated, 0.0, 1.0)?,
        times: within("blend", times, 0.0, 100.0)? as u32,
    })
}
