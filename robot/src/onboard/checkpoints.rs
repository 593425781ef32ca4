//! Checkpoints of the island. After each generation, the island's state replaces the older of two files.

use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_evolve::{Island, Migrant, Progress, checkpoint};
use xpuck_robot_core::curriculum_state::CurriculumState;
use xpuck_wire::atomic;

/// Names of the files for the last two generations, which are written alternately.
const NAMES: [&str; 2] = ["checkpoint-0", "checkpoint-1"];
/// Size limit of a checkpoint (bytes), for 4096 trees of 16 KiB.
const MAX_BYTES: u64 = 64 << 20;

/// Contents of a checkpoint: the island before its next generation, and the results of the last generation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Island, ready for its next trials.
    pub island: Island,
    /// Individual that drives the robot.
    pub champion: Migrant,
    /// Progress after the last trials.
    pub progress: Progress,
    /// Position in the experiment's curriculum. It is written after the other fields, and only if the experiment has a
    /// curriculum.
    #[serde(skip)]
    pub way: CurriculumState,
}

/// Folder with the checkpoints of one experiment. Checkpoints of another experiment are overwritten.
#[derive(Debug)]
pub struct Checkpoints {
    folder: PathBuf,
    configuration: u32,
    /// Whether the experiment has a curriculum. Without a curriculum, the file layout equals that of earlier versions.
    steps: bool,
}

impl Checkpoints {
    /// Creates a handle of the checkpoints in a folder. The texts in `what` identify the experiment. `steps` states
    /// whether the experiment has a curriculum.
    pub fn new<'a>(folder: &Path, what: impl IntoIterator<Item = &'a str>, steps: bool) -> Checkpoints {
        Checkpoints { folder: folder.into(), configuration: checkpoint::fingerprint(what), steps }
    }

    /// Returns the newest valid checkpoint of this experiment, and a message for each invalid checkpoint.
    pub fn load_newest(&self) -> (Option<Checkpoint>, Vec<String>) {
        let mut newest: Option<Checkpoint> = None;
        let mut broken = Vec::new();
        for name in NAMES {
            let path = self.folder.join(name);
            match read(&path, self.configuration, self.steps) {
                Ok(Some(kept)) => {
                    if newest.as_ref().is_none_or(|n| n.progress.generation < kept.progress.generation) {
                        newest = Some(kept);
                    }
                }
                Ok(None) => {}
                Err(why) => broken.push(format!("{}: {why}; the checkpoint is not used", path.display())),
            }
        }
        (newest, broken)
    }

    /// Writes the checkpoint of a generation to the older of the two files.
    ///
    /// # Errors
    /// One line with the file and the error. The checkpoint of the previous generation remains.
    pub fn save(&self, kept: &Checkpoint) -> Result<(), String> {
        let path = self.folder.join(NAMES[kept.progress.generation as usize % 2]);
        let bytes = match self.steps {
            true => checkpoint::to_bytes(&(kept, &kept.way), self.configuration),
            false => checkpoint::to_bytes(kept, self.configuration),
        };
        let write = || {
            std::fs::create_dir_all(&self.folder)?;
            atomic::write(&path, &bytes)
        };
        write().map_err(|error| format!("{}: {error}; evolution continues without checkpoints", path.display()))
    }
}

/// Reads a checkpoint of the experiment with this configuration hash; `None` if the file does not exist or belongs to
/// another experiment.
fn read(path: &Path, configuration: u32, steps: bool) -> Result<Option<Checkpoint>, String> {
    let bytes = match xpuck_wire::file::bytes(path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let kept = match steps {
        true => checkpoint::from_bytes(&bytes, configuration).map(|(kept, way)| Checkpoint { way, ..kept }),
        false => checkpoint::from_bytes(&bytes, configuration),
    };
    match kept {
        Ok(kept) => Ok(Some(kept)),
        Err(checkpoint::CheckpointError::Configuration) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_evolve::{PrimitiveSet, Settings};

    fn kept(generation: u32) -> Checkpoint {
        let settings = Settings { population: 8, immigrants: 2, ..Settings::default() };
        let island = Island::new(settings, PrimitiveSet::in_swarm(), 1, 7);
        let first = &island.population()[0];
        let champion = Migrant { id: first.id, tree: first.tree.clone(), samples: first.samples, epoch: 0 };
        Checkpoint {
            champion,
            progress: Progress { generation, ..Progress::default() },
            island,
            way: CurriculumState::default(),
        }
    }

    #[test]
    fn newest_valid_checkpoint_of_experiment_is_found() {
        let dir = tempfile::tempdir().unwrap();
        let checkpoints = Checkpoints::new(&dir.path().join("state"), ["5", "x"], false);
        assert!(checkpoints.load_newest().0.is_none() && checkpoints.load_newest().1.is_empty(), "there is none yet");
        (1..=3).for_each(|generation| checkpoints.save(&kept(generation)).unwrap());
        let found = |checkpoints: &Checkpoints| checkpoints.load_newest().0.map(|k| k.progress.generation);
        assert_eq!(found(&checkpoints), Some(3));
        assert_eq!(found(&Checkpoints::new(&dir.path().join("state"), ["6", "x"], false)), None, "another experiment");

        let newest = dir.path().join("state/checkpoint-1");
        let mut bytes = std::fs::read(&newest).unwrap();
        let last = bytes.len() - 1;
        bytes[last] ^= 1;
        std::fs::write(&newest, &bytes).unwrap();
        let (older, broken) = checkpoints.load_newest();
        assert_eq!(older.unwrap().progress.generation, 2, "the other one is sound");
        let [line] = &broken[..] else { panic!("{broken:?}") };
        assert!(line.contains("checkpoint-1: is corrupt") && !line.contains('\n'), "{line}");
        std::fs::write(&newest, b"x").unwrap();
        std::fs::write(dir.path().join("state/checkpoint-0"), &bytes[..40]).unwrap();
        let (none, broken) = checkpoints.load_newest();
        assert!(none.is_none());
        assert_eq!(broken.len(), 2);
    }

    #[test]
    fn failed_checkpoint_write_is_reported_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("file"), "").unwrap();
        let error = Checkpoints::new(&dir.path().join("file"), ["x"], false).save(&kept(1)).unwrap_err();
        assert!(error.contains("file/checkpoint-1") && !error.contains('\n'), "{error}");
    }
}
