//! The robot's file: what differs from robot to robot.

mod camera;

pub use camera::{CameraFile, Exposure, TagColour};

use crate::calibration::Calibration;
use crate::device::fitted::Fitted;
use crate::device::virtual_bus::TCP;
use crate::onboard::thermal::SOC;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use xpuck_experiment::silence::LONGEST_ALONE;
use xpuck_kernels::engine::{AdapterChoice, EngineChoice, EngineKind, check_choice};
use xpuck_wire::{FileError, Swarm, file};

/// `robots/<id>.toml`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotFile {
    /// The robot's id; the swarm file lists it.
    pub id: String,
    /// The swarm file, relative to this file.
    pub swarm: PathBuf,
    /// Where Groot2 may watch the running tree, such as "tcp://127.0.0.1:1667"; nowhere without it.
    #[serde(default)]
    pub groot: Option<String>,
    /// What the robot's devices are.
    pub devices: DeviceKind,
    /// What the camera does.
    #[serde(default)]
    pub camera: CameraFile,
    /// What else it has on its I2C bus: "bno055", "ads1015", "ground", "vl53l0x", "erandb".
    #[serde(default)]
    pub fitted: Vec<Fitted>,
    /// The control loop.
    #[serde(default)]
    pub control: ControlFile,
    /// Onboard evolution.
    #[serde(default)]
    pub evolution: EvolutionFile,
    /// Programs on this board that may drive it.
    #[serde(default)]
    pub external: ExternalFile,
    /// What is particular to this robot's body.
    #[serde(default)]
    pub calibration: Calibration,
}

impl RobotFile {
    /// Checks every range.
    ///
    /// # Errors
    /// One line with the first key that is out of its range.
    pub fn check(&self) -> Result<(), String> {
        let evolution = &self.evolution;
        let rows = [
            ("control.realtime", f64::from(self.control.realtime), 0.0, 90.0),
            ("control.drive_alone_s", self.control.drive_alone_s, 0.0, LONGEST_ALONE),
            ("evolution.threads", evolution.threads as f64, 1.0, 64.0),
            ("evolution.max_temperature_c", f64::from(evolution.max_temperature_c), 30.0, 110.0),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("{key} = {value} is outside {low}..={high}"));
            }
        }
        self.camera.check()?;
        if self.external.socket.as_ref().is_some_and(|socket| socket.as_os_str().is_empty()) {
            return Err("external.socket is empty; name a place, such as /run/xpuck/xp01.sock".into());
        }
        for (i, device) in self.fitted.iter().enumerate() {
            if self.fitted[..i].contains(device) {
                return Err(format!("fitted has {:?} twice", device.name()));
            }
        }
        self.calibration.check()
    }
}

/// How the devices are reached.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeviceKind {
    /// In a virtual arena on this machine.
    Virtual {
        /// Where the arena put its sockets, relative to this file; or where it serves them on the network, such as
        /// "tcp://192.168.1.2:7604".
        directory: PathBuf,
        /// Width of a camera frame, pixels.
        camera_width: u32,
        /// Height of a camera frame, pixels.
        camera_height: u32,
        /// Which body it has.
        #[serde(default)]
        body: BodyKind,
        /// It has a camera; a robot without one sees no colours.
        #[serde(default = "yes")]
        camera: bool,
    },
    /// The thesis's robot: an e-puck on the shim's SPI, with two power monitors on I2C.
    Xpuck {
        /// The SPI device, such as /dev/spidev1.0.
        spi: PathBuf,
        /// The I2C bus of the power monitors, such as /dev/i2c-1.
        i2c: PathBuf,
        /// The camera; a robot without one sees no colours.
        camera: Option<Camera>,
    },
    /// An e-puck1 with a Pi-puck board.
    #[serde(rename = "e-puck1")]
    Epuck1 {
        /// The I2C bus of the robot, such as /dev/i2c-12.
        i2c: PathBuf,
        /// The camera; a robot without one sees no colours.
        camera: Option<Camera>,
    },
    /// An e-puck2 with a Pi-puck board.
    #[serde(rename = "e-puck2")]
    Epuck2 {
        /// The I2C bus of the robot, such as /dev/i2c-12.
        i2c: PathBuf,
        /// The camera; a robot without one sees no colours.
        camera: Option<Camera>,
    },
}

fn yes() -> bool {
    true
}

/// Which of the three kinds of body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum BodyKind {
    /// The e-puck over the shim's SPI.
    #[default]
    #[serde(rename = "xpuck")]
    Xpuck,
    /// The e-puck1 over I2C registers.
    #[serde(rename = "e-puck1")]
    Epuck1,
    /// The e-puck2 over I2C packets.
    #[serde(rename = "e-puck2")]
    Epuck2,
}

/// Where a camera's frames come from.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub enum Camera {
    /// The shim's FT2232H on USB: "ft2232h".
    Ft2232h,
    /// A video device of Linux, such as "/dev/video0".
    Video(PathBuf),
}

impl TryFrom<String> for Camera {
    type Error = String;

    fn try_from(text: String) -> Result<Camera, String> {
        match text.as_str() {
            "ft2232h" => Ok(Camera::Ft2232h),
            path if path.starts_with('/') => Ok(Camera::Video(path.into())),
            _ => Err(format!("camera = \"{text}\" is neither \"ft2232h\" nor a device such as \"/dev/video0\"")),
        }
    }
}

/// External controllers: programs on this board that read senses and may drive.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalFile {
    /// The Unix socket at which they find this robot, relative to this file; there is none without it. Who may open it, the
    /// robot's user and group, may drive in RUN.
    pub socket: Option<PathBuf>,
}

