//! `xpuck serve arena`: runs a virtual arena in place of the real one.

mod guests;

use crate::terminal::report_json;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
pub use guests::{AgentsFile, ViewersFile};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::net::{SocketAddr, SocketAddrV4};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tracing::info;
use xpuck_arena::fitted::{Fitted, Mark};
use xpuck_arena::mocap::natnet::{NatNet, Version};
use xpuck_arena::sounds::Sound;
use xpuck_arena::tags::WallTag;
use xpuck_arena::unkind::{ChangeKeys, FaultKeys, FloorKeys, OutOfBounds, Preset, RobotKeys, Varied};
use xpuck_arena::{BodyKind, CameraSettings, Faults, Fittings, Settings, Shim, Unkind};
use xpuck_experiment::world_file::LightEntry;
use xpuck_experiment::{Calibration, world_file};
use xpuck_kernels::math::vec2;
use xpuck_kernels::tree::suggest;
use xpuck_kernels::world::senses::tags::Tag;
use xpuck_kernels::world::{PhysicsKeys, Scenario, WorldSpec};
use xpuck_registers::infrared::PUBLISHED;
use xpuck_wire::log;
use xpuck_wire::shutdown;
use xpuck_wire::{FileError, Swarm, file};

/// Run a virtual arena: move the robots' bodies, answer their devices and serve motion capture.
///
/// The command prints `ready` when its servers accept connections. With `--end-with-stdin`, it prints one JSON object
/// with its timing at the end.
#[derive(Args)]
pub struct ArenaArgs {
    /// File of the arena (arena.toml).
    #[arg(long)]
    config: PathBuf,
    /// End when standard input is closed.
    #[arg(long, alias = "lifeline")]
    end_with_stdin: bool,
}

fn usual_scenario() -> String {
    "a".into()
}

/// Contents of `arena.toml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArenaFile {
    /// Swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Seed of start positions and noise.
    pub seed: u64,
    /// Start positions: `a` for the -x end, `b` for the whole arena. A world file's start positions take precedence.
    #[serde(default = "usual_scenario")]
    pub scenario: String,
    /// World file, relative to this file: arena, inner walls, discs, coloured patches, masses, friction and start
    /// positions. Without it: the usual arena with the frisbee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<PathBuf>,
    /// Calibration file, relative to this file, with measured values of the arena and the robots' bodies. The keys
    /// below take precedence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<PathBuf>,
    /// Folder of the device sockets, relative to this file.
    pub devices: PathBuf,
    /// Address and port at which the devices are also served on the network, for robots whose `directory` is
    /// "tcp://HOST:PORT". There is no authentication: any client may drive the virtual robots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices_address: Option<SocketAddr>,
    /// Address and port of the Vicon DataStream server.
    pub mocap: SocketAddr,
    /// Address and port of the VRPN server (usual port: 3883). Without it: no VRPN server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vrpn: Option<SocketAddr>,
    /// Reading of every light sensor in an arena without lights, as a fraction of the sensor's range, 0 to 1. Default:
    /// 0.952, or 0.1 if there are lights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_light: Option<f32>,
    /// Lights over the arena, at most 4, in place of those of the world file.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lights: Vec<LightEntry>,
    /// Sources of sound, at most 8.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sounds: Vec<Sound>,
    /// Additional devices on the robots' I2C buses: `bno055`, `ads1015`, `ground`, `vl53l0x`, `erandb`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fitted: Vec<Fitted>,
    /// Marks that ground sensors detect: discs on the floor, at most 16.
    #[serde(default, skip_serializing_if = "is_default")]
    pub marks: Vec<Mark>,
    /// Log file of the robots' lamps, relative to this file, with one line per change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lamps_log: Option<PathBuf>,
    /// Kind of the robots: `xpuck`, `e-puck1` or `e-puck2`.
    #[serde(default)]
    pub body: BodyFile,
    /// Robots of another kind, by id, such as `bodies = { xp02 = "e-puck2" }`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bodies: BTreeMap<String, BodyFile>,
    /// Whether the SPI bus and the camera of the first robot run through the logic of the FPGA shim. The logic is
    /// simulated clock cycle by clock cycle, which is slow. The program must be built with the logic
    /// (`make build-fpga`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub fpga: bool,
    /// Time with all wheels at rest after which a displaced frisbee is put back to its start position (s of arena
    /// time), 1 to 600. With this key, `xpuck swarm trials` does not need an operator. Without it, only a frisbee that
    /// touches an end of the arena is put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub reset_frisbee_s: Option<f64>,
    /// NatNet server. Without it: no NatNet server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natnet: Option<NatNetFile>,
    /// The robots' cameras.
    pub camera: CameraFile,
    /// AprilTags on the arena's walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagFile>,
    /// Address and port of the overhead pictures (MJPEG over HTTP). Without it: no overhead pictures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<SocketAddr>,
    /// RoboCup 3D viewers that may watch the arena. Without it: no viewers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewers: Option<ViewersFile>,
    /// SimSpark agents that may drive robots. Without it: no agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<AgentsFile>,
    /// Preset of adverse conditions: `typical`, or `none`. The keys below take precedence.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unkind: Preset,
    /// Masses, friction and noise.
    #[serde(default, skip_serializing_if = "is_default")]
    pub physics: PhysicsKeys,
    /// Variation of floor friction by position.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<FloorKeys>,
    /// Imperfections of every robot.
    #[serde(default, skip_serializing_if = "is_default")]
    pub every_robot: RobotKeys,
    /// Imperfections of individual robots. They take precedence over those in `every_robot`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub robots: Vec<RobotKeys>,
    /// Temporary faults, at given or random times.
    #[serde(default, skip_serializing_if = "is_default")]
    pub faults: Vec<FaultKeys>,
    /// Lasting changes during a run, which are not announced to the robots.
    #[serde(default, rename = "change", skip_serializing_if = "is_default")]
    pub changes: Vec<ChangeKeys>,
}

