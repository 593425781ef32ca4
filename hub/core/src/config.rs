//! Hub file `hub.toml`: source of poses, virtual senses, records, arena, console, batteries and live views.

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

/// Hub file `hub.toml`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HubFile {
    /// Path of the swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Real-time priority (SCHED_FIFO) of the threads that compute senses from poses (0..=90; default 20). With 0 the
    /// threads have no real-time priority.
    #[serde(default = "realtime")]
    #[schemars(range(min = 0, max = 90))]
    pub realtime: u8,
    /// Motion capture settings.
    pub mocap: Mocap,
    /// Settings of the virtual senses, which are computed from poses: compass, range and bearing.
    #[serde(default)]
    pub messages: Messages,
    /// Record settings.
    pub record: Record,
    /// Dimensions of the arena and radius of the frisbee.
    #[serde(default)]
    pub arena: Arena,
    /// Settings of the console page. The address of the page is in the swarm file.
    #[serde(default)]
    pub console: Console,
    /// Battery settings.
    #[serde(default)]
    pub batteries: Batteries,
    /// Stream of telemetry, poses and status for PlotJuggler and similar programs [default: no stream].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream: Option<Stream>,
    /// Live view for Foxglove and Lichtblick [default: no live view].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub foxglove: Option<Foxglove>,
    /// Camera above the arena [default: no camera].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<Overhead>,
}

/// Default real-time priority of the hub. It is lower than the priority of a robot's control loop on the same
/// machine.
pub const REALTIME: u8 = 20;

fn realtime() -> u8 {
    REALTIME
}

/// Settings of the console page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Console {
    /// Names by which browsers may address the console, in addition to numeric addresses, `localhost` and this
    /// machine's name.
    pub names: Vec<String>,
    /// View permission: `anyone`, or `login` for logged-in users only [default: `anyone` if the console is reachable
    /// only from this machine, otherwise `login`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    /// Operator's key file with which the hub signs experiments for users of one-time links. Without this key such
    /// users cannot start experiments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<PathBuf>,
    /// Folder of the experiments that the page offers [default: the folder of this file].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experiments: Option<PathBuf>,
    /// Folder of the runs that the page lists [default: `record.directory`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runs: Option<PathBuf>,
    /// Certificate of the console. With a certificate, the console accepts only connections with TLS 1.3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tls: Option<TlsFiles>,
}

/// Certificate and private key of the console, in PEM format.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TlsFiles {
    /// PEM file with the certificate, followed by its chain to a certificate that browsers know.
    pub certificate: PathBuf,
    /// PEM file with the private key of the certificate.
    pub key: PathBuf,
}

/// View permission of the console.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Everyone who can reach the console.
    Anyone,
    /// Logged-in operators and observers.
    Login,
}

/// Settings of the stream of telemetry, poses and status.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    /// ZeroMQ endpoint at which the hub publishes, such as `tcp://*:7605`.
    pub address: String,
    /// Allow everyone to receive the stream without keys, because PlotJuggler does not support keys. Always enabled
    /// with `dev_mode`.
    #[serde(default)]
    pub plain: bool,
}

/// Settings of motion capture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Mocap {
    /// Protocol of the motion-capture server.
    #[serde(default)]
    pub kind: MocapKind,
    /// Address and port of the server. Usual ports are 801 (Vicon), 3883 (VRPN) and 1510 (NatNet). `vicon` is an
    /// alternative name of this key.
    #[serde(alias = "vicon", default)]
    pub address: String,
    /// Subject name of the frisbee.
    pub frisbee: String,
    /// Request mode for frames of a Vicon server.
    #[serde(default)]
    pub mode: ViconMode,
    /// Request Vicon segments in single precision, with 28 bytes per body instead of 100. Servers before SDK 1.12 do
    /// not support this.
    #[serde(default)]
    pub lightweight: bool,
    /// Vertical axis of the server's poses [default: y for NatNet, z for all other protocols].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub up: Option<UpAxis>,
    /// Length unit of the server's positions (1e-6..=1000 m; default 1). Use 0.001 for a VRPN or NatNet server that
    /// sends millimetres.
    #[serde(default = "one")]
    #[schemars(range(min = 1e-6, max = 1e3))]
    pub scale: f64,
    /// Source of the frame numbers and timestamps.
    #[serde(default)]
    pub time: MocapTime,
    /// Subject names by robot id, for robots whose subject name differs from the id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub subjects: BTreeMap<String, String>,
    /// Path of the record to replay, relative to this file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<PathBuf>,
    /// Replay speed, as a multiple of the recorded speed (0.01..=100).
    #[serde(default = "one")]
    #[schemars(range(min = 0.01, max = 100.0))]
    pub speed: f64,
    /// Repeat the replay endlessly.
    #[serde(default, rename = "loop")]
    pub repeat: bool,
    /// Plausibility limits of poses.
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
    /// Returns a description of the first error in the server's address, the frisbee's name or the subject names, if
    /// any.
    fn fault(&self) -> Option<String> {
        let frisbee = &self.frisbee;
        if frisbee.is_empty() || frisbee.trim() != frisbee {
            return Some(format!(
                "mocap.frisbee = \"{frisbee}\" is not a subject name: it must not be empty or have spaces around it"
            ));
        }
        let subjects: BTreeSet<&String> = self.subjects.values().collect();
        if subjects.len() < self.subjects.len() {
            return Some("mocap.subjects: two robots have the same subject".into());
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
            // A host that consists only of digits and dots must be a valid IPv4 address.
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

    /// Returns a description of the first conflict between the names in `[mocap]` and the ids of the swarm's robots,
    /// if any.
    pub fn fault_among(&self, robots: &[String]) -> Option<String> {
        let is_robot = |name: &String| robots.contains(name);
        if is_robot(&self.frisbee) {
            return Some(format!(
                "mocap.frisbee = \"{}\" is a robot's id; the frisbee must be a separate subject",
                self.frisbee
            ));
        }
        let stranger = self.subjects.keys().find(|robot| !is_robot(robot))?;
        Some(format!("mocap.subjects.{stranger}: robot `{stranger}` is not in the swarm file"))
    }

    /// Returns the vertical axis of the server's poses, or the default of the protocol if the file does not set one.
    pub fn up_axis(&self) -> UpAxis {
        self.up.unwrap_or(if self.kind == MocapKind::Natnet { UpAxis::Y } else { UpAxis::Z })
    }

    /// Returns the source of the poses for display: the server's address or the record's path.
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

/// Motion-capture protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MocapKind {
    /// Vicon DataStream.
    #[default]
    Vicon,
    /// VRPN with a TCP connection to the server.
    Vrpn,
    /// VRPN with a UDP request. The server then opens a TCP connection to the hub.
    VrpnUdp,
    /// OptiTrack NatNet 3 or 4.
    Natnet,
    /// Replay of a recorded run.
    Replay,
}

/// Source of frame numbers and timestamps. They determine the order of frames and the speed of robots in the
/// plausibility check.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MocapTime {
    /// Frame numbers and timestamps of the server.
    #[default]
    Server,
    /// Time of the hub's clock at the arrival of each frame, and a count of the frames, for servers with constant
    /// timestamps. With this setting a frozen server is not detected.
    Arrival,
}

