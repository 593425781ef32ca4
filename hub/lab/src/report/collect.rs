//! Collects the data of a run for a report from the run's record.

use super::parameter_history::{Courses, ParameterHistory};
use crate::behaviour::{Instant, Metrics, MetricsMeter, RegionMeter, RobotState};
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xpuck_evolve::Id;
use xpuck_experiment::Plan;
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::estimate::{Parameter, WorldModel};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::{FRISBEE_RADIUS, MAX_ROBOTS, ROBOT_RADIUS};
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;
use xpuck_record::lineage::LineageIndex;
use xpuck_record::run_file::{RUN_FILE, RunFile, RunState};
use xpuck_record::verify::{SenseRow, phase_worlds, plan, senses};
use xpuck_record::{RecordError, read, result};
use xpuck_wire::message::Operator;
use xpuck_wire::output::count;
use xpuck_wire::{Body, Phase, Segment};

/// Maximum age of telemetry from which wheel speeds are taken (s of arena time).
const FRESH: f64 = 0.5;
/// Topics that are read from a record.
const TOPICS: [&str; 5] = ["/poses", "/telemetry", "/loaded", "/run", "/estimates"];
/// Interval between two points of a curve (s of arena time).
const STEP: f64 = 5.0;

/// Data of a run for the report.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// Name of the run's folder.
    pub name: String,
    /// Properties that comparable runs must have in common, as text.
    pub experiment: String,
    /// Version of the program that recorded the run.
    pub version: String,
    /// Seed of the run.
    pub seed: u64,
    /// Number of robots.
    pub robots: usize,
    /// World of the run's last phase, as planned.
    pub world: Arc<WorldSpec>,
    /// World of the run's last phase, as the robots simulated it at the end. It differs from `world` if the robots
    /// adapted.
    pub last_world: Arc<WorldSpec>,
    /// Number of robots lost during the run.
    pub dead: u32,
    /// Mean round-trip time between the hub and the robots (ms); `None` if no round trip was measured.
    pub ping_ms: Option<f64>,
    /// Share of round trips above 100 ms (%).
    pub slow_percent: f64,
    /// Whether any robot evolved; true if the record does not contain this information.
    pub evolves: bool,
    /// Mean over robots of the champions' derated fitness at the end.
    pub evolved: f64,
    /// Mean number of generations per robot.
    pub generations: f64,
    /// Curve of evolved fitness: time (min), and mean over robots of the champions' derated fitness.
    pub curve: Vec<(f64, f64)>,
    /// Segments with a score. The first segments, in which robots have no evolved trees yet, are left out.
    pub segments: Vec<SegmentFacts>,
    /// Robots in the regions of the last phase's mission, in the same segments.
    pub regions: RegionMeter,
    /// Last tree of each robot.
    pub trees: Vec<LastTree>,
    /// Ancestry of the last trees.
    pub ancestry: Vec<Ancestor>,
    /// History of the world parameters in the robots' simulators; empty for runs without adaptation.
    pub held: Vec<ParameterHistory>,
    /// Comparison of the recorded senses with senses computed from the poses; empty if no control updates were
    /// recorded. `Err`: one line with the reason why there is no comparison.
    pub senses: Result<Vec<SenseRow>, String>,
    /// Start time (ms since 1970). Runs with equal start times and seeds are copies of the same run.
    pub started_unix_ms: u64,
    /// State of the run at its end.
    pub state: RunState,
    /// Damaged or missing parts of the record, one line each.
    pub damage: Vec<String>,
}

/// Fitness and behaviour of a swarm in a segment of its run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SegmentFacts {
    /// Number of the segment, from 1.
    pub number: u32,
    /// Fitness of the real swarm.
    pub fitness: f64,
    /// Raw value of the formula; `None` if the task is not a mission.
    pub value: Option<f64>,
    /// Duration (s of arena time).
    pub seconds: f64,
    /// Behaviour metrics of the swarm; `None` without motion capture data.
    pub metrics: Option<Metrics>,
}

/// A tree that drove a robot at the end.
#[derive(Clone, Debug, PartialEq)]
pub struct LastTree {
    /// Name of the robot.
    pub robot: String,
    /// Identifier of the individual; `None` for a tree from the experiment.
    pub id: Option<Id>,
    /// The tree as executed. An evolved tree includes the added `avoiding` node; a tree from the experiment is
    /// unchanged.
    pub tree: Tree,
}

