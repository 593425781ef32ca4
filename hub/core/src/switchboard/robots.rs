//! Handling of robots' messages, and exchange of genes.

use super::orders::PICTURE_WAITS;
use super::{Action, Switchboard};
use crate::entry::Entry;
use crate::geneserver::to_emigrants;
use xpuck_experiment::Genes;
use xpuck_kernels::estimate::{FRESH_S, Parameter};
use xpuck_wire::estimate::are_sound;
use xpuck_wire::message::{Emigrant, Estimate, MAX_SAMPLE_SUMMARIES, PeerEstimates, RobotMessage, Tags, ToRobot};
use xpuck_wire::peer::MAX_GENES;
use xpuck_wire::settings::Answer;
use xpuck_wire::state::State;
use xpuck_wire::witness::LastDirectiveReport;

/// Maximum length of a robot's program version (characters).
const VERSION: usize = 32;

/// Maximum count of STOPs that is accepted from a robot. A greater count is wrong, and could cause an overflow of the
/// hub's count.
const MAX_STOPS: u64 = 1 << 53;

/// Formats a duration (ms) for operators.
fn span(ms: u64) -> String {
    match ms / 1000 {
        0..=119 => format!("{:.1} s", ms as f64 / 1e3),
        120..=7_199 => format!("{} min", ms / 60_000),
        7_200..=172_799 => format!("{:.1} h", ms as f64 / 3.6e6),
        _ => format!("{} days", ms / 86_400_000),
    }
}

impl Switchboard {
    /// Handles the message of robot `id`, which arrived at `now` (s).
    pub fn on_robot(&mut self, now: f64, id: &str, message: RobotMessage) {
        let Some(place) = self.roster.place(id) else {
            self.refused += 1;
            if self.refused == 1 {
                self.warn(now, format!("robot `{id}` is not in the swarm file; its messages are refused"));
            }
            return;
        };
        let robot = &mut self.roster.robots[place];
        let (first, back) = (robot.heard.is_none(), robot.lost);
        robot.heard = Some(now);
        robot.lost = false;
        if first || back {
            let text = if back { "is back" } else { "is here" };
            self.note(now, format!("robot {id} {text}"));
        }
        self.update_heard(now, id);
        self.heard(now, place, message);
    }

    /// Handles a robot's hello. The robot may have restarted, and may have orders from an earlier hub. `seen` is the
    /// hub number in the last message that the robot accepted. It is derived from that hub's start time (ms of wall
    /// time).
    fn on_hello(&mut self, now: f64, place: usize, version: &str, seen: u64, witness: LastDirectiveReport) {
        let returning = self.is_returning();
        let robot = &mut self.roster.robots[place];
        let id = robot.id.clone();
        if robot.replacement_expected {
            robot.replace(false);
            robot.heard = Some(now);
        }
        let stops = witness.told.as_ref().map_or(0, |told| told.stops.min(MAX_STOPS));
        let first = robot.witness.is_none() && !robot.held && !robot.released && !returning;
        let held = witness.told.as_ref().filter(|told| first && told.held).map(|told| told.state);
        if let Some(state) = held {
            (robot.held, robot.pauses) = (true, state == State::Pause);
        }
        (robot.witness, robot.kept) = (Some(witness), 0);
        robot.version = version.chars().filter(char::is_ascii_graphic).take(VERSION).collect();
        // The robot may have lost its experiment. It reports its installed release again after the welcome.
        robot.experiment = 0;
        robot.step = Default::default();
        robot.installed = false;
        self.stops = self.stops.max(stops);
        self.compare_clocks(now, place, seen);
        self.actions.push(Action::Send(place, ToRobot::Welcome { island: island_of(place) }));
        if held.is_some() {
            // The state must be stored, because the next hub must know the hold after a crash.
            self.snapshot_wanted = true;
            self.warn(
                now,
                format!("robot {id} was held by an earlier hub and stays held: `xpuck robot release {id}` releases it"),
            );
        }
        self.end_if_stopped(now, &id, stops);
    }

