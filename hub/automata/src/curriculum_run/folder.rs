//! Folder of a run, which contains settings, results of steps, and all data needed to resume the run.

use super::cache::Cache;
use super::controller_kind::SavedKind;
use super::outcome::StepOutcome;
use super::picture::picture;
use super::plan::{MAX_CURRICULUM, MAX_POPULATION, Plan, PlanError, is_project};
use crate::scenario::{Generation, Population, Request, Scenario, Step};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_lab::run_folder::{FolderError, Kind, RunFolder, fail, refuse_link};
use xpuck_wire::file;

/// Name of the curriculum file.
const CURRICULUM: &str = "curriculum.toml";
/// Name of the curriculum file if the curriculum is a project of Petrovic's program.
const PROJECT: &str = "curriculum.prj";
/// Folder for copies of the files that the curriculum names.
const ATTACHED: &str = "beside";
/// File with the result of the run.
const RESULT: &str = "result.json";
/// Cache of evaluations.
const CACHE: &str = "fitness.sqlite";
/// Name of the file that requests the end of the current step. The step then ends as if its end formula held.
const SKIP: &str = "skip";
/// Folder of completed steps.
const STEPS: &str = "steps";
/// File with the final population of a step.
const POPULATION: &str = "population.txt";
/// File with the outcome of a step.
const STEP_FILE: &str = "step.toml";

static KIND: Kind = Kind {
    run: "curriculum-run.json",
    grows: "generations.csv",
    head: "step,generation,step_generation,evaluations,step_evaluations,best,mean,momentum\n",
    written: &[CACHE, STEPS, ATTACHED],
    requests: &[SKIP],
};

/// Content of the run file, which describes the plan of the run.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Run {
    name: String,
    seed: u64,
    /// Hash of the curriculum, of the files that it names, and of the seed. A folder with another hash belongs to
    /// another run.
    fingerprint: String,
    /// Names of the files that the curriculum names. The copy of the Nth file (from 1) is `beside/N.txt`.
    beside: Vec<String>,
}

/// Folder of a run.
pub struct Folder {
    folder: RunFolder,
    /// Position of each step in the order of execution (from 1), by step index.
    places: Vec<usize>,
    /// Whether the run was started by an earlier process.
    resumed: bool,
    pub(super) cache: Option<Cache>,
}

/// Run that was opened to be resumed.
pub struct Resumed {
    /// Folder of the run.
    pub folder: Folder,
    /// Plan of the run.
    pub plan: Plan,
}

impl Folder {
    /// Returns whether the folder contains the run of a cargo curriculum.
    pub fn holds_run(path: &Path) -> bool {
        path.join(KIND.run).exists()
    }

