//! Plan of an experiment, for use by robots and hub. It contains the experiment file and the files named in it,
//! validated together.

use crate::calibration::Calibration;
use crate::file::{Experiment, sent_name};
use crate::lamps::Lamps;
use crate::phase::{Drive, Given, Kind, Phase, Until};
use crate::robot_model::{self, RobotSpec};
use crate::silence::{Genes, Silence};
use crate::steps::{self, MAX_GENERATIONS, Step};
use crate::{settings, tree_file, world_file};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;
use toml::Value;
use xpuck_evolve::{Algorithm, Migration, PrimitiveSet, Settings, colour_read, ground_read};
use xpuck_kernels::engine::EngineKind;
use xpuck_kernels::model::{MAX_ROBOTS, WHEELBASE};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::robot::RobotModel;
use xpuck_kernels::world::senses::messages::Attraction;
use xpuck_wire::signed::{Signed, Trust};

/// Default number of robots in the usual arena.
pub const ROBOTS: usize = 9;

/// Reason why an experiment cannot be run. It is one line that names the key or the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError(String);

impl Display for PlanError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PlanError {}

fn fail(message: impl Into<String>) -> PlanError {
    PlanError(message.into().trim_end().replace('\n', "; "))
}

/// Plan of an experiment for a swarm of a known size.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Name of the experiment.
    pub name: String,
    /// Evolution settings of each island.
    pub settings: Settings,
    /// Primitive set of the trees.
    pub primitive_set: PrimitiveSet,
    /// Migration of genes.
    pub migration: Migration,
    /// Path of genes between robots.
    pub genes: Genes,
    /// Behaviour of robots while the hub is silent.
    pub silence: Silence,
    /// Display of the robots' lamps.
    pub lamps: Lamps,
    /// Whether robots estimate the world's parameters during the run, and adapt their simulations to the estimates.
    pub adapt: bool,
    /// Simulation engine of robots whose own files do not set an engine.
    pub engine: Option<EngineKind>,
    /// Duration of a trial (s of simulated time).
    pub trial_seconds: f32,
    /// Whether the experiment contains a calibration. If so, robots do not apply their own calibration files to the
    /// experiment's worlds.
    pub calibrated: bool,
    /// Curriculum steps that each island completes before it evolves in the worlds of the phases.
    pub steps: Vec<Step>,
    /// Phases of the run in their order; never empty.
    pub phases: Vec<PlannedPhase>,
}

/// Phase with the values that it inherits from the experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedPhase {
    /// Name of the phase in displays and records.
    pub name: String,
    /// Activity of the swarm.
    pub kind: Kind,
    /// Maximum running time of the phase (s).
    pub seconds: f64,
    /// Segment length (s).
    pub segment_seconds: f64,
    /// Conditions for an early end of the phase.
    pub until: Until,
    /// Source of the tree that robots without a given controller run.
    pub drive: Drive,
    /// Tree that each robot runs unchanged, in the order of the swarm file; `None` for robots without a given tree.
    pub given: Vec<Option<Arc<Tree>>>,
    /// Given tree of robots that join the swarm during the run. It is the tree of the last entry in `controllers` if
    /// this entry applies to all remaining robots, and `None` otherwise.
    pub given_later: Option<Arc<Tree>>,
    /// World of the simulations, including the task.
    pub world: Arc<WorldSpec>,
    /// Message to the operators at the start of the phase.
    pub say: String,
}

impl PlannedPhase {
    /// Returns whether the island of the robot with this index evolves in this phase.
    pub fn evolves(&self, robot: usize) -> bool {
        self.kind == Kind::Evolve && self.given(robot).is_none()
    }

    /// Returns the tree that the robot with this index runs unchanged; `None` if it has no given tree.
    pub fn given(&self, robot: usize) -> Option<&Arc<Tree>> {
        self.given.get(robot).unwrap_or(&self.given_later).as_ref()
    }
}

