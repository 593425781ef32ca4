//! What a hub has of the world: keys, motion capture, connections, the record and the log.

use crate::entry::Entry;
use crate::mocap::Frame;
use crate::switchboard::{Kept, Snapshot, Update};
use std::collections::BTreeMap;
use xpuck_wire::codec::CodecError;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, Request, RobotMessage};
use xpuck_wire::refusals::Refusals;
use xpuck_wire::seal::Sealed;
use xpuck_wire::signed::Trust;
use xpuck_wire::{Status, Swarm};

/// News of motion capture.
#[derive(Clone, Debug)]
pub enum PoseNews {
    /// A frame.
    Frame(Frame),
    /// Poses refused so far, by reason.
    Refused(Vec<(String, u64)>),
    /// Something that operators should know.
    Note(Line),
}

/// What came from somebody who calls itself a robot.
#[derive(Debug)]
pub struct FromRobot<C> {
    /// The robot's id.
    pub robot: String,
    /// The connection that it came by.
    pub connection: C,
    /// The message, or why it is none.
    pub message: Result<RobotMessage, CodecError>,
}

/// What somebody asks.
#[derive(Debug)]
pub struct Asked<A> {
    /// Who gets the answer.
    pub by: A,
    /// The name of who asks.
    pub who: String,
    /// The request, or why it is refused.
    pub request: Result<Request, String>,
}

/// News of the keyring.
#[derive(Clone, Debug, Default)]
pub struct KeyNews {
    /// What operators should know.
    pub notes: Vec<Line>,
    /// Whose experiments are accepted, if that changed since this was asked.
    pub trust: Option<Trust>,
    /// Who was turned away so far.
    pub refusals: Refusals,
}

/// News of the record.
#[derive(Clone, Debug)]
pub enum RecordNews {
    /// Nothing is recorded for now, and why.
    Stopped(String),
    /// It goes on.
    Again {
        /// Where.
        place: String,
        /// What is missing.
        text: String,
    },
    /// Result of writing state that outlives the hub.
    Kept(Kept),
    /// Something else.
    Say(Line),
}

/// The world around a hub: `xpuck serve hub` has sockets, files and motion capture there, the simulation test simulated ones.
/// No method waits, and `now` is s of arena time.
pub trait Shell {
    /// A connection that a robot's messages come by.
    type Connection;
    /// Who asks.
    type Asker;

    /// Wall time since the hub's start, s.
    fn wall(&mut self) -> f64;

    /// News of the keyring; none without keys.
    fn keys(&mut self) -> Option<KeyNews>;

    /// The next news of motion capture, none if there are none.
    fn poses(&mut self, now: f64) -> Option<PoseNews>;

    /// The next message of a robot, none if none is there.
    fn receive(&mut self) -> Option<FromRobot<Self::Connection>>;

    /// True if what is sent to this robot goes by this connection.
    fn answers_by(&self, robot: &str, connection: &Self::Connection) -> bool;

    /// Sends to this robot by this connection from now on.
    fn answer_by(&mut self, robot: &str, connection: Self::Connection);

    /// A message counts, or bytes that are none come from where messages would; it is about to be dealt with.
    fn heard(&mut self, now: f64, robot: &str, message: &Result<RobotMessage, CodecError>);

    /// The next request, none if there is none.
    fn request(&mut self) -> Option<Asked<Self::Asker>>;

    /// Answers a request.
    fn answer(&mut self, to: Self::Asker, reply: Reply);

    /// Sends to a robot, by its place in the swarm file, from 0. One that is not there is noticed by its silence.
    fn send(&mut self, robot: usize, message: Sealed);

    /// Opens the record of a run, and tells where it is.
    ///
    /// # Errors
    /// Why nothing is recorded.
    fn open_record(
        &mut self,
        name: &str,
        experiment: (&str, BTreeMap<String, String>),
        seed: u64,
    ) -> Result<String, String>;

    /// Adds to the record, if one is open. Gives how many entries were lost so far, if that has to be told.
    fn record(&mut self, entry: Entry) -> Option<u64>;

    /// The next news of the record, none if there are none.
    fn record_news(&mut self) -> Option<RecordNews>;

    /// Stores how the run stands, in the place of what was stored before; [`RecordNews::Kept`] says when that is on the disk.
    fn store(&mut self, snapshot: Snapshot);

    /// Stores how many STOPs the swarm was given, in the place of what was stored before; [`RecordNews::Kept`] says when that is
    /// on the disk.
    fn store_stops(&mut self, stops: u64);

    /// Has a piece of a bundle's payload sent to a robot, by its place in the swarm file, when it was read.
    fn send_piece(&mut self, _robot: usize, _digest: String, _offset: u64) {}

    /// Stores how the update stands, in the place of what was stored before.
    fn keep_update(&mut self, _update: &Update) {}

    /// The swarm has more robots now: this is all of it.
    fn enrolled(&mut self, _now: f64, _swarm: &Swarm) {}

    /// Closes the record; the status is final.
    fn close_record(&mut self, status: Status);

    /// A line for the log.
    fn log(&mut self, line: Line);
}
