//! The hub's file: where poses come from, how virtual senses are made, where runs are recorded.

mod batteries;
mod foxglove;
mod overhead;

pub use batteries::{Batteries, WhenEmpty};
pub use foxglove::Foxglove;
pub use overhead::Overhead;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use xpuck_kernels::world::senses::messages::Messages;
use xpuck_wire::{FileError, Swarm};

/// `hub.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HubFile {
    /// The swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Priority, before all threads that are not real-time (SCHED_FIFO), of those that make senses of poses, 1 to 90; 0
    /// asks for none.
    #[serde(default = "realtime")]
    #[schemars(range(min = 0, max = 90))]
    pub realtime: u8,
    /// Motion capture.
    pub mocap: Mocap,
    /// How virtual senses, compass and range and bearing, are made from poses.
    #[serde(default)]
    pub messages: Messages,
    /// Records.
    pub record: Record,
    /// The arena.
    #[serde(default)]
    pub arena: Arena,
    /// The console's page; its address is in the swarm file.
    #[serde(default)]
    pub console: Console,
    /// Batteries.
    #[serde(default)]
    pub batteries: Batteries,
    /// Where telemetry, poses and status are streamed for PlotJuggler and the like; nowhere without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    /// Where Foxglove and Lichtblick watch; nowhere without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foxglove: Option<Foxglove>,
    /// A camera above the arena; none without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
}

/// Below a robot's control loop, should it share a machine with the hub.
pub const REALTIME: u8 = 20;

fn realtime() -> u8 {
    REALTIME
}

/// The console's page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Console {
    /// Names by which browsers may call it, besides addresses in digits, `localhost` and this machine's name.
    pub names: Vec<String>,
    /// Who may look: `anyone`, or who is logged in (`login`). Without it anyone where the console is on this machine alone,
    /// and else who is logged in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// An operator's key file, by which the hub signs experiments for those who came by a one-time link; without it they
    /// start none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// The folder whose experiments the page offers; without it that of this file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiments: Option<PathBuf>,
    /// The folder whose runs the page lists; without it `record.directory`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<PathBuf>,
    /// Speak TLS 1.3 only, with this certificate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsFiles>,
}

/// A certificate for the console, in PEM.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// The certificate, and those that lead from it to one that browsers know.
    pub certificate: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Who may look at the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Everybody who reaches it.
    Anyone,
    /// Operators and observers who are logged in.
    Login,
}

/// The stream.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// ZeroMQ endpoint at which the hub publishes, such as `tcp://*:7605`.
    pub address: String,
    /// Let everybody watch, without keys: PlotJuggler has none. Always so with `dev_mode`.
    #[serde(default)]
    pub plain: bool,
}

/// Motion capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mocap {
    /// Which protocol the server speaks.
    #[serde(default)]
    pub kind: MocapKind,
    /// Address and port of the server; usual ports are 801 (Vicon), 3883 (VRPN) and 1510 (NatNet). `vicon` is another
    /// name of this key.
    #[serde(alias = "vicon", default)]
    pub address: String,
    /// The frisbee's subject name.
    pub frisbee: String,
    /// How Vicon frames are asked for.
    #[serde(default)]
    pub mode: ViconMode,
    /// Ask Vicon for segments in single precision, 28 bytes a body instead of 100; servers before SDK 1.12 have none.
    #[serde(default)]
    pub lightweight: bool,
    /// Axis that points up in the server's poses: without it y for NatNet and z for the others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Metres in a unit of the server's lengths, 1e-6 to 1000: 0.001 for a VRPN or NatNet server that sends millimetres.
    #[serde(default = "one")]
    #[schemars(range(min = 1e-6, max = 1e3))]
    pub scale: f64,
    /// Clock of the frames.
    #[serde(default)]
    pub time: MocapTime,
    /// The server's name for a robot, where it is not the robot's id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub subjects: BTreeMap<String, String>,
    /// The record to replay, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// How fast it is replayed, 0.01 to 100 times as fast as it was.
    #[serde(default = "one")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub speed: f64,
    /// Replay it again and again.
    #[serde(default, rename = "loop")]
    pub repeat: bool,
    /// Which poses are believed.
    #[serde(default)]
    pub gates: Gates,
}

impl Default for Mocap {
    fn default() -> Mocap {
        Mocap {
            kind: MocapKind::default(),
            address: String::new(),
            frisbee: String::new(),
            mode: ViconMode::default(),
            lightweight: false,
            up: None,
            scale: 1.0,
            time: MocapTime::default(),
            subjects: BTreeMap::new(),
            file: None,
            speed: 1.0,
            repeat: false,
            gates: Gates::default(),
        }
    }
}

