//! The folder of a run: what it is, what came of its steps, and all that it needs to go on.

use super::cache::Cache;
use super::kept::Kept;
use super::outcome::StepOutcome;
use super::picture::picture;
use super::plan::{MAX_CURRICULUM, MAX_POPULATION, Plan, PlanError, is_project};
use crate::scenario::{Ask, Generation, Population, Scenario, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_lab::run_folder::{FolderError, Kind, RunFolder, fail, refuse_link};
use xpuck_wire::file;

/// The curriculum's file.
const CURRICULUM: &str = "curriculum.toml";
/// The same, if it is a project of the document's program.
const PROJECT: &str = "curriculum.prj";
/// Files that it names.
const BESIDE: &str = "beside";
/// Result of the run.
const RESULT: &str = "result.json";
/// What controllers were worth.
const CACHE: &str = "fitness.sqlite";
/// A file of this name ends the step as if its end formula held.
const SKIP: &str = "skip";
/// Folders of steps that are over.
const STEPS: &str = "steps";
/// A step's population at its end.
const POPULATION: &str = "population.txt";
/// What came of a step.
const TOLD: &str = "step.toml";

static KIND: Kind = Kind {
    run: "curriculum-run.json",
    grows: "generations.csv",
    head: "step,generation,step_generation,evaluations,step_evaluations,best,mean,momentum\n",
    written: &[CACHE, STEPS, BESIDE],
    requests: &[SKIP],
};

/// Part of a plan that the run's file holds: its name, the seed, and the names of the files that it needs.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    seed: u64,
    /// Of the curriculum, the files and the seed: what is changed is another run.
    fingerprint: String,
    /// The files that the curriculum names, in the order of `beside/N.txt`.
    beside: Vec<String>,
}

/// The folder of a run.
pub struct Folder {
    folder: RunFolder,
    /// The place of each step among those of the run, from 1, by its index.
    places: Vec<usize>,
    /// Whether an earlier process began the run.
    goes_on: bool,
    pub(super) cache: Option<Cache>,
}

/// A run that goes on.
pub struct Resumed {
    /// Its folder.
    pub folder: Folder,
    /// What it is.
    pub plan: Plan,
}

impl Folder {
    /// True if the folder holds the run of a curriculum in worlds of cargo.
    pub fn holds_run(path: &Path) -> bool {
        path.join(KIND.run).exists()
    }

