//! Simulated environment of the hub's decision code, in place of sockets, files and threads.

use super::World;
use crate::checkers::Checkers;
use crate::disk::{Machine, StoredSnapshot};
use crate::mutants::Mutant;
use crate::network::Network;
use crate::{ROBOTS, id};
use std::collections::BTreeMap;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::hub::{FromRobot, KeyNews, OperatorRequest, PoseNews, RecordNews, Shell};
use xpuck_hub_core::resumption::Claim;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::codec::{CodecError, decode};
use xpuck_wire::log;
use xpuck_wire::message::{Order, Reply, Request, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::witness::{LastDirectiveReport, ObeyedDirective};
use xpuck_wire::{Phase, Status};

/// Interval between missing entries with [`Mutant::DropsEntry`] (entries).
const DROPPED: u64 = 1_000;

/// One turn of the hub's program.
pub(super) struct Turn<'a> {
    /// Simulated time (ms).
    pub(super) now: u32,
    /// Clock of the program (`local`, s), and time since the program's start (`wall`, s).
    pub(super) local: f64,
    pub(super) wall: f64,
    /// Phase, segment and running time (s) at the start of the turn, before frames are processed.
    pub(super) progress: (Phase, u32, f64),
    pub(super) mutant: Option<Mutant>,
    /// Wall clock of the machine (ms since 1970).
    pub(super) unix_ms: u64,
    pub(super) machine: &'a mut Machine,
    pub(super) world: &'a mut World,
    pub(super) network: &'a mut Network,
    pub(super) checkers: &'a mut Checkers,
    /// Number of inputs received in this turn (`came`), and number of actions in this turn (`done`).
    pub(super) came: usize,
    pub(super) done: usize,
}

/// Kind of request to which an operator expects an answer.
pub(super) enum Asker {
    Starts,
    /// STOP, with the number of permissions before the request.
    Stops(u64),
    Pauses(u64),
    Resumes,
    /// HOLD (true) or RELEASE (false) of a robot, with the number of permissions before the request.
    Holds(usize, bool, u64),
    Other,
}

