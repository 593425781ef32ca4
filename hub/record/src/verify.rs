//! Verification of a run's record: the recorded trees are ticked again, and the senses are recomputed from the
//! recorded poses.

use crate::run_file::RunFile;
use crate::{RecordError, read};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use xpuck_experiment::{Experiment, Plan};
use xpuck_hub_core::config::HubFile;
use xpuck_hub_core::entry::Entry;
pub use xpuck_hub_core::verify::SenseRow;
use xpuck_hub_core::verify::{Difference, RobotTicks, SenseVerifier, TickVerifier};
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;

/// Result of the verification.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Verified {
    /// Whether every verifiable update was reproduced bit by bit.
    pub identical: bool,
    /// First difference between the recomputed and the recorded ticks; `None` if all of them are equal.
    pub first: Option<Difference>,
    /// Counts of verified updates, by robot name.
    pub robots: BTreeMap<String, RobotTicks>,
    /// Comparison of the recorded senses with those computed from the poses.
    pub senses: Vec<SenseRow>,
    /// Sense with the largest share of different values; `None` if no value differs.
    pub worst_sense: Option<&'static str>,
    /// Number of updates whose senses were not compared, because poses of the robot were missing.
    pub without_poses: u64,
    /// Damage of the record, one line per damaged file.
    pub damage: Vec<String>,
}

/// Verifies the record of a run.
///
/// # Errors
/// If the record is missing, cannot be read, or contains no control updates.
pub fn verify(run: &Path) -> Result<Verified, RecordError> {
    let file = RunFile::read(run)?;
    let hub: HubFile = file.hub.clone().try_into().map_err(|error| RecordError::new(run, error))?;
    let mut ticks = TickVerifier::new(file.seed);
    let worlds = worlds_of(run, &file)?;
    if let Some(world) = worlds.values().next() {
        ticks.set_wheels(world.physics.robot.wheels);
    }
    let mut senses = Senses { of: SenseVerifier::new(&file.robots, &hub), worlds, phase: None };
    // A batch may precede the message with its tree, so all trees are read first.
    learn_trees(run, &mut ticks)?;
    let islands: BTreeMap<&str, u16> = file.robots.iter().map(String::as_str).zip(1..).collect();
    let mut batches = 0;
    let mut entries = read::entries(run)?;
    for entry in entries.by_ref() {
        let entry = entry?;
        if let Entry::Updates { robot, updates, .. } = &entry {
            batches += 1;
            let Some(island) = islands.get(robot.as_str()) else {
                return Err(RecordError::new(run, format!("robot `{robot}` is not in run.toml")));
            };
            ticks.verify_batch(robot, *island, updates).map_err(|error| RecordError::new(run, error))?;
        }
        senses.on_entry(&entry).map_err(|error| RecordError::new(run, error))?;
    }
    let senses = senses.of;
    if batches == 0 {
        let why = match entries.damage() {
            [] => "contains no control updates: no robot ran, or an earlier version recorded it".to_string(),
            damage => format!("its control updates cannot be read: {}", damage.join("; ")),
        };
        return Err(RecordError::new(run, why));
    }
    let rows = senses.rows();
    let worst = worst(&rows);
    Ok(Verified {
        identical: ticks.first().is_none(),
        first: ticks.first().cloned(),
        robots: ticks.robots(),
        worst_sense: worst.map(|row| row.sense),
        senses: rows,
        without_poses: senses.without_poses(),
        damage: entries.damage().to_vec(),
    })
}

/// Returns the row of the sense with the largest share of different values; `None` if no value differs.
pub fn worst(rows: &[SenseRow]) -> Option<&SenseRow> {
    rows.iter().max_by(|a, b| a.part().total_cmp(&b.part())).filter(|row| row.different > 0)
}

