//! Inserts fitted parameters into a calibration file or a robot model, and keeps their other content, including comments.

use anyhow::{Context, Result};
use std::io::ErrorKind;
use std::path::Path;
use toml_edit::{DocumentMut, Item, TableLike};
use xpuck_experiment::Calibration;
use xpuck_experiment::robot_model::RobotFile;
use xpuck_wire::file::FileError;
use xpuck_wire::{atomic, file};

/// Kind of a file into which parameters are inserted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Calibration,
    RobotModel,
}

impl Kind {
    fn check(self, name: &str, text: &str) -> Result<(), FileError> {
        match self {
            Kind::Calibration => Calibration::parse(name, text).map(drop),
            Kind::RobotModel => RobotFile::check(name, text).map(drop),
        }
    }
}

/// Inserts the keys of `found` into the file at `path`, which may be missing.
///
/// # Errors
/// The result is invalid, or cannot be written. The file is unchanged in both cases.
pub fn put(kind: Kind, path: &Path, found: &str) -> Result<()> {
    let name = path.display().to_string();
    // Concurrent writers wait for each other, so that no change is lost.
    let folder = std::fs::File::open(atomic::folder(path)).with_context(|| name.clone())?;
    folder.lock().with_context(|| format!("{name}: its folder cannot be locked"))?;
    let old = match std::fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
        _ => file::text(path, file::MAX_TOML)?,
    };
    let text = merged(kind, &name, &old, found)?;
    atomic::output(path, text.as_bytes()).with_context(|| format!("{name}: cannot be written; the file is unchanged"))
}

/// Returns the text `old` of a file, merged with the parameters in `found`.
fn merged(kind: Kind, name: &str, old: &str, found: &str) -> Result<String> {
    kind.check(name, old).context("the file is unchanged")?;
    let mut document: DocumentMut = old.parse().with_context(|| name.to_string())?;
    let found: DocumentMut = found.parse().context("fitted parameters")?;
    merge(document.as_table_mut(), found.as_table());
    let text = document.to_string();
    kind.check(name, &text).context("the fitted parameters make the file invalid; it is unchanged")?;
    Ok(text)
}

fn merge(into: &mut dyn TableLike, from: &dyn TableLike) {
    for (key, item) in from.iter() {
        match (into.get_mut(key), item) {
            (Some(old), new) if old.is_table_like() && new.is_table_like() => {
                if let (Some(old), Some(new)) = (old.as_table_like_mut(), new.as_table_like()) {
                    merge(old, new);
                }
            }
            (Some(Item::Value(old)), Item::Value(new)) => {
                // The comment after the old value is kept.
                let decor = old.decor().clone();
                *old = new.clone();
                *old.decor_mut() = decor;
            }
            (_, new) => drop(into.insert(key, new.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merge_keeps_existing_values_and_comments() {
        let old = "# Our lab.\n[physics]\nrobot_friction = 0.6 # gauge\nnoise = [0.1, 0.1, 0.1]\n\n[robots.xp01.camera]\nturn_deg = 2\n";
        let found =
            "[physics]\nnoise = [0.01, 0.02, 0.03]\n[camera]\ndelay_s = 0.1\n[robots.xp01.drive]\nleft = 1.02\n";
        let text = merged(Kind::Calibration, "c.toml", old, found).unwrap();
        for kept in [
            "# Our lab.",
            "robot_friction = 0.6 # gauge",
            "noise = [0.01, 0.02, 0.03]",
            "turn_deg = 2",
            "delay_s = 0.1",
            "left = 1.02",
        ] {
            assert!(text.contains(kept), "{kept}: {text}");
        }
        assert_eq!(merged(Kind::Calibration, "c.toml", &text, found).unwrap(), text);
        assert_eq!(merged(Kind::Calibration, "c.toml", "", found).unwrap(), found);
    }

    #[test]
    fn unrelated_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("swarm.toml");
        std::fs::write(&path, "robots = 3\n").unwrap();
        assert!(put(Kind::Calibration, &path, "[physics]\nrestitution = 0.2\n").is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "robots = 3\n");
        let fresh = dir.path().join("c.toml");
        assert!(put(Kind::Calibration, &fresh, "[physics]\nrestitution = 2.0\n").is_err() && !fresh.exists());
        put(Kind::Calibration, &fresh, "[physics]\nrestitution = 0.2\n").unwrap();
        assert_eq!(Calibration::read(&fresh).unwrap().physics.restitution, Some(0.2));
    }

    #[test]
    fn robot_model_keeps_its_base_and_its_values() {
        let old = "base = \"rm1.1\" # ours\nmass_kg = 0.2\n";
        let found = "mass_kg = 0.25\n[wheels]\nmotion_noise = [0.01, 0.02, 0.03]\n";
        let text = merged(Kind::RobotModel, "r.toml", old, found).unwrap();
        assert_eq!(text, "base = \"rm1.1\" # ours\nmass_kg = 0.25\n[wheels]\nmotion_noise = [0.01, 0.02, 0.03]\n");
        assert!(merged(Kind::RobotModel, "r.toml", "[physics]\n", found).is_err(), "a calibration is no robot model");
    }
}
