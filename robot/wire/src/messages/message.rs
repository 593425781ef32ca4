//! The messages. Times are seconds of arena time unless a name says otherwise.

use crate::bytes::Bytes;
pub use crate::drive::DriveCommand;
pub use crate::estimate::{Estimate, Poses, Told};
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
use crate::witness::Witness;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A tree on its way between islands, with its samples as counts, sums and sums of squares of two strata.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Emigrant {
    /// Island of birth.
    pub island: u16,
    /// Number of birth on that island.
    pub number: u32,
    /// Fresh starts that the sending island has made.
    pub epoch: u32,
    /// The tree in text form.
    pub tree: String,
    /// Samples per stratum.
    pub count: [u32; 2],
    /// Sums of fitness per stratum.
    pub sum: [f64; 2],
    /// Sums of squared fitness per stratum.
    pub square: [f64; 2],
}

/// An emigrant as plain values, in the order of its fields; samples together.
pub type EmigrantValues<Text> = (u16, u32, u32, Text, ([u32; 2], [f64; 2], [f64; 2]));

impl Emigrant {
    /// The emigrant of these values.
    pub fn of((island, number, epoch, tree, (count, sum, square)): EmigrantValues<String>) -> Emigrant {
        Emigrant { island, number, epoch, tree, count, sum, square }
    }

    /// Its values, which whoever believes them has to check.
    pub fn values(&self) -> EmigrantValues<&str> {
        (self.island, self.number, self.epoch, &self.tree, (self.count, self.sum, self.square))
    }

    /// Equal in every bit. Unlike with `==`, NaN equals itself.
    pub fn same(&self, other: &Emigrant) -> bool {
        let rest = |gene: &Emigrant| (gene.island, gene.number, gene.epoch, gene.count);
        let bits = |gene: &Emigrant| [gene.sum, gene.square].map(|pair| pair.map(f64::to_bits));
        rest(self) == rest(other) && bits(self) == bits(other) && self.tree == other.tree
    }
}

/// How an individual came to be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Operator {
    /// A record of an earlier version does not tell.
    #[default]
    Unknown,
    /// Drawn at random.
    Random,
    /// Crossover of two parents, then mutation.
    Crossover,
    /// A copy of one parent, then mutation.
    Mutation,
}

/// What an individual's samples came to in a generation, for the record.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Sampled {
    /// Island of its birth.
    pub island: u16,
    /// Number on that island.
    pub number: u32,
    /// Samples so far, on the island that tells.
    pub samples: u32,
    /// Their mean.
    pub fitness: f32,
}

/// Most individuals of which one message tells samples.
pub const MAX_SAMPLED: usize = 4096;

/// Birth of an individual, for the record: number, and its parents as (island, number).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Birth {
    /// Number on its island.
    pub number: u32,
    /// Mother and father; empty for a random tree.
    #[schemars(length(max = 2))]
    pub parents: Vec<(u16, u32)>,
    /// Mean of the samples that its first generation gave.
    pub fitness: f32,
    /// How it came to be.
    #[serde(default)]
    pub operator: Operator,
}