/// Vertical axis of a coordinate system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum UpAxis {
    /// The y axis points up. This is the default of the OptiTrack software Motive.
    Y,
    /// The z axis points up, as in the coordinates of the swarm.
    Z,
}

/// Request mode for a Vicon DataStream server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ViconMode {
    /// The server sends every frame without a request. This mode has the lowest latency.
    #[default]
    Push,
    /// The hub requests a frame when it has read the previous one. The server returns its newest frame at once, even
    /// if the hub already has this frame.
    Pull,
    /// The hub requests the next new frame when it has read the previous one.
    Prefetch,
}

/// Plausibility limits of poses.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Gates {
    /// Maximum speed of a robot (0.01..=10 m/s). An e-puck's wheels reach 0.13 m/s.
    #[schemars(range(min = 0.01, max = 10.0))]
    pub v_max_m_s: f64,
    /// Time after which an implausible new position is accepted if the robot stays at this position (0..=60 s).
    #[schemars(range(min = 0.0, max = 60.0))]
    pub settle_s: f64,
    /// Minimum quality of a pose, for protocols that report a quality (0..=1). With 0 all poses are accepted. Usual
    /// values differ between motion-capture systems.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub min_quality: f64,
    /// Maximum age of a pose (0.001..=1 s). The age is the latency of the motion-capture system. For VRPN it is the
    /// time since the body's last report.
    #[schemars(range(min = 0.001, max = 1.0))]
    pub max_age_s: f64,
}

impl Default for Gates {
    fn default() -> Gates {
        Gates { v_max_m_s: 0.3, settle_s: 1.0, min_quality: 0.0, max_age_s: 0.2 }
    }
}

/// Settings of records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// Directory that contains one subdirectory per run, relative to this file.
    pub directory: PathBuf,
    /// Maximum size of all runs together (0.001..=1000000 GiB; default: no limit).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.001, max = 1e6))]
    pub budget_gib: Option<f64>,
    /// Minimum free space on the disk (1..=1000000 MiB; default 64). Recording stops below this limit, but the run
    /// continues.
    #[serde(default = "reserve_mib")]
    #[schemars(range(min = 1, max = 1_000_000))]
    pub reserve_mib: u64,
    /// Delete the oldest finished runs if the size limit is exceeded. Otherwise new runs are not recorded.
    #[serde(default)]
    pub delete_oldest: bool,
}

fn reserve_mib() -> u64 {
    64
}

impl Record {
    /// Returns settings for records in `directory`, with the default minimum of free space and without a size limit.
    pub fn at(directory: impl Into<PathBuf>) -> Record {
        Record { directory: directory.into(), budget_gib: None, reserve_mib: reserve_mib(), delete_oldest: false }
    }
}

/// Dimensions of the arena.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Arena {
    /// Length along x (0.3..=20 m).
    #[schemars(range(min = 0.3, max = 20.0))]
    pub length_m: f32,
    /// Width along y (0.3..=20 m).
    #[schemars(range(min = 0.3, max = 20.0))]
    pub width_m: f32,
    /// Radius of the frisbee (0.01..=1 m).
    #[schemars(range(min = 0.01, max = 1.0))]
    pub frisbee_radius_m: f32,
}

impl Default for Arena {
    fn default() -> Arena {
        Arena { length_m: 2.0, width_m: 1.5, frisbee_radius_m: 0.105 }
    }
}

/// Complete configuration of the hub: its own file and the swarm file.
#[derive(Clone, Debug, PartialEq)]
pub struct Config {
    /// Hub file, with its paths resolved.
    pub hub: HubFile,
    /// Settings shared by all programs of the swarm.
    pub swarm: Swarm,
}

impl HubFile {
    /// Returns default settings, with records in `folder` and without real-time priority.
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

    /// Checks the value ranges and the required keys. Error messages begin with `name`, the name of the file.
    ///
    /// # Errors
    /// Describes the first invalid key.
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
                return Err(FileError::value(name, format!("{key} = {value} is outside {low} to {high}")));
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