/// An individual in the ancestry of the last trees.
#[derive(Clone, Debug, PartialEq)]
pub struct Ancestor {
    /// Identifier of the individual.
    pub id: Id,
    /// Generation of birth; 0 if it is not recorded.
    pub generation: u32,
    /// Operator that created the individual.
    pub operator: Operator,
    /// Identifiers of the individual's parents.
    pub parents: Vec<Id>,
    /// Whether the individual's tree drove a robot at the end.
    pub last: bool,
}

/// Accumulator for a record that is being read.
struct Gathering {
    frisbee_radius: f64,
    names: Vec<String>,
    wheels: BTreeMap<String, (f64, (f64, f64))>,
    generations: BTreeMap<String, u32>,
    trips: (u64, f64),
    segment: u32,
    running: bool,
    meters: BTreeMap<u32, MetricsMeter>,
    regions: RegionMeter,
    told: Vec<Segment>,
    curve: Vec<(f64, f64)>,
    end: (f64, f64, u32),
    last: BTreeMap<String, (Id, String)>,
    minutes: f64,
    held: Courses,
    /// Names of robots that send data but are not listed in run.toml.
    strangers: BTreeSet<String>,
}

impl Gathering {
    fn apply(&mut self, entry: Entry) {
        match entry {
            Entry::Poses { time, bodies } if self.running && self.segment > 0 => self.poses(time, &bodies),
            Entry::Telemetry { robot, .. } if !self.names.contains(&robot) => {
                self.strangers.insert(robot);
            }
            Entry::Telemetry { time, robot, round_trip_ms, telemetry } => {
                if let Some(ms) = round_trip_ms {
                    self.trips = (self.trips.0 + 1, self.trips.1 + ms);
                }
                let [left, right] = telemetry.motion.wheels.map(f64::from);
                if telemetry.evolution.generation > 0 {
                    self.generations.insert(robot.clone(), telemetry.evolution.generation);
                }
                self.wheels.insert(robot, (time, (left, right)));
            }
            Entry::Loaded { robot, gene, .. } => {
                let id = Id { island: gene.island, number: gene.number };
                self.last.insert(robot, (id, gene.tree));
            }
            Entry::Run { phase, run_seconds, segment, segments, evolved, slow_round_trips, dead, .. } => {
                self.running = phase == Phase::Running;
                self.minutes = run_seconds / 60.0;
                self.segment = segment;
                if !segments.is_empty() {
                    self.told = segments;
                }
                if self.running && self.curve.last().is_none_or(|(minutes, _)| run_seconds >= 60.0 * minutes + STEP) {
                    self.curve.push((run_seconds / 60.0, evolved));
                }
                self.end = (evolved, slow_round_trips, dead);
            }
            Entry::Estimates { robot, estimates, .. } => {
                for estimate in estimates {
                    self.held.record(self.minutes, &robot, &estimate.parameter, estimate.simulated.into());
                }
            }
            _ => {}
        }
    }

    fn poses(&mut self, time: f64, bodies: &[Body]) {
        let find = |name: &str| bodies.iter().find(|body| body.name == name);
        let state = |name: &String| {
            let [x, y, heading] = find(name)?.pose.map(f64::from);
            let fresh = self.wheels.get(name).filter(|(then, _)| (time - then).abs() <= FRESH);
            Some(RobotState { at: (x, y), heading, wheels: fresh.map(|(_, wheels)| *wheels) })
        };
        let robots: Vec<Option<RobotState>> = self.names.iter().map(state).collect();
        // A visible body that is not a robot is the frisbee, because motion capture has no other subjects.
        let frisbee = bodies.iter().find(|body| !self.names.contains(&body.name));
        let frisbee = frisbee.map(|body| (f64::from(body.pose[0]), f64::from(body.pose[1])));
        let meter = MetricsMeter::new(self.frisbee_radius, f64::from(ROBOT_RADIUS));
        let meter = self.meters.entry(self.segment).or_insert(meter);
        let places: Vec<Vec2> =
            robots.iter().flatten().map(|robot| vec2(robot.at.0 as f32, robot.at.1 as f32)).collect();
        self.regions.add_sample(self.segment, &places);
        meter.add_sample(&Instant { seconds: time, robots: &robots, frisbee });
    }
}

/// Reads several runs in parallel, and returns their data in the order of the folders. `progress` is called after
/// each run.
pub fn collect_all(folders: &[PathBuf], progress: impl Fn() + Sync) -> Vec<Result<RunFacts, RecordError>> {
    let one = |folder: &PathBuf| {
        let run = collect(folder);
        progress();
        run
    };
    folders.par_iter().map(one).collect()
}

