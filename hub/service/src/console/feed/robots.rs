//! Data of single robots: current sensors and actuators for the pages that show the robot, the history of the last
//! ten minutes, and the log.

use super::brief_time;
use super::series::Window;
use serde::Serialize;
use std::collections::{BTreeMap, VecDeque};
use xpuck_kernels::tree::GOAL;
use xpuck_wire::message::{LogLine, State};
use xpuck_wire::telemetry::{Telemetry, rounded};
use xpuck_wire::updates::{CELLS, Update};

/// Number of samples in a robot's history, and the interval between samples (s of arena time). The history covers ten
/// minutes.
const SAMPLES: usize = 600;
const APART: f64 = 1.0;
/// Maximum number of stored log lines per robot.
const LINES: usize = 200;
/// Time without control updates above which a robot counts as resting (s of arena time).
const AT_REST: f64 = 1.5;

/// History of a robot over the last ten minutes, with one value per second.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RobotHistory {
    t: VecDeque<f64>,
    battery_v: Window,
    battery_w: Window,
    soc_c: Window,
    late_p99_ms: Window,
    round_trip_ms: Window,
    r_acc: Window,
    best: Window,
    generation: Window,
    neighbours: Window,
    device_errors: Window,
}

impl RobotHistory {
    fn add_sample(&mut self, time: f64, round_trip_ms: Option<f64>, told: &Telemetry) {
        if self.t.back().is_some_and(|last| time - last < APART) {
            return;
        }
        while self.t.len() >= SAMPLES {
            self.t.pop_front();
        }
        self.t.push_back(brief_time(time));
        let devices = told.devices;
        let errors = [devices.bus, devices.corrupt, devices.rejected, devices.dropped, devices.power];
        let errors: u64 = errors.into_iter().map(u64::from).sum();
        let evolves = told.evolution.generation > 0;
        for (window, value) in [
            (&mut self.battery_v, told.power.battery_v),
            (&mut self.battery_w, told.power.battery_w),
            (&mut self.soc_c, told.power.soc_c),
            (&mut self.late_p99_ms, Some(told.control.p99_us as f32 / 1e3)),
            (&mut self.round_trip_ms, round_trip_ms.map(|ms| ms as f32)),
            (&mut self.r_acc, Some(told.engine.r_acc)),
            (&mut self.best, evolves.then_some(told.evolution.best as f32)),
            (&mut self.generation, Some(told.evolution.generation as f32)),
            (&mut self.neighbours, Some(told.senses.neighbours as f32)),
            (&mut self.device_errors, Some(errors as f32)),
        ] {
            window.push(value, SAMPLES);
        }
    }
}

/// Sensors and actuators of a robot at one time.
#[derive(Clone, Debug, Default, Serialize)]
pub struct RobotSensors {
    t: f64,
    robot: String,
    state: State,
    ticked: bool,
    tree: String,
    /// Result of each node in preorder, as one digit: 0 not ticked, 1 running, 2 success, 3 failure.
    nodes: String,
    cells: Vec<Option<f32>>,
    v_goal: Option<[f32; 2]>,
    proximity: [f32; 8],
    blobs: [[bool; 3]; 3],
    neighbours: Vec<(String, f32, f32)>,
    up: Option<f32>,
    wheels: [f32; 2],
    speeds: [f32; 2],
    ages: [Option<f32>; 3],
}

#[derive(Clone, Debug, Default)]
struct Robot {
    history: RobotHistory,
    log: VecDeque<LogLine>,
    telemetry: Option<Box<Telemetry>>,
    /// Hash of the tree in control, and hash of the tree last sent to the robot's watchers; empty if there is none.
    tree: String,
    shown: String,
    /// Arena time of the last control update (s); `None` before the first update of a run.
    updated: Option<f64>,
}

/// Data of all robots.
#[derive(Clone, Debug)]
pub struct Robots {
    ids: Vec<String>,
    robots: BTreeMap<String, Robot>,
}

impl Robots {
    /// Creates the store for robots that have no data yet.
    pub fn new(ids: &[String]) -> Robots {
        Robots { ids: ids.into(), robots: ids.iter().map(|id| (id.clone(), Robot::default())).collect() }
    }

    /// Adds robots. `ids` are the ids of all robots, including those added before.
    pub fn set(&mut self, ids: &[String]) {
        self.ids = ids.into();
        for id in ids {
            self.robots.entry(id.clone()).or_default();
        }
    }

    /// Returns the ids of the robots in the order of the swarm file.
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// Starts a run. Clears the trees of the robots and the times of their control updates.
    pub fn begin_run(&mut self) {
        for robot in self.robots.values_mut() {
            (robot.tree, robot.shown, robot.updated) = Default::default();
        }
    }

