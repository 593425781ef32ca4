//! What an arena is made of, and what can be wrong with it.

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

/// Most tags on the walls.
const MOST_TAGS: usize = 64;

/// What an arena is made of.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Names of the robots, 1 to 256, distinct, 1 to 32 characters of a-z, 0-9, `_` and `-`.
    pub robots: Vec<String>,
    /// Fixes starting places and all noise.
    pub seed: u64,
    /// Arena seconds in a wall second, 0.1..=100.
    pub speed: f64,
    /// Where the robots start in the usual world.
    pub scenario: Scenario,
    /// What is in the arena, and where it starts, if it is not the usual world; as many robots as there are names.
    pub world: Option<WorldSpec>,
    /// Directory of the device sockets, `<robot>.spi`, `<robot>.i2c` and `<robot>.camera`.
    pub device_dir: PathBuf,
    /// Where they are served on the network too; port 0 takes a free one. `None`: nowhere. Whoever reaches it may drive.
    pub device_address: Option<SocketAddr>,
    /// Where poses are served as a Vicon DataStream; port 0 takes a free one.
    pub mocap: SocketAddr,
    /// Where they are served by VRPN too, TCP and UDP; port 0 takes a free one. `None`: nowhere.
    pub vrpn: Option<SocketAddr>,
    /// How they are served by NatNet too. `None`: not at all.
    pub natnet: Option<NatNet>,
    /// The robots' cameras.
    pub camera: CameraSettings,
    /// What kind of robots they are.
    pub body: BodyKind,
    /// Robots that are of another kind, by name.
    pub bodies: BTreeMap<String, BodyKind>,
    /// Once all wheels have stood still for so long, s, a frisbee that is not where the world starts it is put there, so that
    /// the next run can begin. `None`: only one that touches an end is put back.
    pub reset_frisbee_s: Option<f64>,
    /// Through what the first robot's SPI and camera go; `None`: nothing.
    pub shim: Option<Arc<dyn Shim>>,
    /// What goes wrong on the buses of those of whom `unkind` says nothing else.
    pub faults: Faults,
    /// The curve of the infra-red sensors.
    pub curve: Curve,
    /// Its light, if it is not that of its world.
    pub lighting: Option<Lighting>,
    /// What sounds in it, at most 8.
    pub sounds: Vec<Sound>,
    /// What the robots have on their I2C buses beside the usual.
    pub fitted: Vec<Fitted>,
    /// Discs on the floor, at most 16.
    pub marks: Vec<Mark>,
    /// Where a line is written whenever a robot's lamps change; `None`: nowhere.
    pub lamps_log: Option<PathBuf>,
    /// How it differs from the simulator's world.
    pub unkind: Unkind,
    /// What else hangs in it.
    pub fittings: Fittings,
}

/// What hangs on an arena's walls and above it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fittings {
    /// Tags on its walls, at most 64.
    pub tags: Vec<WallTag>,
    /// Where pictures of it from above are served as MJPEG over HTTP; port 0 takes a free one. `None`: nowhere.
    pub overhead: Option<SocketAddr>,
}

/// A kind of robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BodyKind {
    /// The thesis's: the dsPIC on SPI, with a watchdog.
    #[default]
    Xpuck,
    /// An e-puck1 with a Pi-puck board: registers over I2C.
    Epuck1,
    /// An e-puck2 with a Pi-puck board: packets over I2C.
    Epuck2,
}

/// The robots' cameras.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CameraSettings {
    /// Pixels in a row, even, 32..=640.
    pub width: u32,
    /// Rows, 24..=480.
    pub height: u32,
    /// Frames in a second of arena time, 0.1..=60.
    pub frames_per_second: f64,
    /// What goes wrong on the way to the robot's board, parts of 0..=1.
    pub faults: ft2232h::Faults,
}

impl Default for CameraSettings {
    /// A quarter of VGA each way, at the 5 Hz at which the reference model's camera refreshes.
    fn default() -> CameraSettings {
        CameraSettings { width: 160, height: 120, frames_per_second: 5.0, faults: ft2232h::Faults::default() }
    }
}

impl CameraSettings {
    /// Bytes of a YUYV frame.
    pub fn frame_len(&self) -> usize {
        xpuck_registers::yuyv::frame_len(self.width as usize, self.height as usize)
    }
}

