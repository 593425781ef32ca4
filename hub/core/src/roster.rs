//! Who is there: what the hub knows of each robot of the swarm file.

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
use xpuck_wire::witness::Witness;

/// A robot silent for so long counts as lost, s of arena time.
pub const LOST_AFTER: f64 = 3.0;
/// Round trips above this count as slow, ms of wall time (thesis 8.4).
const SLOW_MS: f64 = 100.0;
/// Pings whose answers are waited for; older ones are given up.
pub const PINGS: usize = 64;
/// Loaded trees remembered of each robot.
const REMEMBERED: usize = 16;

/// Trees that drove a robot, each with its segment, the present one last.
pub type Loaded = VecDeque<(u32, Emigrant)>;

/// What the hub knows of one robot.
#[derive(Clone, Debug, Default)]
pub struct Robot {
    /// Its id.
    pub id: String,
    /// Version of its program, once it said so.
    pub version: String,
    /// When it was last heard; none before the first message.
    pub heard: Option<f64>,
    /// Counted as lost.
    pub lost: bool,
    /// It heard a hub whose clock was ahead of this one's, and that was noted.
    pub from_the_future: bool,
    /// Another board is to come, and has not greeted yet.
    pub awaited: bool,
    /// Its program has said which release is installed, and so knows of updates.
    pub installed: bool,
    /// Number of the experiment it accepted.
    pub experiment: u64,
    /// The same, also after it greeted again: what it tells of evolution is of this experiment.
    pub accepted: u64,
    /// Why it refused the experiment, if it did.
    pub refusal: Option<String>,
    /// Its last telemetry.
    pub telemetry: Telemetry,
    /// What its further sensors told last.
    pub sensors: Option<Box<Sensors>>,
    /// Last round trip, ms.
    pub round_trip_ms: Option<f64>,
    /// The trees that drove it in this run.
    pub loaded: Loaded,
    /// The emigrant of its last generation.
    pub fittest: Option<Emigrant>,
    /// What its population looked like, until the genes of the same generation come.
    pub population: Option<Population>,
    /// Steps of the curriculum that are over on its island, and the generation from which on.
    pub step: (u16, u32),
    /// What it found out about the world, and when it told that, s.
    pub estimates: Option<(f64, Vec<Estimate>)>,
    /// How often the log told that it simulates another world.
    pub said_of_world: Rate,
    /// How its exchange of genes with other robots stands, as it told last.
    pub peers: Option<PeersReport>,
    /// Testimony of its last hello; none before the first.
    pub witness: Option<Witness>,
    /// This hub released it: that it was held before, as its hello may tell, does not count any more.
    pub released: bool,
    /// The last directive that it would testify to after a restart; 0 before it said so.
    pub kept: u64,
    /// An operator has it stand still.
    pub held: bool,
    /// While it is held it pauses, and does not stop.
    pub pauses: bool,
    /// It was told to blink: until when it does, s.
    pub blinks_until: Option<f64>,
    /// Who drove it last through the hub, and when, s.
    pub driven: Option<(String, f64)>,
    /// The directive that it obeyed last and when that was known first, s.
    pub obeyed: Option<(u64, f64)>,
    /// Mean difference between one round trip and the next, ms.
    pub jitter_ms: Option<f64>,
    /// What its devices told in the last minute.
    pub devices: DeviceWatch,
    /// How long its battery lasts.
    pub battery: Battery,
    /// That it is nearly empty.
    pub low: Low,
    /// How much of the record its births may still take.
    pub allowance: Allowance,
    /// Its camera's last picture that an operator asked for, and when it came, s.
    pub picture: Option<(f64, Picture)>,
    /// When it was asked for one last, s.
    pub picture_asked: Option<f64>,
    /// Stamps of pings that it has not answered, the newest last.
    pings: VecDeque<f64>,
}

impl Robot {
    /// Heard lately.
    pub fn alive(&self) -> bool {
        self.heard.is_some() && !self.lost
    }

    /// Steps of the curriculum that are over for what its last telemetry tells of its island.
    fn step(&self) -> u16 {
        let told = self.telemetry.evolution.generation >= self.step.1;
        if told { self.step.0 } else { self.step.0.saturating_sub(1) }
    }

    /// Its island tries trees in the experiment's own world, beyond so many steps of a curriculum, and so are those that its
    /// last telemetry tells of.
    pub fn is_beyond(&self, steps: usize) -> bool {
        usize::from(self.step()) >= steps
    }

    /// Takes what it tells.
    pub fn take(&mut self, now: f64, telemetry: &Telemetry) {
        self.devices.take(now, &telemetry.devices, telemetry.session);
        let power = &telemetry.power;
        let runs = matches!(telemetry.state, State::Run | State::Pause);
        self.battery.take(now, power.battery_v, power.battery_w, runs);
        self.telemetry = telemetry.clone();
    }

    /// It is sent a ping.
    pub fn pinged(&mut self, stamp: f64) {
        if self.pings.len() == PINGS {
            self.pings.pop_front();
        }
        self.pings.push_back(stamp);
    }

