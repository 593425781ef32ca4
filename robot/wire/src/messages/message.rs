//! Messages between hub, robots, workers and operators. Times are in seconds of arena time unless a name or comment
//! states otherwise.

use crate::bytes::Bytes;
pub use crate::drive::DriveCommand;
pub use crate::estimate::{Estimate, PeerEstimates, Poses};
pub use crate::event::Event;
use crate::keyring::Role;
pub use crate::log_line::{LogLine, MAX_LOG_TEXT, Severity};
use crate::park::{ParkOrder, ParkReport};
use crate::peers_report::PeersReport;
pub use crate::picture::Picture;
use crate::rollout::{BundleHead, Installed, UpdateReport};
pub use crate::sensors::{HeardRobot, Sensors};
use crate::settings::{Answer, PushAnswer, PushRow};
use crate::signed::Signed;
pub use crate::state::State;
use crate::status::Status;
pub use crate::tags::{MAX_TAGS, TagSeen, Tags};
use crate::telemetry::Telemetry;
use crate::updates::Updates;
use crate::witness::LastDirectiveReport;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Tree that migrates between islands. Its samples are counts, sums and sums of squares for each of two strata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Emigrant {
    /// Island of birth.
    pub island: u16,
    /// Birth number on that island.
    pub number: u32,
    /// Number of restarts of the sending island.
    pub epoch: u32,
    /// Tree in text form.
    pub tree: String,
    /// Number of samples per stratum.
    pub count: [u32; 2],
    /// Sums of fitness per stratum.
    pub sum: [f64; 2],
    /// Sums of squared fitness per stratum.
    pub square: [f64; 2],
}

/// Fields of an [`Emigrant`] in their order; the last element contains the samples.
pub type EmigrantValues<Text> = (u16, u32, u32, Text, ([u32; 2], [f64; 2], [f64; 2]));

impl Emigrant {
    /// Creates an emigrant from its fields.
    pub fn from_values((island, number, epoch, tree, (count, sum, square)): EmigrantValues<String>) -> Emigrant {
        Emigrant { island, number, epoch, tree, count, sum, square }
    }

    /// Fields of the emigrant; the receiver must validate them.
    pub fn values(&self) -> EmigrantValues<&str> {
        (self.island, self.number, self.epoch, &self.tree, (self.count, self.sum, self.square))
    }

    /// Bitwise equality. Unlike with `==`, NaN equals itself.
    pub fn bits_eq(&self, other: &Emigrant) -> bool {
        let rest = |gene: &Emigrant| (gene.island, gene.number, gene.epoch, gene.count);
        let bits = |gene: &Emigrant| [gene.sum, gene.square].map(|pair| pair.map(f64::to_bits));
        rest(self) == rest(other) && bits(self) == bits(other) && self.tree == other.tree
    }
}

/// Operator that created an individual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// Unknown, because an earlier version did not record the operator.
    #[default]
    Unknown,
    /// Random generation.
    Random,
    /// Crossover of two parents, then mutation.
    Crossover,
    /// Copy of one parent, then mutation.
    Mutation,
}

/// Samples of an individual after a generation, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sampled {
    /// Island of birth.
    pub island: u16,
    /// Birth number on that island.
    pub number: u32,
    /// Number of samples so far on the reporting island.
    pub samples: u32,
    /// Mean of the samples.
    pub fitness: f32,
}

/// Maximum number of individuals in a samples message.
pub const MAX_SAMPLE_SUMMARIES: usize = 4096;

/// Birth of an individual, for the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Birth {
    /// Birth number on its island.
    pub number: u32,
    /// Mother and father as (island, number); empty for a random tree.
    #[schemars(length(max = 2))]
    pub parents: Vec<(u16, u32)>,
    /// Mean of the samples of its first generation.
    pub fitness: f32,
    /// Operator that created the individual.
    #[serde(default)]
    pub operator: Operator,
}

