//! Robots of the swarm file, and the state that the hub stores for each robot.

use crate::allowance::Allowance;
use crate::battery::Battery;
use crate::device_watch::DeviceWatch;
use crate::rate::Rate;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, VecDeque};
use xpuck_wire::RobotRow;
use xpuck_wire::message::{Emigrant, Estimate, Picture, Population, Sensors, State};
use xpuck_wire::peers_report::PeersReport;
use xpuck_wire::telemetry::{DeviceReport, Telemetry};
use xpuck_wire::witness::LastDirectiveReport;

/// Duration of silence after which a robot counts as lost (s of arena time).
pub const LOST_AFTER: f64 = 3.0;
/// Round-trip time above which a message counts as slow (ms of wall time; thesis 8.4).
const SLOW_MS: f64 = 100.0;
/// Maximum number of unanswered pings stored per robot.
pub const PINGS: usize = 64;
/// Maximum number of loaded trees stored per robot.
const REMEMBERED: usize = 16;

/// Trees that have controlled a robot, each with its segment. The current tree is the last.
pub type Loaded = VecDeque<(u32, Emigrant)>;

/// State of one robot in the hub.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    /// Robot id.
    pub id: String,
    /// Version of the robot's program; empty before the robot has reported it.
    pub version: String,
    /// Time of the robot's last message (s); `None` before the first message.
    pub heard: Option<f64>,
    /// Whether the robot counts as lost.
    pub lost: bool,
    /// Whether a warning was logged because the robot has heard a hub whose clock is ahead of this hub's clock.
    pub clock_warned: bool,
    /// Whether the board was replaced, and the new board has not sent a hello yet.
    pub replacement_expected: bool,
    /// Whether the robot's program has reported the installed release. Only such a program supports updates.
    pub installed: bool,
    /// Number of the experiment that the robot accepted since its last hello; 0 if there is none.
    pub experiment: u64,
    /// Number of the experiment to which the robot's reports of evolution belong. Unlike `experiment`, the number is
    /// kept when the robot sends another hello.
    pub accepted: u64,
    /// Reason why the robot refused the experiment; `None` if the robot has not refused it.
    pub refusal: Option<String>,
    /// Last telemetry of the robot.
    pub telemetry: Telemetry,
    /// Last readings of the robot's additional sensors.
    pub sensors: Option<Box<Sensors>>,
    /// Last round-trip time (ms of wall time).
    pub round_trip_ms: Option<f64>,
    /// Trees that have controlled the robot in this run.
    pub loaded: Loaded,
    /// Emigrant of the last generation on the robot's island.
    pub fittest: Option<Emigrant>,
    /// Last summary of the population on the robot's island. It is removed when the genes of a generation arrive.
    pub population: Option<Population>,
    /// Number of finished curriculum steps on the robot's island, and the generation in which this number last
    /// changed.
    pub step: (u16, u32),
    /// World parameters that the robot has estimated, and time of the report (s).
    pub estimates: Option<(f64, Vec<Estimate>)>,
    /// Rate limit of log lines about a change of the simulated world.
    pub world_log_rate: Rate,
    /// Last report about the robot's gene exchange with other robots.
    pub peers: Option<PeersReport>,
    /// Testimony about the last order, from the robot's last hello; `None` before the first hello.
    pub witness: Option<LastDirectiveReport>,
    /// Whether an operator has released the robot since this hub started. If the robot's hello then reports a hold by
    /// an earlier hub, this hold is ignored.
    pub released: bool,
    /// Number of the last directive that the robot has stored, and would report after a restart of its program; 0 if
    /// the robot has not reported a stored directive since its last hello.
    pub kept: u64,
    /// Whether the robot stands still by order of an operator, or because its battery is nearly empty.
    pub held: bool,
    /// Whether a held robot is paused (true) or stopped (false).
    pub pauses: bool,
    /// Time until which the robot blinks for identification (s).
    pub blinks_until: Option<f64>,
    /// Operator who last drove the robot manually through the hub, and time of the last command (s).
    pub driven: Option<(String, f64)>,
    /// Number of the last directive that the robot confirmed, and time of its first confirmation (s).
    pub obeyed: Option<(u64, f64)>,
    /// Smoothed difference between consecutive round-trip times (ms of wall time).
    pub jitter_ms: Option<f64>,
    /// Device errors of the robot in the last minute.
    pub devices: DeviceWatch,
    /// Estimate of the robot's remaining battery time.
    pub battery: Battery,
    /// State of the robot's low-battery warning.
    pub low: Low,
    /// Recording allowance for the births on the robot's island.
    pub allowance: Allowance,
    /// Last camera picture that an operator requested, and its time of arrival (s).
    pub picture: Option<(f64, Picture)>,
    /// Time of the last request for a camera picture (s).
    pub picture_asked: Option<f64>,
    /// Times at which the unanswered pings were sent (s), the newest last.
    pings: VecDeque<f64>,
}

impl Robot {
    /// Returns whether the robot has sent a message and does not count as lost.
    pub fn alive(&self) -> bool {
        self.heard.is_some() && !self.lost
    }

