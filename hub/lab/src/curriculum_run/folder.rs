//! The folder of a run: what it is, what came of its steps, and all that it needs to go on.

use super::cache::Cache;
use super::kept::Kept;
use super::outcome::StepOutcome;
use super::picture::picture;
use super::plan::{MAX_CURRICULUM, MAX_POPULATION, Plan, PlanError, is_project};
use crate::run_folder::{self, FolderError, STOP, fail, io, make, open_table, refuse_used};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xpuck_evolve::scenario::{Ask, Generation, Population, Scenario, Step};
use xpuck_wire::atomic;
use xpuck_wire::file;

/// The curriculum's file.
const CURRICULUM: &str = "curriculum.toml";
/// The same, if it is a project of the document's program.
const PROJECT: &str = "curriculum.prj";
/// Files that it names.
const BESIDE: &str = "beside";
/// Its name, and the seed.
const RUN: &str = "curriculum-run.json";
/// What came out.
const RESULT: &str = "result.json";
/// A line for each generation.
const TABLE: &str = "generations.csv";
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
const HEAD: &str = "step,generation,step_generation,evaluations,step_evaluations,best,mean,momentum\n";

/// What of a plan a folder's [`RUN`] holds.
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
    path: PathBuf,
    table: File,
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

/// Refuses a link: what a run writes stays in its folder.
fn own(path: &Path) -> Result<(), FolderError> {
    match path.symlink_metadata() {
        Ok(data) if data.is_symlink() => Err(fail(path, "is a link; put what it leads to in its place")),
        _ => Ok(()),
    }
}

impl Folder {
    /// True if the folder holds the run of a curriculum in worlds of cargo.
    pub fn holds_run(path: &Path) -> bool {
        path.join(RUN).exists()
    }

    /// Makes the folder of a run that begins.
    ///
    /// # Errors
    /// If there is a run already, or the place cannot be written.
    pub fn create(path: &Path, plan: &Plan) -> Result<Folder, FolderError> {
        make(path)?;
        refuse_used(path, &[CURRICULUM, PROJECT, BESIDE, STEPS, CACHE, SKIP], (TABLE, HEAD))?;
        let folder = Folder::open(path, &plan.scenario)?;
        let write = |file: PathBuf, text: &str| {
            atomic::write(&file, text.as_bytes())
                .map_err(|error| fail(&file, format!("{error}; make room or mend the disk, then begin again")))
        };
        write(path.join(if is_project(&plan.text) { PROJECT } else { CURRICULUM }), &plan.text)?;
        if !plan.beside.is_empty() {
            let given = path.join(BESIDE);
            std::fs::create_dir_all(&given).map_err(io(&given))?;
            for (i, text) in plan.beside.values().enumerate() {
                write(given.join(format!("{}.txt", i + 1)), text)?;
            }
        }
        let run = Run {
            name: plan.name.clone(),
            seed: plan.seed,
            fingerprint: plan.fingerprint(),
            beside: plan.beside.keys().cloned().collect(),
        };
        // Last, as with it the folder is a run.
        write(path.join(RUN), &(serde_json::to_string_pretty(&run).map_err(|e| fail(path, e.to_string()))? + "\n"))?;
        Ok(folder)
    }

