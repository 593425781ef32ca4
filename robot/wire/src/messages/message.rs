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

/// Tree that migrates between islands, with its fitness samples. The samples are summarised separately for two strata
/// (scenarios A and B of the benchmark task), each as count, sum and sum of squares.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Emigrant {
    /// Island on which the individual was born.
    pub island: u16,
    /// Birth number on this island.
    pub number: u32,
    /// Number of restarts of the sending island's evolution.
    pub epoch: u32,
    /// Tree in text form.
    pub tree: String,
    /// Number of samples per stratum.
    pub count: [u32; 2],
    /// Sum of fitness samples per stratum.
    pub sum: [f64; 2],
    /// Sum of squared fitness samples per stratum.
    pub square: [f64; 2],
}

/// Fields of an [`Emigrant`] in the order of their declaration. The last element contains the samples: counts, sums and
/// sums of squares.
pub type EmigrantValues<Text> = (u16, u32, u32, Text, ([u32; 2], [f64; 2], [f64; 2]));

impl Emigrant {
    /// Creates an emigrant from its fields.
    pub fn from_values((island, number, epoch, tree, (count, sum, square)): EmigrantValues<String>) -> Emigrant {
        Emigrant { island, number, epoch, tree, count, sum, square }
    }

    /// Returns the fields of the emigrant. They are not validated, so a receiver must validate them.
    pub fn values(&self) -> EmigrantValues<&str> {
        (self.island, self.number, self.epoch, &self.tree, (self.count, self.sum, self.square))
    }

    /// Whether two emigrants are equal in every bit. Unlike with `==`, NaN equals itself.
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
    /// Generation of a random tree.
    Random,
    /// Crossover of two parents, then mutation.
    Crossover,
    /// Copy of one parent, then mutation.
    Mutation,
}

/// Summary of an individual's samples after a generation, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sampled {
    /// Island on which the individual was born.
    pub island: u16,
    /// Birth number on this island.
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
    /// Birth number of the individual on the reporting island.
    pub number: u32,
    /// Parents as (island, birth number), at most two; empty for a random tree.
    #[schemars(length(max = 2))]
    pub parents: Vec<(u16, u32)>,
    /// Mean of the samples of the individual's first generation.
    pub fitness: f32,
    /// Operator that created the individual.
    #[serde(default)]
    pub operator: Operator,
}

