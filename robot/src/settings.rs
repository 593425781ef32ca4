//! Settings that the hub sends for the robot's file. The robot validates them, merges them into the file, and writes
//! the file atomically. The previous version remains next to the robot's file as `<file>.old`.

use crate::config::RobotFile;
use std::path::{Path, PathBuf};
use toml_edit::{DocumentMut, Item, Table, TableLike, Value};
use xpuck_wire::PushAnswer;
use xpuck_wire::atomic;
use xpuck_wire::file;
use xpuck_wire::settings::Answer;
use xpuck_wire::settings::MAX_SETTINGS;

/// Time at which a changed key takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TakesEffect {
    Now,
    NextExperiment,
    NextStart,
}

/// Prefixes of the keys that the hub may change, and the times at which changes take effect. The robot's identity, the
/// addresses of the hub and the devices, and paths cannot be changed remotely.
const KEYS: &[(&str, TakesEffect)] = &[
    ("calibration.infrared.", TakesEffect::Now),
    ("calibration.drive.", TakesEffect::Now),
    ("calibration.camera.", TakesEffect::NextStart),
    ("camera.", TakesEffect::NextStart),
    ("control.realtime", TakesEffect::NextStart),
    ("evolution.threads", TakesEffect::NextExperiment),
    ("evolution.max_temperature_c", TakesEffect::NextExperiment),
    ("evolution.engine", TakesEffect::NextExperiment),
    ("evolution.adapter", TakesEffect::NextExperiment),
];

/// Result of a merge of settings into a robot's file.
#[derive(Debug)]
pub struct Merged {
    /// New text of the file.
    text: String,
    /// Content of the new file.
    pub robot: RobotFile,
    changed: Vec<(String, TakesEffect)>,
}

/// Merges settings into the text of a robot's file. Comments and all other keys are preserved.
///
/// # Errors
/// One line. It names a key that cannot be changed remotely, or describes an invalid value or text.
pub fn merge(file: &str, settings: &str) -> Result<Merged, String> {
    if settings.len() > MAX_SETTINGS {
        return Err(format!("the settings have {} bytes; at most {MAX_SETTINGS} are allowed", settings.len()));
    }
    let parse = |text: &str| text.parse::<DocumentMut>().map_err(|e| e.message().replace('\n', "; "));
    let (mut document, new) = (parse(file)?, parse(settings)?);
    let mut leaves = Vec::new();
    collect(new.as_table(), &mut Vec::new(), &mut leaves);
    let mut changed = Vec::new();
    for (path, value) in leaves {
        let key = path.join(".");
        let Some((_, counts)) = KEYS.iter().find(|(known, _)| key.starts_with(known)) else {
            return Err(format!("{key} cannot be changed remotely; edit the robot's file"));
        };
        if set_value(document.as_table_mut(), &path, value)? {
            changed.push((key, *counts));
        }
    }
    let text = document.to_string();
    let robot: RobotFile = file::parse("settings", &text).map_err(|e| e.to_string())?;
    robot.check()?;
    Ok(Merged { text, robot, changed })
}

fn collect(table: &dyn TableLike, path: &mut Vec<String>, leaves: &mut Vec<(Vec<String>, Value)>) {
    for (key, item) in table.iter() {
        path.push(key.into());
        match (item.as_table_like(), item.as_value()) {
            (Some(table), _) => collect(table, path, leaves),
            (_, Some(value)) => leaves.push((path.clone(), value.clone())),
            // The item is a list of tables. The caller rejects it, because no key of `KEYS` has this type.
            _ => leaves.push((path.clone(), Value::from(false))),
        }
        path.pop();
    }
}

/// Sets the value at a path of keys, and creates missing tables. Returns whether the value changed.
fn set_value(root: &mut Table, path: &[String], mut value: Value) -> Result<bool, String> {
    let mut table: &mut dyn TableLike = root;
    let (name, tables) = path.split_last().ok_or("a value without a key")?;
    for key in tables {
        let mut fresh = Table::new();
        fresh.set_implicit(true);
        let item = table.entry(key).or_insert(Item::Table(fresh));
        table = item.as_table_like_mut().ok_or_else(|| format!("`{key}` is not a table"))?;
    }
    let words = |value: &Value| value.to_string().split('#').next().unwrap_or_default().trim().to_string();
    match table.get_mut(name) {
        Some(Item::Value(old)) if words(old) == words(&value) => Ok(false),
        Some(Item::Value(old)) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
            Ok(true)
        }
        _ => {
            table.insert(name, Item::Value(value));
            Ok(true)
        }
    }
}

/// Receiver of settings for the robot's file.
pub struct Settings {
    file: PathBuf,
    /// Text of the last settings, and the answer that was sent to the hub.
    last: Option<(String, PushAnswer)>,
}

impl Settings {
    /// Creates a receiver of settings for the robot's file at this path.
    pub fn new(file: &Path) -> Settings {
        Settings { file: file.into(), last: None }
    }

