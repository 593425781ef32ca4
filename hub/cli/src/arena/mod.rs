//! `xpuck serve arena`: the virtual arena that stands where the real one would.

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

/// Run a virtual arena: it moves the robots' bodies, answers their devices and serves motion capture.
///
/// Prints `ready` once it can be reached, and with `--end-with-stdin` one JSON object about its timing at the end.
#[derive(Args)]
pub struct ArenaArgs {
    /// The arena's file.
    #[arg(long)]
    config: PathBuf,
    /// End when standard input is closed.
    #[arg(long, alias = "lifeline")]
    end_with_stdin: bool,
}

fn usual_scenario() -> String {
    "a".into()
}

/// `arena.toml`.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArenaFile {
    /// The swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Fixes starting places and noise.
    pub seed: u64,
    /// `a`: robots start at the -x end; `b`: spread over the arena. A world file says it itself.
    #[serde(default = "usual_scenario")]
    pub scenario: String,
    /// A world file, relative to this file: arena, inner walls, discs, coloured patches, masses and friction, and where
    /// all start. Without it the usual arena with the frisbee.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<PathBuf>,
    /// A calibration file, relative to this file: the arena is as it was measured, and so are the robots' bodies. What the
    /// keys below say goes before it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calibration: Option<PathBuf>,
    /// Where the device sockets go, relative to this file.
    pub devices: PathBuf,
    /// Address and port where the devices are served on the network too, for robots whose `directory` is
    /// "tcp://HOST:PORT". There are no keys: whoever reaches it may drive the virtual robots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub devices_address: Option<SocketAddr>,
    /// Address and port of the Vicon DataStream server.
    pub mocap: SocketAddr,
    /// Address and port of the VRPN server, if there is to be one (its usual port is 3883).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vrpn: Option<SocketAddr>,
    /// What every light sensor tells without the lights, part of what it can tell, 0 to 1; 0.952 without it, 0.1 where there
    /// are lights.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_light: Option<f32>,
    /// Lights over the arena, at most 4, in place of those of its world.
    #[serde(default, skip_serializing_if = "is_default")]
    pub lights: Vec<LightEntry>,
    /// Sources of sound, at most 8.
    #[serde(default, skip_serializing_if = "is_default")]
    pub sounds: Vec<Sound>,
    /// What the robots have on their I2C buses beside the usual: `bno055`, `ads1015`, `ground`, `vl53l0x`, `erandb`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub fitted: Vec<Fitted>,
    /// Discs on the floor, which ground sensors see, at most 16.
    #[serde(default, skip_serializing_if = "is_default")]
    pub marks: Vec<Mark>,
    /// A file, relative to this one, in which a line is written whenever a robot's lamps change.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lamps_log: Option<PathBuf>,
    /// What kind of robots they are: `xpuck`, `e-puck1` or `e-puck2`.
    #[serde(default)]
    pub body: BodyFile,
    /// Robots that are of another kind, by id, such as `bodies = { xp02 = "e-puck2" }`.
    #[serde(default, skip_serializing_if = "is_default")]
    pub bodies: BTreeMap<String, BodyFile>,
    /// The first robot's SPI and camera go through the shim's own logic, simulated clock by clock: slow, and only in programs
    /// that were built with it (`make build-fpga`).
    #[serde(default, skip_serializing_if = "is_default")]
    pub fpga: bool,
    /// Once all wheels have stood still for so many seconds of arena time, 1 to 600, a frisbee that is not where the world starts
    /// it is put there: `xpuck swarm trials` need nobody then. Without it only one that touches an end is put back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 600.0))]
    pub reset_frisbee_s: Option<f64>,
    /// The NatNet server, if there is to be one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub natnet: Option<NatNetFile>,
    /// The robots' cameras.
    pub camera: CameraFile,
    /// AprilTags on its walls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<TagFile>,
    /// Address and port where pictures of it from above are served, if they are to be (MJPEG over HTTP).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overhead: Option<SocketAddr>,
    /// 3D viewers of RoboCup that watch it, if any may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub viewers: Option<ViewersFile>,
    /// Agents of SimSpark that drive robots, if any may.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agents: Option<AgentsFile>,
    /// A preset of what is unkind: `typical`, or `none`. What the keys below say goes before it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub unkind: Preset,
    /// Masses, friction and noise.
    #[serde(default, skip_serializing_if = "is_default")]
    pub physics: PhysicsKeys,
    /// How friction with the floor varies by place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<FloorKeys>,
    /// What is wrong with every robot.
    #[serde(default, skip_serializing_if = "is_default")]
    pub every_robot: RobotKeys,
    /// What is wrong with some robots; goes before what is wrong with every.
    #[serde(default, skip_serializing_if = "is_default")]
    pub robots: Vec<RobotKeys>,
    /// What fails for a while, at given times or by chance.
    #[serde(default, skip_serializing_if = "is_default")]
    pub faults: Vec<FaultKeys>,
    /// What changes during a run and stays so, without anybody telling the robots.
    #[serde(default, rename = "change", skip_serializing_if = "is_default")]
    pub changes: Vec<ChangeKeys>,
}

