//! Conversion of a step's keys to a validated step.

use super::early_stop::{EarlyStop, EarlyStopEntry};
use super::file::{AutomatonEntry, BlendEntry, StepEntry, WeightsEntry};
use super::{Fixed, Population, Step};
use crate::automata::{Bounds, MUTATIONS, Rates};
use std::collections::BTreeMap;
use xpuck_automata::automaton::{Kind, MAX_STATES, MAX_TRANSITIONS, Module};
use xpuck_automata::cargo::{COUNTED_SCRIPTS, MAX_TIME, PreparedScene, Weights};
use xpuck_evolve::curriculum::{Blend, Formula, Selection, StepSettings};
use xpuck_kernels::tree::suggest;

/// Error in a step: its key and a message.
pub(super) type StepError = (&'static str, String);

/// Worlds and saved populations to which steps refer by name.
pub(super) struct Sources {
    /// Worlds by name.
    pub worlds: BTreeMap<String, PreparedScene>,
    /// Names of saved populations.
    pub names: Vec<String>,
    /// Saved populations, in the order of their names.
    pub populations: Vec<Population>,
}

/// Returns the name of a saved population from a source of the form `population:NAME`. Returns `None` for other
/// sources.
pub(super) fn saved_name(from: &str) -> Option<&str> {
    from.strip_prefix("population:")
}

impl Sources {
    fn world(&self, name: &str) -> Result<&PreparedScene, StepError> {
        self.worlds.get(name).ok_or_else(|| {
            let near = suggest(name, self.worlds.keys().cloned());
            ("world", format!("unknown world {name:?}{near}"))
        })
    }

    /// Returns the index of a saved population. Rejects populations without automata of the given module.
    fn population(&self, key: &'static str, name: &str, module: &str) -> Result<usize, StepError> {
        let place = self.names.iter().position(|known| known == name).ok_or_else(|| {
            let near = suggest(name, self.names.iter().cloned());
            (key, format!("unknown population {name:?}{near}; name its file in [populations]"))
        })?;
        let population = &self.populations[place];
        if population.modules.iter().any(|known| known.name() == module) {
            return Ok(place);
        }
        let message = format!(
            "the automata of population {name:?} are for {}, not for {module}; choose a population for {module}",
            population.module_names()
        );
        Err((key, message))
    }
}

fn within<T: PartialOrd + std::fmt::Display>(key: &'static str, value: T, low: T, high: T) -> Result<T, StepError> {
    if value >= low && value <= high {
        Ok(value)
    } else {
        Err((key, format!("{value} is out of range; must be {low} to {high}")))
    }
}

/// Builds a validated step. `generations` is the maximum number of generations of the curriculum.
pub(super) fn step(
    entry: &StepEntry,
    all: &[StepEntry],
    sources: &Sources,
    generations: u32,
) -> Result<Step, StepError> {
    let end = Formula::parse(&entry.end).map_err(|message| ("end", message))?;
    if let Some(reason) = end.never(generations) {
        return Err(("end", format!("it can never hold: {reason}; choose a condition that evolution can reach")));
    }
    let world = sources.world(&entry.world)?;
    within("repeats", entry.repeats, 1, 64)?;
    within("starts", entry.starts, 1, 64)?;
    within("time", entry.time, 1.0, f64::from(MAX_TIME) / 1000.0)?;
    let place = |key: &'static str, name: &String| {
        all.iter().position(|step| step.name == *name).ok_or((key, format!("unknown step {name:?}")))
    };
    let bounds: Vec<Bounds> = entry.automata.iter().map(bounds).collect::<Result<_, _>>()?;
    if bounds.is_empty() {
        return Err(("automata", "no module evolves; name one".into()));
    }
    let fixed = entry.fixed.iter().map(|(name, from)| {
        let module = arbitrated("fixed", name)?;
        if from == "hand-made" {
            return Ok((module, Fixed::HandMade));
        }
        if let Some(saved) = saved_name(from) {
            return Ok((module, Fixed::Saved(sources.population("fixed", saved, name)?)));
        }
        let step = place("fixed", from)?;
        let evolved = all[step].automata.iter().any(|automaton| automaton.module == *name);
        if !evolved {
            return Err((
                "fixed",
                format!("{name} does not evolve in step {from:?}; choose a step in which it evolves"),
            ));
        }
        Ok((module, Fixed::Step(step)))
    });
    let mut saved = Vec::new();
    let mut blends = Vec::new();
    for row in &entry.blend {
        blends.push(blend(row, entry, &bounds, sources, &mut saved)?);
    }
    Ok(Step {
        name: entry.name.clone(),
        settings: settings(entry, end, generations)?,
        after: entry.after.iter().map(|name| place("after", name)).collect::<Result<_, _>>()?,
        saved,
        blends,
        rates: rates(entry)?,
        fixed: fixed.collect::<Result<_, _>>()?,
        bounds,
        world: world.clone(),
        weights: weights(&entry.weights)?,
        size: [entry.weights.states, entry.weights.transitions],
        starts: entry.starts,
        repeats: entry.repeats,
        time: (entry.time * 1000.0) as u32,
        early_stop: entry.early_stop.map(|stop| early_stop(stop, entry.time)).transpose()?,
        combine: entry.combine,
    })
}