    /// Opens a run to go on with it.
    ///
    /// # Errors
    /// If there is no run, another process works on it, or something of it is damaged.
    pub fn resume(path: &Path) -> Result<Resumed, PlanError> {
        let run_file = path.join(RUN);
        let text = file::text(&run_file, MAX_CURRICULUM)?;
        let run: Run = serde_json::from_str(&text)
            .map_err(|error| fail(&run_file, format!("{error}; the run cannot go on, begin another")))?;
        let project = path.join(PROJECT);
        let curriculum = if project.exists() { project } else { path.join(CURRICULUM) };
        let text = file::text(&curriculum, MAX_CURRICULUM)?;
        let plan = Plan::of(run.name.clone(), text, run.seed, |beside| {
            let place = run.beside.iter().position(|name| name == beside);
            let place = place.ok_or_else(|| format!("{beside}: the folder does not hold it"))?;
            let given = path.join(BESIDE).join(format!("{}.txt", place + 1));
            file::text(&given, MAX_POPULATION).map_err(|error| error.to_string())
        })?;
        if plan.fingerprint() != run.fingerprint {
            let why =
                "the curriculum, a file that it names, or the seed is another than that of the run; begin a new one";
            return Err(fail(&curriculum, why).into());
        }
        let folder = Folder { goes_on: true, ..Folder::open(path, &plan.scenario)? };
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
            let saved = self.step(scenario, i).join(POPULATION);
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

    fn open(path: &Path, scenario: &Scenario) -> Result<Folder, FolderError> {
        for name in [TABLE, CACHE, STEPS, BESIDE] {
            own(&path.join(name))?;
        }
        // Those of its steps too: what they hold decides how the run goes on.
        for step in std::fs::read_dir(path.join(STEPS)).into_iter().flatten().flatten() {
            own(&step.path())?;
        }
        let table = open_table(path, TABLE, HEAD)?;
        let mut places = vec![0; scenario.steps.len()];
        scenario.order.iter().enumerate().for_each(|(place, &i)| places[i] = place + 1);
        // Without it a step that was interrupted is simulated again, that is all.
        let cache = Cache::open(&path.join(CACHE)).ok();
        Ok(Folder { path: path.into(), table, places, goes_on: false, cache })
    }

    /// Leaves the rows of steps that are over in the table, one for each of their generations.
    fn keep_rows(&mut self, scenario: &Scenario, done: &BTreeMap<usize, u32>) -> Result<(), PlanError> {
        let file = self.path.join(TABLE);
        let text = file::text(&file, MAX_POPULATION)?;
        let step_of = |line: &str| line.rsplitn(8, ',').last().map(unquoted);
        for (&i, &generations) in done {
            let name = &scenario.steps[i].name;
            let rows = text.lines().skip(1).filter(|line| step_of(line).as_ref() == Some(name)).count();
            if rows != generations as usize {
                let why = format!(
                    "it has {rows} of the {generations} rows of step {name:?}; take {} away, and the step runs again",
                    self.step(scenario, i).display()
                );
                return Err(fail(&file, why).into());
            }
        }
        let kept = |line: &&str| step_of(line).is_some_and(|step| done.keys().any(|&i| scenario.steps[i].name == step));
        let rows: String = text.lines().skip(1).filter(kept).map(|line| format!("{line}\n")).collect();
        self.table
            .set_len(0)
            .and_then(|()| self.table.seek(SeekFrom::Start(0)))
            .and_then(|_| self.table.write_all(format!("{HEAD}{rows}").as_bytes()))
            .map_err(io(&file))?;
        Ok(())
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of a step.
    fn step(&self, scenario: &Scenario, i: usize) -> PathBuf {
        let name: String =
            scenario.steps[i].name.chars().map(|c| if c.is_alphanumeric() || c == '-' { c } else { '_' }).collect();
        self.path.join(STEPS).join(format!("{}-{name}", self.places[i]))
    }

    /// What files in the folder ask for; that of a skip is taken away.
    pub fn asked(&self) -> Ask {
        let skip = self.path.join(SKIP);
        match () {
            () if self.path.join(STOP).exists() => Ask::Stop,
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
        run_folder::clear_requests(&self.path, &[STOP, SKIP])
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
        let file = self.path.join(TABLE);
        self.table.write_all(row.as_bytes()).map_err(io(&file))
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
        let folder = self.step(scenario, index);
        own(&folder)?;
        std::fs::create_dir_all(&folder).map_err(io(&folder))?;
        // In TOML numbers come back to the last bit.
        let told = toml::to_string(told).map_err(|error| fail(&folder, error.to_string()))?;
        for (name, text) in best_files::<S>(step, best).into_iter().chain([(TOLD.to_string(), told)]) {
            let file = folder.join(name);
            atomic::write(&file, text.as_bytes()).map_err(io(&file))?;
        }
        // Last, as with it the step is over.
        let file = folder.join(POPULATION);
        atomic::write(&file, Population::new(generation).text().as_bytes()).map_err(io(&file))
    }

    /// What came of a step that is over; nothing if that cannot be read, as it is no more than told.
    pub(super) fn told(&self, scenario: &Scenario, name: &str) -> Option<StepOutcome> {
        let i = scenario.steps.iter().position(|step| step.name == name)?;
        let text = file::text(&self.step(scenario, i).join(TOLD), MAX_CURRICULUM).ok()?;
        toml::from_str(&text).ok()
    }

    /// Keeps the result and its pictures.
    ///
    /// # Errors
    /// If the disk is full or broken.
    pub(super) fn finish<S: Kept>(&self, outcome: &super::Outcome) -> Result<(), FolderError> {
        let table = self.path.join(TABLE);
        let text = file::text(&table, MAX_POPULATION).map_err(|error| fail(&table, error.to_string()))?;
        let json = serde_json::to_string_pretty(outcome).map_err(|error| fail(&self.path, error.to_string()))?;
        // The race has no figures of operators.
        let drawn = outcome.steps.iter().any(|step| !step.operators.is_empty());
        let operators = drawn.then(|| ("operators.svg".into(), super::draw::operators(outcome)));
        let files = [
            ("fitness.svg".into(), super::draw::course(&text)),
            (format!("controller.{}", S::ENDING), outcome.controller.clone()),
            (RESULT.to_string(), json + "\n"),
        ];
        for (name, text) in files.into_iter().chain(operators) {
            let file = self.path.join(name);
            atomic::write(&file, text.as_bytes()).map_err(io(&file))?;
        }
        Ok(())
    }
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