/// The part of `arena.toml` that says what is unkind, as a file of its own.
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
    /// What `--unkind` names: a preset, or a file, which may be a whole `arena.toml`.
    pub fn named(what: &str) -> Result<UnkindFile> {
        match what {
            "none" => return Ok(UnkindFile::default()),
            "typical" => return Ok(UnkindFile { unkind: Preset::Typical, ..UnkindFile::default() }),
            _ => {}
        }
        let path = Path::new(what);
        let text = file::text(path, file::MAX_TOML).with_context(|| {
            let near = suggest(what, ["typical", "none"].map(String::from).into_iter());
            format!("--unkind {what}: neither `typical` nor `none` nor a file{near}")
        })?;
        let whole = text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("swarm"));
        if !whole {
            return Ok(file::parse(what, &text)?);
        }
        let ArenaFile { unkind, physics, floor, every_robot, robots, faults, changes, .. } = file::parse(what, &text)?;
        Ok(UnkindFile { unkind, physics, floor, every_robot, robots, faults, changes })
    }

    /// Checks every value; the robots that it names are taken to be there.
    ///
    /// # Errors
    /// The key, its value and what it may be.
    pub fn check(&self) -> Result<(), OutOfBounds> {
        let named = self.robots.iter().filter_map(|keys| keys.id.clone());
        let named = named.chain(self.faults.iter().filter_map(|fault| fault.robot.clone()));
        let names: Vec<String> = named.chain(self.changes.iter().filter_map(|change| change.robot.clone())).collect();
        let UnkindFile { physics, floor, every_robot, robots, faults, changes, .. } = self.clone();
        Unkind { physics, floor, every_robot, robots, faults, changes }.check(&names)
    }

    /// Puts it into an arena's file.
    pub fn apply(self, arena: &mut ArenaFile) {
        let UnkindFile { unkind, physics, floor, every_robot, robots, faults, changes } = self;
        *arena = ArenaFile { unkind, physics, floor, every_robot, robots, faults, changes, ..arena.clone() };
    }
}

/// The shim's own logic, where this program has it.
#[cfg(feature = "fpga")]
fn shim(_: &str, wanted: bool) -> Result<Option<Arc<dyn Shim>>> {
    Ok(wanted.then(|| Arc::new(shim::Logic::default()) as Arc<dyn Shim>))
}

/// The shim's own logic, which this program does not have.
#[cfg(not(feature = "fpga"))]
fn shim(name: &str, wanted: bool) -> Result<Option<Arc<dyn Shim>>> {
    if wanted {
        bail!("{name}: fpga: this program was built without the shim's logic; `make build-fpga` builds one with it");
    }
    Ok(None)
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// A NatNet server.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NatNetFile {
    /// Address and port at which requests are answered (the usual port is 1510).
    pub address: SocketAddrV4,
    /// The multicast group and port to which frames go (the usual one is 239.255.42.99:1511); without it they go to each
    /// client that asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub group: Option<SocketAddrV4>,
    /// The protocol's version, `3.1` or `4.1`.
    #[serde(default)]
    pub version: NatNetVersion,
}

