//! Settings of an arena, and their validation.

use crate::faults::Faults;
use crate::fitted::{Fitted, MAX_MARKS, Mark};
use crate::ft2232h;
use crate::mocap::natnet::NatNet;
use crate::shim::Shim;
use crate::sounds::{MAX_SOUNDS, Sound};
use crate::tags::WallTag;
use crate::unkind::{OutOfBounds, Unkind};
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::senses::light::Lighting;
use xpuck_kernels::world::{Scenario, WorldSpec};
use xpuck_registers::infrared::{Curve, PUBLISHED};

/// Maximum number of tags on the walls.
const MAX_TAGS: usize = 64;

/// Settings of an arena.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of the robots: 1 to 256, distinct, 1 to 32 characters of a-z, 0-9, `_` and `-`.
    pub robots: Vec<String>,
    /// Seed of the starting positions and all noise.
    pub seed: u64,
    /// Speed of the arena: arena time divided by wall time (0.1..=100).
    pub speed: f64,
    /// Start scenario of the robots in the default world.
    pub scenario: Scenario,
    /// World of the arena; its robot count must match `robots`. `None`: the default world.
    pub world: Option<WorldSpec>,
    /// Directory of the device sockets. The name of a socket is `<robot>.spi`, `<robot>.i2c` or `<robot>.camera`.
    pub device_dir: PathBuf,
    /// Network address at which the devices are also served; port 0 selects a free port. `None`: no network access.
    /// Any program that can reach this address can drive the robots.
    pub device_address: Option<SocketAddr>,
    /// Address of the Vicon DataStream server; port 0 selects a free port.
    pub mocap: SocketAddr,
    /// Address of the VRPN server, TCP and UDP; port 0 selects a free port. `None`: no VRPN.
    pub vrpn: Option<SocketAddr>,
    /// Settings of the NatNet server. `None`: no NatNet.
    pub natnet: Option<NatNet>,
    /// Settings of the robots' cameras.
    pub camera: CameraSettings,
    /// Default kind of the robots.
    pub body: BodyKind,
    /// Kinds of the robots that differ from `body`, by robot name.
    pub bodies: BTreeMap<String, BodyKind>,
    /// Time for which all wheels must be still before a frisbee outside its start area is moved back to this area (s).
    /// The next run can then begin. `None`: the frisbee is moved back only after it touches an end wall.
    pub reset_frisbee_s: Option<f64>,
    /// Optional logic between the first robot's board and this robot's dsPIC and camera.
    pub shim: Option<Arc<dyn Shim>>,
    /// Default bus faults. They apply to each robot for which `unkind` does not set bus faults.
    pub faults: Faults,
    /// Response curve of the infra-red sensors.
    pub curve: Curve,
    /// Light of the arena; `None`: the light of its world.
    pub lighting: Option<Lighting>,
    /// Sound sources, at most 8.
    pub sounds: Vec<Sound>,
    /// Optional devices on the robots' I2C buses.
    pub fitted: Vec<Fitted>,
    /// Discs painted on the floor, at most 16.
    pub marks: Vec<Mark>,
    /// File to which each change of a robot's lamps is logged, one per line; `None`: no log.
    pub lamps_log: Option<PathBuf>,
    /// Deviations from the simulator's world.
    pub unkind: Unkind,
    /// Tags and the overhead camera.
    pub fittings: Fittings,
}

/// Objects mounted on an arena's walls and above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fittings {
    /// Tags on the walls, at most 64.
    pub tags: Vec<WallTag>,
    /// Address at which the overhead camera's pictures are served as MJPEG over HTTP; port 0 selects a free port.
    /// `None`: no overhead camera.
    pub overhead: Option<SocketAddr>,
}

/// Kind of robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// Robot of the thesis: a dsPIC with a watchdog, connected to the board by SPI.
    #[default]
    Xpuck,
    /// e-puck1 with a Pi-puck board, which accesses registers of the body over I2C.
    Epuck1,
    /// e-puck2 with a Pi-puck board, which exchanges packets with the body over I2C.
    Epuck2,
}