    /// Creates the folder of a new run.
    ///
    /// # Errors
    /// If the folder already contains a run, or cannot be written.
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
        Ok(Folder::new(RunFolder::create(path, &KIND, &files, &run)?, &plan.scenario))
    }

    /// Opens the folder of a run to resume the run.
    ///
    /// # Errors
    /// If the folder contains no run, another process uses it, or a file is damaged.
    pub fn resume(path: &Path) -> Result<Resumed, PlanError> {
        let folder = RunFolder::open(path, &KIND)?;
        // The folders of steps must not be links either, because their content determines how the run continues.
        for step in std::fs::read_dir(path.join(STEPS)).into_iter().flatten().flatten() {
            refuse_link(&step.path())?;
        }
        let run_file = path.join(KIND.run);
        let text = file::text(&run_file, MAX_CURRICULUM)?;
        let run: Run = serde_json::from_str(&text)
            .map_err(|error| fail(&run_file, format!("{error}; the run cannot be resumed; start a new run")))?;
        let project = path.join(PROJECT);
        let curriculum = if project.exists() { project } else { path.join(CURRICULUM) };
        let text = file::text(&curriculum, MAX_CURRICULUM)?;
        let plan = Plan::from_text(run.name.clone(), text, run.seed, |beside| {
            let place = run.beside.iter().position(|name| name == beside);
            let place =
                place.ok_or_else(|| format!("{beside}: the run's folder does not contain this file; restore it"))?;
            file::text(&path.join(self::beside(place)), MAX_POPULATION).map_err(|error| error.to_string())
        })?;
        if plan.fingerprint() != run.fingerprint {
            let why =
                "the curriculum, a file that it names, or the seed has changed since the run began; begin a new run";
            return Err(fail(&curriculum, why).into());
        }
        let folder = Folder { resumed: true, ..Folder::new(folder, &plan.scenario) };
        Ok(Resumed { folder, plan })
    }

    /// Returns the final populations of completed steps, by step index. Deletes the table rows of all other steps.
    ///
    /// # Errors
    /// If a file of a completed step is damaged.
    pub(super) fn completed<S: SavedKind>(
        &mut self,
        scenario: &Scenario,
    ) -> Result<BTreeMap<usize, Population<S::Genome>>, PlanError> {
        let mut done = BTreeMap::new();
        if !self.resumed {
            return Ok(done);
        }
        for &i in &scenario.order {
            let saved = self.path().join(self.step(scenario, i)).join(POPULATION);
            if !saved.exists() {
                break;
            }
            let text = file::text(&saved, MAX_POPULATION)?;
            if !text.lines().last().is_some_and(|last| last.starts_with("end ")) {
                return Err(
                    fail(&saved, "the file is truncated; remove the step's folder to run the step again").into()
                );
            }
            done.insert(i, scenario.steps[i].population(&saved.display().to_string(), &text)?);
        }
        let generations = done.iter().map(|(&i, population): (_, &Population<_>)| (i, population.generations));
        self.keep_rows(scenario, &generations.collect())?;
        Ok(done)
    }

    fn new(folder: RunFolder, scenario: &Scenario) -> Folder {
        let mut places = vec![0; scenario.steps.len()];
        scenario.order.iter().enumerate().for_each(|(place, &i)| places[i] = place + 1);
        // If the cache cannot be opened, an interrupted step is simulated again.
        let cache = Cache::open(&folder.path().join(CACHE)).ok();
        Folder { folder, places, resumed: false, cache }
    }

    /// Checks that the table has one row per generation of each completed step, and deletes the rows of all other
    /// steps.
    fn keep_rows(&mut self, scenario: &Scenario, done: &BTreeMap<usize, u32>) -> Result<(), PlanError> {
        let file = self.path().join(KIND.grows);
        let text = RunFolder::table(self.path(), &KIND)?;
        let step_of = |line: &str| line.rsplitn(8, ',').last().map(unquoted);
        for (&i, &generations) in done {
            let name = &scenario.steps[i].name;
            let rows = text.lines().skip(1).filter(|line| step_of(line).as_ref() == Some(name)).count();
            if rows != generations as usize {
                let why = format!(
                    "contains {rows} of the {generations} rows of step {name:?}; remove {} to run the step again",
                    self.path().join(self.step(scenario, i)).display()
                );
                return Err(fail(&file, why).into());
            }
        }
        let kept = |line: &&str| step_of(line).is_some_and(|step| done.keys().any(|&i| scenario.steps[i].name == step));
        let rows: String = text.lines().skip(1).filter(kept).map(|line| format!("{line}\n")).collect();
        Ok(self.folder.keep_rows(&rows)?)
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a step's folder, relative to the folder of the run.
    fn step(&self, scenario: &Scenario, i: usize) -> String {
        let name: String =
            scenario.steps[i].name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
        format!("{STEPS}/{}-{name}", self.places[i])
    }

    /// Returns the request for which the folder contains a file: stop or skip. Without such a file, returns the request
    /// to continue. Deletes a skip file.
    pub fn request(&self) -> Request {
        let skip = self.path().join(SKIP);
        match () {
            () if self.folder.is_to_stop() => Request::Stop,
            () if skip.exists() && std::fs::remove_file(&skip).is_ok() => Request::Skip,
            () => Request::GoOn,
        }
    }

    /// Deletes the request files of an earlier process. Its stop request would end the resumed run. Its skip request is
    /// obsolete, because the interrupted step starts again.
    ///
    /// # Errors
    /// If a file cannot be deleted.
    pub fn clear_requests(&self) -> Result<(), FolderError> {
        self.folder.clear_requests()
    }

    /// Appends a generation to the table of the run.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn note<S: SavedKind>(&mut self, generation: &Generation<S>) -> Result<(), FolderError> {
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

    /// Saves a completed step: its best controller with drawings and a description, and its population.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn save_step<S: SavedKind>(
        &self,
        scenario: &Scenario,
        generation: &Generation<S>,
        told: &StepOutcome,
    ) -> Result<(), FolderError> {
        let Generation { index, step, best, .. } = *generation;
        self.folder.sync_rows()?;
        let folder = self.step(scenario, index);
        // The outcome is saved as TOML, which preserves floating-point numbers exactly.
        let told = toml::to_string(told).map_err(|error| fail(&self.path().join(&folder), error.to_string()))?;
        // The population is written last, because it marks the step as complete.
        let last = [(STEP_FILE.to_string(), told), (POPULATION.to_string(), Population::new(generation).text())];
        let files = best_files::<S>(step, best).into_iter().chain(last);
        files.into_iter().try_for_each(|(name, text)| self.folder.write(&format!("{folder}/{name}"), text))
    }

    /// Returns the saved outcome of a completed step; `None` if the file cannot be read. The outcome is only
    /// displayed, so this is not an error.
    pub(super) fn step_outcome(&self, scenario: &Scenario, name: &str) -> Option<StepOutcome> {
        let i = scenario.steps.iter().position(|step| step.name == name)?;
        let text = file::text(&self.path().join(self.step(scenario, i)).join(STEP_FILE), MAX_CURRICULUM).ok()?;
        toml::from_str(&text).ok()
    }

    /// Saves the result and its plots.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn finish<S: SavedKind>(&self, outcome: &super::Outcome) -> Result<(), FolderError> {
        let text = RunFolder::table(self.path(), &KIND)?;
        let json = serde_json::to_string_pretty(outcome).map_err(|error| fail(self.path(), error.to_string()))?;
        // The racing algorithm has no operator statistics.
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

/// Returns the path of the copy of a file that the curriculum names. `i` is the file's index, from 0.
fn beside(i: usize) -> String {
    format!("{ATTACHED}/{}.txt", i + 1)
}

/// Returns the names and texts of the files that describe the best controller of a step.
fn best_files<S: SavedKind>(step: &Step, best: &S::Controller) -> Vec<(String, String)> {
    let controller = S::arbitration(best);
    let drawings = S::drawings(step, best).into_iter().map(|(name, svg)| (format!("{name}.svg"), svg));
    let files = [
        (format!("best.{}", S::ENDING), controller.text()),
        ("world.svg".to_string(), picture(&step.world, &step.weights, controller, step.time)),
        ("account.txt".to_string(), S::account(best)),
    ];
    files.into_iter().chain(drawings).collect()
}

/// Returns a field of a CSV table, quoted if necessary (RFC 4180). Line breaks become blanks.
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