/// Message from a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RobotMessage {
    /// First message, repeated until the hub replies with [`ToRobot::Welcome`].
    Hello {
        /// Version of the robot's program.
        version: String,
        /// Random number of this start of the program, not 0. Every message to the robot repeats this number, as
        /// protection against replays.
        session: u64,
        /// Hub number and message count of the last message that the robot accepted; zeros before the first message.
        /// The hub seals its next message with higher numbers.
        seen: (u64, u64),
        /// Report on the last received directive, for a hub that restarts during a run.
        #[serde(default)]
        witness: LastDirectiveReport,
    },
    /// State of the robot; sent ten times a second.
    Telemetry(Box<Telemetry>),
    /// Request for [`ToRobot::Pong`], by which the robot measures the round trip time.
    Ping {
        /// Value that the reply repeats.
        stamp: f64,
    },
    /// Immediate reply to [`ToRobot::Ping`].
    Pong {
        /// Value from the request.
        stamp: f64,
    },
    /// Reply to an experiment.
    Experiment {
        /// Number of the experiment.
        number: u64,
        /// Acceptance of the experiment, or the reason for its rejection.
        #[serde(rename = "error")]
        answer: Answer,
    },
    /// Report at the end of a generation, with the fittest individual and the births.
    Genes {
        /// Number of completed generations.
        generation: u32,
        /// Fittest individual of the island.
        emigrant: Emigrant,
        /// Births in this generation.
        births: Vec<Birth>,
    },
    /// Tree that was loaded and now drives the wheels.
    Loaded {
        /// Segment for which the tree was loaded.
        segment: u32,
        /// Tree as executed, including the node `avoiding`, under which every evolved tree runs.
        gene: Emigrant,
    },
    /// Reply to [`ToRobot::Settings`].
    Settings(PushAnswer),
    /// Control updates of a run for the record; sent at least once a second.
    Updates(Box<Updates>),
    /// Line of the robot's log.
    Log(LogLine),
    /// New samples of individuals that were born in earlier generations. Contains the newest values of each individual
    /// that has changed since the last message of this kind.
    Samples {
        /// Number of completed generations.
        generation: u32,
        /// Individuals with new samples.
        samples: Vec<Sampled>,
    },
    /// Statistics of the population after a generation; sent just before [`RobotMessage::Genes`].
    Population(Population),
    /// Camera picture; sent about once a second while a viewer requests pictures.
    Picture(Picture),
    /// Request for the part of a bundle's payload at an offset; repeated until the part arrives.
    Want {
        /// SHA-256 of the payload.
        digest: String,
        /// Number of bytes that the robot has received, which is the offset of the requested part.
        offset: u64,
    },
    /// Installed release and result of the latest update; sent after each welcome, on change, and every ten seconds.
    Installed(Box<Installed>),
    /// State of the gene exchange with other robots. In a run with this exchange, the message is sent every two seconds
    /// and, after each generation, just before [`RobotMessage::Genes`].
    Peers(Box<PeersReport>),
    /// AprilTags seen by the camera; sent at most twice a second, by robots with tag detection.
    Tags(Tags),
    /// Readings of the sensors that telemetry does not contain; sent twice a second.
    Sensors(Box<Sensors>),
    /// Estimated world parameters, in experiments in which robots estimate them. Sent just before
    /// [`RobotMessage::Genes`].
    Estimates(Vec<Estimate>),
    /// Number of the stored directive, which the robot would report after a restart of its program; 0 if no directive
    /// is stored. Sent on change and once a second.
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
    /// Number of steps of the curriculum (staged training) that were completed before this generation.
    #[serde(default)]
    pub step: u16,
}

impl RobotMessage {
    /// Returns the session of the sending program; `None` if the message does not contain a session.
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

/// Directive of the hub: the commanded state of a robot, with its tree, phase and expiry.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Directive {
    /// Sequence number; increases with every change.
    pub number: u64,
    /// Commanded state.
    pub state: State,
    /// Number of the run's segment. When this number increases, the robot loads its fittest tree.
    pub segment: u32,
    /// Number of the experiment; 0 without an experiment. A robot ignores READY, RUN and PAUSE for an experiment other
    /// than its own.
    pub run: u64,
    /// Phase of the experiment, from 0.
    pub phase: u16,
    /// Tree of the swarm's fittest individual, in a phase in which all robots use this tree. Robots without an assigned
    /// controller load the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// Hub time after which the directive expires (s). A STOP is obeyed even after this time.
    pub expires: f64,
    /// Number of STOPs given to the swarm so far.
    #[serde(default)]
    pub stops: u64,
    /// Whether the directive is only for this robot, because an operator makes the robot stand still.
    #[serde(default)]
    pub held: bool,
    /// Whether a restarted hub requests the robot's previous directive. The robot then stands still and reports this
    /// directive.
    #[serde(default)]
    pub asks: bool,
}