/// Compares only the senses of a run with its poses, which is faster than [`verify`]. Without recorded control
/// updates, no values are compared.
///
/// # Errors
/// If the record is missing or cannot be read.
pub fn senses(run: &Path) -> Result<Vec<SenseRow>, RecordError> {
    let file = RunFile::read(run)?;
    let hub: HubFile = file.hub.clone().try_into().map_err(|error| RecordError::new(run, error))?;
    let mut senses = Senses { of: SenseVerifier::new(&file.robots, &hub), worlds: worlds_of(run, &file)?, phase: None };
    for entry in read::entries_of_topics(run, &SENSED)? {
        senses.on_entry(&entry?).map_err(|error| RecordError::new(run, error))?;
    }
    Ok(senses.of.rows())
}

/// Topics that the comparison of senses reads.
const SENSED: [&str; 4] = ["/poses", "/run", "/telemetry", "/updates"];

/// Comparison of the recorded senses while the entries of a record are read. It uses the world of the current phase.
struct Senses {
    of: SenseVerifier,
    worlds: BTreeMap<String, Arc<WorldSpec>>,
    phase: Option<String>,
}

impl Senses {
    fn on_entry(&mut self, entry: &Entry) -> Result<(), String> {
        match entry {
            Entry::Poses { time, bodies } => {
                self.of.poses(*time, bodies.iter().map(|body| (body.name.as_str(), body.pose)));
            }
            Entry::Run { segments, .. } => {
                let now = segments.last().map(|segment| segment.phase.clone());
                if now != self.phase
                    && let Some(world) = now.as_ref().and_then(|name| self.worlds.get(name))
                {
                    self.of.set_world(world);
                }
                self.phase = now;
            }
            Entry::Telemetry { time, robot, telemetry, .. } => self.of.heard(robot, telemetry.time, *time),
            Entry::Updates { time, robot, updates } => self.of.verify_batch(robot, *time, updates)?,
            _ => {}
        }
        Ok(())
    }
}

fn worlds_of(run: &Path, file: &RunFile) -> Result<BTreeMap<String, Arc<WorldSpec>>, RecordError> {
    worlds(file).map_err(|why| RecordError::new(run, why))
}

/// Returns the worlds of a run's phases, by phase name. The map is empty if the record lacks the experiment's files.
/// It is also empty if the experiment names no world, because the run then uses the hub's arena.
fn worlds(file: &RunFile) -> Result<BTreeMap<String, Arc<WorldSpec>>, String> {
    let experiment = experiment(file)?;
    let named = experiment.world.is_some() || experiment.phases.iter().any(|phase| phase.world.is_some());
    // Records of earlier versions do not contain the experiment's files.
    if !named || file.files.is_empty() {
        return Ok(BTreeMap::new());
    }
    Ok(phase_worlds(file)?.into_iter().collect())
}

fn experiment(file: &RunFile) -> Result<Experiment, String> {
    let text = toml::to_string(&file.experiment).map_err(|error| error.to_string())?;
    Experiment::parse("experiment", &text).map_err(|error| error.to_string())
}

/// Returns the plan of a run's experiment.
///
/// # Errors
/// If this version cannot read the experiment; the error is one line.
pub fn plan(file: &RunFile) -> Result<Plan, String> {
    Plan::new(&experiment(file)?, &file.files, Some(file.robots.len())).map_err(|error| error.to_string())
}

/// Returns the name and the world of each phase of a run, in order. A phase without a world gets the benchmark's
/// world.
///
/// # Errors
/// If this version cannot read the run's experiment; the error is one line.
pub fn phase_worlds(file: &RunFile) -> Result<Vec<(String, Arc<WorldSpec>)>, String> {
    Ok(plan(file)?.phases.into_iter().map(|phase| (phase.name, phase.world)).collect())
}

fn learn_trees(run: &Path, ticks: &mut TickVerifier) -> Result<(), RecordError> {
    for message in read::Messages::open(run)? {
        let message = message?;
        if message.topic != "/updates" && message.topic != "/loaded" {
            continue;
        }
        match serde_json::from_slice(&message.data) {
            Ok(Entry::Updates { updates, .. }) => ticks.learn(&updates),
            Ok(Entry::Loaded { gene, .. }) => {
                // An invalid tree is skipped, because it never drove a robot.
                let _ = Tree::parse(&gene.tree).map(|tree| ticks.learn_tree(tree.under_avoiding()));
            }
            _ => {}
        }
    }
    Ok(())
}
