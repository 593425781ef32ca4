//! Interface of a hub to the outside world: keys, motion capture, connections, record and log.

use crate::entry::Entry;
use crate::mocap::Frame;
use crate::switchboard::{Snapshot, StorageResult, Update};
use std::collections::BTreeMap;
use xpuck_wire::codec::CodecError;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, Request, RobotMessage};
use xpuck_wire::refusals::Refusals;
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::Trust;
use xpuck_wire::{Status, Swarm};

/// Input from motion capture.
#[derive(Clone, Debug)]
pub enum PoseNews {
    /// Frame.
    Frame(Frame),
    /// Number of rejected poses so far, by reason.
    Refused(Vec<(String, u64)>),
    /// Message for operators.
    Note(Line),
}

/// Message from a peer that identifies itself as a robot.
#[derive(Debug)]
pub struct FromRobot<C> {
    /// Robot id.
    pub robot: String,
    /// Connection of the message.
    pub connection: C,
    /// Message, or decoding error.
    pub message: Result<RobotMessage, CodecError>,
}

/// Request of an operator.
#[derive(Debug)]
pub struct OperatorRequest<A> {
    /// Recipient of the reply.
    pub by: A,
    /// Name of the operator.
    pub who: String,
    /// Request, or the reason for its refusal.
    pub request: Result<Request, String>,
}

/// Changes of the keyring.
#[derive(Clone, Debug, Default)]
pub struct KeyNews {
    /// Messages for operators.
    pub notes: Vec<Line>,
    /// Trusted signers of experiments, if changed since the last call.
    pub trust: Option<Trust>,
    /// Peers rejected so far.
    pub refusals: Refusals,
}

/// Events of the record.
#[derive(Clone, Debug)]
pub enum RecordNews {
    /// Recording has stopped, with the reason.
    Stopped(String),
    /// Recording continues.
    Again {
        /// Path of the record.
        place: String,
        /// Description of the missing part.
        text: String,
    },
    /// Result of writing state that outlives the hub.
    Kept(StorageResult),
    /// Message for operators.
    Say(Line),
}

/// Outside world of a hub: `xpuck serve hub` implements it with sockets, files and motion capture, and the simulation
/// test with simulated ones. No method blocks, and `now` is in s of arena time.
pub trait Shell {
    /// Connection of a robot's messages.
    type Connection;
    /// Sender of a request.
    type Asker;

    /// Wall time since the hub's start (s).
    fn wall(&mut self) -> f64;

    /// Changes of the keyring; `None` without keys.
    fn keys(&mut self) -> Option<KeyNews>;

    /// Next input from motion capture, if any.
    fn poses(&mut self, now: f64) -> Option<PoseNews>;

    /// Next message of a robot, if any.
    fn receive(&mut self) -> Option<FromRobot<Self::Connection>>;

    /// Whether messages to this robot are sent over this connection.
    fn answers_by(&self, robot: &str, connection: &Self::Connection) -> bool;

    /// Sets the connection for messages to this robot.
    fn answer_by(&mut self, robot: &str, connection: Self::Connection);

    /// Called for each accepted message or decoding error, before it is handled.
    fn heard(&mut self, now: f64, robot: &str, message: &Result<RobotMessage, CodecError>);

    /// Next request, if any.
    fn request(&mut self) -> Option<OperatorRequest<Self::Asker>>;

    /// Answers a request.
    fn answer(&mut self, to: Self::Asker, reply: Reply);

    /// Sends a message to a robot, given by its index in the swarm file, from 0. Sending to an absent robot has no
    /// effect and is not an error.
    fn send(&mut self, robot: usize, message: Sealed);

    /// Opens the record of a run, and returns its path.
    ///
    /// # Errors
    /// The reason why nothing is recorded.
    fn open_record(
        &mut self,
        name: &str,
        experiment: (&str, BTreeMap<String, String>),
        seed: u64,
    ) -> Result<String, String>;

    /// Adds an entry to the record, if one is open. Returns the number of lost entries so far, if it must be
    /// reported.
    fn record(&mut self, entry: Entry) -> Option<u64>;

    /// Next event of the record, if any.
    fn record_news(&mut self) -> Option<RecordNews>;

    /// Stores the state of the run, which replaces the previous one; [`RecordNews::Kept`] reports when it is on the
    /// disk.
    fn store(&mut self, snapshot: Snapshot);

    /// Stores the number of STOPs given to the swarm, which replaces the previous one; [`RecordNews::Kept`] reports
    /// when it is on the disk.
    fn store_stops(&mut self, stops: u64);

    /// Reads a piece of a bundle's payload and sends it to a robot, given by its index in the swarm file.
    fn send_piece(&mut self, _robot: usize, _digest: String, _offset: u64) {}

    /// Stores the state of the update, which replaces the previous one.
    fn keep_update(&mut self, _update: &Update) {}

    /// Announces the complete swarm after new robots were enrolled.
    fn enrolled(&mut self, _now: f64, _swarm: &Swarm) {}

    /// Closes the record with the final status.
    fn close_record(&mut self, status: Status);

    /// Writes a line to the log.
    fn log(&mut self, line: Line);
}