/// Adverse conditions of `arena.toml`, as a separate file.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UnkindFile {
    unkind: Preset,
    physics: PhysicsKeys,
    floor: Option<FloorKeys>,
    every_robot: RobotKeys,
    robots: Vec<RobotKeys>,
    faults: Vec<FaultKeys>,
    #[serde(rename = "change")]
    changes: Vec<ChangeKeys>,
}

impl UnkindFile {
    /// Returns the conditions that the value of `--unkind` selects. The value is the name of a preset or the path of a
    /// file. The file may be a whole `arena.toml`.
    pub fn named(what: &str) -> Result<UnkindFile> {
        match what {
            "none" => return Ok(UnkindFile::default()),
            "typical" => return Ok(UnkindFile { unkind: Preset::Typical, ..UnkindFile::default() }),
            _ => {}
        }
        let path = Path::new(what);
        let text = file::text(path, file::MAX_TOML).with_context(|| {
            let near = suggest(what, ["typical", "none"].map(String::from).into_iter());
            format!("--unkind {what}: must be `typical`, `none` or a file{near}")
        })?;
        let whole = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("swarm"));
        if !whole {
            return Ok(file::parse(what, &text)?);
        }
        let ArenaFile { unkind, physics, floor, every_robot, robots, faults, changes, .. } = file::parse(what, &text)?;
        Ok(UnkindFile { unkind, physics, floor, every_robot, robots, faults, changes })
    }

    /// Checks every value. Robots named in the file are assumed to exist.
    ///
    /// # Errors
    /// A value is invalid. The error states the key, its value and its range.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let named = self.robots.iter().filter_map(|keys| keys.id.clone());
        let named = named.chain(self.faults.iter().filter_map(|fault| fault.robot.clone()));
        let names: Vec<String> = named.chain(self.changes.iter().filter_map(|change| change.robot.clone())).collect();
        let UnkindFile { physics, floor, every_robot, robots, faults, changes, .. } = self.clone();
        Unkind { physics, floor, every_robot, robots, faults, changes }.check(&names)
    }

    /// Replaces the conditions in an arena's file by these conditions.
    pub fn apply(self, arena: &mut ArenaFile) {
        let UnkindFile { unkind, physics, floor, every_robot, robots, faults, changes } = self;
        *arena = ArenaFile { unkind, physics, floor, every_robot, robots, faults, changes, ..arena.clone() };
    }
}

/// Returns the simulated logic of the FPGA shim if `wanted`.
#[cfg(feature = "fpga")]
fn shim(_: &str, wanted: bool) -> Result<Option<Arc<dyn Shim>>> {
    Ok(wanted.then(|| Arc::new(shim::Logic::default()) as Arc<dyn Shim>))
}

/// Fails if `wanted`, because this build does not contain the simulated logic of the FPGA shim.
#[cfg(not(feature = "fpga"))]
fn shim(name: &str, wanted: bool) -> Result<Option<Arc<dyn Shim>>> {
    if wanted {
        bail!("{name}: fpga: this program was built without the shim's logic; build it with `make build-fpga`");
    }
    Ok(None)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// NatNet server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NatNetFile {
    /// Address and port of requests (usual port: 1510).
    pub address: SocketAddrV4,
    /// Multicast group and port of frames (usual value: 239.255.42.99:1511). Without it, frames are sent to each client
    /// that requested them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<SocketAddrV4>,
    /// Protocol version: `3.1`, `4.1` or `4.2`.
    #[serde(default)]
    pub version: NatNetVersion,
}

