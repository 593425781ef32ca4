//! Input files of a point: its evolution file, and copies of the files to which the evolution file refers.

use super::file::Sweep;
use super::problem::Problem;
use std::path::{Path, PathBuf};
use toml::Value;
use xpuck_experiment::robot_model::{self, RobotSpec, is_named, named_robot};
use xpuck_experiment::world_file;
use xpuck_wire::file;

/// Maximum size of a file to which an evolution file refers (bytes).
const MAX_INPUT: u64 = 1 << 20;
/// Keys of an evolution file that refer to other files. `palette` is the older name of `primitive_set`.
const INPUTS: [&str; 4] = ["world", "calibration", "primitive_set", "palette"];

/// File of a point, as stored in the sweep's folder.
pub(crate) struct StoredFile {
    /// Name of the file in `points/`.
    pub name: String,
    /// Contents of the file.
    pub bytes: Vec<u8>,
    /// Path from which the file is copied. `None` for generated files.
    pub original: Option<PathBuf>,
}

/// Returns the name of a point's evolution file.
pub(crate) fn name(point: usize) -> String {
    format!("p{}.toml", point + 1)
}

/// Returns the number of the point, from 1, to which a file of the folder `points/` belongs. `None` for other names.
pub(crate) fn number(name: &str) -> Option<usize> {
    name.strip_prefix('p')?.split(['.', '-']).next()?.parse().ok()
}

/// Returns the files of a point, with the evolution file last.
///
/// # Errors
/// If a file to which the evolution file refers cannot be read.
pub(crate) fn files(sweep: &Sweep, point: usize) -> Result<Vec<StoredFile>, Problem> {
    let mut content = sweep.points[point].content.clone();
    let mut files = Vec::new();
    for key in INPUTS {
        let Some(Value::String(named)) = content.get(key) else { continue };
        let original = sweep.home.join(named);
        let bytes = file::bytes(&original, MAX_INPUT).map_err(|error| Problem::new(&original, error))?;
        let name = format!("p{}-{key}.toml", point + 1);
        content.insert(key.into(), Value::String(name.clone()));
        files.push(StoredFile { name, bytes, original: Some(original) });
    }
    if let Some(robot) = robot(sweep, point)? {
        let name = format!("p{}-robot.toml", point + 1);
        content.insert("robot".into(), Value::String(name.clone()));
        files.push(StoredFile { name, bytes: robot.to_toml().into_bytes(), original: None });
    }
    let text = toml::to_string(&content).map_err(|error| Problem::new(Path::new(&sweep.file), error))?;
    files.push(StoredFile { name: name(point), bytes: text.into_bytes(), original: None });
    Ok(files)
}

/// Returns the robots of a point whose evolution file or world names the file of a robot model. The folder of the sweep
/// keeps them with all their values, because such a file may have other files as bases.
fn robot(sweep: &Sweep, point: usize) -> Result<Option<RobotSpec>, Problem> {
    let content = &sweep.points[point].content;
    if let Some(Value::String(named)) = content.get("robot") {
        let path = sweep.home.join(named);
        let load = |file: &str| robot_model::read_file(&sweep.home.join(file));
        let found = (!is_named(named)).then(|| robot_model::find(named, &load)).transpose();
        return found.map_err(|error| Problem::new(&path, error));
    }
    let Some(Value::String(world)) = content.get("world") else { return Ok(None) };
    let path = sweep.home.join(world);
    let text = file::text(&path, MAX_INPUT).map_err(|error| Problem::new(&path, error))?;
    let found = named_robot(&text).map(|_| world_file::robot(&path)).transpose();
    found.map_err(|error| Problem::new(&path, error))
}

/// Whether `folder`, the folder `points/` of a sweep, contains all files of point `point` with the same contents.
pub(crate) fn is_kept(folder: &Path, sweep: &Sweep, point: usize) -> Result<bool, Problem> {
    let same =
        |kept: &StoredFile| file::bytes(&folder.join(&kept.name), MAX_INPUT).is_ok_and(|bytes| bytes == kept.bytes);
    Ok(files(sweep, point)?.iter().all(same))
}