    /// Records a robot's telemetry, which arrives ten times per second.
    pub fn telemetry(&mut self, time: f64, id: &str, round_trip_ms: Option<f64>, told: &Telemetry) {
        let Some(robot) = self.robots.get_mut(id) else { return };
        robot.history.add_sample(time, round_trip_ms, told);
        robot.telemetry = Some(Box::new(told.clone()));
    }

    /// Returns the sensors of a resting robot from its telemetry. Returns `None` if the robot sends control updates,
    /// or has sent no telemetry.
    pub fn at_rest(&self, time: f64, id: &str) -> Option<RobotSensors> {
        let robot = self.robots.get(id)?;
        let told = robot.telemetry.as_ref()?;
        let rests = robot.updated.is_none_or(|at| time - at > AT_REST || time < at);
        rests.then(|| RobotSensors {
            t: brief_time(time),
            robot: id.into(),
            state: told.state,
            proximity: told.senses.proximity,
            blobs: told.senses.blobs,
            wheels: told.motion.wheels,
            speeds: told.motion.speeds,
            ages: [told.senses.body_age, told.senses.camera_age, told.senses.virtual_age],
            ..RobotSensors::default()
        })
    }

    /// Sets the hash of the tree that drives a robot.
    pub fn tree(&mut self, id: &str, hash: &str) {
        if let Some(robot) = self.robots.get_mut(id).filter(|robot| robot.tree != hash) {
            robot.tree = hash.into();
        }
    }

    /// Returns the hash of the tree that drives a robot; `None` if there is no such tree.
    pub fn tree_of(&self, id: &str) -> Option<String> {
        self.robots.get(id).map(|robot| robot.tree.clone()).filter(|hash| !hash.is_empty())
    }

    /// Returns whether the robot's current tree still has to be sent to the robot's watchers, and marks it as sent.
    pub fn shows_new_tree(&mut self, id: &str) -> bool {
        let Some(robot) = self.robots.get_mut(id) else { return false };
        let new = robot.tree != robot.shown;
        robot.shown.clone_from(&robot.tree);
        new
    }

    /// Records a control update, and returns its sensors and actuators.
    pub fn updated(&mut self, time: f64, id: &str, tree: &str, update: &Update) -> RobotSensors {
        let speeds = self.robots.get_mut(id).map_or([0.0; 2], |robot| {
            robot.updated = Some(time);
            robot.telemetry.as_ref().map_or([0.0; 2], |told| told.motion.speeds)
        });
        let float = |bits: u32| f32::from_bits(bits);
        let known = |bits: u32| Some(rounded(float(bits), 4)).filter(|value| value.is_finite());
        let goal = [GOAL, GOAL + 1].map(|cell| known(update.cells[cell]));
        let neighbour = |(island, range, bearing): &(u16, u32, u32)| {
            let id = self.ids.get(usize::from(*island).wrapping_sub(1));
            let name = id.cloned().unwrap_or_else(|| island.to_string());
            (name, rounded(float(*range), 3), rounded(float(*bearing), 3))
        };
        let blob = |colour, segment| update.blobs & Update::blob(colour, segment) != 0;
        let wheel = |place: usize| rounded(float(update.wheels[place]), 4);
        RobotSensors {
            t: brief_time(time),
            robot: id.into(),
            state: update.state,
            ticked: update.ticked,
            tree: tree.into(),
            nodes: update.nodes.iter().map(|node| char::from(b'0' + (node & 3))).collect(),
            cells: (0..CELLS).map(|cell| known(update.cells[cell])).collect(),
            // If the tree has written only one component, the other one is 0.
            v_goal: match goal {
                [None, None] => None,
                parts => Some(parts.map(Option::unwrap_or_default)),
            },
            proximity: update.proximity.map(|bits| known(bits).unwrap_or(0.0)),
            blobs: [0, 1, 2].map(|colour| [0, 1, 2].map(|segment| blob(colour, segment))),
            neighbours: update.neighbours.iter().map(neighbour).collect(),
            up: known(update.up).filter(|_| update.used[1]),
            wheels: [wheel(2), wheel(3)],
            speeds,
            ages: update.ages.map(known),
        }
    }

    /// Stores a line of a robot's log.
    pub fn log(&mut self, id: &str, line: &LogLine) {
        let Some(robot) = self.robots.get_mut(id) else { return };
        if robot.log.len() == LINES {
            robot.log.pop_front();
        }
        robot.log.push_back(line.clone());
    }

    /// Returns the most recent lines of a robot's log; `None` for an unknown robot.
    pub fn log_of(&self, id: &str) -> Option<Vec<&LogLine>> {
        Some(self.robots.get(id)?.log.iter().collect())
    }

    /// Returns the history of a robot; `None` for an unknown robot.
    pub fn history(&self, id: &str) -> Option<&RobotHistory> {
        Some(&self.robots.get(id)?.history)
    }
}