    fn heard(&mut self, now: f64, place: usize, message: RobotMessage) {
        let robot = &mut self.roster.robots[place];
        let name = || robot.id.clone();
        match message {
            RobotMessage::Hello { version, seen, witness, .. } => self.on_hello(now, place, &version, seen.0, witness),
            RobotMessage::Pong { stamp } => {
                let speed = self.config.swarm.speed;
                self.roster.pong(place, stamp, (now - stamp).max(0.0) / speed * 1000.0);
            }
            RobotMessage::Ping { stamp } => self.actions.push(Action::Send(place, ToRobot::Pong { stamp, time: now })),
            RobotMessage::Telemetry(mut telemetry) => {
                telemetry.engine = telemetry.engine.bounded();
                let (robot_id, round_trip_ms) = (name(), robot.round_trip_ms);
                robot.on_telemetry(now, &telemetry);
                // A robot that has not accepted the run's experiment reports evolution of the previous run. Such a
                // report is only recorded.
                if self.run.as_ref().is_some_and(|run| robot.accepted != run.number) {
                    robot.telemetry.evolution = Default::default();
                }
                self.note_obedience(now, place);
                let entry = Entry::Telemetry { time: now, robot: robot_id, round_trip_ms, telemetry };
                self.actions.push(Action::Record(entry));
            }
            RobotMessage::Kept(directive) => robot.kept = directive,
            RobotMessage::Experiment { number, answer } => self.experiment_answered(now, place, number, answer),
            RobotMessage::Genes { generation, emigrant, births } => {
                let from = self.exchange(now, place, generation, &emigrant);
                self.send_estimates(now, place);
                // A repeated message gets a reply again, but its generation counts only once.
                let run = self.run.as_mut();
                let new = run.is_none_or(|run| run.seen.insert(island_of(place), generation, &emigrant));
                if new {
                    let robot = &mut self.roster.robots[place];
                    let (births, population) = (robot.allowance.record(now, births), robot.population.take());
                    let robot = robot.id.clone();
                    if let Some(population) = population.filter(|p| p.generation == generation) {
                        let robot = robot.clone();
                        self.actions.push(Action::Record(Entry::Population { time: now, robot, population, from }));
                    }
                    self.actions.push(Action::Record(Entry::Genes { time: now, robot, generation, emigrant, births }));
                }
            }
            RobotMessage::Population(population) if population.mean_nodes.is_finite() => {
                // A repeated message may arrive after newer messages, so the number of steps must not decrease.
                let run = self.run.as_ref().filter(|run| robot.accepted == run.number);
                let steps = run.map_or(0, |run| run.plan.steps.len() as u16);
                let step = population.step.min(steps);
                if step > robot.step.0 {
                    robot.step = (step, population.generation);
                }
                robot.population = Some(population);
            }
            RobotMessage::Population(_) => self.unrecorded(now, place, "a population without a mean size"),
            // The shell shows pictures on the console's pages. Here, a picture is stored only if an operator has
            // requested it.
            RobotMessage::Picture(picture) => {
                let asked = robot.picture_asked.is_some_and(|at| now - at < PICTURE_WAITS * self.config.swarm.speed);
                robot.picture = Some((now, picture)).filter(|(_, picture)| asked && picture.is_sound());
            }
            RobotMessage::Tags(tags) if tags.is_sound() => {
                let Tags { age, tags, looks, doubled, look_ms } = tags;
                let entry = Entry::Tags { time: now, robot: name(), age, looks, doubled, look_ms, tags };
                self.actions.push(Action::Record(entry));
            }
            RobotMessage::Tags(_) => self.unrecorded(now, place, "invalid tags"),
            RobotMessage::Loaded { segment, gene } => {
                let robot_id = name();
                if robot.loads(segment, &gene) {
                    self.actions.push(Action::Record(Entry::Loaded { time: now, robot: robot_id, segment, gene }));
                }
            }
            RobotMessage::Want { digest, offset } => self.robot_wants(now, place, &digest, offset),
            RobotMessage::Installed(installed) => self.robot_installed(now, place, *installed),
            RobotMessage::Settings(answer) => self.settings_answered(now, place, answer),
            RobotMessage::Updates(updates) => match updates.check() {
                Ok(()) => {
                    let robot = name();
                    self.actions.push(Action::Record(Entry::Updates { time: now, robot, updates }));
                }
                Err(error) => self.unrecorded(now, place, &error.to_string()),
            },
            RobotMessage::Log(line) if line.is_valid() => {
                self.actions.push(Action::Record(Entry::Log { time: now, robot: name(), line }));
            }
            RobotMessage::Log(_) => self.unrecorded(now, place, "a line of its log is too long or not one line"),
            RobotMessage::Samples { generation, samples } if samples.len() <= MAX_SAMPLE_SUMMARIES => {
                let robot = name();
                self.actions.push(Action::Record(Entry::Samples { time: now, robot, generation, samples }));
            }
            RobotMessage::Samples { .. } => self.unrecorded(now, place, "too many individuals with samples"),
            RobotMessage::Peers(report) if report.from.len() <= MAX_GENES => robot.peers = Some(*report),
            RobotMessage::Peers(_) => self.unrecorded(now, place, "too many immigrants"),
            RobotMessage::Sensors(sensors) if sensors.is_sound() => {
                let robot_id = name();
                robot.sensors = Some(sensors.clone());
                self.actions.push(Action::Record(Entry::Sensors { time: now, robot: robot_id, sensors }));
            }
            RobotMessage::Sensors(_) => self.unrecorded(now, place, "impossible sensor readings"),
            RobotMessage::Estimates(estimates) if are_sound(&estimates) => {
                let robot_id = name();
                let before = robot.estimates.replace((now, estimates.clone()));
                let changed = before.and_then(|(_, before)| changed(&before, &estimates));
                let said = changed.filter(|_| robot.world_log_rate.allows(now, CHANGES_HZ));
                if let Some(change) = said {
                    self.note_for(
                        now,
                        &robot_id,
                        format!("robot {robot_id} simulates a changed world from now on: {change}"),
                    );
                }
                self.actions.push(Action::Record(Entry::Estimates { time: now, robot: robot_id, estimates }));
            }
            RobotMessage::Estimates(_) => self.unrecorded(now, place, "invalid estimates"),
        }
    }