/// Settings of the robots' cameras.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraSettings {
    /// Width (pixels, even, 32..=640).
    pub width: u32,
    /// Height (pixels, 24..=480).
    pub height: u32,
    /// Frame rate in arena time (Hz, 0.1..=60).
    pub frames_per_second: f64,
    /// Transmission faults between the camera and the robot's board. Each value is the fraction of affected packets or
    /// frames (0..=1).
    pub faults: ft2232h::Faults,
}

impl Default for CameraSettings {
    /// Returns a resolution of 160 x 120 pixels, a quarter of VGA in each direction, and a frame rate of 5 Hz. The
    /// camera of the reference model is refreshed at the same rate.
    fn default() -> CameraSettings {
        CameraSettings { width: 160, height: 120, frames_per_second: 5.0, faults: ft2232h::Faults::default() }
    }
}

impl CameraSettings {
    /// Returns the length of a YUYV frame (bytes).
    pub fn frame_len(&self) -> usize {
        xpuck_registers::yuyv::frame_len(self.width as usize, self.height as usize)
    }
}

/// Reason why an arena cannot be created or served.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// A setting is out of range.
    #[error("arena setting `{setting}` is {value}: {allowed}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Value of the setting.
        value: String,
        /// Allowed values.
        allowed: &'static str,
    },
    /// A tag is invalid.
    #[error("arena setting `tags`, number {number}: {why}")]
    Tag {
        /// Number of the tag in the list, from 1.
        number: usize,
        /// Reason for the rejection.
        why: String,
    },
    /// A key of `unkind` is out of bounds.
    #[error("arena setting {0}")]
    Unkind(#[from] OutOfBounds),
    /// The motion-capture address cannot be bound.
    #[error("cannot serve motion capture on {address}: {source}; choose another port or end the program that uses it")]
    Mocap {
        /// Requested address.
        address: SocketAddr,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The address of the devices cannot be bound.
    #[error("cannot serve devices on {address}: {source}; choose another port or end the program that uses it")]
    DeviceAddress {
        /// Requested address.
        address: SocketAddr,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The address of the overhead camera cannot be bound.
    #[error(
        "cannot serve the overhead camera on {address}: {source}; choose another port or end the program that uses it"
    )]
    Overhead {
        /// Requested address.
        address: SocketAddr,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The directory of the device sockets cannot be used.
    #[error("cannot use device directory {}: {source}; choose a directory that this user can write to", path.display())]
    DeviceDir {
        /// Path of the directory.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The lamp log cannot be written.
    #[error("cannot write the lamp log {}: {source}; choose another file", path.display())]
    LampsLog {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// A device socket cannot be bound.
    #[error("cannot listen on {}: {source}; choose another device directory", path.display())]
    Device {
        /// Path of the socket.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The path of a device socket is already in use.
    #[error("{} is in use: {by}; free this path or choose another device directory", path.display())]
    DeviceInUse {
        /// Path of the socket.
        path: PathBuf,
        /// Description of the current use of the path.
        by: &'static str,
    },
    /// The path of a device socket is longer than Unix sockets allow.
    #[error("the path {} has {length} bytes, but Unix sockets allow at most 107; choose a shorter path", path.display())]
    PathTooLong {
        /// Path of the socket.
        path: PathBuf,
        /// Length of the path (bytes).
        length: usize,
    },
}

impl Settings {
    /// Returns the kind of the robot at this index.
    pub fn kind(&self, robot: usize) -> BodyKind {
        self.robots.get(robot).and_then(|name| self.bodies.get(name)).copied().unwrap_or(self.body)
    }

    /// Validates all settings.
    pub fn validate(&self) -> Result<(), ArenaError> {
        let check = |ok: bool, setting, value: String, allowed| {
            if ok { Ok(()) } else { Err(ArenaError::Setting { setting, value, allowed }) }
        };
        let count = self.robots.len();
        check((1..=MAX_ROBOTS).contains(&count), "robots", format!("{count} names"), "1 to 256 are allowed")?;
        if let Some(world) = &self.world {
            let wrong = |value: String| ArenaError::Setting { setting: "world", value, allowed: "see docs/worlds.md" };
            if world.robots != count {
                return Err(wrong(format!("for {} robots, but there are {count} robots", world.robots)));
            }
            world.check().map_err(|error| wrong(format!("invalid: {error}")))?;
        }
        for (i, id) in self.robots.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
            let good = (1..=32).contains(&id.len()) && id.chars().all(plain) && id != crate::mocap::vicon::FRISBEE;
            let allowed = "a name must have 1 to 32 characters of a-z, 0-9, _ and -, and must not be `frisbee`";
            check(good, "robots", format!("{id:?}"), allowed)?;
            check(!self.robots[..i].contains(id), "robots", format!("{id:?} twice"), "names must be distinct")?;
        }
        if let Some(id) = self.bodies.keys().find(|id| !self.robots.contains(id)) {
            check(false, "bodies", format!("for {id:?}"), "only robots of the swarm can have a body")?;
        }
        if let Some(group) = self.natnet.as_ref().and_then(|natnet| natnet.group) {
            let allowed =
                "a group must be an address from 224.0.0.0 to 239.255.255.255 with a port, like 239.255.42.99:1511";
            check(group.ip().is_multicast() && group.port() > 0, "natnet.group", group.to_string(), allowed)?;
        }
        for (i, device) in self.fitted.iter().enumerate() {
            let twice = self.fitted[..i].contains(device);
            check(!twice, "fitted", format!("{device:?} twice"), "list each device once")?;
        }
        check((0.1..=100.0).contains(&self.speed), "speed", self.speed.to_string(), "0.1 to 100 are allowed")?;
        if let Some(rest) = self.reset_frisbee_s {
            let value = rest.to_string();
            check((1.0..=600.0).contains(&rest), "reset_frisbee_s", value, "1 to 600 seconds are allowed")?;
        }
        let CameraSettings { width, height, frames_per_second, faults } = self.camera;
        let even = (32..=640).contains(&width) && width.is_multiple_of(2);
        check(even, "camera.width", width.to_string(), "even numbers from 32 to 640 are allowed")?;
        check((24..=480).contains(&height), "camera.height", height.to_string(), "24 to 480 are allowed")?;
        let rate = frames_per_second.to_string();
        check((0.1..=60.0).contains(&frames_per_second), "camera.frames_per_second", rate, "0.1 to 60 are allowed")?;
        let parts = [faults.lost_packets, faults.garbled_packets, faults.stalled_frames];
        let possible = parts.iter().all(|part| (0.0..=1.0).contains(part));
        check(possible, "camera.faults", format!("{parts:?}"), "shares from 0 to 1 are allowed")?;
        if let Some(lighting) = &self.lighting {
            let lit = WorldSpec { lighting: lighting.clone(), ..WorldSpec::benchmark(1) };
            let allowed = "see docs/sensors.md";
            lit.check().map_err(|error| ArenaError::Setting {
                setting: "lights",
                value: error.to_string(),
                allowed,
            })?;
        }
        check(self.sounds.len() <= MAX_SOUNDS, "sounds", self.sounds.len().to_string(), "at most 8 are allowed")?;
        for Sound { at_m, loudness } in &self.sounds {
            let sound = at_m.iter().all(|at| (-20.0..=20.0).contains(at)) && (0.0..=1.0).contains(loudness);
            let value = format!("at {at_m:?} with loudness {loudness}");
            check(sound, "sounds", value, "places within 20 m and a loudness from 0 to 1 are allowed")?;
        }
        check(self.marks.len() <= MAX_MARKS, "marks", self.marks.len().to_string(), "at most 16 are allowed")?;
        for Mark { at_m, radius_m, brightness } in &self.marks {
            let place = at_m.iter().all(|at| (-20.0..=20.0).contains(at));
            let mark = place && (0.005..=5.0).contains(radius_m) && (0.0..=1.0).contains(brightness);
            let value = format!("at {at_m:?} with radius {radius_m} and brightness {brightness}");
            let allowed = "places within 20 m, a radius from 0.005 to 5 m and a brightness from 0 to 1 are allowed";
            check(mark, "marks", value, allowed)?;
        }
        let shim = |ok, allowed| check(self.shim.is_none() || ok, "fpga", "true".into(), allowed);
        shim(self.body == BodyKind::Xpuck, "only the body `xpuck` has a shim")?;
        shim(
            width.is_multiple_of(8),
            "camera.width must be a multiple of 8, because rows of the shim have a multiple of 16 bytes",
        )?;
        let tags = &self.fittings.tags;
        check(tags.len() <= MAX_TAGS, "tags", format!("{} tags", tags.len()), "at most 64 are allowed")?;
        let half_arena = self.spec().physics.half_arena;
        for (n, tag) in tags.iter().enumerate() {
            tag.check(half_arena).map_err(|why| ArenaError::Tag { number: n + 1, why })?;
        }
        Ok(self.unkind.check(&self.robots)?)
    }

    /// Returns the world of the arena, without the deviations in `unkind`.
    pub(crate) fn spec(&self) -> WorldSpec {
        self.world.clone().unwrap_or_else(|| WorldSpec::scenario(self.robots.len(), self.scenario))
    }

    /// Returns the number of discs in the arena's world.
    pub(crate) fn discs(&self) -> usize {
        self.spec().discs.len()
    }

    /// Returns the settings of a default arena with `robots` robots (xp01, xp02, ...) and with device sockets in the
    /// folder `devices`. The servers use free ports on loopback. The arena has no deviations and no optional objects.
    pub fn with_defaults(robots: usize, devices: impl Into<PathBuf>) -> Settings {
        Settings {
            robots: (1..=robots).map(|i| format!("xp{i:02}")).collect(),
            seed: 1,
            speed: 1.0,
            scenario: Scenario::A,
            world: None,
            device_dir: devices.into(),
            device_address: None,
            mocap: ([127, 0, 0, 1], 0).into(),
            vrpn: None,
            natnet: None,
            camera: CameraSettings::default(),
            reset_frisbee_s: None,
            body: BodyKind::Xpuck,
            bodies: BTreeMap::new(),
            shim: None,
            faults: Faults::default(),
            curve: PUBLISHED,
            lighting: None,
            sounds: Vec::new(),
            fitted: Vec::new(),
            marks: Vec::new(),
            lamps_log: None,
            unkind: Unkind::default(),
            fittings: Fittings::default(),
        }
    }

    /// Returns the path of a robot's device socket; `device` is `spi`, `i2c` or `camera`.
    pub fn device_path(&self, robot: &str, device: &str) -> PathBuf {
        device_path(&self.device_dir, robot, device)
    }
}

fn device_path(dir: &Path, robot: &str, device: &str) -> PathBuf {
    dir.join(format!("{robot}.{device}"))
}

#[cfg(test)]
pub(crate) fn for_tests(robots: usize) -> Settings {
    Settings { seed: 5, ..Settings::with_defaults(robots, "/nonexistent") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mocap::natnet::Version;

    fn natnet(group: &str) -> Option<NatNet> {
        let address = "127.0.0.1:1510".parse().unwrap();
        Some(NatNet { address, group: Some(group.parse().unwrap()), version: Version::V4_1 })
    }

    #[test]
    fn settings_out_of_range_are_named() {
        let refused = |change: fn(&mut Settings)| {
            let mut settings = for_tests(9);
            change(&mut settings);
            settings.validate().unwrap_err().to_string()
        };
        assert!(for_tests(9).validate().is_ok());
        assert!(refused(|s| s.robots.clear()).contains("`robots` is 0 names"));
        assert!(refused(|s| s.robots[1] = "xp01".into()).contains("\"xp01\" twice"));
        assert!(refused(|s| s.robots[1] = "../x".into()).contains("a-z"));
        assert!(refused(|s| s.robots[1] = "frisbee".into()).contains("frisbee"));
        assert!(refused(|s| s.natnet = natnet("10.0.0.1:1511")).contains("natnet.group"));
        assert!(refused(|s| s.natnet = natnet("239.255.42.99:0")).contains("natnet.group"));
        assert!(refused(|s| s.speed = f64::NAN).contains("`speed` is NaN"));
        assert!(refused(|s| s.camera.width = 161).contains("even"));
        assert!(refused(|s| s.camera.frames_per_second = 0.0).contains("frames_per_second"));
        assert!(refused(|s| s.camera.faults.lost_packets = f32::NAN).contains("camera.faults"));
    }
}