/// Message from a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RobotMessage {
    /// First message, repeated until the hub answers with a welcome.
    Hello {
        /// Version of the robot's program.
        version: String,
        /// Random number of this start of the program, not 0; every message to the robot repeats it (replay
        /// protection).
        session: u64,
        /// Number of the latest hub that the robot heard, and message count of this hub; zeros before the first. The
        /// hub seals its next message with higher numbers.
        seen: (u64, u64),
        /// Report about the last received directive, for a hub that returns during a run.
        #[serde(default)]
        witness: LastDirectiveReport,
    },
    /// State of the robot, ten times a second.
    Telemetry(Box<Telemetry>),
    /// Requests a pong; measures the round trip on the robot's side.
    Ping {
        /// Value that the pong repeats.
        stamp: f64,
    },
    /// Immediate reply to [`ToRobot::Ping`].
    Pong {
        /// Stamp of the ping.
        stamp: f64,
    },
    /// Reply to an experiment.
    Experiment {
        /// Number of the experiment.
        number: u64,
        /// Acceptance, or the reason for rejection.
        #[serde(rename = "error")]
        answer: Answer,
    },
    /// End of a generation: fittest individual and births.
    Genes {
        /// Number of completed generations.
        generation: u32,
        /// Fittest individual.
        emigrant: Emigrant,
        /// Births in this generation.
        births: Vec<Birth>,
    },
    /// Tree that was loaded and now drives the wheels.
    Loaded {
        /// Segment for which the tree was loaded.
        segment: u32,
        /// Tree as executed, including `avoiding`.
        gene: Emigrant,
    },
    /// Reply to [`ToRobot::Settings`].
    Settings(PushAnswer),
    /// Control updates of a run for the record, at least once a second.
    Updates(Box<Updates>),
    /// Line of the robot's log.
    Log(LogLine),
    /// Samples of individuals after their first generation. Contains the newest values of each individual since the
    /// last message of this kind.
    Samples {
        /// Number of completed generations.
        generation: u32,
        /// Individuals with new samples.
        samples: Vec<Sampled>,
    },
    /// Statistics of the population after a generation; sent just before [`RobotMessage::Genes`].
    Population(Population),
    /// Camera picture, about once a second while a viewer requests it.
    Picture(Picture),
    /// Requests the part of a bundle's payload at an offset; repeated until the part arrives.
    Want {
        /// SHA-256 of the payload.
        digest: String,
        /// Number of bytes that the robot has.
        offset: u64,
    },
    /// Installed release and result of the latest update; sent after each welcome, on change, and every ten seconds.
    Installed(Box<Installed>),
    /// State of the gene exchange with other robots. In a run with this exchange, it is sent after each generation,
    /// before the genes, and every two seconds.
    Peers(Box<PeersReport>),
    /// AprilTags seen by the camera, at most twice a second; only from robots with tag detection.
    Tags(Tags),
    /// Readings of the other sensors, twice a second.
    Sensors(Box<Sensors>),
    /// Estimated world parameters, in experiments that adapt; sent just before [`RobotMessage::Genes`].
    Estimates(Vec<Estimate>),
    /// Number of the directive that the robot would report after a restart of its program; 0: none. Sent on change
    /// and once a second.
    Kept(u64),
}

/// Statistics of an island's population.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Population {
    /// Number of completed generations.
    pub generation: u32,
    /// Number of individuals.
    pub size: u32,
    /// Number of different trees.
    pub distinct: u32,
    /// Mean number of nodes per tree.
    pub mean_nodes: f32,
    /// Number of curriculum steps completed before this generation.
    #[serde(default)]
    pub step: u16,
}

impl RobotMessage {
    /// Session of the sending program, if the message contains it.
    pub fn session(&self) -> Option<u64> {
        match self {
            RobotMessage::Hello { session, .. } => Some(*session),
            RobotMessage::Telemetry(telemetry) => Some(telemetry.session),
            RobotMessage::Updates(updates) => Some(updates.session),
            _ => None,
        }
        .filter(|session| *session != 0)
    }
}

