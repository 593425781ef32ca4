//! Files that are either as they were or as they shall be, whatever happens in between.

use std::fs::File;
use std::io::{Result, Write};
use std::path::{Path, PathBuf};

/// New contents of a file that are on the disk but not in their place yet.
pub struct Prepared {
    path: PathBuf,
    new: PathBuf,
}

/// Brings new contents for the file at `path` to the disk, under its name with `.new` behind it.
pub fn prepare(path: &Path, bytes: &[u8]) -> Result<Prepared> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    Ok(Prepared { path: path.into(), new })
}

impl Prepared {
    /// Puts the contents in their place. Who comes after a crash at any moment finds the old file or the new one, whole.
    pub fn commit(self) -> Result<()> {
        std::fs::rename(&self.new, &self.path)?;
        // The name is in the folder, and that has to reach the disk too.
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        File::open(folder)?.sync_all()
    }
}

/// Puts a file with these bytes at `path`, in place of any other.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    prepare(path, bytes)?.commit()
}
