//! What decides a point's results: its evolution file, and copies of the files that it names.

use super::file::Sweep;
use super::problem::Problem;
use std::path::{Path, PathBuf};
use toml::Value;
use xpuck_wire::file;

/// Largest file that a point names, bytes.
const MAX_INPUT: u64 = 1 << 20;
/// Keys of an evolution file that name other files; `palette` is the older name of `primitive_set`.
const INPUTS: [&str; 4] = ["world", "calibration", "primitive_set", "palette"];

/// A file of a point, as it is kept.
pub(crate) struct Kept {
    /// Its name in `points/`.
    pub name: String,
    /// What stands in it.
    pub bytes: Vec<u8>,
    /// The file that it is a copy of; none of the evolution file itself.
    pub original: Option<PathBuf>,
}

/// The name of a point's evolution file.
pub(crate) fn name(point: usize) -> String {
    format!("p{}.toml", point + 1)
}

/// The files of a point, the evolution file last.
///
/// # Errors
/// A file that it names cannot be read.
pub(crate) fn files(sweep: &Sweep, point: usize) -> Result<Vec<Kept>, Problem> {
    let mut content = sweep.points[point].content.clone();
    let mut files = Vec::new();
    for key in INPUTS {
        let Some(Value::String(named)) = content.get(key) else { continue };
        let original = sweep.home.join(named);
        let bytes = file::bytes(&original, MAX_INPUT).map_err(|error| Problem::of(&original, error))?;
        let name = format!("p{}-{key}.toml", point + 1);
        content.insert(key.into(), Value::String(name.clone()));
        files.push(Kept { name, bytes, original: Some(original) });
    }
    let text = toml::to_string(&content).map_err(|error| Problem::of(Path::new(&sweep.file), error))?;
    files.push(Kept { name: name(point), bytes: text.into_bytes(), original: None });
    Ok(files)
}

/// True if a folder of points has this one, with the same content.
pub(crate) fn is_kept(folder: &Path, sweep: &Sweep, point: usize) -> Result<bool, Problem> {
    let same = |kept: &Kept| file::bytes(&folder.join(&kept.name), MAX_INPUT).is_ok_and(|bytes| bytes == kept.bytes);
    Ok(files(sweep, point)?.iter().all(same))
}
