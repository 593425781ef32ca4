//! Main loop of a hub around its [`Switchboard`]. In each turn it handles poses, robot messages and operator requests
//! in this order, seals outgoing messages, and executes actions. It also arbitrates between two programs with the same
//! robot key. All access to the outside world is behind the trait [`Shell`].

mod shell;

use crate::config::Config;
use crate::rate_limit::RateLimit;
use crate::session_arbiter::{SessionArbiter, Verdict};
use crate::switchboard::{Action, Durability, Snapshot, StopOrder, Switchboard, Target};
pub use shell::{FromRobot, KeyNews, OperatorRequest, PoseNews, RecordNews, Shell};
use xpuck_wire::Swarm;
use xpuck_wire::codec::{CodecError, UnknownNames};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, Request, RobotMessage, ToRobot};
use xpuck_wire::seal::{Sealed, Sealer};

/// Maximum number of robot messages per turn of the main loop. The same limit applies to operator requests.
pub const MESSAGES_AT_ONCE: usize = 256;
/// Maximum number of motion-capture items per turn of the main loop.
pub const POSES_PER_TURN: usize = 64;
/// Maximum time between the end of a run and the closing of its record (s of wall time). The record is closed earlier
/// if all robots have confirmed STOP, because a robot sends its last control updates before the confirmation.
const MAX_CLOSING_TIME: f64 = 0.5;
/// Maximum time for which the reply to STOP, PAUSE or HOLD waits until the order is durable (s of wall time).
const DURABLE_TIMEOUT: f64 = 1.5;
/// Maximum number of delayed replies. Further replies are sent at once, although it may be unknown whether the order is
/// durable.
const MAX_WAITING: usize = 64;
/// Maximum number of rounds per turn in which actions may cause further actions. Remaining actions are executed in
/// the next turn.
const ROUNDS: usize = 4;

/// Delayed reply to an order to stand still. It is sent when the order is durable, or at the latest at `until`.
struct PendingReply<A> {
    by: A,
    stand: StopOrder,
    /// Latest time of the reply (s of arena time).
    until: f64,
}

/// State of a hub. `A` identifies the sender of a request.
pub struct Hub<A> {
    /// Robots, orders to the swarm, and state of the run.
    pub board: Switchboard,
    swarm: Swarm,
    sealer: Sealer,
    rivals: SessionArbiter,
    refusals: RateLimit,
    unknown: UnknownNames,
    recording: bool,
    /// Latest time at which the record of a finished run is closed (s of arena time); `None` if no record is closing.
    closing: Option<f64>,
    /// Whether the hub ends when its record is closed.
    ending: bool,
    waiting: Vec<PendingReply<A>>,
}

impl<A> Hub<A> {
    /// Creates a hub. `base` is the wall time (ms). The numbers of the hub's directives and experiments start from
    /// this value.
    pub fn new(config: Config, base: u64) -> Hub<A> {
        Hub {
            swarm: config.swarm.clone(),
            sealer: Sealer::new(base),
            rivals: SessionArbiter::new(config.swarm.speed),
            board: Switchboard::new(config, base),
            refusals: RateLimit::default(),
            unknown: UnknownNames::default(),
            recording: false,
            closing: None,
            ending: false,
            waiting: Vec::new(),
        }
    }

    /// Returns whether the hub has ended: it was shut down, its record is closed, and all replies are sent.
    pub fn is_over(&self) -> bool {
        self.ending && self.closing.is_none() && self.waiting.is_empty()
    }

    /// Resumes the run of a hub that stopped `away` seconds of wall time ago. `record` reopens the run's record, and
    /// returns the record's path or the reason why nothing is recorded. The trusted keys must be set before the call.
    /// The first returned value is the arena time from which the hub continues (s). The second value is an error with
    /// the reason if the run is not resumed.
    pub fn resume(
        &mut self,
        snapshot: Snapshot,
        away: f64,
        record: impl FnOnce() -> Result<String, String>,
    ) -> (f64, Result<(), String>) {
        let now = snapshot.time + away * self.swarm.speed;
        let resumed = self.board.resume(now, snapshot);
        if resumed.is_ok() {
            self.record_opened(now, record());
        }
        (now, resumed)
    }