/// Maximum relative deviation of a model's wheelbase from that of the devices. Robots calibrate their own wheelbases.
const MOST_WHEELBASE: f32 = 0.1;

/// Texts of an experiment's files, by name.
type Files = BTreeMap<String, String>;

impl Plan {
    /// Returns whether the island of any of the first `robots` robots evolves in any phase.
    pub fn evolves(&self, robots: usize) -> bool {
        self.phases.iter().any(|phase| (0..robots).any(|robot| phase.evolves(robot)))
    }

    /// Verifies a signed experiment and creates its plan for this number of robots. Also returns the experiment's
    /// text.
    ///
    /// # Errors
    /// Reason why the experiment is not trusted, is invalid or cannot be run.
    pub fn open(signed: &Signed, trust: &Trust, robots: usize) -> Result<(Plan, String), PlanError> {
        let text = signed.open(trust).map_err(|error| fail(error.to_string()))?;
        let experiment = Experiment::parse("experiment", &text).map_err(|error| fail(error.to_string()))?;
        Ok((Plan::new(&experiment, &signed.files, Some(robots))?, text))
    }

    /// Creates the plan of an experiment with its files. If `robots` is `None`, the world file sets the number of
    /// robots.
    ///
    /// # Errors
    /// Invalid settings, a missing or invalid file, a world too small for the robots, or a tree that does not fit a
    /// robot.
    pub fn new(experiment: &Experiment, files: &Files, robots: Option<usize>) -> Result<Plan, PlanError> {
        let e = experiment;
        let algorithm = e.evolution.algorithm().parse::<Algorithm>();
        let algorithm = algorithm.map_err(|error| fail(format!("evolution.algorithm: {error}")))?;
        let mut given = e.evolution.settings.clone();
        if given.contains_key("population") {
            return Err(fail("evolution.settings.population: set `evolution.population` instead"));
        }
        given.insert("population".into(), Value::Integer(e.evolution.population as i64));
        let settings = settings::effective(algorithm, given, &e.migration);
        let settings = settings.map_err(|why| fail(format!("evolution.{why}")))?;
        if !settings.avoiding {
            return Err(fail(
                "evolution.settings.avoiding = false is for `xpuck evolve` only: robots always avoid collisions",
            ));
        }
        let calibration = e.calibration.as_ref().map(|name| calibration(name, files)).transpose()?;
        let measured = |spec: WorldSpec| match &calibration {
            Some(found) => found.apply(&spec).map(Arc::new).map_err(fail),
            None => Ok(Arc::new(spec)),
        };
        let load = |name: &str| file(name, files).map(str::to_string).map_err(|error| error.to_string());
        let robot = e.robot.as_deref().map(|name| robot_model::find(name, &load)).transpose();
        let robot = robot.map_err(|why| fail(format!("robot: {why}")))?;
        let own = match &e.world {
            Some(file) => read_world(file, files, robots, robot.as_ref())?,
            None => {
                let mut spec = WorldSpec::benchmark(robots.unwrap_or(ROBOTS).min(MAX_ROBOTS));
                robot.iter().for_each(|robot| robot.apply(&mut spec));
                spec.check().map_err(|error| fail(error.to_string()))?;
                spec
            }
        };
        let mut steps = read_steps(&own, e, files, robot.as_ref())?;
        for step in &mut steps {
            step.spec = measured(WorldSpec::clone(&step.spec))?;
        }
        let mut world = measured(own)?;
        let robots = robots.unwrap_or(world.robots);
        let usual = assign_trees(&common_controllers(e), files, robots)?;
        let whole = [single_phase(e)];
        let phases = if e.phases.is_empty() { &whole[..] } else { &e.phases };
        let mut planned = Vec::with_capacity(phases.len());
        for (i, phase) in (1..).zip(phases) {
            let wrong = |error: PlanError| fail(format!("phase {i}: {error}"));
            if let Some(file) = &phase.world {
                world =
                    measured(read_world(file, files, Some(robots), robot.as_ref()).map_err(wrong)?).map_err(wrong)?;
            }
            let given = match &phase.controllers {
                Some(list) => assign_trees(list, files, robots).map_err(wrong)?,
                None => usual.clone(),
            };
            planned.push(planned_phase(phase, given, world.clone()));
        }
        if !e.arena_changes_confirmed && planned.iter().any(|phase| phase.world.changes()) {
            return Err(fail(
                "its world has parts with `when`, which the operator must change in the arena; set \
                 `arena_changes_confirmed = true` if you will",
            ));
        }
        let same = |phase: &PlannedPhase| {
            (phase.world.physics.robot, phase.world.robot) == (planned[0].world.physics.robot, planned[0].world.robot)
        };
        if !planned.iter().all(same) {
            return Err(fail(
                "its phases have different robot models; a swarm has one model, so use the same in all worlds",
            ));
        }
        if planned.iter().any(|phase| phase.world.task.last_disc(phase.world.discs.len()) > 1) {
            return Err(fail(
                "its task reads several discs, but motion capture follows only the first one, the frisbee",
            ));
        }
        let absent = planned[0].world.physics.robot.absent_cells();
        for phase in &planned {
            for tree in phase.given.iter().chain([&phase.given_later]).flatten() {
                let program = Program::compile(tree).map_err(|error| fail(error.to_string()))?;
                phase.world.physics.robot.check_program(&program).map_err(fail)?;
            }
        }
        let plan = Plan {
            name: e.name.clone(),
            settings,
            primitive_set: primitive_set(&e.primitive_set, files, absent)?,
            migration: e.migration.clone(),
            genes: e.genes,
            silence: e.silence,
            lamps: e.lamps.clone(),
            adapt: e.adapt,
            engine: e.engine,
            trial_seconds: e.evolution.trial_seconds,
            calibrated: calibration.is_some(),
            steps,
            phases: planned,
        };
        if !plan.steps.is_empty() && !plan.evolves(robots) {
            return Err(fail("steps: all robots have controllers, so no robot evolves; remove the steps"));
        }
        Ok(plan)
    }