/// Robot in range, with its relative position. It is serialised as a list of the three fields.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u16, f32, f32)", into = "(u16, f32, f32)")]
pub struct Neighbour {
    /// Island of the robot, which is the robot's position in the swarm file, from 1.
    pub island: u16,
    /// Distance (m).
    pub range: f32,
    /// Bearing in the frame of the robot that receives the message (rad).
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

/// Blinking duration after [`ToRobot::Identify`] (s of wall time).
pub const BLINKS_S: f64 = 5.0;

/// Message to a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToRobot {
    /// Reply to [`RobotMessage::Hello`].
    Welcome {
        /// Robot's island: its position in the swarm file, from 1.
        island: u16,
    },
    /// Experiment for which the robot must prepare.
    Experiment {
        /// Number of the experiment, which increases with each upload. An experiment with a higher number from the same
        /// hub, or with any number from a later hub, replaces the previous experiment.
        number: u64,
        /// Seed of the run.
        seed: u64,
        /// Number of robots in the swarm, and in the robot's simulations.
        robots: u16,
        /// Experiment and its files, which the robot verifies.
        signed: Signed,
    },
    /// Directive; repeated until the robot obeys it. A directive is stale if its number is below the last obeyed number
    /// of the same hub.
    Directive(Directive),
    /// Senses computed from motion capture; sent 25 times a second.
    Senses {
        /// Direction of the world's +x axis in the robot's frame (rad).
        up: f32,
        /// Robots in range.
        neighbours: Vec<Neighbour>,
        /// Age of the poses (s).
        age: f64,
    },
    /// Poses of the robot and of objects near it; sent ten times a second in experiments in which robots estimate world
    /// parameters.
    Poses(Box<Poses>),
    /// World parameters estimated by the other robots in the last minute; sent with each [`ToRobot::Genes`].
    Estimates(Vec<PeerEstimates>),
    /// Immigrants from other islands.
    Genes {
        /// Generation of the emigrant to which this message replies.
        generation: u32,
        /// Immigrants, the fittest first: at most 64, and fewer if the message would be too long.
        immigrants: Vec<Emigrant>,
    },
    /// Request for [`RobotMessage::Pong`], by which the hub measures the round trip time.
    Ping {
        /// Value that the reply repeats.
        stamp: f64,
    },
    /// Immediate reply to [`RobotMessage::Ping`].
    Pong {
        /// Value from the request.
        stamp: f64,
        /// Hub time, with which the robot checks whether a directive has expired (s).
        time: f64,
    },
    /// Settings for the robot's file; repeated until the robot answers.
    Settings {
        /// Number of the push, which increases with each push of settings. If the robot has received the number before,
        /// it only repeats its answer.
        number: u64,
        /// Settings in the format of a robot's file, at most 16384 bytes.
        text: String,
    },
    /// Request to send each control update immediately, for the next 3 s; repeated while a viewer watches.
    Watch {
        /// Whether the viewer requests camera pictures.
        picture: bool,
    },
    /// Command to blink for [`BLINKS_S`], so that a person can find the robot in the arena.
    Identify,
    /// Command to stop the wheels and reboot the board.
    Reboot,
    /// Offer of an update bundle; repeated until the robot requests the payload or reports a result.
    Offer {
        /// Number of the update, which increases with each update. The robot repeats this number in its reports.
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
        /// Bytes of the payload, at most 262144 bytes.
        bytes: Bytes,
    },
    /// Drive command of short duration, from an operator or from the hub during parking. The robot obeys it in every
    /// state except STOP.
    Drive(DriveCommand),
}

/// Message from a worker to a geneserver. A worker is a process that evolves one island.
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
    /// Report at the end of a generation. It replaces an earlier message for the same generation.
    Emigrant {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations.
        generation: u32,
        /// Individual offered to the other islands.
        gene: Emigrant,
    },
    /// Report at the end of the island's last generation.
    Done {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations.
        generation: u32,
    },
}