    /// Handles all pending input, then timeouts. Poses are handled first, so that messages of many robots do not
    /// delay virtual senses.
    pub fn step(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        self.look_after_keys(now, shell);
        self.take_poses(now, shell);
        self.board.send_senses(now);
        self.execute_actions(now, shell);
        self.receive_messages(now, shell);
        // Messages of robots belong to the current run. The actions that they cause are executed before requests are
        // handled, because a request may end this run and start another one.
        self.execute_actions(now, shell);
        self.answer(now, shell);
        self.board.on_time(now);
        self.poll_recorder(now, shell);
        self.execute_actions(now, shell);
        self.answer_waiting(now, shell);
        if self.closing.is_some_and(|due| now >= due || self.board.all_obey()) {
            self.close_record(now, shell);
        }
    }

    /// Applies changes of the keyring: logs its messages, and sets the trusted signers and the number of rejected
    /// peers.
    pub fn look_after_keys(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        let Some(news) = shell.keys() else { return };
        news.notes.into_iter().for_each(|line| self.board.log_event(now, line));
        if let Some(trust) = news.trust {
            self.board.set_trust(trust);
        }
        self.board.set_refusals(now, news.refusals);
    }

    /// Seals a message for a robot. `robot` is the robot's index in the swarm file.
    pub fn seal(&mut self, robot: usize, message: ToRobot) -> Sealed {
        self.sealer.seal(&self.swarm.robots[robot], message)
    }

    fn take_poses(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        for _ in 0..POSES_PER_TURN {
            match shell.poses(now) {
                Some(PoseNews::Frame(frame)) => self.board.on_frame(now, frame),
                Some(PoseNews::Refused(counts)) => self.board.set_refused_poses(counts),
                Some(PoseNews::Note(line)) => self.board.log_event(now, line),
                None => break,
            }
        }
    }

