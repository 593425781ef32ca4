//! Update of robots' programs: requests of operators, reports of robots, and log lines.

use super::{Action, Switchboard};
use crate::rollout::{self, BundleReport, Rollout, TRIAL_OF_IMAGE, UpdateState};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xpuck_wire::Phase;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, ToRobot};
use xpuck_wire::rollout::{BundleHead, Installed, Stage, UpdateReport, UpdateRow};

/// Number of withheld offers after which a robot without a report of its release counts as too old.
const HELD_BACK: u32 = 5;
/// Maximum length of a robot's reason that is passed on (characters).
const WHY: usize = 300;

/// Bundle of the hub, verified by its shell.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bundle {
    /// Data offered to robots.
    pub head: BundleHead,
    /// SHA-256 of its payload.
    pub digest: String,
    /// Version of the bundle.
    pub version: String,
    /// Counter of the bundle.
    pub counter: u64,
    /// Size of the payload (bytes).
    pub size: u64,
    /// Whether it is a card image, which is tried by a boot.
    #[serde(default)]
    pub image: bool,
}

/// Update, which is stored so that it continues after a restart of the hub.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Update {
    number: u64,
    by: String,
    bundle: Bundle,
    rollout: Rollout,
    /// Number of offers withheld from each robot without a report of its installed release.
    #[serde(skip)]
    held_back: BTreeMap<String, u32>,
    /// Last logged state of each robot, and whether the end was logged.
    #[serde(skip)]
    said: (BTreeMap<String, &'static str>, bool),
}

impl Update {
    /// Digest of the bundle.
    pub fn digest(&self) -> &str {
        &self.bundle.digest
    }

    /// Whether the update has finished.
    pub fn is_done(&self) -> bool {
        self.rollout.is_done()
    }
}

/// Reason for refusing an update during a run.
pub const DURING_A_RUN: &str = "robots cannot be updated during a run; `xpuck stop` ends it";

impl Switchboard {
    /// Starts to update the given robots, or all if none are given; `canary` of them first.
    pub fn update(&mut self, now: f64, who: &str, bundle: Bundle, robots: &[String], canary: u32) -> Reply {
        if !matches!(self.phase, Phase::Idle | Phase::Finished) {
            return Reply::Refused(DURING_A_RUN.into());
        }
        if let Some(why) = self.keeps_from_run() {
            return Reply::Refused(why);
        }
        let known = &self.config.swarm.robots;
        if let Some(stranger) = robots.iter().find(|id| !known.contains(id)) {
            return Reply::Refused(format!("robot `{}` is not in the swarm file", stranger.escape_debug()));
        }
        let meant: Vec<String> = known.iter().filter(|id| robots.is_empty() || robots.contains(id)).cloned().collect();
        let mut rollout = Rollout::new(&bundle.digest, &bundle.version, &meant, canary as usize);
        if bundle.image {
            rollout.trial = TRIAL_OF_IMAGE;
        }
        let wall = self.wall(now);
        for robot in self.roster.robots.iter().filter(|robot| robot.alive()) {
            rollout.heard(&robot.id, wall);
        }
        self.number += 1;
        self.note_for(now, who, format!("{who} updates {} robots to {}", meant.len(), bundle.version));
        let (number, by) = (self.number, who.into());
        let (held_back, said) = Default::default();
        self.update = Some(Update { number, by, bundle, rollout, held_back, said });
        self.keep_update();
        Reply::Done
    }

    /// Continues the update of an earlier hub.
    pub fn resume_update(&mut self, now: f64, update: Update) {
        if !update.is_done() {
            self.note(now, format!("the update to {} continues", update.bundle.version));
        }
        let mut update = update;
        update.said.1 = update.is_done();
        self.update = Some(update);
    }

    /// Report of the last update.
    pub(super) fn updated(&self) -> Option<Box<UpdateReport>> {
        let update = self.update.as_ref()?;
        let row = |row: &rollout::Row| {
            let (stand, received, why) = row.stand.summary();
            let version = self.roster.place(&row.robot).map(|place| self.roster.robots[place].version.clone());
            UpdateRow {
                robot: row.robot.clone(),
                version: version.unwrap_or_default(),
                stand: stand.into(),
                received,
                why: why.into(),
            }
        };
        Some(Box::new(UpdateReport {
            version: update.bundle.version.clone(),
            counter: update.bundle.counter,
            digest: update.bundle.digest.clone(),
            size: update.bundle.size,
            by: update.by.clone(),
            done: update.is_done(),
            stopped: update.rollout.stopped().unwrap_or_default().into(),
            rows: update.rollout.rows().iter().map(row).collect(),
        }))
    }

    /// Stops the update of further robots.
    pub(super) fn abort_update(&mut self, now: f64, who: &str) -> Reply {
        let Some(update) = self.update.as_mut().filter(|update| !update.is_done()) else {
            return Reply::Refused("no update is in progress".into());
        };
        update.rollout.abort(&format!("{who} ended the update"));
        self.note_for(now, who, format!("{who} ends the update: no further robot is updated"));
        self.keep_update();
        Reply::Done
    }