/// Version of the NatNet protocol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NatNetVersion {
    /// Version of Motive 2.1 and 2.2.
    #[serde(rename = "3.1")]
    V3_1,
    /// Version of Motive 3.1.
    #[default]
    #[serde(rename = "4.1")]
    V4_1,
    /// Version of Motive 3.2.
    #[serde(rename = "4.2")]
    V4_2,
}

/// Kind of robot, which determines how programs access its body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
pub enum BodyFile {
    /// Body accessed through a dsPIC on SPI.
    #[default]
    #[serde(rename = "xpuck")]
    #[value(name = "xpuck")]
    Xpuck,
    /// Body accessed by registers over I2C.
    #[serde(rename = "e-puck1")]
    #[value(name = "e-puck1")]
    Epuck1,
    /// Body accessed by packets over I2C.
    #[serde(rename = "e-puck2")]
    #[value(name = "e-puck2")]
    Epuck2,
}

impl From<BodyFile> for BodyKind {
    fn from(body: BodyFile) -> BodyKind {
        match body {
            BodyFile::Xpuck => BodyKind::Xpuck,
            BodyFile::Epuck1 => BodyKind::Epuck1,
            BodyFile::Epuck2 => BodyKind::Epuck2,
        }
    }
}

impl BodyFile {
    /// Returns the name of the kind in files.
    pub fn name(self) -> &'static str {
        match self {
            BodyFile::Xpuck => "xpuck",
            BodyFile::Epuck1 => "e-puck1",
            BodyFile::Epuck2 => "e-puck2",
        }
    }
}

/// The robots' cameras.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CameraFile {
    /// Width of a frame (pixels).
    pub width: u32,
    /// Height of a frame (pixels).
    pub height: u32,
    /// Number of frames per second of arena time.
    pub frames_per_second: f64,
}

/// AprilTag on a wall.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagFile {
    /// Number of the tag in the family 36h11, 0 to 29.
    pub id: u16,
    /// x and y of the tag's centre, on a wall (m).
    pub at: [f32; 2],
    /// Side length of the black square (m), 0.01 to 0.16.
    #[serde(default = "tag_size")]
    pub size: f32,
    /// Height of the centre above the floor (m); walls are 0.18 m high.
    #[serde(default = "tag_height")]
    pub height: f32,
}

fn tag_size() -> f32 {
    0.1
}

fn tag_height() -> f32 {
    0.08
}

/// Timing report that the command prints at its end.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Elapsed arena time (s).
    pub arena_seconds: f64,
    /// Elapsed wall time (s).
    pub wall_seconds: f64,
    /// Arena time divided by wall time and by the configured speed. 1 means that the arena kept up.
    pub ratio: f64,
}

/// Reads the arena's file and the files to which it refers.
pub fn settings(path: &Path) -> Result<Settings> {
    let name = path.display().to_string();
    let arena: ArenaFile = file::read(path)?;
    let here = path.parent().unwrap_or(Path::new("."));
    let swarm = Swarm::read(&here.join(&arena.swarm))
        .map_err(|error| FileError::value(&name, format!("swarm = {:?}: {error}", arena.swarm)))?;
    let world = match &arena.world {
        None => None,
        Some(path) => {
            let mut world = world_file::read(&here.join(path))?;
            world.robots = swarm.robots.len();
            Some(world)
        }
    };
    let scenario = match arena.scenario.as_str() {
        "a" => Scenario::A,
        "b" => Scenario::B,
        other => bail!("{name}: scenario = \"{other}\": must be \"a\" or \"b\""),
    };
    let measured = match &arena.calibration {
        Some(file) => Calibration::read(&here.join(file))?,
        None => Calibration::default(),
    };
    known(&name, arena.calibration.as_deref(), &measured, &swarm.robots)?;
    if let Some(Err(why)) = arena.viewers.map(|keys| keys.check()) {
        bail!("{name}: {why}");
    }
    let unkind = Unkind {
        physics: arena.physics,
        floor: arena.floor,
        every_robot: arena.every_robot,
        robots: arena.robots,
        faults: arena.faults,
        changes: arena.changes,
    };
    let tags = match arena.tags.is_empty() {
        true => world.as_ref().map_or(Vec::new(), hung),
        false => arena.tags.iter().map(|tag| wall_tag(*tag)).collect(),
    };
    let settings = Settings {
        robots: swarm.robots,
        seed: arena.seed,
        speed: swarm.speed,
        scenario,
        world,
        device_dir: here.join(&arena.devices),
        device_address: arena.devices_address,
        shim: shim(&name, arena.fpga)?,
        mocap: arena.mocap,
        vrpn: arena.vrpn,
        reset_frisbee_s: arena.reset_frisbee_s,
        natnet: arena.natnet.map(|NatNetFile { address, group, version }| {
            let version = match version {
                NatNetVersion::V3_1 => Version::V3_1,
                NatNetVersion::V4_1 => Version::V4_1,
                NatNetVersion::V4_2 => Version::V4_2,
            };
            NatNet { address, group, version }
        }),
        camera: CameraSettings {
            width: arena.camera.width,
            height: arena.camera.height,
            frames_per_second: arena.camera.frames_per_second,
            ..CameraSettings::default()
        },
        body: arena.body.into(),
        bodies: arena.bodies.into_iter().map(|(id, body)| (id, body.into())).collect(),
        faults: Faults::default(),
        fittings: Fittings { tags, overhead: arena.overhead },
        curve: measured.infrared.map_or(PUBLISHED, |infrared| infrared.curve),
        lighting: (arena.room_light.is_some() || !arena.lights.is_empty())
            .then(|| world_file::lighting(arena.room_light, &arena.lights)),
        sounds: arena.sounds,
        fitted: arena.fitted,
        marks: arena.marks,
        lamps_log: arena.lamps_log.map(|path| here.join(path)),
        unkind: as_measured(&measured, unkind.over(arena.unkind.unkind())),
    };
    if let Err(error) = settings.validate() {
        bail!("{name}: {error}");
    }
    Ok(settings)
}