/// Commanded state of a robot.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Directive {
    /// Sequence number; increases with every change.
    pub number: u64,
    /// Commanded state.
    pub state: State,
    /// Segment; when it increases, the robot loads its fittest tree.
    pub segment: u32,
    /// Number of the experiment; 0: none. A robot ignores READY, RUN and PAUSE of another experiment.
    pub run: u64,
    /// Phase of the experiment, from 0.
    pub phase: u16,
    /// Tree of the swarm's fittest individual, in a phase in which all robots use it. Robots without an assigned
    /// controller load it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Hub time after which the directive expires. A STOP is obeyed even after this time.
    pub expires: f64,
    /// Number of STOPs given to the swarm so far.
    #[serde(default)]
    pub stops: u64,
    /// Whether the directive is only for this robot, because an operator holds the robot.
    #[serde(default)]
    pub held: bool,
    /// Whether a restarted hub asks for earlier directives. The robot then stands still and reports its previous
    /// directive.
    #[serde(default)]
    pub asks: bool,
}

/// Robot whose message was heard; serialised as a list of the three fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u16, f32, f32)", into = "(u16, f32, f32)")]
pub struct Neighbour {
    /// Island: position in the swarm file, from 1.
    pub island: u16,
    /// Range (m).
    pub range: f32,
    /// Bearing in the receiving robot's frame (rad).
    pub bearing: f32,
}

impl From<(u16, f32, f32)> for Neighbour {
    fn from((island, range, bearing): (u16, f32, f32)) -> Neighbour {
        Neighbour { island, range, bearing }
    }
}

impl From<Neighbour> for (u16, f32, f32) {
    fn from(n: Neighbour) -> (u16, f32, f32) {
        (n.island, n.range, n.bearing)
    }
}

/// Blinking duration of a robot to be identified (s of wall time).
pub const BLINKS_S: f64 = 5.0;

/// Message to a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToRobot {
    /// Reply to a hello.
    Welcome {
        /// Robot's island: its position in the swarm file, from 1.
        island: u16,
    },
    /// Experiment for which the robot must prepare.
    Experiment {
        /// Upload number. A later number of the same hub, and any number of a later hub, replaces an earlier
        /// experiment.
        number: u64,
        /// Seed of the run.
        seed: u64,
        /// Number of robots in the swarm, and in the robot's simulations.
        robots: u16,
        /// Experiment and its files; the robot verifies them itself.
        signed: Signed,
    },
    /// Directive, repeated until obeyed. A number below the last obeyed number of the same hub is stale.
    Directive(Directive),
    /// Virtual senses, 25 times a second.
    Senses {
        /// Direction of the world's +x axis in the robot's frame (rad).
        up: f32,
        /// Robots in range.
        neighbours: Vec<Neighbour>,
        /// Age of the poses (s).
        age: f64,
    },
    /// Poses of the robot and of objects near it, ten times a second in experiments that adapt.
    Poses(Box<Poses>),
    /// World parameters estimated by the other robots in the last minute; sent with each [`ToRobot::Genes`].
    Estimates(Vec<PeerEstimates>),
    /// Immigrants from other islands.
    Genes {
        /// Generation of the emigrant to which this replies.
        generation: u32,
        /// Immigrants, the fittest first; at most 64, and fewer if the message would be too long.
        immigrants: Vec<Emigrant>,
    },
    /// Requests a pong; measures the round trip.
    Ping {
        /// Value that the pong repeats.
        stamp: f64,
    },
    /// Immediate reply to [`RobotMessage::Ping`].
    Pong {
        /// Stamp of the ping.
        stamp: f64,
        /// Hub time, with which the robot checks whether a directive has expired.
        time: f64,
    },
    /// Settings for the robot's file; repeated until answered.
    Settings {
        /// Push number, which increases. For a repeated number, the robot repeats its answer without further effect.
        number: u64,
        /// Excerpt of a robot's file, at most 16384 bytes.
        text: String,
    },
    /// Watch request: for the next 3 s the robot sends each control update at once. Repeated while a viewer watches.
    Watch {
        /// Whether the viewer requests camera pictures.
        picture: bool,
    },
    /// Blink for [`BLINKS_S`], so that the robot can be found in the arena.
    Identify,
    /// Stop the wheels and reboot the board.
    Reboot,
    /// Bundle for this robot; repeated until the robot requests the payload or reports a result.
    Offer {
        /// Update number, which increases; the robot repeats it in its progress reports.
        number: u64,
        /// Bundle without its payload.
        bundle: BundleHead,
    },
    /// Reply to [`RobotMessage::Want`].
    Chunk {
        /// SHA-256 of the payload.
        digest: String,
        /// Offset of the bytes in the payload.
        offset: u64,
        /// Bytes of the payload, at most 262144.
        bytes: Bytes,
    },
    /// Drive command of short duration, from an operator or from the hub during parking. It is obeyed in every state
    /// except STOP.
    Drive(DriveCommand),
}