    /// Makes the folder of a run that begins.
    ///
    /// # Errors
    /// If there is a run already, or the place cannot be written.
    pub fn create(path: &Path, plan: &Plan) -> Result<Folder, FolderError> {
        let run = Run {
            name: plan.name.clone(),
            seed: plan.seed,
            fingerprint: plan.fingerprint(),
            beside: plan.beside.keys().cloned().collect(),
        };
        let run = serde_json::to_string_pretty(&run).map_err(|error| fail(path, error.to_string()))? + "\n";
        let curriculum = if is_project(&plan.text) { PROJECT } else { CURRICULUM };
        let beside = plan.beside.values().enumerate().map(|(i, text)| (beside(i), text.as_str()));
        let files: Vec<_> = [(curriculum.to_string(), plan.text.as_str())].into_iter().chain(beside).collect();
        Ok(Folder::of(RunFolder::create(path, &KIND, &files, &run)?, &plan.scenario))
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// If there is no run, another process works on it, or something of it is damaged.
    pub fn resume(path: &Path) -> Result<Resumed, PlanError> {
        let folder = RunFolder::open(path, &KIND)?;
        // Those of its steps too: what they hold decides how the run goes on.
        for step in std::fs::read_dir(path.join(STEPS)).into_iter().flatten().flatten() {
            refuse_link(&step.path())?;
        }
        let run_file = path.join(KIND.run);
        let text = file::text(&run_file, MAX_CURRICULUM)?;
        let run: Run = serde_json::from_str(&text)
            .map_err(|error| fail(&run_file, format!("{error}; the run cannot go on, begin another")))?;
        let project = path.join(PROJECT);
        let curriculum = if project.exists() { project } else { path.join(CURRICULUM) };
        let text = file::text(&curriculum, MAX_CURRICULUM)?;
        let plan = Plan::of(run.name.clone(), text, run.seed, |beside| {
            let place = run.beside.iter().position(|name| name == beside);
            let place = place.ok_or_else(|| format!("{beside}: the folder does not hold it"))?;
            file::text(&path.join(self::beside(place)), MAX_POPULATION).map_err(|error| error.to_string())
        })?;
        if plan.fingerprint() != run.fingerprint {
            let why =
                "the curriculum, a file that it names, or the seed is another than that of the run; begin a new one";
            return Err(fail(&curriculum, why).into());
        }
        let folder = Folder { goes_on: true, ..Folder::of(folder, &plan.scenario) };
        Ok(Resumed { folder, plan })
    }

    /// What steps that are over ended with, by index; other steps' rows of the table go.
    ///
    /// # Errors
    /// If something of those steps is damaged.
    pub(super) fn done<S: Kept>(
        &mut self,
        scenario: &Scenario,
    ) -> Result<BTreeMap<usize, Population<S::Genome>>, PlanError> {
        let mut done = BTreeMap::new();
        if !self.goes_on {
            return Ok(done);
        }
        for &i in &scenario.order {
            let saved = self.path().join(self.step(scenario, i)).join(POPULATION);
            if !saved.exists() {
                break;
            }
            let text = file::text(&saved, MAX_POPULATION)?;
            if !text.lines().last().is_some_and(|last| last.starts_with("end ")) {
                return Err(fail(&saved, "it is cut short; take the step's folder away to run the step again").into());
            }
            done.insert(i, scenario.steps[i].population(&saved.display().to_string(), &text)?);
        }
        let generations = done.iter().map(|(&i, population): (_, &Population<_>)| (i, population.generations));
        self.keep_rows(scenario, &generations.collect())?;
        Ok(done)
    }

    fn of(folder: RunFolder, scenario: &Scenario) -> Folder {
        let mut places = vec![0; scenario.steps.len()];
        scenario.order.iter().enumerate().for_each(|(place, &i)| places[i] = place + 1);
        // Without it a step that was interrupted is simulated again, that is all.
        let cache = Cache::open(&folder.path().join(CACHE)).ok();
        Folder { folder, places, goes_on: false, cache }
    }

    /// Leaves the rows of steps that are over in the table, one for each of their generations.
    fn keep_rows(&mut self, scenario: &Scenario, done: &BTreeMap<usize, u32>) -> Result<(), PlanError> {
        let file = self.path().join(KIND.grows);
        let text = RunFolder::table(self.path(), &KIND)?;
        let step_of = |line: &str| line.rsplitn(8, ',').last().map(unquoted);
        for (&i, &generations) in done {
            let name = &scenario.steps[i].name;
            let rows = text.lines().skip(1).filter(|line| step_of(line).as_ref() == Some(name)).count();
            if rows != generations as usize {
                let why = format!(
                    "it has {rows} of the {generations} rows of step {name:?}; take {} away, and the step runs again",
                    self.path().join(self.step(scenario, i)).display()
                );
                return Err(fail(&file, why).into());
            }
        }
        let kept = |line: &&str| step_of(line).is_some_and(|step| done.keys().any(|&i| scenario.steps[i].name == step));
        let rows: String = text.lines().skip(1).filter(kept).map(|line| format!("{line}\n")).collect();
        Ok(self.folder.keep_rows(&rows)?)
    }

    /// Path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of a step, by its path in the run's.
    fn step(&self, scenario: &Scenario, i: usize) -> String {
        let name: String =
            scenario.steps[i].name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
        format!("{STEPS}/{}-{name}", self.places[i])
    }

    /// What files in the folder ask for; that of a skip is taken away.
    pub fn asked(&self) -> Ask {
        let skip = self.path().join(SKIP);
        match () {
            () if self.folder.is_to_stop() => Ask::Stop,
            () if skip.exists() && std::fs::remove_file(&skip).is_ok() => Ask::Skip,
            () => Ask::GoOn,
        }
    }

    /// Takes requests of an earlier process away: one to stop, so that the run can go on, and one to skip, which was of a step
    /// that begins anew.
    ///
    /// # Errors
    /// If a file is there to stay.
    pub fn clear_requests(&self) -> Result<(), FolderError> {
        self.folder.clear_requests()
    }

    /// Keeps a generation.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn note<S: Kept>(&mut self, generation: &Generation<S>) -> Result<(), FolderError> {
        let v = generation.variables;
        let row = format!(
            "{},{},{},{},{},{},{},{}\n",
            quoted(&generation.step.name),
            v.generation,
            v.step_generation,
            v.evaluations,
            v.step_evaluations,
            v.best,
            v.mean,
            v.momentum
        );
        self.folder.add_rows(&row)
    }