fn early_stop(entry: EarlyStopEntry, time: f64) -> Result<EarlyStop, StepError> {
    let key = "early-stop";
    Ok(EarlyStop {
        after: (within(key, entry.after, 0.0, time)? * 1000.0) as u32,
        every: (within(key, entry.every, 0.1, time)? * 1000.0) as u32,
        share: within(key, entry.share, 0.0, 1.0)?,
    })
}

fn settings(entry: &StepEntry, end: Formula, total_generations: u32) -> Result<StepSettings, StepError> {
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
        gain_over: entry.gain_over,
        end,
        reinitialise_below: entry.reinitialise.below,
        reinitialise: within("reinitialise", entry.reinitialise.share, 0.0, 1.0)?,
        restart_after: entry.restart_after.map(|after| within("restart-after", after, 2, 100_000)).transpose()?,
        total_generations,
    })
}

fn rates(entry: &StepEntry) -> Result<Rates, StepError> {
    let mut rates = Rates {
        trim: within("trim", entry.trim, 0.0, 1.0)?,
        new_in_last: within("new-in-last", entry.new_in_last, 0.0, 1.0)?,
        ..Rates::default()
    };
    for (name, &rate) in &entry.mutations {
        let Some(i) = MUTATIONS.iter().position(|mutation| mutation.name() == name) else {
            let near = suggest(name, MUTATIONS.iter().map(|mutation| mutation.name().into()));
            return Err(("mutations", format!("unknown mutation {name:?}{near}")));
        };
        rates.mutations[i] = within("mutations", rate, 0.0, 1.0)?;
    }
    let sum: f32 = rates.mutations.iter().sum();
    if (sum - 1.0).abs() > 1e-3 {
        return Err(("mutations", format!("probabilities sum to {sum}; they must sum to 1")));
    }
    Ok(rates)
}

/// Maximum weight. It keeps fitness finite, and exact to a thousandth.
const MAX_WEIGHT: f64 = 1e6;

fn weights(entry: &WeightsEntry) -> Result<Weights, StepError> {
    if entry.scripts.len() > COUNTED_SCRIPTS {
        return Err((
            "weights",
            format!("scripts has {} entries; at most {COUNTED_SCRIPTS} are allowed", entry.scripts.len()),
        ));
    }
    let WeightsEntry { obstacle_time, lit_time, line_time, lit_line_time, distance, changes, lit_changes, .. } = *entry;
    let all = [obstacle_time, lit_time, line_time, lit_line_time, distance, changes, lit_changes, entry.offset];
    let sizes = [entry.states, entry.transitions];
    for &weight in all.iter().chain(&sizes).chain(&entry.scripts) {
        within("weights", weight, -MAX_WEIGHT, MAX_WEIGHT)?;
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

fn arbitrated(key: &'static str, name: &str) -> Result<Module, StepError> {
    let found = Module::ARBITRATED.into_iter().find(|module| module.name() == name);
    found.ok_or_else(|| {
        let names = Module::ARBITRATED.map(Module::name).join(", ");
        (key, format!("{name:?} is not a module with a post-office; choose one of {names}"))
    })
}

fn bounds(entry: &AutomatonEntry) -> Result<Bounds, StepError> {
    let kinds = |names: &[String]| -> Result<Vec<Kind>, StepError> {
        let kind = |name: &String| {
            Kind::of_name(name).ok_or_else(|| {
                let near = suggest(name, Kind::ALL.iter().map(|kind| kind.name().into()));
                ("automata", format!("unknown message {name:?}{near}"))
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

/// Builds a row of a blend. If its source is a saved population, adds the population to `saved`.
fn blend(
    row: &BlendEntry,
    entry: &StepEntry,
    bounds: &[Bounds],
    sources: &Sources,
    saved: &mut Vec<usize>,
) -> Result<Blend, StepError> {
    let from = match saved_name(&row.from) {
        Some(name) => {
            let population = sources.population("blend", name, &row.module)?;
            let place = saved.iter().position(|&known| known == population).unwrap_or_else(|| {
                saved.push(population);
                saved.len() - 1
            });
            entry.after.len() + place
        }
        None => {
            let from = entry.after.iter().position(|name| *name == row.from);
            from.ok_or(("blend", format!("{:?} is not in `after`; add it there", row.from)))?
        }
    };
    let part = bounds.iter().position(|bounds| bounds.module.name() == row.module);
    let part = part.ok_or(("blend", format!("module {} does not evolve in this step", row.module)))?;
    let [pool, copied, mutated, times] = row.row;
    if !(0.0..=1.0).contains(&(copied + mutated)) {
        let message = format!("row: the sum of the shares c = {copied} and t = {mutated} must be 0 to 1");
        return Err(("blend", message));
    }
    Ok(Blend {
        part,
        from,
        pool: within("blend", pool, 0.0, 1.0)?,
        copied: within("blend", copied, 0.0, 1.0)?,
        mutated: within("blend", mutated, 0.0, 1.0)?,
        times: within("blend", times, 0.0, 100.0)? as u32,
    })
}