/// Message to a geneserver from a worker, a process that evolves one island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum WorkerMessage {
    /// First message after a start or reconnection.
    Join {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations.
        generation: u32,
    },
    /// End of a generation. A repeated message replaces the previous one for the same generation.
    Emigrant {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations.
        generation: u32,
        /// Individual offered to the other islands.
        gene: Emigrant,
    },
    /// End of the island's last generation.
    Done {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations.
        generation: u32,
    },
}

impl WorkerMessage {
    /// Island of the message.
    pub fn island(&self) -> u16 {
        let (WorkerMessage::Join { island, .. }
        | WorkerMessage::Emigrant { island, .. }
        | WorkerMessage::Done { island, .. }) = self;
        *island
    }
}

/// Message to a worker, in reply to one of its messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ToWorker {
    /// Acknowledgement of a join or of the end of an island.
    Noted {
        /// Island of the worker.
        island: u16,
        /// Reported generation.
        generation: u32,
    },
    /// Reply to an emigrant.
    Immigrants {
        /// Island of the worker.
        island: u16,
        /// Generation of the emigrant to which this replies.
        generation: u32,
        /// Immigrants, the fittest first; at most 64, and fewer if the message would be too long.
        immigrants: Vec<Emigrant>,
    },
    /// Rejection of a message.
    Refused {
        /// Island of the worker; 0 if the message could not be decoded.
        island: u16,
        /// Reason, in one line.
        why: String,
    },
}