    /// Applies the settings in `text` if `may` is set, and rejects them otherwise. Returns the answer to the hub, and
    /// the new content of the robot's file if the settings were accepted. If `number` and `text` equal those of the
    /// last call, returns the same answer again. The numbers need not increase, because a new hub may count from a
    /// lower number. The messages' seals guarantee that each message arrives once and in order.
    pub fn apply(&mut self, number: u64, text: &str, may: bool) -> (Option<PushAnswer>, Option<RobotFile>) {
        if let Some((_, answer)) = self.last.as_ref().filter(|(said, answer)| answer.number == number && said == text) {
            return (Some(answer.clone()), None);
        }
        let result = match may {
            true => self.change(text),
            false => Err("the robot is in RUN; end the run first".into()),
        };
        let (answer, robot) = match result {
            Ok(Merged { robot, changed, .. }) => {
                let keys = |when| changed.iter().filter(|(_, c)| *c == when).map(|(key, _)| key.clone()).collect();
                let answer = PushAnswer {
                    number,
                    answer: Answer::Accepted,
                    now: keys(TakesEffect::Now),
                    next_experiment: keys(TakesEffect::NextExperiment),
                    next_start: keys(TakesEffect::NextStart),
                };
                (answer, Some(robot))
            }
            Err(why) => (PushAnswer { number, answer: Answer::Refused(why), ..PushAnswer::default() }, None),
        };
        self.last = Some((text.into(), answer.clone()));
        (Some(answer), robot)
    }

    fn change(&self, settings: &str) -> Result<Merged, String> {
        let name = self.file.display();
        let old = file::text(&self.file, file::MAX_TOML).map_err(|error| error.to_string())?;
        let merged = merge(&old, settings)?;
        merged.robot.evolution.check_adapter()?;
        if !merged.changed.is_empty() {
            let mut beside = self.file.clone().into_os_string();
            beside.push(".old");
            let write = |path: &Path, text: &str| atomic::write(path, text.as_bytes());
            write(Path::new(&beside), &old)
                .and_then(|()| write(&self.file, &merged.text))
                .map_err(|e| format!("{name}: cannot be written: {e}"))?;
        }
        Ok(merged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROBOT: &str = "# Our first robot.\nid = \"xp01\"\nswarm = \"swarm.toml\"\n\n[devices]\nkind = \"xpuck\"\n\
        spi = \"/dev/spidev1.0\"\ni2c = \"/dev/i2c-1\"\n\n[calibration.drive]\nleft = 1.0 # measured\n";

    #[test]
    fn settings_are_merged_and_say_when_they_count() {
        let new =
            "[calibration]\ndrive = { left = 1.02, right = 0.99 }\n[evolution]\nthreads = 2\n[control]\nrealtime = 0\n";
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("xp01.toml");
        std::fs::write(&file, ROBOT).unwrap();
        let mut settings = Settings::new(&file);
        let (answer, robot) = settings.apply(7, new, true);
        let (answer, robot) = (answer.unwrap(), robot.unwrap());
        assert_eq!(answer.answer, Answer::Accepted);
        assert_eq!(answer.now, ["calibration.drive.left", "calibration.drive.right"]);
        assert_eq!(
            (answer.next_experiment[0].as_str(), answer.next_start[0].as_str()),
            ("evolution.threads", "control.realtime")
        );
        assert_eq!((robot.calibration.drive.left, robot.evolution.threads), (1.02, 2));
        let text = std::fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("# Our first robot.") && text.contains("left = 1.02 # measured"), "{text}");
        assert_eq!(std::fs::read_to_string(dir.path().join("xp01.toml.old")).unwrap(), ROBOT);
        // If the same settings are sent again, the answer is the same, and the file is not written again.
        std::fs::write(&file, ROBOT).unwrap();
        assert_eq!(settings.apply(7, new, true).0, Some(answer));
        assert_eq!(std::fs::read_to_string(&file).unwrap(), ROBOT);
        let of_another_hub = settings.apply(6, "[control]\nrealtime = 1\n", true).0.unwrap();
        assert_eq!((of_another_hub.number, of_another_hub.next_start.len()), (6, 1));
        assert!(settings.apply(8, new, false).0.unwrap().answer.refusal().unwrap().contains("RUN"));
        let same = settings.apply(9, "[calibration.drive]\nleft = 1.0\n", true).0.unwrap();
        assert_eq!((same.answer, same.now.len()), (Answer::Accepted, 0), "what it had already changes nothing");
    }

    #[test]
    fn protected_or_out_of_range_settings_are_rejected() {
        let refused = |text: &str| merge(ROBOT, text).unwrap_err();
        assert!(refused("id = \"xp02\"\n").contains("id cannot be changed remotely"));
        assert!(refused("[devices]\nspi = \"/dev/sda\"\n").contains("devices.spi cannot"));
        assert!(refused("[evolution]\nstate = \"/etc\"\n").contains("evolution.state cannot"));
        assert!(refused("[[calibration]]\nx = 1\n").contains("calibration cannot"));
        assert!(refused("[calibration.drive]\nleft = 7.0\n").contains("calibration.drive.left = 7"));
        assert!(refused("[calibration.drive]\nlefty = 1.0\n").contains("lefty"));
        assert!(refused("[calibration.drive\n").lines().count() == 1);
        assert!(refused(&" ".repeat(MAX_SETTINGS + 1)).contains("at most"));
    }
}