/// A version of NatNet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum NatNetVersion {
    /// Motive 2.1 and 2.2.
    #[serde(rename = "3.1")]
    V3_1,
    /// Motive 3.1.
    #[default]
    #[serde(rename = "4.1")]
    V4_1,
    /// Motive 3.2.
    #[serde(rename = "4.2")]
    V4_2,
}

/// A kind of robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema, ValueEnum)]
pub enum BodyFile {
    /// The dsPIC on SPI.
    #[default]
    #[serde(rename = "xpuck")]
    #[value(name = "xpuck")]
    Xpuck,
    /// Registers over I2C.
    #[serde(rename = "e-puck1")]
    #[value(name = "e-puck1")]
    Epuck1,
    /// Packets over I2C.
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
    /// Its name in files.
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
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// Frames in a second of arena time.
    pub frames_per_second: f64,
}

/// An AprilTag on a wall.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TagFile {
    /// Its number in the family 36h11, 0 to 29.
    pub id: u16,
    /// Its middle, on a wall, m.
    pub at: [f32; 2],
    /// Side from black edge to black edge, m, 0.01 to 0.16.
    #[serde(default = "tag_size")]
    pub size: f32,
    /// Height of its middle above the floor, m; walls are 0.18 high.
    #[serde(default = "tag_height")]
    pub height: f32,
}

fn tag_size() -> f32 {
    0.1
}

fn tag_height() -> f32 {
    0.08
}

/// What the arena prints when it ends.
#[derive(Clone, Copy, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Timing {
    /// Arena time that passed, s.
    pub arena_seconds: f64,
    /// Wall time that passed, s.
    pub wall_seconds: f64,
    /// Arena time over wall time times the speed.
    pub ratio: f64,
}

/// Reads the arena's file.
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
        other => bail!("{name}: scenario = \"{other}\" is neither \"a\" nor \"b\""),
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

/// A world's tags, which have no numbers, as tags 0, 1 and so on. Walls inside the arena carry none here.
fn hung(world: &WorldSpec) -> Vec<WallTag> {
    let tag = |(id, tag): (u16, &Tag)| WallTag { id, at: tag.at, size: tag_size(), height: tag_height() };
    let on_a_wall = |tag: &WallTag| tag.check(world.physics.half_arena).is_ok();
    (0..).zip(&world.tags.list).map(tag).filter(on_a_wall).collect()
}

fn wall_tag(TagFile { id, at: [x, y], size, height }: TagFile) -> WallTag {
    WallTag { id, at: vec2(x, y), size, height }
}

/// Refuses a calibration of robots that the swarm does not have; `name` is the file that names it.
pub fn known(name: &str, calibration: Option<&Path>, measured: &Calibration, robots: &[String]) -> Result<()> {
    if let Some(id) = measured.robots.keys().find(|id| !robots.contains(id)) {
        let file = calibration.unwrap_or(Path::new("")).display();
        bail!("{name}: calibration {file}: robots.{id:?} is not in the swarm; take the robot's table out of it");
    }
    Ok(())
}

/// An arena and bodies as they were measured, where `unkind` says nothing else. The distance between a body's wheels stays
/// nominal: it cannot be set.
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
    let physics = unkind.physics.over(measured.physics);
    Unkind { physics, every_robot: unkind.every_robot.over(&every), robots, ..unkind }
}

/// Runs the command.
pub fn run(args: &ArenaArgs) -> Result<()> {
    let settings = settings(&args.config)?;
    let stop = shutdown::service_flag(shutdown::Ends { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let mut company = guests::start(&args.config, settings.robots.len())?;
    let summary = xpuck_arena::run(
        &settings,
        &stop,
        |_| log::report("ready"),
        |seconds, change| {
            info!(target: "arena", "{seconds:.1} s of arena time: from now on {change}");
        },
        company.as_mut(),
    )?;
    let timing =
        Timing { arena_seconds: summary.arena_seconds, wall_seconds: summary.wall_seconds, ratio: summary.ratio };
    // For the program that started it.
    if args.end_with_stdin {
        report_json(&timing);
    }
    Ok(())
}
