//! Robot file: settings of a single robot.

mod camera;

pub use camera::{CameraFile, Exposure, TagColour};

use crate::calibration::Calibration;
use crate::device::fitted::Fitted;
use crate::device::virtual_bus::TCP;
use crate::onboard::thermal::SOC_TEMPERATURE_PATH;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use xpuck_experiment::silence::LONGEST_ALONE;
use xpuck_kernels::engine::{AdapterChoice, EngineChoice, EngineKind, check_choice};
use xpuck_wire::{FileError, Swarm, file};

/// Robot file, `robots/<id>.toml`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RobotFile {
    /// Id of the robot, as listed in the swarm file.
    pub id: String,
    /// Path of the swarm file, relative to the robot's file.
    pub swarm: PathBuf,
    /// Address at which Groot2 can monitor the running behaviour tree, such as "tcp://127.0.0.1:1667" (default: none).
    #[serde(default)]
    pub groot: Option<String>,
    /// Devices of the robot.
    pub devices: DeviceKind,
    /// Camera settings.
    #[serde(default)]
    pub camera: CameraFile,
    /// Optional devices on the I2C bus: "bno055", "ads1015", "ground", "vl53l0x", "erandb".
    #[serde(default)]
    pub fitted: Vec<Fitted>,
    /// Settings of the control loop.
    #[serde(default)]
    pub control: ControlFile,
    /// Settings of onboard evolution.
    #[serde(default)]
    pub evolution: EvolutionFile,
    /// External controllers: programs on this board that may drive the robot.
    #[serde(default)]
    pub external: ExternalFile,
    /// Calibration of this robot's body.
    #[serde(default)]
    pub calibration: Calibration,
}

impl RobotFile {
    /// Verifies that every value is valid.
    ///
    /// # Errors
    /// One line that names the first invalid key.
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
                return Err(format!("{key} = {value} is outside {low} to {high}"));
            }
        }
        self.camera.check()?;
        if self.external.socket.as_ref().is_some_and(|socket| socket.as_os_str().is_empty()) {
            return Err("external.socket is empty; set a path, such as /run/xpuck/xp01.sock".into());
        }
        for (i, device) in self.fitted.iter().enumerate() {
            if self.fitted[..i].contains(device) {
                return Err(format!("fitted contains {:?} twice", device.name()));
            }
        }
        self.calibration.check()
    }
}

/// Kind and addresses of the robot's devices.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeviceKind {
    /// Devices in a virtual arena.
    Virtual {
        /// Folder of the arena's sockets, relative to the robot's file. For an arena on another machine: its network
        /// address, such as "tcp://192.168.1.2:7604".
        directory: PathBuf,
        /// Width of a camera frame (pixels).
        camera_width: u32,
        /// Height of a camera frame (pixels).
        camera_height: u32,
        /// Kind of the simulated body.
        #[serde(default)]
        body: BodyKind,
        /// Whether the robot has a camera. A robot without a camera sees no colours.
        #[serde(default = "yes")]
        camera: bool,
    },
    /// Robot of the thesis: an e-puck on the shim's SPI bus, with two power monitors on I2C.
    Xpuck {
        /// SPI device, such as /dev/spidev1.0.
        spi: PathBuf,
        /// I2C bus of the power monitors, such as /dev/i2c-1.
        i2c: PathBuf,
        /// Source of camera frames (default: none). A robot without a camera sees no colours.
        camera: Option<Camera>,
    },
    /// e-puck1 with a Pi-puck board.
    #[serde(rename = "e-puck1")]
    Epuck1 {
        /// I2C bus of the robot, such as /dev/i2c-12.
        i2c: PathBuf,
        /// Source of camera frames (default: none). A robot without a camera sees no colours.
        camera: Option<Camera>,
    },
    /// e-puck2 with a Pi-puck board.
    #[serde(rename = "e-puck2")]
    Epuck2 {
        /// I2C bus of the robot, such as /dev/i2c-12.
        i2c: PathBuf,
        /// Source of camera frames (default: none). A robot without a camera sees no colours.
        camera: Option<Camera>,
    },
}

fn yes() -> bool {
    true
}

/// Kind of a body in a virtual arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum BodyKind {
    /// e-puck on the shim's SPI bus.
    #[default]
    #[serde(rename = "xpuck")]
    Xpuck,
    /// e-puck1 with I2C registers.
    #[serde(rename = "e-puck1")]
    Epuck1,
    /// e-puck2 with I2C packets.
    #[serde(rename = "e-puck2")]
    Epuck2,
}

