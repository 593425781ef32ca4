//! What robots say, and the exchange of genes.

use super::{Action, Switchboard};
use crate::entry::Entry;
use crate::geneserver::to_genes;
use xpuck_wire::message::{Gene, RobotMessage, ToRobot};

/// Longest version of a robot's program, characters.
const VERSION: usize = 32;

/// A time span as people read it.
fn span(ms: u64) -> String {
    match ms / 1000 {
        0..=119 => format!("{:.1} s", ms as f64 / 1e3),
        120..=7_199 => format!("{} min", ms / 60_000),
        7_200..=172_799 => format!("{:.1} h", ms as f64 / 3.6e6),
        _ => format!("{} days", ms / 86_400_000),
    }
}

impl Switchboard {
    /// Handles a message from a robot.
    pub fn on_robot(&mut self, now: f64, id: &str, message: RobotMessage) {
        let speed = self.config.swarm.speed;
        let Some(robot) = self.roster.find(id) else {
            self.refused += 1;
            if self.refused == 1 {
                self.note(now, format!("robot `{id}` is not in the swarm file; its messages are refused"));
            }
            return;
        };
        let (first, back) = (robot.heard.is_none(), robot.lost);
        robot.heard = Some(now);
        robot.lost = false;
        if first || back {
            let text = if back { "is back" } else { "is here" };
            self.note(now, format!("robot {id} {text}"));
        }
        match message {
            RobotMessage::Hello { version, seen, .. } => {
                self.compare_clocks(now, id, seen.0);
                if let (Some(robot), Some(island)) = (self.roster.find(id), self.config.swarm.island(id)) {
                    robot.version = version.chars().filter(char::is_ascii_graphic).take(VERSION).collect();
                    // A robot that greets again may have restarted without its experiment.
                    robot.experiment = 0;
                    self.actions.push(Action::Send(id.into(), ToRobot::Welcome { island }));
                }
            }
            RobotMessage::Pong { stamp } => self.roster.pong(id, stamp, (now - stamp).max(0.0) / speed * 1000.0),
            RobotMessage::Ping { stamp } => {
                self.actions.push(Action::Send(id.into(), ToRobot::Pong { stamp, time: now }))
            }
            RobotMessage::Telemetry(telemetry) => {
                let robot = self.roster.find(id);
                let round_trip_ms = robot.and_then(|robot| {
                    robot.telemetry = (*telemetry).clone();
                    robot.round_trip_ms
                });
                self.actions.push(Action::Record(Entry::Telemetry {
                    time: now,
                    robot: id.into(),
                    round_trip_ms,
                    telemetry,
                }));
            }
            RobotMessage::Experiment { number, error } => self.experiment_answered(now, id, number, error),
            RobotMessage::Genes { generation, emigrant, births } => {
                self.exchange(now, id, generation, emigrant.clone());
                let island = self.config.swarm.island(id).unwrap_or(0);
                // What comes again is answered again, and counts once.
                let new = self.run.as_mut().is_none_or(|run| run.seen.take(island, generation, &emigrant, &births));
                if new {
                    let robot = id.into();
                    self.actions.push(Action::Record(Entry::Genes { time: now, robot, generation, emigrant, births }));
                }
            }
            RobotMessage::Loaded { segment, gene } => {
                if self.roster.find(id).is_some_and(|robot| robot.loads(segment, &gene)) {
                    self.actions.push(Action::Record(Entry::Loaded { time: now, robot: id.into(), segment, gene }));
                }
            }
            RobotMessage::Settings(answer) => self.settings_answered(now, id, answer),
        }
    }

    /// Notes, once for each robot, that it heard a hub whose clock was ahead of this one's.
    fn compare_clocks(&mut self, now: f64, id: &str, hub: u64) {
        let ahead = hub.saturating_sub(self.base);
        if let Some(robot) = self.roster.find(id).filter(|robot| ahead > 0 && !robot.from_the_future) {
            robot.from_the_future = true;
            let text = format!(
                "robot {id} heard a hub that started {} later than this one by its clock: one of the two clocks is wrong; \
                 set this machine's by NTP. The robot obeys this hub all the same",
                span(ahead)
            );
            self.note(now, text);
        }
    }

    fn experiment_answered(&mut self, now: f64, id: &str, number: u64, error: String) {
        let current = self.run.as_ref().is_some_and(|run| run.number == number);
        let Some(robot) = self.roster.find(id).filter(|_| current) else { return };
        if error.is_empty() {
            robot.experiment = number;
        } else if robot.refusal.as_ref() != Some(&error) {
            robot.refusal = Some(error.clone());
            self.note(now, format!("robot {id} refuses the experiment: {error}"));
        }
    }

    fn exchange(&mut self, now: f64, id: &str, generation: u32, gene: Gene) {
        let Some(run) = &mut self.run else { return };
        let island = |id: &str| self.roster.place(id).map(|place| place as u16 + 1);
        for body in self.frame.iter().flat_map(|(_, frame)| &frame.bodies) {
            if let Some(island) = island(&body.name) {
                run.geneserver.place(island, [body.pose.at.x, body.pose.at.y]);
            }
        }
        let island = island(id).unwrap_or(0);
        match run.gate.admit(id, &gene) {
            Ok(migrant) => {
                let immigrants = to_genes(&run.geneserver.exchange(island, generation, migrant));
                if let Some(robot) = self.roster.find(id) {
                    robot.fittest = Some(gene);
                }
                self.actions.push(Action::Send(id.into(), ToRobot::Genes { generation, immigrants }));
            }
            Err(error) => {
                let count = run.gate.refused_of(id);
                self.note(now, format!("robot {id}: gene refused: {error} ({count} so far)"));
            }
        }
    }
}