    /// True if it is told for the first time that this tree was loaded for this segment: a network may deliver twice, and
    /// a robot that starts again breeds the same first tree again.
    pub fn loads(&mut self, segment: u32, gene: &Emigrant) -> bool {
        if self.loaded.iter().any(|(known, tree)| *known == segment && tree.same(gene)) {
            return false;
        }
        if self.loaded.len() == REMEMBERED {
            self.loaded.pop_front();
        }
        self.loaded.push_back((segment, gene.clone()));
        true
    }

    /// Another board has its name from now on: what was measured of the former one is forgotten. That one may speak for a
    /// moment more, until its key is known to be revoked, so the other is `awaited` until it greets.
    pub fn replace(&mut self, awaited: bool) {
        let former = std::mem::take(self);
        self.awaited = awaited;
        (self.id, self.held, self.pauses) = (former.id, former.held, former.pauses);
        (self.loaded, self.fittest, self.allowance) = (former.loaded, former.fittest, former.allowance);
    }

    /// Forgets what belongs to a run.
    pub fn begin_run(&mut self) {
        (self.refusal, self.fittest, self.peers) = (None, None, None);
        (self.telemetry.evolution, self.step) = Default::default();
        self.loaded.clear();
    }
}

/// A battery that is nearly empty.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Low {
    /// Since when, s; none if it is not.
    pub since: Option<f64>,
    /// It was said.
    pub told: bool,
    /// The robot was stopped for it.
    pub stopped: bool,
}

/// Sums of round trips.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RoundTrips {
    count: u64,
    slow: u64,
    total_ms: f64,
}

impl RoundTrips {
    /// Mean, ms; 0 before the first.
    pub fn mean_ms(&self) -> f64 {
        self.total_ms / self.count.max(1) as f64
    }

    /// Part above 100 ms.
    pub fn slow_part(&self) -> f64 {
        self.slow as f64 / self.count.max(1) as f64
    }
}

/// The robots in the order of the swarm file.
#[derive(Clone, Debug)]
pub struct Roster {
    /// The robots.
    pub robots: Vec<Robot>,
    /// Round trips since the run began.
    pub round_trips: RoundTrips,
    places: HashMap<String, usize>,
}

impl Roster {
    /// Nobody heard yet.
    pub fn new(ids: &[String]) -> Roster {
        let robots = ids.iter().map(|id| Robot { id: id.clone(), ..Robot::default() }).collect();
        let places = ids.iter().cloned().zip(0..).collect();
        Roster { robots, round_trips: RoundTrips::default(), places }
    }

    /// One more robot, at the end.
    pub fn add(&mut self, id: &str) {
        self.places.insert(id.into(), self.robots.len());
        self.robots.push(Robot { id: id.into(), ..Robot::default() });
    }

    /// An id's place in the swarm file, from 0.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.places.get(id).copied()
    }

    /// Notes a round trip, `ms` long, of a ping with this stamp: once, and only if there was such a ping.
    pub fn pong(&mut self, robot: usize, stamp: f64, ms: f64) {
        let pings = &mut self.robots[robot].pings;
        if let Some(place) = pings.iter().position(|sent| *sent == stamp) {
            pings.remove(place);
            self.round_trip(robot, ms);
        }
    }

    /// Notes a round trip.
    pub fn round_trip(&mut self, robot: usize, ms: f64) {
        // To a microsecond, which is what the record needs.
        let known = &mut self.robots[robot];
        let ms = (ms * 1e3).round() / 1e3;
        if let Some(before) = known.round_trip_ms {
            // As RFC 3550 estimates jitter: a sixteenth of the way at each difference.
            let mean = known.jitter_ms.unwrap_or(0.0);
            known.jitter_ms = Some(mean + ((ms - before).abs() - mean) / 16.0);
        }
        known.round_trip_ms = Some(ms);
        self.round_trips.count += 1;
        self.round_trips.slow += u64::from(ms > SLOW_MS);
        self.round_trips.total_ms += ms;
    }

    /// Ids of robots that have just been lost.
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

    /// Mean derated fitness of the champions of the robots alive (f_EA of Table 8.3); in a curriculum of those that are in its
    /// latest step, as fitness of different worlds has no mean.
    pub fn evolved(&self) -> f64 {
        let alive = || self.robots.iter().filter(|r| r.alive() && r.telemetry.evolution.generation > 0);
        let latest = alive().map(Robot::step).max();
        let alive: Vec<&Robot> = alive().filter(|r| Some(r.step()) == latest).collect();
        // The sum of nothing is -0, which JSON would show.
        alive.iter().map(|r| r.telemetry.evolution.derated).sum::<f64>() / alive.len().max(1) as f64 + 0.0
    }

    /// The console's rows; who obeys is not known here.
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

/// What went wrong with a robot's devices, all together.
fn device_errors(d: &DeviceReport) -> u64 {
    [d.bus, d.corrupt, d.rejected, d.leases, d.dropped, d.power].into_iter().map(u64::from).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_has_evolved_zero_without_a_sign() {
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