impl Mocap {
    /// First fault in the server's address, the frisbee's name or the mapping of subjects.
    fn fault(&self) -> Option<String> {
        let frisbee = &self.frisbee;
        if frisbee.is_empty() || frisbee.trim() != frisbee {
            return Some(format!(
                "mocap.frisbee = \"{frisbee}\" is not a subject's name: it is empty or has spaces around it"
            ));
        }
        let subjects: BTreeSet<&String> = self.subjects.values().collect();
        if subjects.len() < self.subjects.len() {
            return Some("mocap.subjects: two robots have one subject".into());
        }
        let usual = match self.kind {
            MocapKind::Vicon => 801,
            MocapKind::Vrpn | MocapKind::VrpnUdp => 3883,
            MocapKind::Natnet => 1510,
            MocapKind::Replay => return None,
        };
        let address = &self.address;
        let parts = address.rsplit_once(':').map(|(host, port)| (host, port.parse::<u16>()));
        let is_host = |host: &str| match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(v6) => v6.parse::<std::net::Ipv6Addr>().is_ok(),
            // Digits and dots alone have to be an address.
            None if host.chars().all(|c| c.is_ascii_digit() || c == '.') => host.parse::<std::net::Ipv4Addr>().is_ok(),
            None => !host.is_empty() && host.chars().all(|c| c.is_ascii_alphanumeric() || "-._".contains(c)),
        };
        match parts {
            Some((host, Ok(port))) if port > 0 && is_host(host) => None,
            _ => Some(format!(
                "mocap.address = \"{address}\" is not HOST:PORT, such as 192.168.1.3:{usual} ({usual} is the usual port)"
            )),
        }
    }

    /// First clash of the names here with those of the swarm's robots.
    pub fn fault_among(&self, robots: &[String]) -> Option<String> {
        let is_robot = |name: &String| robots.contains(name);
        if is_robot(&self.frisbee) {
            return Some(format!(
                "mocap.frisbee = \"{}\" is a robot's id; the frisbee is a subject of its own",
                self.frisbee
            ));
        }
        let stranger = self.subjects.keys().find(|robot| !is_robot(robot))?;
        Some(format!("mocap.subjects.{stranger}: no robot of the swarm file is called `{stranger}`"))
    }

    /// Axis that points up in the server's poses.
    pub fn up_axis(&self) -> UpAxis {
        self.up.unwrap_or(if self.kind == MocapKind::Natnet { UpAxis::Y } else { UpAxis::Z })
    }

    /// Where poses come from, for people: the server's address or the record's path.
    pub fn place(&self) -> String {
        match (self.kind, &self.file) {
            (MocapKind::Replay, Some(file)) => file.display().to_string(),
            _ => self.address.clone(),
        }
    }
}

fn one() -> f64 {
    1.0
}

/// A motion-capture protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MocapKind {
    /// Vicon DataStream.
    #[default]
    Vicon,
    /// VRPN; we connect by TCP.
    Vrpn,
    /// VRPN; we ask by UDP, and the server connects to us.
    VrpnUdp,
    /// OptiTrack NatNet 3 or 4.
    Natnet,
    /// A recorded run.
    Replay,
}

/// Clock by which frames are ordered and robots' speeds are checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MocapTime {
    /// The server's numbers and stamps.
    #[default]
    Server,
    /// The hub's clock when a frame arrives, for servers whose stamps stand still. A frozen server is then not noticed.
    Arrival,
}

/// An axis that points up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// As Motive has it by default.
    Y,
    /// As the swarm has it.
    Z,
}

/// How frames are asked of a Vicon DataStream server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViconMode {
    /// The server sends every frame by itself: the least latency.
    #[default]
    Push,
    /// We ask for a frame when the last one is read, and get the newest at once, even if we know it.
    Pull,
    /// We ask for the next new frame when the last one is read.
    Prefetch,
}

/// Which poses are believed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gates {
    /// No robot moves faster, m/s, 0.01 to 10. An e-puck's wheels make 0.13.
    #[schemars(range(min = 0.01, max = 10.0))]
    pub v_max_m_s: f64,
    /// One that seems to be elsewhere is believed when it stays there for so long, s, 0 to 60.
    #[schemars(range(min = 0.0, max = 60.0))]
    pub settle_s: f64,
    /// Least quality, 0 to 1, where the protocol tells it. What is normal differs between systems: 0 takes all.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_quality: f64,
    /// Oldest pose, s, 0.001 to 1: the system's own latency, or for VRPN the time since the body was last heard of.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub max_age_s: f64,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates { v_max_m_s: 0.3, settle_s: 1.0, min_quality: 0.0, max_age_s: 0.2 }
    }
}