/// Why an arena cannot be made or served.
#[derive(Debug, thiserror::Error)]
pub enum ArenaError {
    /// A setting is out of its range.
    #[error("arena setting `{setting}` is {value}: {allowed}")]
    Setting {
        /// Name of the setting.
        setting: &'static str,
        /// Its value.
        value: String,
        /// What it may be.
        allowed: &'static str,
    },
    /// A tag that cannot hang there.
    #[error("arena setting `tags`, number {number}: {why}")]
    Tag {
        /// Which, from 1.
        number: usize,
        /// What is wrong with it.
        why: String,
    },
    /// What is unkind is out of its bounds.
    #[error("arena setting {0}")]
    Unkind(#[from] OutOfBounds),
    /// The motion-capture address cannot be bound.
    #[error("cannot serve motion capture on {address}: {source}; choose another port or end the program that holds it")]
    Mocap {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The address of the devices cannot be bound.
    #[error("cannot serve devices on {address}: {source}; choose another port or end the program that holds it")]
    DeviceAddress {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The address of the camera above the arena cannot be bound.
    #[error(
        "cannot serve the overhead camera on {address}: {source}; choose another port or end the program that holds it"
    )]
    Overhead {
        /// The address asked for.
        address: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
    /// The directory of the device sockets cannot be used.
    #[error("cannot use device directory {}: {source}; choose one that this user can write to", path.display())]
    DeviceDir {
        /// The directory.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The lamps' log cannot be written.
    #[error("cannot write the lamps' log {}: {source}; choose another file", path.display())]
    LampsLog {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A device socket cannot be bound.
    #[error("cannot listen on {}: {source}; choose another device directory", path.display())]
    Device {
        /// The socket.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Something else already stands where a device socket would.
    #[error("{} is in use: {by}; end that program or choose another device directory", path.display())]
    DeviceInUse {
        /// The socket.
        path: PathBuf,
        /// What was found there.
        by: &'static str,
    },
    /// A device socket's path is longer than Unix sockets allow.
    #[error("the path {} has {length} bytes, and Unix sockets allow 107; choose a shorter one", path.display())]
    PathTooLong {
        /// The socket.
        path: PathBuf,
        /// Its length in bytes.
        length: usize,
    },
}

impl Settings {
    /// What kind of robot the one at this place is, from 0.
    pub fn kind(&self, robot: usize) -> BodyKind {
        self.robots.get(robot).and_then(|name| self.bodies.get(name)).copied().unwrap_or(self.body)
    }

    /// Checks every range.
    pub fn validate(&self) -> Result<(), ArenaError> {
        let check = |ok: bool, setting, value: String, allowed| {
            if ok { Ok(()) } else { Err(ArenaError::Setting { setting, value, allowed }) }
        };
        let count = self.robots.len();
        check((1..=MAX_ROBOTS).contains(&count), "robots", format!("{count} names"), "1 to 256 are possible")?;
        if let Some(world) = &self.world {
            let wrong = |value: String| ArenaError::Setting { setting: "world", value, allowed: "see docs/worlds.md" };
            if world.robots != count {
                return Err(wrong(format!("of {} robots, and there are {count}", world.robots)));
            }
            world.check().map_err(|error| wrong(format!("impossible: {error}")))?;
        }
        for (i, id) in self.robots.iter().enumerate() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
            let good = (1..=32).contains(&id.len()) && id.chars().all(plain) && id != crate::mocap::vicon::FRISBEE;
            let allowed = "a name is 1 to 32 characters of a-z, 0-9, _ and -, and not `frisbee`";
            check(good, "robots", format!("{id:?}"), allowed)?;
            check(!self.robots[..i].contains(id), "robots", format!("{id:?} twice"), "names are distinct")?;
        }
        if let Some(id) = self.bodies.keys().find(|id| !self.robots.contains(id)) {
            check(false, "bodies", format!("for {id:?}"), "only robots of the swarm have one")?;
        }
        if let Some(group) = self.natnet.as_ref().and_then(|natnet| natnet.group) {
            let allowed =
                "a group is an address from 224.0.0.0 to 239.255.255.255 with a port, like 239.255.42.99:1511";
            check(group.ip().is_multicast() && group.port() > 0, "natnet.group", group.to_string(), allowed)?;
        }
        for (i, device) in self.fitted.iter().enumerate() {
            let twice = self.fitted[..i].contains(device);
            check(!twice, "fitted", format!("{device:?} twice"), "each is there once")?;
        }
        check((0.1..=100.0).contains(&self.speed), "speed", self.speed.to_string(), "0.1 to 100 are possible")?;
        if let Some(rest) = self.reset_frisbee_s {
            let value = rest.to_string();
            check((1.0..=600.0).contains(&rest), "reset_frisbee_s", value, "1 to 600 seconds are possible")?;
        }
        let CameraSettings { width, height, frames_per_second, faults } = self.camera;
        let even = (32..=640).contains(&width) && width.is_multiple_of(2);
        check(even, "camera.width", width.to_string(), "even numbers from 32 to 640 are possible")?;
        check((24..=480).contains(&height), "camera.height", height.to_string(), "24 to 480 are possible")?;
        let rate = frames_per_second.to_string();
        check((0.1..=60.0).contains(&frames_per_second), "camera.frames_per_second", rate, "0.1 to 60 are possible")?;
        let parts = [faults.lost_packets, faults.garbled_packets, faults.stalled_frames];
        let possible = parts.iter().all(|part| (0.0..=1.0).contains(part));
        check(possible, "camera.faults", format!("{parts:?}"), "parts from 0 to 1 are possible")?;
        if let Some(lighting) = &self.lighting {
            let lit = WorldSpec { lighting: lighting.clone(), ..WorldSpec::benchmark(1) };
            let allowed = "see docs/sensors.md";
            lit.check().map_err(|error| ArenaError::Setting {
                setting: "lights",
                value: error.to_string(),
                allowed,
            })?;
        }
        check(self.sounds.len() <= MAX_SOUNDS, "sounds", self.sounds.len().to_string(), "at most 8 are possible")?;
        for Sound { at_m, loudness } in &self.sounds {
            let sound = at_m.iter().all(|at| (-20.0..=20.0).contains(at)) && (0.0..=1.0).contains(loudness);
            let value = format!("at {at_m:?} with loudness {loudness}");
            check(sound, "sounds", value, "places within 20 m and a loudness from 0 to 1 are possible")?;
        }
        check(self.marks.len() <= MAX_MARKS, "marks", self.marks.len().to_string(), "at most 16 are possible")?;
        for Mark { at_m, radius_m, brightness } in &self.marks {
            let place = at_m.iter().all(|at| (-20.0..=20.0).contains(at));
            let mark = place && (0.005..=5.0).contains(radius_m) && (0.0..=1.0).contains(brightness);
            let value = format!("at {at_m:?} with radius {radius_m} and brightness {brightness}");
            let allowed = "places within 20 m, a radius from 0.005 to 5 m and a brightness from 0 to 1 are possible";
            check(mark, "marks", value, allowed)?;
        }
        let shim = |ok, allowed| check(self.shim.is_none() || ok, "fpga", "true".into(), allowed);
        shim(self.body == BodyKind::Xpuck, "only the body `xpuck` has a shim")?;
        shim(
            width.is_multiple_of(8),
            "rows of the shim have 16 bytes or a multiple, so camera.width is a multiple of 8",
        )?;
        let tags = &self.fittings.tags;
        check(tags.len() <= MOST_TAGS, "tags", format!("{} of them", tags.len()), "64 are possible")?;
        let half_arena = self.spec().physics.half_arena;
        for (n, tag) in tags.iter().enumerate() {
            tag.check(half_arena).map_err(|why| ArenaError::Tag { number: n + 1, why })?;
        }
        Ok(self.unkind.check(&self.robots)?)
    }

    /// What is in the arena, before what is unkind.
    pub(crate) fn spec(&self) -> WorldSpec {
        self.world.clone().unwrap_or_else(|| WorldSpec::scenario(self.robots.len(), self.scenario))
    }

    /// Number of discs.
    pub(crate) fn discs(&self) -> usize {
        self.spec().discs.len()
    }

    /// The usual arena with so many robots, xp01, xp02 and so on, their device sockets in a folder: on this machine alone, on
    /// free ports, with nothing that is unkind and nothing beside the usual.
    pub fn usual(robots: usize, devices: impl Into<PathBuf>) -> Settings {
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

    /// Path of a robot's device socket; `device` is `spi`, `i2c` or `camera`.
    pub fn device_path(&self, robot: &str, device: &str) -> PathBuf {
        device_path(&self.device_dir, robot, device)
    }
}

fn device_path(dir: &Path, robot: &str, device: &str) -> PathBuf {
    dir.join(format!("{robot}.{device}"))
}

#[cfg(test)]
pub(crate) fn for_tests(robots: usize) -> Settings {
    Settings { seed: 5, ..Settings::usual(robots, "/nonexistent") }
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