    /// Returns the first camera register that trees of the robot with index `robot` may read in any phase. Returns
    /// `None` if the trees need no camera.
    pub fn colour_read(&self, robot: usize) -> Option<&'static str> {
        self.phases.iter().find_map(|phase| match phase.given(robot) {
            Some(tree) => colour_read(tree),
            None => self.primitive_set.colour_read(),
        })
    }

    /// Returns true if trees of the robot with index `robot` may read the ground sensor in any phase.
    pub fn ground_read(&self, robot: usize) -> bool {
        self.phases.iter().any(|phase| match phase.given(robot) {
            Some(tree) => ground_read(tree),
            None => self.primitive_set.ground_read(),
        })
    }

    /// Returns why a robot of `xpuckd` cannot be the robot of a world of the plan; `None` if it can. Radius, mass and
    /// errors concern the simulated worlds only.
    pub fn unfit_for_devices(&self) -> Option<String> {
        self.phases.iter().find_map(|phase| unfit_for_devices(&phase.world))
    }

    /// Applies a robot's own calibration file to the worlds, unless the experiment contains a calibration.
    ///
    /// # Errors
    /// The calibrated worlds cannot be run.
    pub fn calibrate(&mut self, calibration: &Calibration) -> Result<(), PlanError> {
        if self.calibrated || !calibration.changes_worlds() {
            return Ok(());
        }
        let worlds = self.phases.iter_mut().map(|phase| &mut phase.world);
        for world in worlds.chain(self.steps.iter_mut().map(|step| &mut step.spec)) {
            *world = calibration.apply(world).map(Arc::new).map_err(fail)?;
        }
        Ok(())
    }

    /// Returns the maximum running time of all phases (s).
    pub fn seconds(&self) -> f64 {
        self.phases.iter().map(|phase| phase.seconds).sum()
    }

    /// Returns the phase with this index, or the last phase if the index is too large.
    pub fn phase(&self, number: usize) -> &PlannedPhase {
        &self.phases[number.min(self.phases.len() - 1)]
    }
}