    fn receive_messages(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some(FromRobot { robot, connection, message }) = shell.receive() else { break };
            let session = message.as_ref().ok().and_then(RobotMessage::session);
            if !self.accepts(now, &robot, connection, session, shell) {
                continue;
            }
            shell.heard(now, &robot, &message);
            match message {
                Ok(message) => {
                    if let RobotMessage::Hello { session, seen, .. } = message {
                        self.sealer.register_session(&robot, session, seen);
                    }
                    self.board.on_robot(now, &robot, message);
                }
                Err(CodecError::Unknown(name)) => {
                    let line = self.unknown.line(&name).map(|line| format!("robot {robot}: {line}"));
                    line.into_iter().for_each(|text| self.board.warn(now, text));
                }
                Err(error) => {
                    let line = self.refusals.line(now, || format!("robot {robot}: message refused: {error}"));
                    line.into_iter().for_each(|text| self.board.warn(now, text));
                }
            }
        }
    }

    /// Returns whether a message is handled. Messages of a second program with the key of the same robot are
    /// rejected. Messages of robots that are not in the swarm file are accepted here, and the switchboard rejects
    /// them.
    fn accepts<S: Shell<Asker = A>>(
        &mut self,
        now: f64,
        robot: &str,
        connection: S::Connection,
        session: Option<u64>,
        shell: &mut S,
    ) -> bool {
        if self.swarm.island(robot).is_none() {
            return true;
        }
        let usual = shell.answers_by(robot, &connection);
        match self.rivals.judge(shell.wall(), robot, session, usual) {
            Verdict::Refused => false,
            Verdict::Counts(told) => {
                shell.answer_by(robot, connection);
                told.into_iter().for_each(|text| self.board.warn(now, text));
                true
            }
        }
    }

    /// Answers pending requests. The actions of a request are executed before the next request is handled. Thus the
    /// record of a run is closed with the status of this run, even if the next request starts another one.
    fn answer(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        for _ in 0..MESSAGES_AT_ONCE {
            let Some(OperatorRequest { by, who, request }) = shell.request() else { break };
            if matches!(request, Ok(Request::Start { .. } | Request::StartAnyway { .. })) {
                self.close_record(now, shell);
            }
            let (stands, reply) = match request {
                Ok(request) => {
                    let whom = Target::from_request(&request);
                    let reply = self.board.on_request(now, &who, request);
                    (whom.filter(|_| reply == Reply::Done).and_then(|whom| self.board.stand_of(&whom)), reply)
                }
                Err(why) => (None, Reply::Refused(why)),
            };
            match stands {
                Some(stand) if self.waiting.len() >= MAX_WAITING => {
                    shell.answer(by, answer(self.board.memory_of(&stand), &stand));
                }
                Some(stand) => {
                    self.waiting.push(PendingReply { by, stand, until: now + DURABLE_TIMEOUT * self.swarm.speed });
                }
                None => shell.answer(by, reply),
            }
            self.execute_actions(now, shell);
        }
    }

    /// Replies to orders to stand still that are durable or have waited for [`DURABLE_TIMEOUT`].
    fn answer_waiting(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        let board = &self.board;
        let is_ready = |waiting: &mut PendingReply<A>| {
            let kept = matches!(board.memory_of(&waiting.stand), Durability::Disk | Durability::Robots(Some(_)));
            kept || now >= waiting.until
        };
        for PendingReply { by, stand, .. } in self.waiting.extract_if(.., is_ready) {
            shell.answer(by, answer(board.memory_of(&stand), &stand));
        }
    }

    fn poll_recorder(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        while let Some(news) = shell.record_news() {
            match news {
                RecordNews::Say(line) => self.board.log_event(now, line),
                RecordNews::Kept(kept) => self.board.on_kept(now, kept),
                RecordNews::Stopped(why) => self.not_recording(now, &why),
                RecordNews::Again { place, text } => {
                    self.board.set_record(place);
                    self.board.note(now, text);
                }
            }
        }
    }

    fn execute_actions(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        for _ in 0..ROUNDS {
            let actions = self.board.take_actions();
            if actions.is_empty() {
                return;
            }
            for action in actions {
                self.carry_out(now, action, shell);
            }
        }
    }

    fn carry_out(&mut self, now: f64, action: Action, shell: &mut impl Shell<Asker = A>) {
        match action {
            Action::Send(robot, message) => {
                let sealed = self.seal(robot, message);
                shell.send(robot, sealed);
            }
            Action::OpenRecord { name, text, files, seed } => {
                let record = shell.open_record(&name, (&text, files), seed);
                self.record_opened(now, record);
            }
            Action::Record(entry) => {
                if let Some(lost) = shell.record(entry) {
                    let text = format!("NOT RECORDED: {lost} messages so far; the disk is too slow");
                    self.board.log_event(now, Line::error(text));
                }
            }
            Action::Snapshot(snapshot) => shell.store(*snapshot),
            Action::Stops(stops) => shell.store_stops(stops),
            Action::Chunk { robot, digest, offset } => shell.send_piece(robot, digest, offset),
            Action::KeepUpdate(update) => shell.keep_update(&update),
            Action::Enrolled(swarm) => {
                shell.enrolled(now, &swarm);
                self.swarm = *swarm;
            }
            Action::CloseRecord => self.run_is_over(now),
            Action::Say(line) => shell.log(line),
            Action::Shutdown => {
                self.run_is_over(now);
                self.ending = true;
            }
        }
    }

    fn record_opened(&mut self, now: f64, record: Result<String, String>) {
        self.recording = record.is_ok();
        self.board.record_begins(self.recording);
        match record {
            Ok(place) => self.board.set_record(place),
            Err(why) => self.not_recording(now, &why),
        }
    }

    /// Reports in the status and the log that nothing is recorded. `why` is the reason. The run continues.
    fn not_recording(&mut self, now: f64, why: &str) {
        let text = format!("NOT RECORDING: {why}");
        self.board.set_record(text.clone());
        self.board.log_event(now, Line::error(text));
    }

    /// Starts the final phase of the record, in which robots may still send their last messages.
    fn run_is_over(&mut self, now: f64) {
        if std::mem::take(&mut self.recording) {
            self.closing = Some(now + MAX_CLOSING_TIME * self.swarm.speed);
        }
    }

    fn close_record(&mut self, now: f64, shell: &mut impl Shell<Asker = A>) {
        if self.closing.take().is_some() {
            self.board.record_closes();
            shell.close_record(self.board.status(now));
        }
    }
}

/// Returns the reply to an order to stand still, which depends on the durability of the order.
fn answer(memory: Durability, stand: &StopOrder) -> Reply {
    let slow = || "the disk is slow".into();
    match memory {
        Durability::Disk => Reply::Done,
        Durability::Robots(why) => {
            let (command, why) = (stand.continued_by(), why.unwrap_or_else(slow));
            Reply::DoneBut(format!("not durable: a hub that restarts will wait for {command} ({why})"))
        }
        Durability::Nowhere(why) => {
            let why = why.unwrap_or_else(slow);
            Reply::DoneBut(format!(
                "not durable: no disk or robot stores it yet ({why}); switch robots off before a restart of the hub"
            ))
        }
    }
}

#[cfg(test)]
mod tests;