    /// Sends a robot the recent estimates of world parameters by the other connected robots, if the experiment adapts
    /// the simulated world.
    fn send_estimates(&mut self, now: f64, place: usize) {
        if !self.run.as_ref().is_some_and(|run| run.plan.adapt) {
            return;
        }
        let others = self.roster.robots.iter().enumerate().filter(|(other, robot)| *other != place && robot.alive());
        let told = others.filter_map(|(other, robot)| {
            let (at, estimates) = robot.estimates.as_ref().filter(|(at, _)| now - at <= FRESH_S)?;
            Some(PeerEstimates { island: island_of(other), age: now - at, estimates: estimates.clone() })
        });
        let told: Vec<PeerEstimates> = told.take(MAX_GENES).collect();
        self.actions.push(Action::Send(place, ToRobot::Estimates(told)));
    }

    /// Reports that a robot's message is invalid and therefore not recorded. The rate of such reports is limited.
    fn unrecorded(&mut self, now: f64, place: usize, why: &str) {
        let id = self.roster.robots[place].id.clone();
        let line = self.malformed.line(now, || format!("robot {id}: message not recorded: {why}"));
        line.into_iter().for_each(|text| self.warn(now, text));
    }

    /// Reports once per robot that the robot has heard an earlier hub with a later start time than this hub, because
    /// one of their clocks is wrong. `hub` is the start time of the earlier hub (ms of wall time).
    fn compare_clocks(&mut self, now: f64, place: usize, hub: u64) {
        let ahead = hub.saturating_sub(self.base);
        let robot = &mut self.roster.robots[place];
        if ahead > 0 && !robot.clock_warned {
            robot.clock_warned = true;
            let text = format!(
                "robot {} heard a hub that started {} later than this one by its clock: one of the two clocks is \
                 wrong; synchronise this machine's clock by NTP. The robot obeys this hub nevertheless",
                robot.id,
                span(ahead)
            );
            self.warn(now, text);
        }
    }

