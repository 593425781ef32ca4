//! Reader for project files, which contain the parameters of each step and the common prefix of the world files.
//!
//! Most values are vectors with one value per step. The name of each step is its number, from 0.

mod automata;
mod blend;
mod fitness;

use super::values::Values;
use super::world;
use crate::automata::MUTATIONS;
use crate::scenario::file::{Reinitialise, StepEntry, WeightsEntry};
use crate::scenario::step::{Sources, StepError};
use crate::scenario::{Population, Scenario, ScenarioError};
use std::collections::BTreeMap;
use std::str::FromStr;
use xpuck_automata::cargo::PreparedScene;
use xpuck_evolve::curriculum::{Combination, GainOver, Selection};

/// Maximum number of steps.
const MAX_STEPS: usize = 64;
/// Maximum number of names in a list of files or populations.
const MAX_FILES: usize = 64;
/// Expected number of offspring of the best individual in roulette selection, relative to the mean (default of
/// GAlib).
const ROULETTE: f64 = 1.2;
/// Number of individuals in a tournament (default of GAlib).
const TOURNAMENT: u32 = 2;

/// Reads a project file. `read` returns the content of a file that the project names. For example, the world of step
/// 3 of `cfg/a.prj` is `cfg/a.prj.3`. Saved populations have the format of [`Population`].
pub fn project(
    file: &str,
    text: &str,
    mut read: impl FnMut(&str) -> Result<String, String>,
) -> Result<Scenario, ScenarioError> {
    let mut project = Project {
        values: Values::new(file, text)?,
        steps: vec![],
        lines: vec![],
        saved: vec![],
        world: (1, ""),
        name: "",
    };
    let generations = project.read()?;
    project.values.end()?;
    let Project { values, steps, lines, saved, world: (line, _), name } = project;
    let mut sources = Sources { worlds: BTreeMap::new(), names: vec![], populations: vec![] };
    for step in &steps {
        let text = read(&step.world).map_err(|message| values.wrong(line, "world", message))?;
        let scene = world(&step.world, &text)?;
        let prepared = PreparedScene::new(scene).map_err(|message| values.wrong(line, "world", message))?;
        sources.worlds.insert(step.world.clone(), prepared);
    }
    for (line, path) in saved {
        let text = read(path).map_err(|message| values.wrong(line, "saved populations", message))?;
        sources.populations.push(Population::parse(path, &text)?);
        sources.names.push(path.into());
    }
    let wrong = |step: Option<usize>, (key, message): StepError| {
        let noted = step.and_then(|i| lines[i].iter().find(|(known, _)| *known == key));
        let name = step.map_or(String::new(), |i| format!("step {i}: "));
        values.wrong(noted.map_or(1, |(_, line)| *line), &format!("{name}{key}"), message)
    };
    Scenario::of_entries(name.into(), generations, &steps, sources, wrong)
}