/// Records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Each run gets a directory in this one; relative to this file.
    pub directory: PathBuf,
    /// What all runs may take together, GiB, 0.001 to 1000000; without it there is no limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1e6))]
    pub budget_gib: Option<f64>,
    /// What stays free on the disk, MiB, 1 to 1000000: below, recording stops, and everything else goes on.
    #[serde(default = "reserve_mib")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reserve_mib: u64,
    /// Beyond the budget the oldest runs that are over are deleted; else new ones are not recorded.
    #[serde(default)]
    pub delete_oldest: bool,
}

fn reserve_mib() -> u64 {
    64
}

impl Record {
    /// Records in `directory`, with the usual reserve and no budget.
    pub fn at(directory: impl Into<PathBuf>) -> Record {
        Record { directory: directory.into(), budget_gib: None, reserve_mib: reserve_mib(), delete_oldest: false }
    }
}

/// The arena.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Arena {
    /// Length along x, m.
    #[schemars(range(min = 0.3, max = 20.0))]
    pub length_m: f32,
    /// Width along y, m.
    #[schemars(range(min = 0.3, max = 20.0))]
    pub width_m: f32,
    /// Radius of the frisbee, m.
    #[schemars(range(min = 0.01, max = 1.0))]
    pub frisbee_radius_m: f32,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { length_m: 2.0, width_m: 1.5, frisbee_radius_m: 0.105 }
    }
}

/// Everything the hub needs to know to start.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// The hub's own file, with paths resolved.
    pub hub: HubFile,
    /// What all share.
    pub swarm: Swarm,
}

impl HubFile {
    /// Everything by default, records in `folder`, and no priority asked for.
    pub fn at(folder: impl Into<PathBuf>) -> HubFile {
        HubFile {
            swarm: PathBuf::new(),
            realtime: 0,
            mocap: Mocap::default(),
            messages: Messages::default(),
            record: Record::at(folder),
            arena: Arena::default(),
            console: Console::default(),
            batteries: Batteries::default(),
            stream: None,
            foxglove: None,
            overhead: None,
        }
    }

    /// Checks ranges and what must be there; errors begin with the file's name.
    ///
    /// # Errors
    /// The first key that is wrong.
    pub fn check(&self, name: &str) -> Result<(), FileError> {
        let (a, g) = (&self.arena, &self.mocap.gates);
        let rows = [
            ("realtime", self.realtime.into(), 0.0, 90.0),
            ("mocap.speed", self.mocap.speed, 0.01, 100.0),
            ("mocap.scale", self.mocap.scale, 1e-6, 1e3),
            ("mocap.gates.v_max_m_s", g.v_max_m_s, 0.01, 10.0),
            ("mocap.gates.settle_s", g.settle_s, 0.0, 60.0),
            ("mocap.gates.min_quality", g.min_quality, 0.0, 1.0),
            ("mocap.gates.max_age_s", g.max_age_s, 0.001, 1.0),
            ("record.budget_gib", self.record.budget_gib.unwrap_or(1.0), 0.001, 1e6),
            ("record.reserve_mib", self.record.reserve_mib as f64, 1.0, 1e6),
            ("batteries.reserve_minutes", self.batteries.reserve_minutes, 0.0, 60.0),
            ("arena.length_m", a.length_m.into(), 0.3, 20.0),
            ("arena.width_m", a.width_m.into(), 0.3, 20.0),
            ("arena.frisbee_radius_m", a.frisbee_radius_m.into(), 0.01, 1.0),
        ];
        if let Some(stream) = self.stream.as_ref().filter(|s| !s.address.starts_with("tcp://")) {
            let address = &stream.address;
            return Err(FileError::value(name, format!("stream.address = \"{address}\" must look like tcp://*:7605")));
        }
        if let Some(fault) = self.foxglove.as_ref().and_then(Foxglove::fault) {
            return Err(FileError::value(name, fault));
        }
        if let Some(fault) = self.overhead.as_ref().and_then(Overhead::fault) {
            return Err(FileError::value(name, fault));
        }
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(FileError::value(name, format!("{key} = {value} is outside {low}..={high}")));
            }
        }
        let missing = match self.mocap.kind {
            MocapKind::Replay => self.mocap.file.is_none().then_some("mocap.file, the record to replay,"),
            _ => self.mocap.address.is_empty().then_some("mocap.address"),
        };
        if let Some(key) = missing {
            return Err(FileError::value(name, format!("{key} is missing")));
        }
        if let Some(fault) = self.mocap.fault() {
            return Err(FileError::value(name, fault));
        }
        self.messages.check().map_err(|message| FileError::value(name, message))
    }
}