    /// Returns the number of curriculum steps that the robot's island had finished at its last telemetry.
    fn step(&self) -> u16 {
        let told = self.telemetry.evolution.generation >= self.step.1;
        if told { self.step.0 } else { self.step.0.saturating_sub(1) }
    }

    /// Returns whether the fitness in the robot's last telemetry applies to the experiment's own world. This is the
    /// case if all `steps` steps of the curriculum were finished.
    pub fn is_beyond(&self, steps: usize) -> bool {
        usize::from(self.step()) >= steps
    }

    /// Handles a telemetry message of the robot, which arrived at `now` (s).
    pub fn on_telemetry(&mut self, now: f64, telemetry: &Telemetry) {
        self.devices.on_report(now, &telemetry.devices, telemetry.session);
        let power = &telemetry.power;
        let runs = matches!(telemetry.state, State::Run | State::Pause);
        self.battery.add_reading(now, power.battery_v, power.battery_w, runs);
        self.telemetry = telemetry.clone();
    }

    /// Records a ping that was sent at time `stamp` (s).
    pub fn pinged(&mut self, stamp: f64) {
        if self.pings.len() == PINGS {
            self.pings.pop_front();
        }
        self.pings.push_back(stamp);
    }

    /// Records a loaded tree. Returns whether this is the first report of the tree in this segment. Repeated reports
    /// occur because a network may deliver a message twice, and because a restarted robot breeds the same first tree
    /// again.
    pub fn loads(&mut self, segment: u32, gene: &Emigrant) -> bool {
        if self.loaded.iter().any(|(known, tree)| *known == segment && tree.bits_eq(gene)) {
            return false;
        }
        if self.loaded.len() == REMEMBERED {
            self.loaded.pop_front();
        }
        self.loaded.push_back((segment, gene.clone()));
        true
    }

    /// Resets the state for a replacement board with the same id. The former board may send messages until its key is
    /// known to be revoked. If `awaited`, the robot is therefore marked as `replacement_expected` until the hello of
    /// the new board.
    pub fn replace(&mut self, awaited: bool) {
        let former = std::mem::take(self);
        self.replacement_expected = awaited;
        (self.id, self.held, self.pauses) = (former.id, former.held, former.pauses);
        (self.loaded, self.fittest, self.allowance) = (former.loaded, former.fittest, former.allowance);
    }

    /// Resets all state that belongs to a run.
    pub fn begin_run(&mut self) {
        (self.refusal, self.fittest, self.peers) = (None, None, None);
        (self.telemetry.evolution, self.step) = Default::default();
        self.loaded.clear();
    }
}

/// State of a low-battery warning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Low {
    /// Time since which the battery is low (s); `None` if it is not low.
    pub since: Option<f64>,
    /// Whether the low battery was reported.
    pub told: bool,
    /// Whether the robot was stopped because of the low battery.
    pub stopped: bool,
}

/// Number of round trips, number of slow round trips, and total duration of all round trips (ms).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    count: u64,
    slow: u64,
    total_ms: f64,
}

impl RoundTrips {
    /// Returns the mean round-trip time (ms), or 0 before the first round trip.
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / self.count.max(1) as f64
    }

    /// Returns the share of round trips above 100 ms (0 to 1).
    pub fn slow_part(&self) -> f64 {
        self.slow as f64 / self.count.max(1) as f64
    }
}

/// Robots in the order of the swarm file.
#[derive(Clone, Debug)]
pub struct Roster {
    /// Robots with their state.
    pub robots: Vec<Robot>,
    /// Round trips since the start of the run.
    pub round_trips: RoundTrips,
    places: HashMap<String, usize>,
}

impl Roster {
    /// Creates a roster of robots that have not sent messages yet.
    pub fn new(ids: &[String]) -> Roster {
        let robots = ids.iter().map(|id| Robot { id: id.clone(), ..Robot::default() }).collect();
        let places = ids.iter().cloned().zip(0..).collect();
        Roster { robots, round_trips: RoundTrips::default(), places }
    }

    /// Appends a robot with this id.
    pub fn add(&mut self, id: &str) {
        self.places.insert(id.into(), self.robots.len());
        self.robots.push(Robot { id: id.into(), ..Robot::default() });
    }

    /// Returns the index (from 0) of the robot with this id in the swarm file, or `None` if there is no such robot.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Records the answer to the ping that was sent at `stamp` (s), and its round-trip time `ms` (ms). The answer is
    /// ignored if no ping was sent at this time, or if this ping was answered before.
    pub fn pong(&mut self, robot: usize, stamp: f64, ms: f64) {
        let pings = &mut self.robots[robot].pings;
        if let Some(place) = pings.iter().position(|sent| *sent == stamp) {
            pings.remove(place);
            self.round_trip(robot, ms);
        }
    }

