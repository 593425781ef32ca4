//! Robots of the swarm file with their state in the hub.

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

/// Silence after which a robot counts as lost (s of arena time).
pub const LOST_AFTER: f64 = 3.0;
/// Round-trip time above which a message counts as slow (ms of wall time) (thesis 8.4).
const SLOW_MS: f64 = 100.0;
/// Maximum number of unanswered pings that are remembered.
pub const PINGS: usize = 64;
/// Maximum number of remembered loaded trees per robot.
const REMEMBERED: usize = 16;

/// Trees that controlled a robot, each with its segment, the current one last.
pub type Loaded = VecDeque<(u32, Emigrant)>;

/// State of one robot in the hub.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    /// Robot id.
    pub id: String,
    /// Version of its program; empty before its report.
    pub version: String,
    /// Time of its last message (s); `None` before the first.
    pub heard: Option<f64>,
    /// Whether it counts as lost.
    pub lost: bool,
    /// Whether it has reported a hub with a clock ahead of this one, which was logged.
    pub clock_warned: bool,
    /// Whether a replacement board is expected that has not sent a hello yet.
    pub replacement_expected: bool,
    /// Whether its program has reported the installed release, and thus supports updates.
    pub installed: bool,
    /// Number of the experiment it accepted.
    pub experiment: u64,
    /// Number of the experiment to which its reports of evolution belong; unlike `experiment`, kept after another
    /// hello.
    pub accepted: u64,
    /// Reason why it refused the experiment, if it did.
    pub refusal: Option<String>,
    /// Last telemetry.
    pub telemetry: Telemetry,
    /// Last readings of its additional sensors.
    pub sensors: Option<Box<Sensors>>,
    /// Last round-trip time (ms).
    pub round_trip_ms: Option<f64>,
    /// Trees that controlled it in this run.
    pub loaded: Loaded,
    /// Emigrant of its last generation.
    pub fittest: Option<Emigrant>,
    /// Summary of its population, until the genes of the same generation arrive.
    pub population: Option<Population>,
    /// Number of finished curriculum steps on its island, and the generation of the last change.
    pub step: (u16, u32),
    /// Estimated parameters of the world, and the time of the report (s).
    pub estimates: Option<(f64, Vec<Estimate>)>,
    /// Rate limit for log lines about a changed simulated world.
    pub world_log_rate: Rate,
    /// Last report of its gene exchange with other robots.
    pub peers: Option<PeersReport>,
    /// Testimony of its last hello; `None` before the first.
    pub witness: Option<LastDirectiveReport>,
    /// Whether this hub has released it, so that an earlier hold in its hello is ignored.
    pub released: bool,
    /// Last directive that it would report after a restart; 0 before it confirmed any.
    pub kept: u64,
    /// Whether an operator holds it still.
    pub held: bool,
    /// Whether it pauses while held; otherwise it stops.
    pub pauses: bool,
    /// Time until which it blinks for identification (s).
    pub blinks_until: Option<f64>,
    /// Operator who last drove it manually through the hub, and the time (s).
    pub driven: Option<(String, f64)>,
    /// Last directive that it confirmed, and the time of the first confirmation (s).
    pub obeyed: Option<(u64, f64)>,
    /// Mean difference between consecutive round-trip times (ms).
    pub jitter_ms: Option<f64>,
    /// Device errors of the last minute.
    pub devices: DeviceWatch,
    /// Battery estimate.
    pub battery: Battery,
    /// State of its low-battery warning.
    pub low: Low,
    /// Recording allowance of its births.
    pub allowance: Allowance,
    /// Last camera picture requested by an operator, and its time of arrival (s).
    pub picture: Option<(f64, Picture)>,
    /// Time of the last request for a picture (s).
    pub picture_asked: Option<f64>,
    /// Timestamps of its unanswered pings, the newest last.
    pings: VecDeque<f64>,
}

impl Robot {
    /// Whether it has sent messages recently.
    pub fn alive(&self) -> bool {
        self.heard.is_some() && !self.lost
    }

    /// Number of curriculum steps that were finished at its last telemetry.
    fn step(&self) -> u16 {
        let told = self.telemetry.evolution.generation >= self.step.1;
        if told { self.step.0 } else { self.step.0.saturating_sub(1) }
    }

    /// Whether its last telemetry belongs to the experiment's own world, after `steps` steps of a curriculum.
    pub fn is_beyond(&self, steps: usize) -> bool {
        usize::from(self.step()) >= steps
    }

    /// Takes its telemetry.
    pub fn on_telemetry(&mut self, now: f64, telemetry: &Telemetry) {
        self.devices.on_report(now, &telemetry.devices, telemetry.session);
        let power = &telemetry.power;
        let runs = matches!(telemetry.state, State::Run | State::Pause);
        self.battery.add_reading(now, power.battery_v, power.battery_w, runs);
        self.telemetry = telemetry.clone();
    }