    /// Reason why no run may start; `None` if it may.
    pub(super) fn keeps_from_run(&self) -> Option<String> {
        self.update.as_ref()?.rollout.blocks_run()
    }

    /// Handles a robot's request for a piece.
    pub(super) fn robot_wants(&mut self, now: f64, place: usize, digest: &str, offset: u64) {
        let wall = self.wall(now);
        let Some(update) = &mut self.update else { return };
        let id = &self.roster.robots[place].id;
        if offset < update.bundle.size && update.rollout.on_request(id, digest, offset, wall) {
            let digest = update.bundle.digest.clone();
            self.actions.push(Action::Chunk { robot: place, digest, offset });
        }
    }

    /// Handles a robot's report of its installed release.
    pub(super) fn robot_installed(&mut self, now: f64, place: usize, installed: Installed) {
        let wall = self.wall(now);
        let robot = &mut self.roster.robots[place];
        robot.installed = true;
        let Some((update, told)) = self.update.as_mut().zip(installed.update) else { return };
        let offered =
            update.rollout.rows().iter().any(|row| row.robot == robot.id && row.stand == UpdateState::Offered);
        // A robot that has just received an offer may still report an earlier attempt with the same bundle.
        if offered && told.number != update.number && matches!(told.stage, Stage::Reverted | Stage::Refused) {
            return;
        }
        let why: String = told.why.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WHY).collect();
        let told_of = match told.stage {
            Stage::Loading => return,
            Stage::Installing | Stage::Trial => BundleReport::Trial,
            Stage::Good => BundleReport::Good,
            Stage::Reverted => BundleReport::Reverted(why),
            Stage::Refused => BundleReport::Refused(why),
        };
        update.rollout.on_report(&robot.id, &told.digest, told_of, wall);
    }

    /// Records a message of a robot.
    pub(super) fn update_heard(&mut self, now: f64, id: &str) {
        let wall = self.wall(now);
        if let Some(update) = &mut self.update {
            update.rollout.heard(id, wall);
        }
    }

    /// Sends due offers, and logs changes.
    pub(super) fn go_on_updating(&mut self, now: f64) {
        let (wall, running) = (self.wall(now), !matches!(self.phase, Phase::Idle | Phase::Finished));
        let Some(update) = &mut self.update else { return };
        if update.said.1 {
            return;
        }
        for rollout::Action::Offer(id) in update.rollout.step(wall, running) {
            let Some(place) = self.roster.place(&id) else { continue };
            // Older programs reject unknown messages.
            if self.roster.robots[place].installed {
                let message = ToRobot::Offer { number: update.number, bundle: update.bundle.head.clone() };
                self.actions.push(Action::Send(place, message));
                continue;
            }
            let held_back = update.held_back.entry(id.clone()).or_default();
            *held_back += 1;
            if *held_back > HELD_BACK {
                let why = "its program is too old to be updated over the air; install the package on it".into();
                update.rollout.on_report(&id, &update.bundle.digest, BundleReport::Refused(why), wall);
            }
        }
        self.say_of_update(now);
    }

    /// Logs each robot's progress, and the end of the update.
    fn say_of_update(&mut self, now: f64) {
        let Some(update) = &mut self.update else { return };
        let version = update.bundle.version.clone();
        let mut lines = Vec::new();
        for row in update.rollout.rows() {
            let (word, _, why) = row.stand.summary();
            if update.said.0.insert(row.robot.clone(), word) == Some(word) {
                continue;
            }
            let id = &row.robot;
            lines.extend(match word {
                "loading" => Some(Line::info(format!("robot {id} loads {version}"))),
                "trial" => Some(Line::info(format!("robot {id} installs and tries {version}"))),
                "good" => Some(Line::info(format!("robot {id} runs {version}"))),
                "reverted" => Some(Line::warn(format!("robot {id} reverted from {version}: {why}"))),
                "refused" => Some(Line::warn(format!("robot {id} refuses {version}: {why}"))),
                "lost" | "silent" => Some(Line::warn(format!("robot {id} is not updated to {version}: {why}"))),
                _ => None,
            });
        }
        let changed = !lines.is_empty();
        let over = update.is_done();
        if over {
            update.said.1 = true;
            let rows = update.rollout.rows();
            let good = rows.iter().filter(|row| row.stand == UpdateState::Good).count();
            let text = format!("the update to {version} is over: {good} of {} robots run it", rows.len());
            lines.push(match update.rollout.stopped() {
                Some(why) => Line::warn(format!("{text}; it was stopped: {why}")),
                None if good < rows.len() => Line::warn(text),
                None => Line::info(text),
            });
        }
        lines.into_iter().for_each(|line| self.log_event(now, line));
        if changed || over {
            self.keep_update();
        }
    }

    fn keep_update(&mut self) {
        self.actions.extend(self.update.clone().map(|update| Action::KeepUpdate(Box::new(update))));
    }

    /// Converts arena time to wall time (s).
    fn wall(&self, now: f64) -> f64 {
        now / self.config.swarm.speed
    }
}