/// From a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum RobotMessage {
    /// First message, repeated until welcomed.
    Hello {
        /// Version of the robot's program.
        version: String,
        /// A random number of this start of the program, not 0; every message to the robot repeats it (replay protection).
        session: u64,
        /// Number of the latest hub that it heard, and count of that hub's latest message; zeros before the first. What
        /// the hub says next is above it.
        seen: (u64, u64),
        /// What it was told to do last, for a hub that returns in a run.
        #[serde(default)]
        witness: Witness,
    },
    /// Ten times a second.
    Telemetry(Box<Telemetry>),
    /// Asks for a pong; measures the round trip as the robot sees it.
    Ping {
        /// Comes back in the pong.
        stamp: f64,
    },
    /// The answer to [`ToRobot::Ping`], at once.
    Pong {
        /// The ping's stamp.
        stamp: f64,
    },
    /// The experiment was received.
    Experiment {
        /// The experiment's number.
        number: u64,
        /// What the robot makes of it.
        #[serde(rename = "error")]
        answer: Answer,
    },
    /// A generation is done: the fittest individual, and who was born in it.
    Genes {
        /// Generations done.
        generation: u32,
        /// The emigrant.
        emigrant: Emigrant,
        /// Births of this generation.
        births: Vec<Birth>,
    },
    /// A tree now drives the wheels.
    Loaded {
        /// The segment it was loaded for.
        segment: u32,
        /// The tree as it runs, `avoiding` included.
        gene: Emigrant,
    },
    /// The answer to [`ToRobot::Settings`].
    Settings(PushAnswer),
    /// Control updates of a run, for the record; at least once a second.
    Updates(Box<Updates>),
    /// A line of its log.
    Log(LogLine),
    /// Samples of individuals after their first generation, each one's newest since this was told last.
    Samples {
        /// Generations done.
        generation: u32,
        /// Whose samples became more.
        samples: Vec<Sampled>,
    },
    /// What its population looks like after a generation; told just before [`RobotMessage::Genes`].
    Population(Population),
    /// What its camera sees, while somebody wants to see it; about once a second.
    Picture(Picture),
    /// Asks for the piece of a bundle's payload that begins there; asked again if none comes.
    Want {
        /// SHA-256 of the payload.
        digest: String,
        /// Bytes of it that the robot has.
        offset: u64,
    },
    /// Which release it runs, and what came of the latest update: after each welcome, when it changes, and every ten seconds.
    Installed(Box<Installed>),
    /// How the exchange of genes with other robots stands: after each generation of a run that has it, before its genes,
    /// and every two seconds.
    Peers(Box<PeersReport>),
    /// The AprilTags that its camera sees; at most twice a second, from robots that look for them.
    Tags(Tags),
    /// What its other sensors tell; twice a second.
    Sensors(Box<Sensors>),
    /// What it found out about the world, in experiments that adapt; told just before [`RobotMessage::Genes`].
    Estimates(Vec<Estimate>),
    /// After a restart of its program it would testify to the directive of this number, or to nothing: when that is so, and
    /// once a second.
    Kept(u64),
}

/// What an island's population looks like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Population {
    /// Generations done.
    pub generation: u32,
    /// Individuals.
    pub size: u32,
    /// Different trees among them.
    pub distinct: u32,
    /// Mean number of nodes of a tree.
    pub mean_nodes: f32,
    /// Steps of the experiment's curriculum that were over before this generation.
    #[serde(default)]
    pub step: u16,
}

impl RobotMessage {
    /// The session of the program that said it, if it tells.
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

/// What a robot is to do.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Directive {
    /// Rises with every change.
    pub number: u64,
    /// The state to be in.
    pub state: State,
    /// The segment; when it rises, the robot loads its fittest tree.
    pub segment: u32,
    /// Number of the experiment that it is about; 0 for none. READY, RUN and PAUSE of another one are ignored.
    pub run: u64,
    /// The experiment's phase, from 0.
    pub phase: u16,
    /// The tree that robots without a controller of their own load for this phase, where all are to drive with the swarm's
    /// fittest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The hub's time after which it is not to be obeyed; STOP is obeyed all the same.
    pub expires: f64,
    /// STOPs that the swarm was given so far.
    #[serde(default)]
    pub stops: u64,
    /// It is for this robot alone, which an operator holds.
    #[serde(default)]
    pub held: bool,
    /// A hub that has returned asks what robots were told before: the robot stands, and still testifies to that.
    #[serde(default)]
    pub asks: bool,
}