/// Returns the first key of a world's robot model that the devices of a robot cannot fulfil.
fn unfit_for_devices(world: &WorldSpec) -> Option<String> {
    let (robot, device) = (&world.physics.robot, RobotModel::default());
    let refuse = |key: &str, value: &dyn Display, device: &dyn Display| {
        Some(format!(
            "the robot model has {key} = {value}, but the devices of this robot give {device}; change the model"
        ))
    };
    let wheelbase = 2.0 * world.robot.contact_arm;
    let messages = world.messages.unwrap_or_default();
    if robot.wheels.max_speed > device.wheels.max_speed {
        refuse("wheels.max_speed_m_s", &robot.wheels.max_speed, &format!("at most {}", device.wheels.max_speed))
    } else if (wheelbase / WHEELBASE - 1.0).abs() > MOST_WHEELBASE {
        refuse("wheelbase_m", &wheelbase, &WHEELBASE)
    } else if (robot.proximity.range, robot.proximity.curve) != (device.proximity.range, device.proximity.curve) {
        refuse("a proximity.length_m", &robot.proximity.range, &"0.03 and a linear curve")
    } else if robot.camera.fov != device.camera.fov {
        refuse("camera.fov_deg", &robot.camera.fov.to_degrees(), &56)
    } else if robot.light.law != device.light.law || robot.light.threshold != 0.0 {
        refuse("a light.law or threshold", &"of its own", &"the inverse-square law")
    } else if robot.ground != device.ground {
        refuse("ground", &"points", &"\"class\"")
    } else if messages.memory != 1 || messages.attraction != Attraction::Centre {
        refuse("messages.memory", &messages.memory, &"memory = 1 and attraction = \"centre\"")
    } else {
        None
    }
}

fn file<'a>(path: &str, files: &'a Files) -> Result<&'a str, PlanError> {
    let missing = || fail(format!("file `{path}` is missing; create it at this path, relative to the experiment file"));
    files.get(sent_name(path)).map(String::as_str).ok_or_else(missing)
}

fn read_world(
    name: &str,
    files: &Files,
    robots: Option<usize>,
    robot: Option<&RobotSpec>,
) -> Result<WorldSpec, PlanError> {
    let text = file(name, files)?;
    let load = |name: &str| file(name, files).map(str::to_string).map_err(|error| error.to_string());
    let mut spec = world_file::parse_with(name, text, robot, &load).map_err(|error| fail(error.to_string()))?;
    if let Some(robots) = robots.filter(|robots| *robots != spec.robots) {
        spec.robots = robots;
        spec.check().map_err(|error| fail(format!("{name}: invalid with the swarm's {robots} robots: {error}")))?;
    }
    Ok(spec)
}

/// Reads the curriculum steps before the experiment's own world. The world file of a step sets the step's number of
/// robots.
fn read_steps(
    own: &WorldSpec,
    e: &Experiment,
    files: &Files,
    robot: Option<&RobotSpec>,
) -> Result<Vec<Step>, PlanError> {
    let world = |name: &str| Ok((read_world(name, files, None, robot)?, file(name, files)?.to_string()));
    steps::read(&e.steps, own, MAX_GENERATIONS, world, fail)
}

fn calibration(name: &str, files: &Files) -> Result<Calibration, PlanError> {
    Calibration::parse(name, file(name, files)?).map_err(|error| fail(error.to_string()))
}

/// Returns the primitive set with a name or of a file, without what reads the cells of the bit mask `absent`.
fn primitive_set(name: &str, files: &Files, absent: u32) -> Result<PrimitiveSet, PlanError> {
    match name {
        "in-swarm" => Ok(PrimitiveSet::in_swarm_without(absent)),
        "transferability" => Ok(PrimitiveSet::transferability()),
        _ => PrimitiveSet::parse_without(name, file(name, files)?, absent).map_err(|error| fail(error.to_string())),
    }
}

