//! Texts of a swarm's files. `xpuck demo` uses these files directly, and `xpuck init` writes them for users to
//! change. Keys with default values are omitted, and the other keys have a comment.

mod comments;

pub use comments::commented;

use crate::arena::{ArenaFile, BodyFile, CameraFile};
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use xpuck_arena::unkind::{Preset, RobotKeys};
use xpuck_hub_core::config::{Arena, HubFile, Mocap, MocapKind, REALTIME};
use xpuck_kernels::world::PhysicsKeys;
use xpuck_wire::Swarm;

/// Text of the thesis's experiment.
pub const TRANSPORT: &str = include_str!("../../../../../docs/experiments/transport.toml");
/// Virtual camera: a quarter of VGA in each dimension, at the frame rate of the reference model (5 Hz).
pub const CAMERA: CameraFile = CameraFile { width: 160, height: 120, frames_per_second: 5.0 };
/// Name of the swarm file.
pub const SWARM: &str = "swarm.toml";

/// Returns the ids of the given number of robots: xp01, xp02 and so on.
pub fn ids(robots: usize) -> Vec<String> {
    (1..=robots).map(|i| format!("xp{i:02}")).collect()
}

/// Returns a virtual arena equal to the simulator's default world, without a world file.
pub fn arena(devices: &Path, mocap: &str) -> Result<ArenaFile> {
    Ok(ArenaFile {
        swarm: SWARM.into(),
        seed: 1,
        scenario: "a".into(),
        world: None,
        calibration: None,
        devices: devices.into(),
        devices_address: None,
        fpga: false,
        mocap: mocap.parse().with_context(|| format!("{mocap}: expected ADDRESS:PORT"))?,
        vrpn: None,
        room_light: None,
        lights: Vec::new(),
        sounds: Vec::new(),
        fitted: Vec::new(),
        marks: Vec::new(),
        lamps_log: None,
        body: BodyFile::default(),
        bodies: BTreeMap::new(),
        reset_frisbee_s: None,
        natnet: None,
        camera: CAMERA,
        tags: Vec::new(),
        overhead: None,
        viewers: None,
        agents: None,
        unkind: Preset::None,
        physics: PhysicsKeys::default(),
        floor: None,
        every_robot: RobotKeys::default(),
        robots: Vec::new(),
        faults: Vec::new(),
        changes: Vec::new(),
    })
}

/// Returns the settings of a hub that uses Vicon's motion capture protocol.
pub fn hub(records: &Path, mocap: &str) -> HubFile {
    HubFile {
        swarm: SWARM.into(),
        realtime: REALTIME,
        mocap: Mocap {
            kind: MocapKind::Vicon,
            address: mocap.into(),
            frisbee: xpuck_arena::mocap::vicon::FRISBEE.into(),
            ..Mocap::default()
        },
        ..HubFile::at(records)
    }
}

/// Returns the text of `swarm.toml`.
pub fn swarm_text(swarm: &Swarm) -> Result<String> {
    let head = "The swarm: common settings of the hub, the robots and the arena. Every machine has the same copy.";
    let notes = [
        ("speed", "Speed of arena time relative to wall time; 1.0 with real robots, more only in a virtual arena."),
        (
            "robots",
            "Change this first: the robots' names. Each has a file robots/NAME.toml and a key; after a change run\n\
             `xpuck keys new --swarm swarm.toml`.",
        ),
        (
            "peers",
            "Address of each robot for the others, in the order of `robots`: address or name of its board as they see \
             it.\n\
             Experiments with `genes = \"peers\"` use them (docs/hubless.md); without them, robots do not contact \
             each other.",
        ),
        ("[hub]", "Addresses of the hub."),
        ("hub.robots", "For robots; if they are on other machines, the hub's address as they see it."),
        ("hub.operator", "For commands such as `xpuck robot list`."),
        ("hub.console", "For the console's web page; without this line, no page is served."),
        ("[security]", "Access is controlled by the folder of keys."),
        ("security.dev_mode", "true: no keys, only for trials on a single machine."),
    ];
    Ok(commented(&toml::to_string(swarm)?, head, &notes))
}