    /// Keeps a step that is over: its best, drawn and told in words, and its population.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn keep<S: Kept>(
        &self,
        scenario: &Scenario,
        generation: &Generation<S>,
        told: &StepOutcome,
    ) -> Result<(), FolderError> {
        let Generation { index, step, best, .. } = *generation;
        self.folder.sync_rows()?;
        let folder = self.step(scenario, index);
        // In TOML numbers come back to the last bit.
        let told = toml::to_string(told).map_err(|error| fail(&self.path().join(&folder), error.to_string()))?;
        // The population last, as with it the step is over.
        let last = [(TOLD.to_string(), told), (POPULATION.to_string(), Population::new(generation).text())];
        let files = best_files::<S>(step, best).into_iter().chain(last);
        files.into_iter().try_for_each(|(name, text)| self.folder.write(&format!("{folder}/{name}"), text))
    }

    /// What came of a step that is over; nothing if that cannot be read, as it is no more than told.
    pub(super) fn told(&self, scenario: &Scenario, name: &str) -> Option<StepOutcome> {
        let i = scenario.steps.iter().position(|step| step.name == name)?;
        let text = file::text(&self.path().join(self.step(scenario, i)).join(TOLD), MAX_CURRICULUM).ok()?;
        toml::from_str(&text).ok()
    }

    /// Keeps the result and its pictures.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn finish<S: Kept>(&self, outcome: &super::Outcome) -> Result<(), FolderError> {
        let text = RunFolder::table(self.path(), &KIND)?;
        let json = serde_json::to_string_pretty(outcome).map_err(|error| fail(self.path(), error.to_string()))?;
        // The race has no figures of operators.
        let drawn = outcome.steps.iter().any(|step| !step.operators.is_empty());
        let operators = drawn.then(|| ("operators.svg".into(), super::draw::operators(outcome)));
        let files = [
            ("fitness.svg".into(), super::draw::course(&text)),
            (format!("controller.{}", S::ENDING), outcome.controller.clone()),
            (RESULT.to_string(), json + "\n"),
        ];
        files.into_iter().chain(operators).try_for_each(|(name, text)| self.folder.write(&name, text))
    }
}

/// The file in which a text that the curriculum names is kept.
fn beside(i: usize) -> String {
    format!("{BESIDE}/{}.txt", i + 1)
}

/// What is told of a step's best: names and texts of files.
fn best_files<S: Kept>(step: &Step, best: &S::Controller) -> Vec<(String, String)> {
    let controller = S::arbitration(best);
    let drawings = S::drawings(step, best).into_iter().map(|(name, svg)| (format!("{name}.svg"), svg));
    let files = [
        (format!("best.{}", S::ENDING), controller.text()),
        ("world.svg".to_string(), picture(&step.world, &step.weights, controller, step.time)),
        ("account.txt".to_string(), S::account(best)),
    ];
    files.into_iter().chain(drawings).collect()
}

/// A field of a table (RFC 4180).
fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " ")),
        false => text.into(),
    }
}

fn unquoted(field: &str) -> String {
    match field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        Some(inner) => inner.replace("\"\"", "\""),
        None => field.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_tables_are_quoted_where_they_must_be() {
        for name in ["follow", "a,b", "say \"no\""] {
            assert_eq!(unquoted(&quoted(name)), name);
            let line = format!("{},1,2,3,4,0.5,0.25,1e-3", quoted(name));
            assert_eq!(line.rsplitn(8, ',').last().map(unquoted).as_deref(), Some(name));
        }
    }
}