/// Request of an operator to the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Request {
    /// Get the status.
    Status,
    /// Upload an experiment and run it when the robots are ready.
    Start {
        /// Experiment and its files.
        signed: Signed,
        /// Seed of the run.
        seed: u64,
    },
    /// Pause robots and evolution.
    Pause,
    /// Resume after a pause.
    Resume,
    /// End the current phase of the experiment: the next phase begins, or the run ends.
    Next,
    /// End the run.
    Stop,
    /// Get the trees that drove robots in this run, and the fittest trees of the robots' islands.
    Trees,
    /// Add a note to the run's events: shown, logged and recorded with the operator's name.
    Note {
        /// Text, at most 500 characters.
        text: String,
    },
    /// Give an order to one robot.
    Order {
        /// Robot id.
        robot: String,
        /// Order for the robot.
        order: Order,
    },
    /// Watch a robot: for some seconds it sends each control update at once.
    Watch {
        /// Robot id.
        robot: String,
        /// Whether camera pictures are requested too.
        picture: bool,
    },
    /// Get the events after an event number, of the last 1000 events.
    Events {
        /// Last known event number; 0 for all events.
        after: u64,
    },
    /// Get a one-time link that opens the console's page as the requesting user.
    Link,
    /// Send settings to robots.
    Push {
        /// Excerpt of a robot's file.
        text: String,
        /// Robot ids; empty for all robots of the swarm file.
        robots: Vec<String>,
    },
    /// Get the state of the last push.
    Pushed,
    /// Upload a part of a bundle's payload, answered with [`Reply::Uploaded`]. Without bytes the request only queries
    /// the progress.
    Upload {
        /// Bundle without its payload.
        bundle: BundleHead,
        /// Offset of the bytes in the payload.
        offset: u64,
        /// Bytes of the payload, at most 262144.
        bytes: Bytes,
    },
    /// Update robots with a bundle that the hub has.
    Update {
        /// SHA-256 of the payload.
        digest: String,
        /// Robot ids; empty for all robots of the swarm file.
        robots: Vec<String>,
        /// Number of robots updated first, at least 1; the other robots follow if these updates succeed.
        canary: u32,
    },
    /// Get the state of the last update.
    Updated,
    /// Stop the update of the swarm; robots that have begun continue.
    AbortUpdate,
    /// Close the record and end the hub.
    Shutdown,
    /// Drive one robot for a moment; repeated by a program for manual driving.
    Drive {
        /// Robot id.
        robot: String,
        /// Wheel speeds over the floor, left and right (m/s, -0.13 to 0.13).
        wheels: [f32; 2],
        /// Lamp colour: red, green, blue. `None`: colour of the robot's state.
        #[serde(default)]
        lamps: Option<[u8; 3]>,
    },
    /// Get the camera picture of a robot; repeated until a recent picture is available.
    Picture {
        /// Robot id.
        robot: String,
    },
    /// Like [`Request::Start`], even if a battery will be empty before the end of the run.
    StartAnyway {
        /// Experiment and its files.
        signed: Signed,
        /// Seed of the run.
        seed: u64,
    },
    /// Park robots at poses by motion capture; not during a run.
    Park(ParkOrder),
    /// Get the state of the last parking.
    Parked,
    /// Add the new robots of the swarm file, also to a run in progress.
    Enrol {
        /// Ids of all robots in the file, beginning with the robots that the hub already has.
        robots: Vec<String>,
        /// Endpoint of each robot for the other robots, as in the file; empty without endpoints.
        peers: Vec<String>,
    },
}

impl Request {
    /// Whether a role may send the request; observers may only read.
    pub fn allowed_to(&self, role: Role) -> bool {
        match role {
            Role::Operator => true,
            Role::Observer => matches!(
                self,
                Request::Status
                    | Request::Trees
                    | Request::Pushed
                    | Request::Updated
                    | Request::Parked
                    | Request::Watch { .. }
                    | Request::Events { .. }
                    | Request::Link
                    | Request::Picture { .. }
            ),
            Role::Robot => false,
        }
    }
}

/// Order to one robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Blink, so that the robot can be found.
    Identify,
    /// Stand still until released, independently of the other robots.
    Hold,
    /// Follow the swarm's directives again.
    Release,
    /// Reboot the board.
    Reboot,
    /// Stand still as in PAUSE until released, independently of the other robots.
    Pause,
    /// Treat the board as a replacement: measurements of the previous board are discarded.
    Replace,
}

/// Robot's camera picture as stored by the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredPicture {
    /// Last picture; `None` before the first.
    pub picture: Option<Picture>,
    /// Time since the arrival of the picture (s of wall time).
    pub age: f64,
    /// Age of the camera's last frame, as the robot last reported it (s); `None` before the first frame.
    pub camera_age: Option<f32>,
}

/// Reply of the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Reply {
    /// Success.
    Done,
    /// Success, with a warning.
    DoneBut(String),
    /// Rejection, with the reason.
    Refused(String),
    /// Status of the hub.
    Status(Box<Status>),
    /// Trees, each with its robot's id.
    Trees(Vec<(String, Emigrant)>),
    /// State of the last push, one row per addressed robot.
    Pushed(Vec<PushRow>),
    /// Number of received bytes of a bundle's payload; the bundle can be used when the payload is complete.
    Uploaded(u64),
    /// State of the last update; `None` if there was none.
    Updated(Option<Box<UpdateReport>>),
    /// Events, the oldest first.
    Events(Vec<Event>),
    /// One-time link, valid for ten minutes.
    Link(String),
    /// Last picture of a robot.
    Picture(StoredPicture),
    /// State of the last parking; `None` if there was none.
    Parked(Option<Box<ParkReport>>),
}