/// Returns the controllers that the experiment sets for all of its phases.
fn common_controllers(e: &Experiment) -> Vec<Given> {
    match (&e.controller, &e.controller_file) {
        (None, None) => e.controllers.clone(),
        (tree, file) => vec![Given { tree: tree.clone(), file: file.clone(), robots: None }],
    }
}

/// Given tree of each robot, and given tree of robots that join the swarm later.
type GivenTrees = (Vec<Option<Arc<Tree>>>, Option<Arc<Tree>>);

/// Assigns the trees of a list to robots, in the order of the list.
fn assign_trees(list: &[Given], files: &Files, robots: usize) -> Result<GivenTrees, PlanError> {
    let mut trees = Vec::with_capacity(robots);
    for (i, entry) in (1..).zip(list) {
        let left = robots - trees.len();
        let count = entry.robots.unwrap_or(left);
        if count == 0 || count > left {
            return Err(fail(format!(
                "controllers, entry {i}: robots = {count}, but only {left} of the swarm's {robots} robots are left"
            )));
        }
        let from = entry.file.as_deref().unwrap_or("controller");
        // A `PlanError` has only one line. Therefore only the first line of the parser's message is kept, without the
        // lines that show the error's position in the text.
        let wrong = |why: String| fail(format!("{from}: {}", why.lines().next().unwrap_or_default()));
        let parsed = match (&entry.tree, &entry.file) {
            (Some(tree), None) => Tree::parse(tree),
            (None, Some(name)) => tree_file::parse(name, file(name, files)?),
            _ => return Err(fail(format!("controllers, entry {i}: give either a tree or a file"))),
        };
        let tree = parsed.map_err(|error| wrong(error.to_string()))?;
        Program::compile(&tree).map_err(|error| wrong(error.to_string()))?;
        trees.extend(std::iter::repeat_n(Some(Arc::new(tree)), count));
    }
    let later = list.last().filter(|entry| entry.robots.is_none()).and_then(|_| trees.last().cloned().flatten());
    trees.resize(robots, None);
    Ok((trees, later))
}

/// Converts an experiment without phases to one phase.
fn single_phase(e: &Experiment) -> Phase {
    Phase {
        name: String::new(),
        kind: Kind::Evolve,
        minutes: e.minutes.unwrap_or(0.0),
        segment_minutes: e.segment_minutes,
        until: Until::default(),
        drive: Drive::Own,
        controllers: None,
        world: None,
        say: String::new(),
    }
}