    fn experiment_answered(&mut self, now: f64, place: usize, number: u64, answer: Answer) {
        if self.run.as_ref().is_none_or(|run| run.number != number) {
            return;
        }
        let robot = &mut self.roster.robots[place];
        match answer {
            Answer::Accepted => (robot.experiment, robot.accepted) = (number, number),
            Answer::Refused(why) if robot.refusal.as_ref() != Some(&why) => {
                let text = format!("robot {} refuses the experiment: {why}", robot.id);
                robot.refusal = Some(why);
                self.warn(now, text);
            }
            Answer::Refused(_) => {}
        }
    }

    /// Handles the emigrant of a robot's island, and sends the immigrants. Returns the source islands of the
    /// immigrants.
    fn exchange(&mut self, now: f64, place: usize, generation: u32, gene: &Emigrant) -> Vec<u16> {
        let Some(run) = &mut self.run else { return Vec::new() };
        for body in self.frame.iter().flat_map(|(_, frame)| &frame.bodies) {
            if let Some(place) = self.roster.place(&body.name) {
                run.geneserver.place(island_of(place), [body.pose.at.x, body.pose.at.y]);
            }
        }
        let robot = &mut self.roster.robots[place];
        match run.gate.admit(&robot.id, gene) {
            Ok(_) if run.plan.genes == Genes::Peers => {
                robot.fittest = Some(gene.clone());
                // The robot has received its immigrants directly from other robots, and has reported their source
                // islands. This reply only confirms the emigrant.
                self.actions.push(Action::Send(place, ToRobot::Genes { generation, immigrants: Vec::new() }));
                let told = robot.peers.as_ref().filter(|peers| peers.generation == generation);
                told.map_or(Vec::new(), |peers| peers.from.clone())
            }
            Ok(migrant) => {
                let offers = run.geneserver.exchange(island_of(place), generation, migrant);
                let mut from: Vec<u16> = offers.iter().map(|offer| offer.sender).collect();
                let immigrants = to_emigrants(offers);
                from.truncate(immigrants.len());
                robot.fittest = Some(gene.clone());
                self.actions.push(Action::Send(place, ToRobot::Genes { generation, immigrants }));
                from
            }
            Err(error) => {
                let text =
                    format!("robot {}: gene refused: {error} ({} so far)", robot.id, run.gate.refused_of(&robot.id));
                self.warn(now, text);
                Vec::new()
            }
        }
    }
}

/// Returns the island number of the robot at index `place` in the swarm file.
pub(super) fn island_of(place: usize) -> u16 {
    place as u16 + 1
}

/// Maximum rate of log lines about a change of a robot's simulated world (Hz). A robot may alternate between two
/// worlds, and must not fill the log.
const CHANGES_HZ: f64 = 0.2;

/// Describes the parameters whose simulated value has changed, or returns `None` if no value has changed.
fn changed(before: &[Estimate], now: &[Estimate]) -> Option<String> {
    let mut changes = Vec::new();
    for Estimate { parameter, simulated, .. } in now {
        let known = before.iter().find(|before| before.parameter == *parameter);
        if let Some(known) = known.filter(|known| known.simulated != *simulated)
            && Parameter::from_name(parameter).is_some()
        {
            changes.push(format!("{parameter} {simulated:.3} ({:.3} before)", known.simulated));
        }
    }
    (!changes.is_empty()).then(|| changes.join(", "))
}