struct Project<'a> {
    values: Values<'a>,
    steps: Vec<StepEntry>,
    /// Keys of each step, and the line number of each key's value.
    lines: Vec<Vec<(&'static str, usize)>>,
    /// Paths of saved populations, with their line numbers.
    saved: Vec<(usize, &'a str)>,
    /// Prefix of the paths of world files, with its line number.
    world: (usize, &'a str),
    /// Name of the project.
    name: &'a str,
}

impl<'a> Project<'a> {
    /// Reads the whole file. Returns the maximum number of generations.
    fn read(&mut self) -> Result<u32, ScenarioError> {
        let steps = self.values.count("steps", MAX_STEPS)?;
        self.steps = (0..steps).map(blank).collect();
        self.lines = vec![vec![]; steps];
        self.each("crossover", |step, value| step.crossover = value)?;
        self.each("mutation", |step, value| step.mutation = value)?;
        for mutation in MUTATIONS {
            self.each("mutations", |step, value| {
                step.mutations.insert(mutation.name().into(), value);
            })?;
        }
        self.each("trim", |step, value| step.trim = value)?;
        self.each("new-in-last", |step, value| step.new_in_last = value)?;
        self.each("population", |step, value| step.population = value)?;
        let generations = self.values.number("generations")?;
        if !(1..=100_000).contains(&generations) {
            let message = format!("{generations} is out of range; must be 1 to 100000");
            return Err(self.values.refuse("generations", message));
        }
        self.each("replace", |step, value| step.replace = value)?;
        self.each_by("selection", |step, values| {
            step.selection = match values.number::<u8>("selection")? {
                1 => Selection::Roulette(ROULETTE),
                2 => Selection::Tournament(TOURNAMENT),
                other => {
                    return Err(values.refuse(
                        "selection",
                        format!("{other} is not a valid selection method; must be 1 (roulette) or 2 (tournament)"),
                    ));
                }
            };
            Ok(())
        })?;
        self.automata()?;
        self.each("phi", |step, value| step.phi = value)?;
        self.world = (self.values.line(), self.values.word("world")?);
        for (i, step) in self.steps.iter_mut().enumerate() {
            step.world = format!("{}.{i}", self.world.1);
        }
        self.populations()?;
        self.each_by("end", |step, values| {
            step.end = values.whole_line("end")?;
            Ok(())
        })?;
        self.blends()?;
        self.fitness()?;
        self.program()?;
        self.each("reinitialise", |step, value| step.reinitialise.below = value)?;
        self.each("reinitialise", |step, value| step.reinitialise.share = value)?;
        self.changes()?;
        Ok(generations)
    }

    /// Calls `take` for each step to read the step's values of a vector.
    fn each_by(
        &mut self,
        key: &'static str,
        mut take: impl FnMut(&mut StepEntry, &mut Values<'a>) -> Result<(), ScenarioError>,
    ) -> Result<(), ScenarioError> {
        for (step, lines) in self.steps.iter_mut().zip(&mut self.lines) {
            lines.push((key, self.values.line()));
            take(step, &mut self.values)?;
        }
        Ok(())
    }

    /// Reads a vector with one number per step, and passes each number to `put`.
    fn each<T: FromStr>(
        &mut self,
        key: &'static str,
        mut put: impl FnMut(&mut StepEntry, T),
    ) -> Result<(), ScenarioError> {
        self.each_by(key, |step, values| {
            put(step, values.number(key)?);
            Ok(())
        })
    }

    /// Reads the name of the project. Skips the settings that only Petrovic's program uses, such as log files and
    /// cluster commands.
    fn program(&mut self) -> Result<(), ScenarioError> {
        for key in ["log", "statistics log"] {
            self.values.word(key)?;
        }
        self.name = self.values.word("project")?;
        self.values.word("cache")?;
        self.each("kept fitness", |_, _: u32| {})?;
        for key in ["commands of slaves", "commands of the master"] {
            self.each_by(key, |_, values| values.whole_line(key).map(|_| ()))?;
        }
        for key in ["stop file", "skip file"] {
            self.values.word(key)?;
        }
        for key in ["saved automata", "benchmark"] {
            self.values.flag(key)?;
        }
        self.values.number::<u32>("delay").map(|_| ())
    }
}

/// Returns step `i` without values.
fn blank(i: usize) -> StepEntry {
    StepEntry {
        name: i.to_string(),
        after: vec![],
        world: String::new(),
        population: 0,
        end: String::new(),
        crossover: 0.0,
        mutation: 0.0,
        mutations: BTreeMap::new(),
        trim: 0.0,
        new_in_last: 0.0,
        replace: 0.0,
        selection: Selection::Roulette(ROULETTE),
        phi: 0.0,
        reinitialise: Reinitialise::default(),
        restart_after: None,
        gain_over: GainOver::default(),
        starts: 0,
        repeats: 0,
        time: 0.0,
        early_stop: None,
        combine: Combination::default(),
        fixed: BTreeMap::new(),
        weights: WeightsEntry::default(),
        automata: vec![],
        blend: vec![],
    }
}
