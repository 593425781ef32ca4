//! Input files of a point: its evolution file, and copies of the files to which the evolution file refers.

use super::file::Sweep;
use super::problem::Problem;
use std::path::{Path, PathBuf};
use toml::Value;
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
    /// Path from which the file is copied. `None` for the evolution file, which is generated.
    pub original: Option<PathBuf>,
}

/// Returns the name of a point's evolution file.
pub(crate) fn name(point: usize) -> String {
    format!("p{}.toml", point + 1)
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
    let text = toml::to_string(&content).map_err(|error| Problem::new(Path::new(&sweep.file), error))?;
    files.push(StoredFile { name: name(point), bytes: text.into_bytes(), original: None });
    Ok(files)
}

/// Whether `folder`, the folder `points/` of a sweep, contains all files of point `point` with the same contents.
pub(crate) fn is_kept(folder: &Path, sweep: &Sweep, point: usize) -> Result<bool, Problem> {
    let same =
        |kept: &StoredFile| file::bytes(&folder.join(&kept.name), MAX_INPUT).is_ok_and(|bytes| bytes == kept.bytes);
    Ok(files(sweep, point)?.iter().all(same))
}