impl WorkerMessage {
    /// Returns the island of the sending worker.
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
    /// Acknowledgement of [`WorkerMessage::Join`] or [`WorkerMessage::Done`].
    Noted {
        /// Island of the worker.
        island: u16,
        /// Number of completed generations, from the acknowledged message.
        generation: u32,
    },
    /// Reply to [`WorkerMessage::Emigrant`].
    Immigrants {
        /// Island of the worker.
        island: u16,
        /// Generation of the emigrant to which this message replies.
        generation: u32,
        /// Immigrants, the fittest first: at most 64, and fewer if the message would be too long.
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
    /// End the current phase of the experiment. The next phase begins or, after the last phase, the run ends.
    Next,
    /// End the run.
    Stop,
    /// Get the trees that have driven robots in this run, and the fittest tree of each robot's island.
    Trees,
    /// Add a note to the run's events. The note is shown, logged and recorded with the operator's name.
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
    /// Watch a robot. For the next 3 s, the robot sends each control update immediately.
    Watch {
        /// Robot id.
        robot: String,
        /// Whether camera pictures are also requested.
        picture: bool,
    },
    /// Get the events after an event number. The hub only has the last 1000 events.
    Events {
        /// Number of the last event that the operator has; 0 for all events.
        after: u64,
    },
    /// Get a one-time link that opens the console's page as the requesting user.
    Link,
    /// Send settings to robots.
    Push {
        /// Settings in the format of a robot's file.
        text: String,
        /// Robot ids; empty for all robots of the swarm file.
        robots: Vec<String>,
    },
    /// Get the state of the last push.
    Pushed,
    /// Upload a part of a bundle's payload. The hub replies with [`Reply::Uploaded`]. A request without bytes only
    /// queries the progress.
    Upload {
        /// Bundle without its payload.
        bundle: BundleHead,
        /// Offset of the bytes in the payload.
        offset: u64,
        /// Bytes of the payload, at most 262144 bytes.
        bytes: Bytes,
    },
    /// Update robots with a bundle that the hub has.
    Update {
        /// SHA-256 of the payload.
        digest: String,
        /// Robot ids; empty for all robots of the swarm file.
        robots: Vec<String>,
        /// Number of robots that are updated first, at least 1. The other robots follow if the first updates succeed.
        canary: u32,
    },
    /// Get the state of the last update.
    Updated,
    /// Stop the update of the swarm. Robots that have begun their update continue it.
    AbortUpdate,
    /// Close the record and end the hub.
    Shutdown,
    /// Drive one robot for a short time. A program for manual driving repeats this request.
    Drive {
        /// Robot id.
        robot: String,
        /// Speeds of the left and right wheel over the floor (m/s, -0.13 to 0.13).
        wheels: [f32; 2],
        /// Lamp colour: red, green, blue (0 to 255). `None`: the lamps show the robot's state.
        #[serde(default)]
        lamps: Option<[u8; 3]>,
    },
    /// Get the camera picture of a robot. A client repeats this request until a recent picture is available.
    Picture {
        /// Robot id.
        robot: String,
    },
    /// Upload and run an experiment as with [`Request::Start`], even if a robot's battery will be empty before the end
    /// of the run.
    StartAnyway {
        /// Experiment and its files.
        signed: Signed,
        /// Seed of the run.
        seed: u64,
    },
    /// Drive robots to parking poses by motion capture. Not allowed during a run.
    Park(ParkOrder),
    /// Get the state of the last parking.
    Parked,
    /// Add the new robots of the swarm file to the swarm, and to a run in progress.
    Enrol {
        /// Ids of all robots in the swarm file, beginning with the robots that the hub already has.
        robots: Vec<String>,
        /// Endpoint of each robot to which other robots connect, as in the swarm file; empty without such endpoints.
        peers: Vec<String>,
    },
}

impl Request {
    /// Whether a role may send the request. Operators may send all requests. Observers may only send requests that read
    /// data, [`Request::Link`] and [`Request::Watch`]. Robots may not send requests.
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
    /// Treat the board as a replacement. Measurements of the previous board are discarded.
    Replace,
}

/// Last camera picture of a robot, as stored by the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StoredPicture {
    /// Last picture; `None` before the first picture.
    pub picture: Option<Picture>,
    /// Time since the arrival of the picture (s of wall time); 0 without a picture.
    pub age: f64,
    /// Age of the camera's last frame, as last reported by the robot (s of arena time); `None` before the first frame.
    pub camera_age: Option<f32>,
}

/// Reply of the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Reply {
    /// Success.
    Done,
    /// Success, with the text of a warning.
    DoneBut(String),
    /// Rejection, with the reason.
    Refused(String),
    /// Status of the hub.
    Status(Box<Status>),
    /// Trees, each with the id of its robot.
    Trees(Vec<(String, Emigrant)>),
    /// State of the last push, one row per addressed robot.
    Pushed(Vec<PushRow>),
    /// Number of received bytes of a bundle's payload. The bundle can be used when the payload is complete.
    Uploaded(u64),
    /// State of the last update; `None` before the first update.
    Updated(Option<Box<UpdateReport>>),
    /// Events, the oldest first.
    Events(Vec<Event>),
    /// One-time link, valid for ten minutes.
    Link(String),
    /// Last picture of a robot.
    Picture(StoredPicture),
    /// State of the last parking; `None` before the first parking.
    Parked(Option<Box<ParkReport>>),
}
