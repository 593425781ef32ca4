//! The robot's file: what differs from robot to robot.

use serde::Deserialize;
use std::path::{Path, PathBuf};
use xpuck_wire::{FileError, Swarm, file};

/// `robots/<id>.toml`.
#[derive(Clone, Debug, Deserialize)]
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
    /// Onboard evolution.
    #[serde(default)]
    pub evolution: EvolutionFile,
}

/// How the devices are reached.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum DeviceKind {
    /// In a virtual arena on this machine.
    Virtual {
        /// Where the arena put its sockets, relative to this file.
        directory: PathBuf,
        /// Width of a camera frame, pixels.
        camera_width: u32,
        /// Height of a camera frame, pixels.
        camera_height: u32,
        /// What kind of robot it is.
        #[serde(default)]
        body: VirtualBody,
    },
}

/// A kind of robot in a virtual arena.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum VirtualBody {
    /// The dsPIC on SPI.
    #[default]
    #[serde(rename = "xpuck")]
    Xpuck,
    /// Registers over I2C.
    #[serde(rename = "e-puck1")]
    Epuck1,
    /// Packets over I2C.
    #[serde(rename = "e-puck2")]
    Epuck2,
}

/// Onboard evolution.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EvolutionFile {
    /// Threads to simulate on, 1 to 64.
    pub threads: usize,
}

impl Default for EvolutionFile {
    fn default() -> EvolutionFile {
        EvolutionFile { threads: 1 }
    }
}

/// Everything a robot needs to know to start.
#[derive(Clone, Debug)]
pub struct Config {
    /// The robot's own file, with paths resolved.
    pub robot: RobotFile,
    /// What all share.
    pub swarm: Swarm,
    /// The robot's island, from 1.
    pub island: u16,
}

impl Config {
    /// Reads the robot's file and the swarm file that it names.
    pub fn read(path: &Path) -> Result<Config, FileError> {
        let name = path.display().to_string();
        let mut robot: RobotFile = file::read(path)?;
        let here = path.parent().unwrap_or(Path::new("."));
        robot.swarm = here.join(&robot.swarm);
        let DeviceKind::Virtual { directory, .. } = &mut robot.devices;
        *directory = here.join(&*directory);
        if !(1..=64).contains(&robot.evolution.threads) {
            let message = format!("evolution.threads = {} is outside 1..=64", robot.evolution.threads);
            return Err(FileError::value(&name, message));
        }
        let swarm = Swarm::read(&robot.swarm)
            .map_err(|error| FileError::value(&name, format!("swarm = {:?}: {error}", robot.swarm)))?;
        let Some(island) = swarm.island(&robot.id) else {
            let message = format!("id = \"{}\" is not among the robots of {}", robot.id, robot.swarm.display());
            return Err(FileError::value(&name, message));
        };
        Ok(Config { robot, swarm, island })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWARM: &str = "robots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://127.0.0.1:7601\"\n\
        operator = \"tcp://127.0.0.1:7602\"\nconsole = \"127.0.0.1:7600\"\n";
    const ROBOT: &str = "id = \"xp02\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
        camera_width = 160\ncamera_height = 120\n";

    fn read(swarm: Option<&str>, robot: &str) -> Result<Config, FileError> {
        let dir = tempfile::tempdir().unwrap();
        if let Some(text) = swarm {
            std::fs::write(dir.path().join("swarm.toml"), text).unwrap();
        }
        let path = dir.path().join("xp02.toml");
        std::fs::write(&path, robot).unwrap();
        Config::read(&path)
    }

    #[test]
    fn both_files_are_read_and_paths_resolved() {
        let config = read(Some(SWARM), ROBOT).unwrap();
        assert_eq!(config.island, 2);
        let DeviceKind::Virtual { directory, .. } = config.robot.devices;
        assert!(directory.is_absolute() && directory.ends_with("devices"));
    }

    #[test]
    fn errors_are_one_line_that_names_file_and_key() {
        let line = |r: Result<Config, FileError>| {
            let text = r.unwrap_err().to_string();
            assert!(!text.contains('\n'), "{text}");
            text
        };
        assert!(line(read(None, ROBOT)).contains("swarm.toml: cannot be read"));
        assert!(line(read(Some(SWARM), &ROBOT.replace("xp02", "xp09"))).contains("\"xp09\" is not among"));
        let unknown = line(read(Some(SWARM), &ROBOT.replace("camera_width", "camera_widht")));
        assert!(unknown.contains("xp02.toml") && unknown.contains("camera_widht"), "{unknown}");
        let swarm = line(read(Some(&SWARM.replace("console", "konsole")), ROBOT));
        assert!(swarm.contains("swarm.toml: line") && swarm.contains("konsole"), "{swarm}");
    }
}