/// Returns the text of `hub.toml`.
pub fn hub_text(hub: &HubFile) -> Result<String> {
    let head = "The hub: motion capture, virtual senses, records. All keys: docs/hub.md or `xpuck dev schema hub`.";
    let notes = [
        ("[mocap]", "Motion capture: poses of the robots and the frisbee."),
        ("mocap.kind", "Change this first: protocol (vicon, vrpn, vrpn-udp or natnet)."),
        ("mocap.address", "Address and port of the server; for a virtual arena, `mocap` in arena.toml."),
        ("mocap.frisbee", "Name of the frisbee in motion capture; robots have their names from swarm.toml."),
        ("[record]", "Each run gets its own folder in this folder; `xpuck runs list` lists them."),
        ("[arena]", "Size of the arena and of the frisbee."),
        (
            "realtime",
            "Real-time priority of the thread that computes senses from poses, if the kernel allows it; 0: none.",
        ),
        ("stream.plain", "Anyone on this machine may watch."),
        ("[foxglove]", "Address for Foxglove and Lichtblick (ws://ADDRESS)."),
    ];
    Ok(commented(&without_usual(hub, &HubFile::at(""))?, head, &notes))
}

/// Returns the text of `arena.toml`.
pub fn arena_text(arena: &ArenaFile) -> Result<String> {
    let head = "The virtual arena: bodies, devices and motion capture like those of a real arena. All keys: \
                docs/arena.md or\n\
                `xpuck dev schema arena`. Try `unkind = \"typical\"` for an arena with realistic disturbances.";
    let notes = [
        ("seed", "Seed of start poses and noise."),
        (
            "scenario",
            "Change this first: robots start at one end (a) or anywhere (b). With `world = \"FILE\"`, a world file \
             defines it.",
        ),
        (
            "devices",
            "Folder of the robots' devices, the same as in robots/*.toml. Its path must be short (at most about 90 \
             bytes).",
        ),
        ("mocap", "Address of motion capture, the same as in hub.toml."),
        ("[camera]", "Cameras of the robots; width and height are the same as in robots/*.toml."),
    ];
    let text = toml::to_string(arena)?;
    Ok(commented(&text, head, &notes))
}

/// Returns the keys of `value` that differ from the defaults `usual`, as TOML. Top-level keys outside of tables are
/// kept.
fn without_usual(value: &HubFile, usual: &HubFile) -> Result<String> {
    let (mut table, usual) = (Table::try_from(value)?, Table::try_from(usual)?);
    table.retain(|key, value| !value.is_table() || usual.get(key) != Some(value));
    for (key, value) in &mut table {
        if let (Value::Table(inner), Some(Value::Table(usual))) = (value, usual.get(key)) {
            // Keys that the user must see are kept, even with default values.
            inner.retain(|name, value| (name == "kind" || name == "directory") || usual.get(name) != Some(value));
        }
    }
    Ok(toml::to_string(&table)?)
}

/// Devices of a robot, by kind of robot.
pub enum Devices {
    /// Virtual devices: folder with the arena's sockets, and kind of the robot's body.
    Virtual(PathBuf, BodyFile),
    /// Devices of the thesis's robot: paths of the SPI device and of the I2C bus.
    Xpuck(String, String),
    /// Devices of an e-puck1 with a Pi-puck board: path of the I2C bus.
    Epuck1(String),
    /// Devices of an e-puck2 with a Pi-puck board: path of the I2C bus.
    Epuck2(String),
}

/// Contents of a robot's file, such as robots/xp01.toml.
pub struct RobotText<'a> {
    /// Id of the robot.
    pub id: &'a str,
    /// Devices of the robot.
    pub devices: Devices,
    /// Port of the publisher for Groot2; `None` for no publisher.
    pub groot: Option<u16>,
    /// Number of simulation threads.
    pub threads: usize,
    /// Lines of the table `[evolution]`.
    pub evolution: String,
    /// Name of the swarm's calibration file; `None` if there is no calibration.
    pub calibration: Option<&'a str>,
    /// Path of the socket for external controllers; `None` for no socket.
    pub socket: Option<PathBuf>,
    /// Whether the robot has ground sensors.
    pub ground: bool,
}