    /// Records a sent ping.
    pub fn pinged(&mut self, stamp: f64) {
        if self.pings.len() == PINGS {
            self.pings.pop_front();
        }
        self.pings.push_back(stamp);
    }

    /// Records a loaded tree; returns whether this is its first report for this segment. A network may deliver a
    /// message twice, and a restarted robot breeds the same first tree again.
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
    /// known to be revoked, so the new one is `replacement_expected` until its hello.
    pub fn replace(&mut self, awaited: bool) {
        let former = std::mem::take(self);
        self.replacement_expected = awaited;
        (self.id, self.held, self.pauses) = (former.id, former.held, former.pauses);
        (self.loaded, self.fittest, self.allowance) = (former.loaded, former.fittest, former.allowance);
    }

    /// Resets the state that belongs to a run.
    pub fn begin_run(&mut self) {
        (self.refusal, self.fittest, self.peers) = (None, None, None);
        (self.telemetry.evolution, self.step) = Default::default();
        self.loaded.clear();
    }
}

/// State of a low-battery warning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Low {
    /// Time since which the battery is low (s); `None` if it is not.
    pub since: Option<f64>,
    /// Whether it was reported.
    pub told: bool,
    /// Whether the robot was stopped because of it.
    pub stopped: bool,
}

/// Sums over round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    count: u64,
    slow: u64,
    total_ms: f64,
}

impl RoundTrips {
    /// Mean (ms); 0 before the first.
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / self.count.max(1) as f64
    }

    /// Share of round trips above 100 ms (0 to 1).
    pub fn slow_part(&self) -> f64 {
        self.slow as f64 / self.count.max(1) as f64
    }
}

/// Robots in the order of the swarm file.
#[derive(Clone, Debug)]
pub struct Roster {
    /// The robots.
    pub robots: Vec<Robot>,
    /// Round trips since the start of the run.
    pub round_trips: RoundTrips,
    places: HashMap<String, usize>,
}

impl Roster {
    /// Creates a roster of robots without messages.
    pub fn new(ids: &[String]) -> Roster {
        let robots = ids.iter().map(|id| Robot { id: id.clone(), ..Robot::default() }).collect();
        let places = ids.iter().cloned().zip(0..).collect();
        Roster { robots, round_trips: RoundTrips::default(), places }
    }

    /// Appends a robot.
    pub fn add(&mut self, id: &str) {
        self.places.insert(id.into(), self.robots.len());
        self.robots.push(Robot { id: id.into(), ..Robot::default() });
    }

    /// Index of an id in the swarm file, from 0.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Records the answer to a ping with this timestamp and round-trip time (ms). The answer counts once, and only if
    /// such a ping was sent.
    pub fn pong(&mut self, robot: usize, stamp: f64, ms: f64) {
        let pings = &mut self.robots[robot].pings;
        if let Some(place) = pings.iter().position(|sent| *sent == stamp) {
            pings.remove(place);
            self.round_trip(robot, ms);
        }
    }

    /// Records a round-trip time (ms).
    pub fn round_trip(&mut self, robot: usize, ms: f64) {
        // Round-trip times are rounded to a microsecond, which is sufficient for the record.
        let known = &mut self.robots[robot];
        let ms = (ms * 1e3).round() / 1e3;
        if let Some(before) = known.round_trip_ms {
            // Jitter estimate of RFC 3550: an exponential mean with weight 1/16.
            let mean = known.jitter_ms.unwrap_or(0.0);
            known.jitter_ms = Some(mean + ((ms - before).abs() - mean) / 16.0);
        }
        known.round_trip_ms = Some(ms);
        self.round_trips.count += 1;
        self.round_trips.slow += u64::from(ms > SLOW_MS);
        self.round_trips.total_ms += ms;
    }

    /// Returns the ids of robots that have just been lost.
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

    /// Mean derated fitness of the champions of connected robots (f_EA of Table 8.3). In a curriculum it includes
    /// only robots in the latest step, because fitness values of different worlds cannot be averaged.
    pub fn evolved(&self) -> f64 {
        let alive = || self.robots.iter().filter(|r| r.alive() && r.telemetry.evolution.generation > 0);
        let latest = alive().map(Robot::step).max();
        let alive: Vec<&Robot> = alive().filter(|r| Some(r.step()) == latest).collect();
        // The sum of an empty list is -0, which would appear in JSON.
        alive.iter().map(|r| r.telemetry.evolution.derated).sum::<f64>() / alive.len().max(1) as f64 + 0.0
    }

    /// Rows of the console, without the confirmation of orders, which is not known here.
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

/// Sum of all device errors of a robot.
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