/// Source of camera frames.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "String")]
pub enum Camera {
    /// USB chip FT2232H of the shim: "ft2232h".
    Ft2232h,
    /// Linux video device, such as "/dev/video0".
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

/// External controllers: programs on this board that read senses and may drive the robot.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ExternalFile {
    /// Path of the Unix socket for external controllers, relative to the robot's file (default: none). The robot's
    /// user and group may open the socket, and may drive the robot while it is in RUN.
    pub socket: Option<PathBuf>,
}

/// Settings of the control loop.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlFile {
    /// Priority of the control loop's thread under SCHED_FIFO (0..=90; 0: no real-time priority).
    #[schemars(range(min = 0, max = 90))]
    pub realtime: u8,
    /// Command that restarts the board on an operator's request: program and arguments, such as
    /// `["systemctl", "reboot"]`. By default, only `xpuckd` restarts.
    pub reboot: Vec<String>,
    /// Maximum time for which the robot may drive without a message from the hub (s of arena time; 0: never). Applies
    /// only to experiments that request the permission to drive without the hub.
    #[schemars(range(min = 0.0, max = LONGEST_ALONE))]
    pub drive_alone_s: f64,
}

impl Default for ControlFile {
    fn default() -> ControlFile {
        ControlFile { realtime: 40, reboot: Vec::new(), drive_alone_s: 0.0 }
    }
}

/// Settings of onboard evolution.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct EvolutionFile {
    /// Number of simulation threads (1..=64).
    #[schemars(range(min = 1, max = 64))]
    pub threads: usize,
    /// Processor temperature above which evolution is throttled (degrees C, 30..=110).
    #[schemars(range(min = 30.0, max = 110.0))]
    pub max_temperature_c: f32,
    /// File from which the processor temperature is read (thousandths of a degree C).
    pub temperature: PathBuf,
    /// Simulation engine: "auto", "gpu", "simd", "reference" or "both". Overrides the engine of the experiment.
    /// Default: the engine of the experiment, or "auto" if the experiment does not name an engine.
    pub engine: Option<EngineKind>,
    /// GPU adapter: its index or a part of its name, as listed by `xpuck dev engines` (default: the most capable).
    pub adapter: Option<AdapterChoice>,
    /// Folder in which checkpoints of evolution and the hub's last directive are saved, relative to the robot's file.
    /// Nothing is saved by default.
    pub state: Option<PathBuf>,
}

impl Default for EvolutionFile {
    fn default() -> EvolutionFile {
        EvolutionFile {
            threads: 1,
            max_temperature_c: 80.0,
            temperature: SOC_TEMPERATURE_PATH.into(),
            engine: None,
            adapter: None,
            state: None,
        }
    }
}

impl EvolutionFile {
    /// Returns the engine of evolution: the engine in this file, otherwise the engine `wished` by the experiment,
    /// otherwise `auto`.
    pub fn engine(&self, wished: Option<EngineKind>) -> EngineChoice {
        EngineChoice {
            engine: self.engine.or(wished).unwrap_or(EngineKind::Auto),
            adapter: self.adapter.clone().unwrap_or_default(),
        }
    }

    /// Verifies that the GPU adapter exists, if these settings require a GPU. The program calls this function at its
    /// start.
    ///
    /// # Errors
    /// One line that names the keys and the available adapters.
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

/// Configuration of a robot.
#[derive(Clone, Debug)]
pub struct Config {
    /// Path of the robot's file.
    pub file: PathBuf,
    /// Content of the robot's file, with paths resolved.
    pub robot: RobotFile,
    /// Content of the swarm file.
    pub swarm: Swarm,
    /// Island of the robot, from 1.
    pub island: u16,
    /// Content of the swarm's calibration file, whose path is `calibration.file` in the robot's file. If the robot's
    /// file does not have this key, the default calibration.
    pub measured: xpuck_experiment::Calibration,
}

impl Config {
    /// Returns the index of the robot in the swarm, from 1.
    pub fn place(&self) -> u16 {
        let place = self.swarm.robots.iter().position(|id| *id == self.robot.id);
        place.map_or(0, |place| place as u16 + 1)
    }

    /// Reads the robot's file, the swarm file and the swarm's calibration file. Paths in the robot's file are relative
    /// to the folder of that file, even if `path` is a symbolic link to the file.
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
        robot.calibration.adopt(&measured, &robot.id);
        Ok(Config { file: path.into(), robot, swarm, island, measured })
    }
}

#[cfg(test)]
mod tests;