impl RobotText<'_> {
    /// Returns the text of the robot's file.
    pub fn text(&self) -> String {
        let groot = self.groot.map(|port| format!("groot = \"tcp://127.0.0.1:{port}\"\n")).unwrap_or_default();
        let epuck = |kind: &str, bus: &str| format!("kind = \"{kind}\"\ni2c = \"{bus}\"\ncamera = \"/dev/video0\"\n");
        let devices = match &self.devices {
            Devices::Virtual(folder, body) => format!(
                "kind = \"virtual\"\ndirectory = {:?}\ncamera_width = {}\ncamera_height = {}\n{}",
                folder.display().to_string(),
                CAMERA.width,
                CAMERA.height,
                if *body == BodyFile::default() { String::new() } else { format!("body = \"{}\"\n", body.name()) }
            ),
            Devices::Xpuck(spi, i2c) => {
                format!("kind = \"xpuck\"\nspi = \"{spi}\"\ni2c = \"{i2c}\"\ncamera = \"ft2232h\"\n")
            }
            Devices::Epuck1(bus) => epuck("e-puck1", bus),
            Devices::Epuck2(bus) => epuck("e-puck2", bus),
        };
        let calibration = self.calibration.map(|file| format!("\n[calibration]\nfile = \"../{file}\"\n"));
        let socket =
            self.socket.as_ref().map(|path| format!("\n[external]\nsocket = {:?}\n", path.display().to_string()));
        let fitted = if self.ground { "fitted = [\"ground\"]\n" } else { "" };
        let text = format!(
            "id = \"{}\"\nswarm = \"../{SWARM}\"\n{groot}{fitted}\n[devices]\n{devices}\n[evolution]\nthreads = {}\n{}{}{}",
            self.id,
            self.threads,
            self.evolution,
            calibration.unwrap_or_default(),
            socket.unwrap_or_default()
        );
        let head = format!(
            "The robot {}. `xpuckd --check --config FILE` checks this file; all keys: docs/robots.md or `xpuckd \
             schema`.",
            self.id
        );
        let notes = [
            ("id", "Id of the robot, as in swarm.toml."),
            ("groot", "Address at which Groot2 can monitor the running tree."),
            ("fitted", "Further devices on the I2C bus (docs/sensors.md), as in arena.toml."),
            (
                "devices.kind",
                "virtual: in the virtual arena of arena.toml; xpuck, e-puck1 and e-puck2: a real robot \
                 (docs/robots.md).",
            ),
            ("devices.directory", "Folder of `devices` in arena.toml."),
            ("devices.body", "Body, as in `bodies` of arena.toml."),
            ("devices.camera_width", "Size of the camera's pictures, as in `camera` of arena.toml."),
            ("devices.spi", "The e-puck's SPI device."),
            ("devices.i2c", "The I2C bus of the robot, or of an xpuck's power monitors (`i2cdetect -l` lists them)."),
            ("devices.camera", "Without this line, the robot sees no colours."),
            ("[external]", "Socket at which programs on this machine may read senses and drive (docs/controllers.md)."),
            ("[evolution]", "Evolution on the robot."),
            (
                "evolution.threads",
                "Change this first: number of simulation threads; leave one core for the control loop.",
            ),
            (
                "evolution.state",
                "Folder for each generation and the hub's last directive; a restarted robot continues with both.",
            ),
            ("evolution.max_temperature_c", "Processor temperature above which evolution is throttled [degrees C]."),
        ];
        commented(&text, &head, &notes)
    }
}

/// Writes a new file. Fails if the file exists.
pub fn write_new(path: &Path, text: &str) -> Result<()> {
    let write = || OpenOptions::new().write(true).create_new(true).open(path)?.write_all(text.as_bytes());
    write().with_context(|| format!("{}: cannot be written", path.display()))
}

/// Returns the size of a world's arena and of its frisbee for the hub. `half` has half the length and half the width
/// (m). `radius` is the frisbee's radius (m); `None` for the default.
pub fn size(half: (f32, f32), radius: Option<f32>) -> Arena {
    Arena {
        length_m: 2.0 * half.0,
        width_m: 2.0 * half.1,
        frisbee_radius_m: radius.unwrap_or(Arena::default().frisbee_radius_m),
    }
}