/// The control loop.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlFile {
    /// Priority of the loop's thread before all that are not real-time (SCHED_FIFO), 1 to 90; 0 asks for none.
    #[schemars(range(min = 0, max = 90))]
    pub realtime: u8,
    /// Program and arguments by which an operator starts the board again, such as `["systemctl", "reboot"]`; without it
    /// `xpuckd` itself is started again.
    pub reboot: Vec<String>,
    /// While the hub is silent the robot may drive for so long by its own senses, where an experiment asks for it, s of
    /// arena time; 0 never.
    #[schemars(range(min = 0.0, max = LONGEST_ALONE))]
    pub drive_alone_s: f64,
}

impl Default for ControlFile {
    fn default() -> ControlFile {
        ControlFile { realtime: 40, reboot: Vec::new(), drive_alone_s: 0.0 }
    }
}

/// Onboard evolution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvolutionFile {
    /// Threads to simulate on, 1 to 64.
    #[schemars(range(min = 1, max = 64))]
    pub threads: usize,
    /// Above this temperature of the processor evolution backs off, degrees C, 30 to 110.
    #[schemars(range(min = 30.0, max = 110.0))]
    pub max_temperature_c: f32,
    /// The file in which Linux tells that temperature, in thousandths of a degree.
    pub temperature: PathBuf,
    /// What simulates: "auto" (without it), "gpu", "simd", "reference" or "both"; an experiment's own wish counts less.
    pub engine: Option<EngineKind>,
    /// The adapter, by its index or a part of its name (`xpuck dev engines` lists them); the most capable without it.
    pub adapter: Option<AdapterChoice>,
    /// Folder in which each generation is kept, and what the hub said last, relative to this file; nothing is kept without it.
    pub state: Option<PathBuf>,
}

impl Default for EvolutionFile {
    fn default() -> EvolutionFile {
        EvolutionFile {
            threads: 1,
            max_temperature_c: 80.0,
            temperature: SOC.into(),
            engine: None,
            adapter: None,
            state: None,
        }
    }
}

impl EvolutionFile {
    /// The engine that evolution is to use: this file's, or else the one that the experiment asks for, or else `auto`.
    pub fn engine(&self, wished: Option<EngineKind>) -> EngineChoice {
        EngineChoice {
            engine: self.engine.or(wished).unwrap_or(EngineKind::Auto),
            adapter: self.adapter.clone().unwrap_or_default(),
        }
    }

    /// Says whether the adapter that this file needs is there, before anything moves.
    ///
    /// # Errors
    /// One line with the keys and what is there.
    pub fn check_adapter(&self) -> Result<(), String> {
        let choice = self.engine(None);
        let needed = match choice.engine {
            EngineKind::Gpu | EngineKind::Both => true,
            EngineKind::Auto => self.adapter.is_some(),
            EngineKind::Simd | EngineKind::Reference => false,
        };
        match needed {
            true => check_choice(&choice).map_err(|error| format!("evolution: {}: {error}", choice.keys())),
            false => Ok(()),
        }
    }
}

/// Everything a robot needs to know to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where the robot's own file is.
    pub file: PathBuf,
    /// What it says, with paths resolved.
    pub robot: RobotFile,
    /// What all share.
    pub swarm: Swarm,
    /// The robot's island, from 1.
    pub island: u16,
    /// What the calibration file says that `calibration.file` names.
    pub measured: xpuck_experiment::Calibration,
}

impl Config {
    /// The robot's place in the swarm, from 1.
    pub fn place(&self) -> u16 {
        let place = self.swarm.robots.iter().position(|id| *id == self.robot.id);
        place.map_or(0, |place| place as u16 + 1)
    }

    /// Reads the robot's file and the swarm file that it names. What it names is relative to the file itself, also where
    /// `path` is a link to it.
    pub fn read(path: &Path) -> Result<Config, FileError> {
        let name = path.display().to_string();
        let linked = path.is_symlink().then(|| path.canonicalize().ok()).flatten();
        let path = linked.as_deref().unwrap_or(path);
        let mut robot: RobotFile = file::read(path)?;
        robot.check().map_err(|message| FileError::value(&name, message))?;
        let here = path.parent().unwrap_or(Path::new("."));
        robot.swarm = here.join(&robot.swarm);
        robot.evolution.state = robot.evolution.state.map(|state| here.join(state));
        robot.external.socket = robot.external.socket.map(|socket| here.join(socket));
        if let Some(socket) = &robot.external.socket {
            let place = crate::external::check_place(socket);
            place.map_err(|why| FileError::value(&name, format!("external.socket, {}: {why}", socket.display())))?;
        }
        if let DeviceKind::Virtual { directory, .. } = &mut robot.devices
            && !directory.to_string_lossy().starts_with(TCP)
        {
            *directory = here.join(&*directory);
        }
        let swarm = Swarm::read(&robot.swarm)
            .map_err(|error| FileError::value(&name, format!("swarm = {:?}: {error}", robot.swarm)))?;
        let Some(island) = swarm.island(&robot.id) else {
            let message = format!("id = \"{}\" is not among the robots of {}", robot.id, robot.swarm.display());
            return Err(FileError::value(&name, message));
        };
        let measured = match &robot.calibration.file {
            Some(file) => xpuck_experiment::Calibration::read(&here.join(file))
                .map_err(|error| FileError::value(&name, format!("calibration.file: {error}")))?,
            None => xpuck_experiment::Calibration::default(),
        };
        robot.calibration.take(&measured, &robot.id);
        Ok(Config { file: path.into(), robot, swarm, island, measured })
    }
}

#[cfg(test)]
mod tests;