/// Reads the data of the run in a folder.
///
/// # Errors
/// If the folder does not hold a run, or its record cannot be read.
pub fn collect(directory: &Path) -> Result<RunFacts, RecordError> {
    let file = RunFile::read(directory)?;
    if !(1..=MAX_ROBOTS).contains(&file.robots.len()) {
        let why = format!("lists {} robots, but a run has 1 to {MAX_ROBOTS}", file.robots.len());
        return Err(RecordError::new(&directory.join(RUN_FILE), why));
    }
    if let Some(twice) =
        file.robots.iter().enumerate().find_map(|(i, name)| file.robots[..i].contains(name).then_some(name))
    {
        return Err(RecordError::new(&directory.join(RUN_FILE), format!("lists robot {twice} twice")));
    }
    let (world, unreadable) = match phase_worlds(&file) {
        Ok(worlds) => (worlds.into_iter().next_back().map(|(_, world)| world), None),
        Err(error) => (None, Some(format!("its experiment cannot be read, so the benchmark is simulated: {error}"))),
    };
    let world = world.unwrap_or_else(|| Arc::new(WorldSpec::benchmark(file.robots.len())));
    let mut gathering = Gathering {
        frisbee_radius: frisbee_radius(&file),
        names: file.robots.clone(),
        wheels: BTreeMap::new(),
        generations: BTreeMap::new(),
        trips: (0, 0.0),
        segment: 0,
        running: false,
        meters: BTreeMap::new(),
        regions: RegionMeter::new(&world.task),
        told: Vec::new(),
        curve: Vec::new(),
        end: (0.0, 0.0, 0),
        last: BTreeMap::new(),
        minutes: 0.0,
        held: Courses::default(),
        strangers: BTreeSet::new(),
    };
    let mut entries = read::entries_of_topics(directory, &TOPICS)?;
    let mut some = false;
    for entry in entries.by_ref() {
        gathering.apply(entry?);
        some = true;
    }
    if !some {
        let why = match entries.damage() {
            [] => "its record is empty".into(),
            damage => format!("its record cannot be read: {}", damage.join("; ")),
        };
        return Err(RecordError::new(directory, why));
    }
    let mut damage = entries.damage().to_vec();
    let stranger = |robot: &String| format!("its record contains robot {robot}, which {RUN_FILE} does not list");
    damage.extend(gathering.strangers.iter().map(stranger));
    damage.extend(unreadable);
    let senses = senses(directory).map_err(|error| error.to_string());
    let held = gathering.held.finish();
    let births = LineageIndex::read(directory)?;
    let mut trees = Vec::new();
    for (robot, (id, text)) in &gathering.last {
        match Tree::parse(text) {
            Ok(tree) => trees.push(LastTree { robot: robot.clone(), id: Some(*id), tree: tree.under_avoiding() }),
            Err(error) => damage.push(format!("the tree of {robot}: {error}")),
        }
    }
    let planned = plan(&file).ok();
    trees.extend(planned.iter().flat_map(|plan| given(plan, &file.robots, &gathering.last)));
    trees.sort_by(|a, b| a.robot.cmp(&b.robot));
    let segment = |segment: &Segment| SegmentFacts {
        number: segment.number,
        fitness: segment.fitness,
        value: segment.value,
        seconds: segment.seconds,
        metrics: gathering.meters.get(&segment.number).and_then(MetricsMeter::finish),
    };
    let ended = result(directory).unwrap_or_default();
    // In segment 0, no robot has loaded an evolved tree. It counts if it is the whole run.
    let is_whole = gathering.told.len() == 1 && ended.as_ref().is_some_and(|s| s.run_seconds + 1.0 > s.run_length);
    let scored = gathering.told.iter().filter(|s| (s.number > 0 || is_whole) && s.seconds > 0.0);
    let (evolved, slow, dead) = gathering.end;
    let (trips, total) = gathering.trips;
    // The hub's own mean covers all round trips. The record contains only five round-trip times per second.
    let told = ended.map(|status| status.round_trip_ms).filter(|ms| *ms > 0.0);
    let generations = gathering.generations.values().map(|generation| f64::from(*generation));
    Ok(RunFacts {
        name: directory.file_name().map_or_else(|| file.name.clone(), |name| name.to_string_lossy().into_owned()),
        experiment: experiment(&file),
        version: file.version.clone(),
        seed: file.seed,
        robots: file.robots.len(),
        world: world.clone(),
        dead,
        ping_ms: told.or((trips > 0).then(|| total / trips as f64)),
        slow_percent: 100.0 * slow,
        evolves: planned.is_none_or(|plan| plan.evolves(file.robots.len())),
        evolved,
        generations: generations.clone().sum::<f64>() / generations.count().max(1) as f64,
        segments: scored.map(segment).collect(),
        regions: gathering.regions,
        ancestry: ancestry(&births, &trees),
        curve: gathering.curve,
        last_world: last_world(&world, &held),
        held,
        senses,
        started_unix_ms: file.started_unix_ms,
        state: file.state,
        trees,
        damage,
    })
}