fn planned_phase(phase: &Phase, (given, given_later): GivenTrees, world: Arc<WorldSpec>) -> PlannedPhase {
    PlannedPhase {
        name: if phase.name.is_empty() { phase.kind.name().into() } else { phase.name.clone() },
        kind: phase.kind,
        seconds: phase.minutes * 60.0,
        segment_seconds: phase.segment_minutes.unwrap_or(phase.minutes) * 60.0,
        until: phase.until,
        drive: phase.drive,
        given,
        given_later,
        world,
        say: phase.say.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::Task;

    const TRANSPORT: &str = "name = \"x\"\nminutes = 16.0\nsegment_minutes = 2.0\ntask = \"transport\"\n";
    const FORAGING: &str = include_str!("../../../docs/worlds/foraging.toml");

    fn plan(text: &str, files: &[(&str, &str)], robots: Option<usize>) -> Result<Plan, String> {
        let experiment = Experiment::parse("e.toml", text).map_err(|error| error.to_string())?;
        let files = files.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect();
        Plan::new(&experiment, &files, robots).map_err(|error| error.to_string())
    }

    #[test]
    fn omitted_keys_default_to_thesis_experiment() {
        let plan = plan(TRANSPORT, &[], Some(5)).unwrap();
        assert_eq!((plan.phases.len(), plan.seconds(), plan.trial_seconds), (1, 960.0, 30.0));
        let phase = plan.phase(3);
        assert_eq!((phase.segment_seconds, &*phase.world), (120.0, &WorldSpec::benchmark(5)));
        assert!((0..5).all(|robot| phase.evolves(robot)));
        assert_eq!((plan.settings.population, plan.primitive_set), (256, PrimitiveSet::in_swarm()));
    }

    #[test]
    fn world_file_sets_task_and_swarm_sets_robot_count() {
        let text = TRANSPORT.replace("task = \"transport\"", "world = \"foraging.toml\"");
        let plan = plan(&text, &[("foraging.toml", FORAGING)], Some(4)).unwrap();
        let world = &plan.phase(0).world;
        assert!(matches!(world.task, Task::Foraging { .. }) && world.robots == 4, "{world:?}");
    }

    #[test]
    fn worlds_are_as_they_were_measured() {
        let text = TRANSPORT.to_string() + "calibration = \"lab/c.toml\"\n";
        let text = format!(
            "{}[[phase]]\nminutes = 1\n[[phase]]\nminutes = 1\nworld = \"w\"\n",
            text.replace("minutes = 16.0\nsegment_minutes = 2.0\n", "")
        );
        let measured = "[physics]\nbody_friction = 0.31\n[camera]\nmisses = 0.1\n";
        let mut planned = plan(&text, &[("c.toml", measured), ("w", FORAGING)], Some(3)).unwrap();
        let frictions = |plan: &Plan| [0, 1].map(|i| plan.phase(i).world.physics.mu_bodies);
        assert_eq!((frictions(&planned), planned.phase(1).world.camera.misses), ([0.31; 2], 0.1));
        let own = Calibration::parse("own", "[physics]\nbody_friction = 0.4\n").unwrap();
        planned.calibrate(&own).unwrap();
        assert_eq!(frictions(&planned), [0.31; 2], "the experiment's own goes before a robot's");
        let mut usual = plan(TRANSPORT, &[], Some(3)).unwrap();
        usual.calibrate(&own).unwrap();
        assert_eq!(usual.phase(0).world.physics.mu_bodies, 0.4);
        let wrong = plan(&text, &[("c.toml", "[physics]\nnoise = [2, 0, 0]\n"), ("w", FORAGING)], Some(3)).unwrap_err();
        assert!(wrong.contains("c.toml: physics.noise[0] = 2 is outside 0 to 1"), "{wrong}");
    }

    #[test]
    fn steps_are_worlds_before_the_experiments_own() {
        let text = format!(
            "{TRANSPORT}calibration = \"c\"\n[[steps]]\nname = \"alone\"\nrobots = 1\nend = \"gennum > 3\"\n\
             [[steps]]\nname = \"forage\"\nworld = \"worlds/w\"\nseconds = 9.0\nend = \"best-fitness > 1\"\n\
             [[steps]]\nname = \"short\"\nseconds = 5.0\nend = \"gennum-thisstep > 3\"\n"
        );
        let experiment = Experiment::parse("e.toml", &text).unwrap();
        assert_eq!(experiment.files(), ["c", "worlds/w"], "worlds are sent along");
        assert_eq!(Experiment::parse("e.toml", &toml::to_string(&experiment).unwrap()).unwrap(), experiment);
        let files = [("w", FORAGING), ("c", "[physics]\nbody_friction = 0.31\n")];
        let plan = plan(&text, &files, Some(3)).unwrap();
        let steps: Vec<_> = plan.steps.iter().map(|step| (step.spec.robots, step.seconds)).collect();
        assert_eq!(steps, [(1, None), (9, Some(9.0)), (3, Some(5.0))], "a step's world has its file's robots");
        assert!(plan.steps.iter().all(|step| step.spec.physics.mu_bodies == 0.31), "they are as they were measured");
        assert!(plan.steps[2].spec == plan.phase(0).world && plan.phase(0).world.robots == 3);
        let own = Calibration::parse("own", "[physics]\nbody_friction = 0.4\n").unwrap();
        let text = text.replace("calibration = \"c\"\n", "");
        let mut planned = self::plan(&text, &files, Some(3)).unwrap();
        planned.calibrate(&own).unwrap();
        assert!(planned.steps.iter().all(|step| step.spec.physics.mu_bodies == 0.4));
    }

    #[test]
    fn invalid_step_is_rejected_with_key() {
        for (steps, expected) in [
            ("name = \"a\"\nend = \"real-runtime > 9\"", "step \"a\": end: real-runtime makes"),
            ("name = \"a\"\nend = \"gennum < 0\"", "step \"a\": end: it can never be true"),
            ("name = \"a\"\nend = \"best >= 1\"", "step \"a\": end: "),
            ("name = \"a\"\nrobots = 0\nend = \"gennum > 1\"", "step \"a\": robots = 0 is outside 1 to 256"),
            ("name = \"a\"\nseconds = 0.5\nend = \"gennum > 1\"", "step \"a\": seconds = 0.5 is outside 1 to 3600"),
            ("name = \"a\"\nworld = \"v\"\nend = \"gennum > 1\"", "file `v` is missing"),
            ("name = \"a\"\nworld = \"bad\"\nend = \"gennum > 1\"", "bad: line 1"),
            ("name = \"a\"\nworld = \"w\"\nrobots = 2\nend = \"gennum > 1\"", "step \"a\": the world file defines"),
            ("name = \"a\"", "e.toml: line 5: missing field `end`"),
            ("name = \"a\"\nends = \"gennum > 1\"", "e.toml: line 7: unknown field `ends`"),
        ] {
            let text = format!("{TRANSPORT}[[steps]]\n{steps}\n");
            let error = plan(&text, &[("w", FORAGING), ("bad", "robots 1")], Some(3)).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{steps}: {error}");
        }
    }

    #[test]
    fn some_robots_run_given_trees_and_others_evolve() {
        let text = format!("{TRANSPORT}[[controllers]]\ntree = \"upfield 1\"\nrobots = 2\n");
        let phase = &plan(&text, &[], Some(3)).unwrap().phases[0];
        assert_eq!([0, 1, 2, 7].map(|robot| phase.evolves(robot)), [false, false, true, true]);
        let some = plan(&text, &[], Some(3)).unwrap();
        assert_eq!([2, 3].map(|robots| some.evolves(robots)), [false, true]);
        let all = plan(&format!("controller = \"upfield 1\"\n{TRANSPORT}"), &[], Some(3)).unwrap();
        assert!((0..3).all(|robot| !all.phase(0).evolves(robot)) && !all.evolves(3));
        assert!(!all.phase(0).evolves(3), "one that comes later runs what all run");
    }

    #[test]
    fn phases_follow_one_another_and_a_world_lasts() {
        let text = "name = \"x\"\ntask = \"transport\"\n[[phase]]\nminutes = 1\n[[phase]]\nminutes = 2\n\
                    kind = \"measure\"\nworld = \"w\"\ndrive = \"swarm\"\n[[phase]]\nminutes = 3\nname = \"again\"\n\
                    controllers = [{ file = \"t\" }]\n";
        let plan = plan(text, &[("w", FORAGING), ("t", "upfield 1")], Some(2)).unwrap();
        let names: Vec<&str> = plan.phases.iter().map(|phase| phase.name.as_str()).collect();
        assert_eq!(names, ["evolve", "measure", "again"]);
        assert_eq!(plan.seconds(), 360.0);
        assert!(plan.phases[0].world != plan.phases[1].world && plan.phases[1].world == plan.phases[2].world);
        assert_eq!([0, 1, 2].map(|i| plan.phase(i).evolves(0)), [true, false, false]);
        assert_eq!(plan.phase(1).drive, Drive::Swarm);
    }

    #[test]
    fn changing_worlds_need_the_confirmation_of_the_operator() {
        let objective = "robots = 3\n[task]\nkind = \"objective\"\nscore = \"mean(n(arena))\"\nworst = 0\nbest = 3\n\
                         [[start]]\nx_m = [-0.6, 0.6]\ny_m = [-0.5, 0.5]\n[[lot]]\nname = \"coin\"\nvalues = 2\n";
        let usual = TRANSPORT.replace("task = \"transport\"", "world = \"w\"");
        let confirmed = format!("arena_changes_confirmed = true\n{usual}");
        let later = format!(
            "{TRANSPORT}[[phase]]\nkind = \"evolve\"\nminutes = 1.0\n[[phase]]\nkind = \"measure\"\nminutes = 1.0\n\
             world = \"w\"\n"
        )
        .replace("minutes = 16.0\nsegment_minutes = 2.0\n", "");
        for changing in [
            "[[wall]]\nfrom_m = [0.8, 0.0]\nto_m = [0.9, 0.0]\nwhen = \"coin\"\n",
            "[[box]]\nat_m = [0.8, 0.0]\nsize_m = [0.1, 0.1]\nwhen = \"coin\"\n",
            "[[patch]]\nat_m = [1.0, 0.0]\nlength_m = 0.4\ncolour = \"green\"\nwhen = \"coin\"\n",
            "[[light]]\nat_m = [1.0, 0.0]\nbrightness = 1.0\nwhen = \"coin\"\n",
            "[[region]]\nname = \"spot\"\ndisc = { at_m = [0, 0], radius_m = 0.2 }\npaint = \"black\"\nwhen = \"coin\"\n",
            "[[start]]\nx_m = [-0.6, 0.6]\ny_m = [-0.5, 0.5]\nwhen = \"coin\"\n",
        ] {
            let files = [("w", format!("{objective}{changing}"))];
            let files = files.each_ref().map(|(name, text)| (*name, text.as_str()));
            for text in [&usual, &later] {
                let error = plan(text, &files, Some(3)).unwrap_err();
                let expected = "must change in the arena; set `arena_changes_confirmed = true`";
                assert!(error.contains(expected) && error.lines().count() == 1, "{changing}: {error}");
            }
            assert!(plan(&confirmed, &files, Some(3)).is_ok(), "{changing}");
        }
        assert!(plan(&usual, &[("w", objective)], Some(3)).is_ok(), "a lot alone changes nothing in the arena");
    }

    #[test]
    fn invalid_plan_is_rejected_in_one_line() {
        let world = TRANSPORT.replace("task = \"transport\"", "world = \"w\"");
        let full = FORAGING.replace("robots = 9", "robots = 9 # full");
        for (text, robots, expected) in [
            (format!("{TRANSPORT}[evolution]\nalgorithm = \"raceing\"\n"), 3, "evolution.algorithm: "),
            (format!("{TRANSPORT}[evolution.settings]\nelit = 1\n"), 3, "evolution.settings: unknown key `elit`"),
            (format!("{TRANSPORT}[evolution.settings]\npopulation = 9\n"), 3, "set `evolution.population` instead"),
            (format!("{TRANSPORT}[evolution.settings]\nelite = 1\n"), 3, "elite"),
            (format!("primitive_set = \"p\"\n{TRANSPORT}"), 3, "file `p` is missing"),
            (world.replace("\"w\"", "\"v\""), 3, "file `v` is missing"),
            (world.replace("\"w\"", "\"bad\""), 3, "bad: line 1"),
            (format!("controller = \"upfeld 1\"\n{TRANSPORT}"), 3, "controller: "),
            (
                format!("{TRANSPORT}[[controllers]]\ntree = \"upfield 1\"\nrobots = 4\n"),
                3,
                "only 3 of the swarm's 3 robots are left",
            ),
            (format!("{TRANSPORT}[[controllers]]\nrobots = 1\n"), 3, "either a tree or a file"),
        ] {
            let error = plan(&text, &[("w", &full), ("bad", "robots 1")], Some(robots)).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{expected}: {error}");
        }
    }
}