/// Returns the tags of a world. As tags in a world file do not have ids, they are numbered from 0. Tags on inner walls
/// are left out.
fn hung(world: &WorldSpec) -> Vec<WallTag> {
    let tag = |(id, tag): (u16, &Tag)| WallTag { id, at: tag.at, size: tag_size(), height: tag_height() };
    let on_a_wall = |tag: &WallTag| tag.check(world.physics.half_arena).is_ok();
    (0..).zip(&world.tags.list).map(tag).filter(on_a_wall).collect()
}

fn wall_tag(TagFile { id, at: [x, y], size, height }: TagFile) -> WallTag {
    WallTag { id, at: vec2(x, y), size, height }
}

/// Rejects a calibration that contains robots outside the swarm. `name` is the file that refers to the calibration.
pub fn known(name: &str, calibration: Option<&Path>, measured: &Calibration, robots: &[String]) -> Result<()> {
    if let Some(id) = measured.robots.keys().find(|id| !robots.contains(id)) {
        let file = calibration.unwrap_or(Path::new("")).display();
        bail!("{name}: calibration {file}: robots.{id:?} is not in the swarm; remove the robot's table");
    }
    Ok(())
}

/// Returns `unkind` after the properties of arena and robots that it does not set are set to the measured values. The
/// measured distance between a robot's wheels is ignored, because the simulation does not have such a parameter.
fn as_measured(measured: &Calibration, unkind: Unkind) -> Unkind {
    let camera = measured.camera;
    let every = RobotKeys {
        camera_delay_s: camera.map(|camera| camera.delay_s),
        camera_misses: camera.map(|camera| camera.misses),
        ..RobotKeys::default()
    };
    let mut robots = unkind.robots;
    for (id, body) in &measured.robots {
        let keys = RobotKeys {
            id: Some(id.clone()),
            wheel_bias: body.drive.map(|wheels| Varied::Given([wheels.left - 1.0, wheels.right - 1.0])),
            proximity_gain: body.infrared.map(|sensors| Varied::Given(sensors.scale)),
            proximity_offset_counts: body.infrared.map(|sensors| Varied::Given(sensors.offset)),
            camera_turn_deg: body.camera.map(|mount| Varied::Given(mount.turn_deg)),
            ..RobotKeys::default()
        };
        match robots.iter_mut().find(|own| own.id.as_ref() == Some(id)) {
            Some(own) => *own = own.clone().over(&keys),
            None => robots.push(keys),
        }
    }
    let physics = unkind.physics.merge(measured.physics);
    Unkind { physics, every_robot: unkind.every_robot.over(&every), robots, ..unkind }
}

/// Runs `xpuck serve arena`.
pub fn run(args: &ArenaArgs) -> Result<()> {
    let settings = settings(&args.config)?;
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let mut company = guests::start(&args.config, settings.robots.len())?;
    let summary = xpuck_arena::run(
        &settings,
        &stop,
        |_| log::print("ready"),
        |seconds, change| {
            info!(target: "arena", "{seconds:.1} s of arena time: from now on {change}");
        },
        company.as_mut(),
    )?;
    let timing =
        Timing { arena_seconds: summary.arena_seconds, wall_seconds: summary.wall_seconds, ratio: summary.ratio };
    // Only a parent process that controls standard input needs the report.
    if args.end_with_stdin {
        report_json(&timing);
    }
    Ok(())
}