/// A robot whose message was heard; on its way it is a list of these three.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(from = "(u16, f32, f32)", into = "(u16, f32, f32)")]
pub struct Neighbour {
    /// Its island, which is its place in the swarm file, from 1.
    pub island: u16,
    /// Range, m.
    pub range: f32,
    /// Bearing in the hearing robot's frame, rad.
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

/// A robot that is to be found blinks for so long, s of wall time.
pub const BLINKS_S: f64 = 5.0;

/// To a robot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToRobot {
    /// The answer to a hello.
    Welcome {
        /// The robot's island: its place in the swarm file, from 1.
        island: u16,
    },
    /// An experiment to get ready for.
    Experiment {
        /// Counts uploads; a later number of the same hub, and any of a later hub, replaces an earlier experiment.
        number: u64,
        /// Seed of this run.
        seed: u64,
        /// Number of robots in the swarm, which is how many its simulations hold.
        robots: u16,
        /// The experiment and its files; the robot verifies them itself.
        signed: Signed,
    },
    /// What to do now; sent again until obeyed. Lower numbers than the last obeyed one of the same hub are stale.
    Directive(Directive),
    /// Virtual senses, 25 times a second.
    Senses {
        /// Direction of +x of the world in the robot's frame, rad.
        up: f32,
        /// The neighbours heard.
        neighbours: Vec<Neighbour>,
        /// Age of the poses, s.
        age: f64,
    },
    /// Where the robot and what is near it were, ten times a second in experiments that adapt.
    Poses(Box<Poses>),
    /// What the other robots found out about the world in the last minute; goes with each [`ToRobot::Genes`].
    Estimates(Vec<Told>),
    /// Individuals from other islands.
    Genes {
        /// The generation that they answer.
        generation: u32,
        /// The immigrants, fittest first; at most 64, and fewer if they would not fit in a message.
        immigrants: Vec<Emigrant>,
    },
    /// Asks for a pong; measures the round trip.
    Ping {
        /// Comes back in the pong.
        stamp: f64,
    },
    /// The answer to [`RobotMessage::Ping`], at once.
    Pong {
        /// The ping's stamp.
        stamp: f64,
        /// The hub's time, by which the robot judges whether a directive has expired.
        time: f64,
    },
    /// Settings for the robot's file; sent again until answered.
    Settings {
        /// Rises with every push; a robot answers the same number again without doing anything again.
        number: u64,
        /// Part of a robot's file; at most 16384 bytes.
        text: String,
    },
    /// Somebody watches this robot: for the next 3 s it tells each control update at once. Said again while they do.
    Watch {
        /// They want to see what its camera sees.
        picture: bool,
    },
    /// Blink for [`BLINKS_S`], so that somebody beside the arena finds this robot.
    Identify,
    /// Stop the wheels and start the board again.
    Reboot,
    /// A bundle for this robot; said again until it asks for the payload or says what it makes of it.
    Offer {
        /// Rises with every update; the robot repeats it when it tells how far it is.
        number: u64,
        /// The bundle without its payload.
        bundle: BundleHead,
    },
    /// The answer to [`RobotMessage::Want`].
    Chunk {
        /// SHA-256 of the payload.
        digest: String,
        /// Where the bytes begin in the payload.
        offset: u64,
        /// At most 262144 bytes of it.
        bytes: Bytes,
    },
    /// Drive so for a moment: an operator drives this robot, or the hub parks it. Obeyed in every state but STOP.
    Drive(DriveCommand),
}

/// From a worker, which evolves one island in a process of its own, to a geneserver.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum WorkerMessage {
    /// The first message after a start or a return.
    Join {
        /// The island.
        island: u16,
        /// Generations done so far.
        generation: u32,
    },
    /// A generation is done. Sent again, it replaces what was sent before for the same generation.
    Emigrant {
        /// The island.
        island: u16,
        /// Generations done.
        generation: u32,
        /// The individual offered to the others.
        gene: Emigrant,
    },
    /// The island's generations are all done.
    Done {
        /// The island.
        island: u16,
        /// Generations done.
        generation: u32,
    },
}

impl WorkerMessage {
    /// The island that it is of.
    pub fn island(&self) -> u16 {
        let (WorkerMessage::Join { island, .. }
        | WorkerMessage::Emigrant { island, .. }
        | WorkerMessage::Done { island, .. }) = self;
        *island
    }
}

/// To a worker; each message is the answer to one of its own.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum ToWorker {
    /// The answer to a join or to the end of an island.
    Noted {
        /// The island.
        island: u16,
        /// The generation that was told.
        generation: u32,
    },
    /// The answer to an emigrant.
    Immigrants {
        /// The island.
        island: u16,
        /// The generation that they answer.
        generation: u32,
        /// The immigrants, fittest first; at most 64, and fewer if they would not fit in a message.
        immigrants: Vec<Emigrant>,
    },
    /// What was sent is refused.
    Refused {
        /// The island; 0 if the message could not be read.
        island: u16,
        /// Why, in one line.
        why: String,
    },
}

