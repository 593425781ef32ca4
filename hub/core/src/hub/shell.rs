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
    /// Frame of accepted poses.
    Frame(Frame),
    /// Number of rejected poses so far, by reason.
    Refused(Vec<(String, u64)>),
    /// Message for operators.
    Note(Line),
}

/// Message from a peer that identifies itself as a robot.
#[derive(Debug)]
pub struct FromRobot<C> {
    /// Robot id that the peer claims.
    pub robot: String,
    /// Connection over which the message arrived.
    pub connection: C,
    /// Decoded message, or the decoding error.
    pub message: Result<RobotMessage, CodecError>,
}

/// Request of an operator.
#[derive(Debug)]
pub struct OperatorRequest<A> {
    /// Address of the reply.
    pub by: A,
    /// Name of the operator.
    pub who: String,
    /// Request, or the reason why it is refused.
    pub request: Result<Request, String>,
}

/// Changes of the keyring since the last call.
#[derive(Clone, Debug, Default)]
pub struct KeyNews {
    /// Messages for operators.
    pub notes: Vec<Line>,
    /// Trusted signers of experiments; `None` if they have not changed.
    pub trust: Option<Trust>,
    /// Number of peers rejected so far, by reason.
    pub refusals: Refusals,
}

/// Event of the record.
#[derive(Clone, Debug)]
pub enum RecordNews {
    /// Recording has stopped. The text is the reason.
    Stopped(String),
    /// Recording continues after an interruption.
    Again {
        /// Path of the record.
        place: String,
        /// Message for operators about the missing part.
        text: String,
    },
    /// Result of writing state that the next hub needs.
    Kept(StorageResult),
    /// Message for operators.
    Say(Line),
}

/// Outside world of a hub. `xpuck serve hub` implements it with sockets, files and motion capture, and the simulation
/// test implements it with simulated ones. No method blocks. The parameter `now` is arena time (s).
pub trait Shell {
    /// Connection over which a robot sends messages.
    type Connection;
    /// Sender of a request, to whom the reply is sent.
    type Asker;

    /// Returns the wall time since the hub's start (s).
    fn wall(&mut self) -> f64;

    /// Returns the changes of the keyring since the last call; `None` if the hub has no keys.
    fn keys(&mut self) -> Option<KeyNews>;

    /// Returns the next input from motion capture, if any.
    fn poses(&mut self, now: f64) -> Option<PoseNews>;

    /// Returns the next message of a robot, if any.
    fn receive(&mut self) -> Option<FromRobot<Self::Connection>>;

    /// Returns whether messages to this robot are sent over `connection`.
    fn answers_by(&self, robot: &str, connection: &Self::Connection) -> bool;

    /// Selects the connection over which messages to this robot are sent.
    fn answer_by(&mut self, robot: &str, connection: Self::Connection);

    /// Informs the shell of a message from an accepted robot program, before the hub handles this message. If the
    /// message cannot be decoded, `message` is the decoding error.
    fn heard(&mut self, now: f64, robot: &str, message: &Result<RobotMessage, CodecError>);

    /// Returns the next request of an operator, if any.
    fn request(&mut self) -> Option<OperatorRequest<Self::Asker>>;

    /// Sends the reply to a request.
    fn answer(&mut self, to: Self::Asker, reply: Reply);

    /// Sends a message to a robot. `robot` is the robot's index in the swarm file. Sending to an absent robot has no
    /// effect and is not an error.
    fn send(&mut self, robot: usize, message: Sealed);

    /// Opens the record of a run, and returns its path. `experiment` is the experiment's text and its files by name.
    ///
    /// # Errors
    /// Returns the reason why nothing is recorded.
    fn open_record(
        &mut self,
        name: &str,
        experiment: (&str, BTreeMap<String, String>),
        seed: u64,
    ) -> Result<String, String>;

    /// Adds an entry to the record, if a record is open. If entries were lost and the hub must report this, returns
    /// the number of entries lost so far.
    fn record(&mut self, entry: Entry) -> Option<u64>;

    /// Returns the next event of the record, if any.
    fn record_news(&mut self) -> Option<RecordNews>;

    /// Stores the state of the run, which replaces the previous state. [`RecordNews::Kept`] reports when the state is
    /// on the disk.
    fn store(&mut self, snapshot: Snapshot);

    /// Stores the number of STOPs given to the swarm, which replaces the previous number. [`RecordNews::Kept`]
    /// reports when the number is on the disk.
    fn store_stops(&mut self, stops: u64);

    /// Reads the piece of a bundle's payload at `offset` (bytes), and sends it to a robot. `robot` is the robot's
    /// index in the swarm file, and `digest` identifies the payload.
    fn send_piece(&mut self, _robot: usize, _digest: String, _offset: u64) {}

    /// Stores the state of the swarm's software update, which replaces the previous state.
    fn keep_update(&mut self, _update: &Update) {}

    /// Announces the new swarm, which contains all robots, after robots were enrolled.
    fn enrolled(&mut self, _now: f64, _swarm: &Swarm) {}

    /// Closes the record, with the final status of the run.
    fn close_record(&mut self, status: Status);

    /// Writes a line to the log.
    fn log(&mut self, line: Line);
}