    /// Records a round-trip time (ms) of a robot.
    pub fn round_trip(&mut self, robot: usize, ms: f64) {
        // Round-trip times are rounded to a microsecond, which is sufficient for the record.
        let known = &mut self.robots[robot];
        let ms = (ms * 1e3).round() / 1e3;
        if let Some(before) = known.round_trip_ms {
            // Jitter estimate of RFC 3550: exponential moving average in which a new difference has weight 1/16.
            let mean = known.jitter_ms.unwrap_or(0.0);
            known.jitter_ms = Some(mean + ((ms - before).abs() - mean) / 16.0);
        }
        known.round_trip_ms = Some(ms);
        self.round_trips.count += 1;
        self.round_trips.slow += u64::from(ms > SLOW_MS);
        self.round_trips.total_ms += ms;
    }

    /// Marks robots as lost that have been silent for more than 3 s at `now` (s). Returns the ids of the newly marked
    /// robots.
    pub fn newly_lost(&mut self, now: f64) -> Vec<String> {
        let mut lost = Vec::new();
        for robot in &mut self.robots {
            if !robot.lost && robot.heard.is_some_and(|at| now - at > LOST_AFTER) {
                robot.lost = true;
                lost.push(robot.id.clone());
            }
        }
        lost
    }

    /// Returns the derated fitness of the champions, averaged over the connected robots (f_EA of thesis Table 8.3).
    /// In a curriculum, only robots in the latest step are included, because fitness values of different worlds
    /// cannot be averaged.
    pub fn evolved(&self) -> f64 {
        let alive = || self.robots.iter().filter(|r| r.alive() && r.telemetry.evolution.generation > 0);
        let latest = alive().map(Robot::step).max();
        let alive: Vec<&Robot> = alive().filter(|r| Some(r.step()) == latest).collect();
        // The sum of an empty list is -0. Adding 0.0 makes it +0, because -0 would appear in JSON.
        alive.iter().map(|r| r.telemetry.evolution.derated).sum::<f64>() / alive.len().max(1) as f64 + 0.0
    }

    /// Returns the robots' rows for the console. The rows do not state whether robots have confirmed the current
    /// directive, because the roster does not know this directive.
    pub fn rows(&self, now: f64) -> Vec<RobotRow> {
        let row = |r: &Robot| RobotRow {
            id: r.id.clone(),
            version: r.version.clone(),
            alive: r.alive(),
            state: if r.heard.is_some() { r.telemetry.state } else { State::Idle },
            battery_v: r.telemetry.power.battery_v,
            power_w: r.telemetry.power.battery_w,
            soc_c: r.telemetry.power.soc_c,
            late_p99_ms: r.telemetry.control.p99_us as f32 / 1000.0,
            round_trip_ms: r.round_trip_ms,
            neighbours: r.telemetry.senses.neighbours,
            blue: r.telemetry.senses.blobs[2],
            segment: r.telemetry.segment,
            device_errors: device_errors(&r.telemetry.devices),
            log_lines_lost: r.telemetry.log_lines_lost,
            evolution: r.telemetry.evolution,
            engine: r.telemetry.engine.clone(),
            heard_s: r.heard.map(|at| now - at),
            held: r.held,
            identifying: r.blinks_until.is_some_and(|until| now < until),
            jitter_ms: r.jitter_ms.map(|ms| ms as f32),
            battery_minutes: r.battery.minutes_left().ok(),
            run_minutes: r.battery.minutes_of_run(true).ok(),
            battery_doubt: r.battery.minutes_left().err().map(|doubt| doubt.to_string()).unwrap_or_default(),
            device_trouble: r.devices.trouble(),
            tree_nodes: r
                .loaded
                .back()
                .filter(|_| r.telemetry.segment > 0)
                .map(|(_, gene)| gene.tree.lines().count() as u32),
            refusal: r.refusal.clone().unwrap_or_default(),
            sensors: r.sensors.clone().filter(|_| r.alive()),
            step: r.step.0,
            ..RobotRow::default()
        };
        self.robots.iter().map(row).collect()
    }
}

/// Returns the sum of all device errors of a robot.
fn device_errors(d: &DeviceReport) -> u64 {
    [d.bus, d.corrupt, d.rejected, d.leases, d.dropped, d.power].into_iter().map(u64::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn evolved_fitness_without_reports_is_positive_zero() {
        assert_eq!(Roster::new(&["xp01".into()]).evolved().to_bits(), 0);
    }

    #[test]
    fn only_islands_in_the_latest_step_have_a_mean_fitness() {
        let mut roster = Roster::new(&["xp01".into(), "xp02".into(), "xp03".into()]);
        for (robot, (fitness, step)) in roster.robots.iter_mut().zip([(0.1, (0, 0)), (0.2, (1, 5)), (0.4, (1, 9))]) {
            robot.heard = Some(0.0);
            robot.step = step;
            (robot.telemetry.evolution.generation, robot.telemetry.evolution.derated) = (7, fitness);
        }
        assert_eq!(roster.evolved(), 0.2, "the third's telemetry is of the step before");
        assert_eq!(roster.rows(0.0).iter().map(|row| row.step).collect::<Vec<_>>(), [0, 1, 1]);
    }
}