impl Shell for Turn<'_> {
    /// Number of deaths of the robot's program before the connection was opened.
    type Connection = u32;
    type Asker = Asker;

    fn wall(&mut self) -> f64 {
        self.wall
    }

    /// Returns `None`, because the simulation enrols and revokes no keys.
    fn keys(&mut self) -> Option<KeyNews> {
        None
    }

    fn poses(&mut self, _: f64) -> Option<PoseNews> {
        let news = self.world.poses.pop_front()?;
        self.came += 1;
        if let PoseNews::Frame(frame) = &news {
            self.checkers.hub.frame(frame, self.progress);
        }
        Some(news)
    }

    fn receive(&mut self) -> Option<FromRobot<u32>> {
        let delivery = self.world.inbox.pop_front()?;
        self.came += 1;
        let mut message = decode(&delivery.bytes);
        if let (Some(Mutant::FallingNumbers), Ok(RobotMessage::Hello { seen, .. })) = (self.mutant, &mut message) {
            *seen = (0, 0);
        }
        if let Ok(RobotMessage::Hello { witness, .. }) = &mut message {
            self.mishear(witness);
        }
        Some(FromRobot { robot: id(delivery.robot).into(), connection: delivery.connection, message })
    }

    fn answers_by(&self, robot: &str, connection: &u32) -> bool {
        self.world.answers.get(robot) == Some(connection)
    }

    fn answer_by(&mut self, robot: &str, connection: u32) {
        self.world.answers.insert(robot.into(), connection);
    }

    fn heard(&mut self, _: f64, robot: &str, message: &Result<RobotMessage, CodecError>) {
        if let Ok(message) = message {
            self.checkers.hub.delivered(self.local, robot, message);
        }
    }

    fn request(&mut self) -> Option<OperatorRequest<Asker>> {
        let request = self.world.requests.pop_front()?;
        self.came += 1;
        let before = self.checkers.standstill.permissions();
        let by = match &request {
            Request::Start { .. } | Request::StartAnyway { .. } => Asker::Starts,
            Request::Stop => Asker::Stops(before),
            Request::Pause => Asker::Pauses(before),
            Request::Resume => Asker::Resumes,
            Request::Order { robot, order: order @ (Order::Hold | Order::Release) } => {
                let place = (0..ROBOTS).find(|place| id(*place) == robot);
                place.map_or(Asker::Other, |place| Asker::Holds(place, *order == Order::Hold, before))
            }
            _ => Asker::Other,
        };
        Some(OperatorRequest { by, who: "operator".into(), request: Ok(request) })
    }

    fn answer(&mut self, to: Asker, reply: Reply) {
        // An order that is not stored may be lost in a restart of the hub. The checker therefore does not require
        // standstill after such an order.
        let kept = match &reply {
            Reply::Done => true,
            Reply::DoneBut(what) => what.contains("a hub that restarts will wait"),
            _ => false,
        };
        let (now, done) = (self.now, matches!(reply, Reply::Done | Reply::DoneBut(_)));
        let standstill = &mut self.checkers.standstill;
        match to {
            Asker::Starts if done => {
                standstill.starts();
                // A hub that lost its stored state may not know that robots are held. START then releases all robots
                // that this hub does not hold.
                (0..ROBOTS)
                    .filter(|robot| !self.checkers.hub.is_held(*robot))
                    .for_each(|robot| standstill.releases(robot));
                self.checkers.run_began();
            }
            Asker::Holds(robot, true, before) if done && standstill.permissions() == before => {
                if kept {
                    standstill.holds(now, robot);
                }
                self.checkers.hub.holds(robot, true);
            }
            Asker::Holds(robot, false, _) if done => {
                standstill.releases(robot);
                self.checkers.hub.holds(robot, false);
            }
            Asker::Pauses(before) if kept && standstill.permissions() == before => standstill.pauses(now),
            Asker::Resumes if done => standstill.resumes(),
            Asker::Stops(before) if kept && standstill.permissions() == before => standstill.stops(now),
            Asker::Stops(_) if !done => {
                self.checkers.violated(self.now, "STOP is accepted in every phase", "hub", format!("{reply:?}"));
            }
            _ => {}
        }
    }

    /// Sends a message to a robot. The connection is ignored, so that a message may reach a later start of the
    /// robot's program.
    fn send(&mut self, robot: usize, mut sealed: Sealed) {
        self.done += 1;
        if let (Some(Mutant::CountsTwice), ToRobot::Genes { immigrants, .. }) = (self.mutant, &mut sealed.message) {
            immigrants.extend(immigrants.first().cloned());
        }
        // These mutants send the highest STOP count, because robots reject directives with a lower STOP count than
        // their own.
        if let (Some(Mutant::KeepsStaleState | Mutant::TrustsClock), ToRobot::Directive(directive)) =
            (self.mutant, &mut sealed.message)
        {
            directive.stops = u64::MAX;
        }
        if let (Some(Mutant::RunsHeld), ToRobot::Directive(directive)) = (self.mutant, &mut sealed.message)
            && self.checkers.hub.is_held(robot)
        {
            directive.state = State::Run;
        }
        self.checkers.hub.sends(self.now, robot, &sealed.message);
        self.network.to_robot(self.now, robot, sealed);
    }

    fn open_record(&mut self, _: &str, _: (&str, BTreeMap<String, String>), _: u64) -> Result<String, String> {
        self.done += 1;
        self.checkers.hub.opened();
        self.machine.open();
        Ok(String::new())
    }

    fn record(&mut self, entry: Entry) -> Option<u64> {
        self.done += 1;
        self.machine.entries += 1;
        if self.mutant != Some(Mutant::DropsEntry) || !self.machine.entries.is_multiple_of(DROPPED) {
            self.checkers.hub.recorded(self.now, entry);
        }
        None
    }

    fn record_news(&mut self) -> Option<RecordNews> {
        self.machine.news.pop_front().map(RecordNews::Kept)
    }

    fn store(&mut self, snapshot: Snapshot) {
        self.done += 1;
        let state = StoredSnapshot::from_snapshot(&snapshot, self.now, self.unix_ms, self.checkers.hub.counts());
        self.machine.store(self.now, state);
    }

    fn store_stops(&mut self, stops: u64) {
        self.done += 1;
        self.machine.store_stops(self.now, stops);
    }

    fn close_record(&mut self, status: Status) {
        self.done += 1;
        self.machine.close(self.now);
        self.checkers.hub.closed(self.now, &status);
    }

    fn log(&mut self, line: log::Line) {
        self.done += 1;
        self.checkers.hub.logged(self.now, &line.text);
    }
}

impl Turn<'_> {
    /// Changes a robot's report of its last directive, as required by the mutant.
    fn mishear(&self, witness: &mut LastDirectiveReport) {
        match (self.mutant, &self.world.claim) {
            (Some(Mutant::KeepsStaleState), Some(claim)) => {
                let Claim { run, state, last, stops, .. } = *claim;
                let told = ObeyedDirective { directive: last, state, run, held: false, stops };
                *witness = LastDirectiveReport { told: Some(told), silent_s: None };
            }
            (Some(Mutant::TrustsClock), _) => witness.told.iter_mut().for_each(|told| told.stops = 0),
            _ => {}
        }
    }
}
