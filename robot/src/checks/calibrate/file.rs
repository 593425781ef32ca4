//! Writes calibration results into the robot's file. The file's comments and order are preserved, and the file is
//! replaced atomically.

use super::CalibrateError;
use crate::config::RobotFile;
use std::path::Path;
use toml_edit::{Array, DocumentMut, Item, Table, TableLike, Value};
use xpuck_wire::atomic;
use xpuck_wire::file::{MAX_TOML, text};

/// Number of decimal places of a written value.
const DIGITS: i32 = 4;

/// Change of one value in `[calibration]` of the robot's file.
#[derive(Clone, Debug, PartialEq)]
pub struct Edit {
    /// Path of the key below `[calibration]`: names of its tables, then its own name.
    pub key: Vec<&'static str>,
    /// New value.
    pub value: Number,
}

/// Value of an edit.
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// Single number.
    One(f32),
    /// List of numbers.
    List(Vec<f32>),
}

impl Edit {
    /// Creates an edit with a single number.
    pub fn one(key: &[&'static str], value: f32) -> Edit {
        Edit { key: key.to_vec(), value: Number::One(value) }
    }

    /// Creates an edit with a list of numbers.
    pub fn list(key: &[&'static str], values: &[f32]) -> Edit {
        Edit { key: key.to_vec(), value: Number::List(values.to_vec()) }
    }

    /// Formats the value as TOML.
    pub fn text(&self) -> String {
        self.toml().to_string()
    }

    fn toml(&self) -> Value {
        let rounded = |value: &f32| (f64::from(*value) * 10f64.powi(DIGITS)).round() / 10f64.powi(DIGITS);
        match &self.value {
            Number::One(value) => rounded(value).into(),
            Number::List(values) => values.iter().map(rounded).collect::<Array>().into(),
        }
    }
}

/// Applies edits to `[calibration]` of the robot's file at `path`.
///
/// # Errors
/// A one-line message; the file is then unchanged.
pub fn save(path: &Path, edits: &[Edit]) -> Result<(), CalibrateError> {
    let fail = |message: String| CalibrateError::File(format!("{}: {message}; the file is unchanged", path.display()));
    let text = text(path, MAX_TOML).map_err(|error| CalibrateError::File(error.to_string()))?;
    let edited = edit(&text, edits).map_err(fail)?;
    atomic::write(path, edited.as_bytes()).map_err(|error| fail(error.to_string()))
}

/// Applies the edits to the text of a robot file, and verifies that the result is a valid robot file.
fn edit(text: &str, edits: &[Edit]) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|e: toml_edit::TomlError| e.message().replace('\n', "; "))?;
    for edit in edits {
        let mut table: &mut dyn TableLike = document.as_table_mut();
        let (name, tables) = edit.key.split_last().ok_or("an edit without a key")?;
        for key in ["calibration"].iter().chain(tables) {
            let mut fresh = Table::new();
            // A new table that contains only other tables gets no header.
            fresh.set_implicit(true);
            let item = table.entry(key).or_insert(Item::Table(fresh));
            table = item.as_table_like_mut().ok_or_else(|| format!("`{key}` is not a table"))?;
        }
        let mut value = edit.toml();
        match table.get_mut(name) {
            Some(Item::Value(old)) => {
                // The comment that follows the value is kept.
                *value.decor_mut() = old.decor().clone();
                *old = value;
            }
            _ => drop(table.insert(name, Item::Value(value))),
        }
    }
    let edited = document.to_string();
    let robot: RobotFile = xpuck_wire::file::parse("edited", &edited).map_err(|error| error.to_string())?;
    robot.check()?;
    Ok(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = "# Our first robot.\nid = \"xp01\"   # on its back\nswarm = \"swarm.toml\"\n\n[devices]\n\
        kind = \"xpuck\"\nspi = \"/dev/spidev1.0\"\ni2c = \"/dev/i2c-1\"\n\n\
        # Worn tyres.\n[calibration.drive]\nleft = 1.0 # measured\n";

    #[test]
    fn values_change_and_all_else_stays() {
        let edits = [
            Edit::one(&["drive", "left"], 1.01234),
            Edit::one(&["drive", "baseline"], 0.99),
            Edit::list(&["camera", "red", "hue"], &[320.0, 20.0]),
            Edit::one(&["camera", "red", "saturation"], 0.4),
            Edit::one(&["camera", "red", "value"], 0.3),
        ];
        let edited = edit(ROBOT, &edits).unwrap();
        let expected = ROBOT.replace("left = 1.0 #", "left = 1.0123 #")
            + "baseline = 0.99\n\n[calibration.camera.red]\nhue = [320.0, 20.0]\nsaturation = 0.4\nvalue = 0.3\n";
        assert_eq!(edited, expected);
        assert_eq!(edit(&edited, &edits).unwrap(), edited);
    }

    #[test]
    fn unreadable_result_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("xp01.toml");
        std::fs::write(&path, ROBOT).unwrap();
        let error = save(&path, &[Edit::one(&["drive", "left"], 7.0)]).unwrap_err().to_string();
        assert!(error.contains("xp01.toml: calibration.drive.left = 7") && !error.contains('\n'), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), ROBOT);
        save(&path, &[Edit::one(&["drive", "left"], 1.1)]).unwrap();
        assert!(std::fs::read_to_string(&path).unwrap().contains("left = 1.1 # measured"));
        let inline = ROBOT.split("# Worn").next().unwrap().to_string() + "[calibration]\ndrive = { left = 1.0 }\n";
        assert!(edit(&inline, &[Edit::one(&["drive", "right"], 1.1)]).unwrap().contains("right = 1.1"));
        let wrong = inline.replace("{ left = 1.0 }", "3");
        assert!(edit(&wrong, &[Edit::one(&["drive", "right"], 1.1)]).unwrap_err().contains("`drive` is not a table"));
    }
}