/// What an operator asks of the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Request {
    /// How things stand.
    Status,
    /// Upload an experiment and run it when the robots are ready.
    Start {
        /// The experiment and its files.
        signed: Signed,
        /// Seed of the run.
        seed: u64,
    },
    /// Stand still, evolution too.
    Pause,
    /// Go on after a pause.
    Resume,
    /// End the experiment's present phase: the next one begins, or the run is over.
    Next,
    /// End the run.
    Stop,
    /// The trees that drove robots in this run, and their islands' fittest.
    Trees,
    /// Add a line to what happens in the run: shown, logged and recorded with the name of who said it.
    Note {
        /// At most 500 characters.
        text: String,
    },
    /// Have one robot do something.
    Order {
        /// Its id.
        robot: String,
        /// What.
        order: Order,
    },
    /// Say that a robot is watched: for some seconds it tells each control update at once.
    Watch {
        /// Its id.
        robot: String,
        /// What its camera sees is wanted too.
        picture: bool,
    },
    /// What happened: the events with numbers above this one, of the last 1000.
    Events {
        /// 0 for all that are there.
        after: u64,
    },
    /// A one-time link by which whoever asks opens the console's page as themselves.
    Link,
    /// Send settings to robots.
    Push {
        /// Part of a robot's file.
        text: String,
        /// The robots; all of the swarm file if empty.
        robots: Vec<String>,
    },
    /// How the last push stands.
    Pushed,
    /// Give the hub a piece of a bundle's payload; where it stands is answered with [`Reply::Uploaded`]. Without bytes it only
    /// asks that.
    Upload {
        /// The bundle without its payload.
        bundle: BundleHead,
        /// Where the bytes begin in the payload.
        offset: u64,
        /// At most 262144 bytes of it.
        bytes: Bytes,
    },
    /// Update robots with a bundle that the hub has.
    Update {
        /// SHA-256 of its payload.
        digest: String,
        /// The robots; all of the swarm file if empty.
        robots: Vec<String>,
        /// So many are first; the others follow when those are well. At least 1.
        canary: u32,
    },
    /// How the last update stands.
    Updated,
    /// Update no further robot; those that began go on to their end.
    AbortUpdate,
    /// Close the record and end the hub.
    Shutdown,
    /// Have one robot drive so for a moment: said again and again by whoever drives it by hand.
    Drive {
        /// Its id.
        robot: String,
        /// Speeds of the wheels over the floor, left and right, m/s, -0.13 to 0.13.
        wheels: [f32; 2],
        /// Colour of the lamps, red, green and blue; the state's own without it.
        #[serde(default)]
        lamps: Option<[u8; 3]>,
    },
    /// What a robot's camera sees: asked again until a picture is there that is young enough.
    Picture {
        /// Its id.
        robot: String,
    },
    /// As [`Request::Start`], also if a battery will be empty before the run is over.
    StartAnyway {
        /// The experiment and its files.
        signed: Signed,
        /// Seed of the run.
        seed: u64,
    },
    /// Send robots to places by motion capture; not during a run.
    Park(ParkOrder),
    /// How the last parking stands.
    Parked,
    /// The swarm file lists more robots: the hub takes them, also into the run that goes on.
    Enrol {
        /// All robots of the file, those that the hub has first.
        robots: Vec<String>,
        /// Where each of them listens to the others, or nothing, as the file says.
        peers: Vec<String>,
    },
}

impl Request {
    /// True if somebody of this role may ask it: observers look, and change nothing.
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

/// What one robot is to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Order {
    /// Blink.
    Identify,
    /// Stand still, whatever the others do, until it is released.
    Hold,
    /// Do as the others do again.
    Release,
    /// Start its board again.
    Reboot,
    /// Stand still as in PAUSE, whatever the others do, until it is released.
    Pause,
    /// Be another board from now on: what was measured of the former one is forgotten.
    Replace,
}

/// A robot's picture as the hub has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PictureTold {
    /// The picture; none before it sent one.
    pub picture: Option<Picture>,
    /// How long ago it came, s of wall time.
    pub age: f64,
    /// Age of the camera's last frame, s, as the robot told last; none before the first.
    pub camera_age: Option<f32>,
}

/// The hub's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub enum Reply {
    /// Done.
    Done,
    /// Done, and what whoever asked has to know of it.
    DoneBut(String),
    /// Not done, and why.
    Refused(String),
    /// How things stand.
    Status(Box<Status>),
    /// Trees by robot.
    Trees(Vec<(String, Emigrant)>),
    /// How the last push stands, a row for each robot that it is for.
    Pushed(Vec<PushRow>),
    /// So many bytes of a bundle's payload are there; the bundle can be used when that is all of it.
    Uploaded(u64),
    /// How the last update stands; none if there was none.
    Updated(Option<Box<UpdateReport>>),
    /// What happened, the oldest first.
    Events(Vec<Event>),
    /// A link that is good once, for ten minutes.
    Link(String),
    /// A robot's last picture.
    Picture(PictureTold),
    /// How the last parking stands; none if there was none.
    Parked(Option<Box<ParkReport>>),
}