/// Returns the trees that the experiment's last phase assigns to robots without an evolved tree. Robots run these
/// trees without an added `avoiding` node.
fn given(plan: &Plan, robots: &[String], loaded: &BTreeMap<String, (Id, String)>) -> Vec<LastTree> {
    let robots = robots.iter().enumerate().filter(|(_, robot)| !loaded.contains_key(*robot));
    let tree = |(place, robot): (usize, &String)| {
        let tree = Tree::clone(plan.phase(usize::MAX).given(place)?);
        Some(LastTree { robot: robot.clone(), id: None, tree })
    };
    robots.filter_map(tree).collect()
}

/// Returns the planned world with each parameter set to the median of the robots' final values. Parameters of a
/// robot's own body are unchanged.
fn last_world(planned: &Arc<WorldSpec>, held: &[ParameterHistory]) -> Arc<WorldSpec> {
    let before = WorldModel::from_spec(planned);
    let mut model = before;
    for parameter in Parameter::ALL.into_iter().filter(|parameter| !parameter.is_own_body()) {
        let of_it = held.iter().filter(|held| held.parameter == parameter.name());
        let mut last: Vec<f64> = of_it.filter_map(|held| Some(held.course.last()?.1)).collect();
        last.sort_by(f64::total_cmp);
        if let Some(middle) = last.get(last.len() / 2) {
            model.set(parameter, *middle as f32);
        }
    }
    match model.apply(planned) {
        Ok(world) if model != before => Arc::new(world),
        _ => planned.clone(),
    }
}

fn frisbee_radius(file: &RunFile) -> f64 {
    let arena = file.hub.get("arena").and_then(|arena| arena.get("frisbee_radius_m"));
    arena.and_then(toml::Value::as_float).filter(|radius| *radius > 0.0).unwrap_or(f64::from(FRISBEE_RADIUS))
}

/// Returns whether any robot evolved in any phase. The result is also true if the run file does not contain this
/// information, as in runs of earlier versions.
pub fn evolves(file: &RunFile) -> bool {
    plan(file).map_or(true, |plan| plan.evolves(file.robots.len()))
}

/// Returns the properties that must be equal for fitness to be comparable, as text. They are the experiment, the
/// task, the number of robots, the duration, and whether robots evolve and adapt.
pub fn experiment(file: &RunFile) -> String {
    let number = |key: &str| {
        let value = file.experiment.get(key)?;
        value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64))
    };
    let text = |key: &str| file.experiment.get(key).and_then(toml::Value::as_str).map(String::from);
    let parts = [
        Some(file.name.clone()),
        text("task").filter(|task| *task != file.name),
        Some(count(file.robots.len(), "robot", "robots")),
        number("minutes").map(|minutes| format!("{minutes} min")),
        (!evolves(file)).then(|| "evolution off".into()),
        file.experiment.get("adapt").and_then(toml::Value::as_bool).unwrap_or(false).then(|| "adaptive".into()),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn ancestry(births: &LineageIndex, trees: &[LastTree]) -> Vec<Ancestor> {
    let mut all: BTreeMap<Id, Ancestor> = BTreeMap::new();
    for tree in trees.iter().filter_map(|tree| tree.id) {
        for (_, id) in births.ancestry(tree, usize::MAX) {
            let Some(individual) = births.get(id) else { continue };
            all.entry(id).or_insert_with(|| Ancestor {
                id,
                generation: individual.generation,
                operator: individual.operator,
                parents: individual.parents.clone(),
                last: false,
            });
        }
        if let Some(last) = all.get_mut(&tree) {
            last.last = true;
        }
    }
    all.into_values().collect()
}
