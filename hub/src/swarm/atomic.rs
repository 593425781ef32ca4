//! Files that are either as they were or as they shall be, whatever happens in between.

use std::fs::File;
use std::io::{Result, Write};
use std::path::Path;

/// Puts a file with these bytes at `path`. Readers, and a process that comes after a crash at any moment, find the old
/// file or the new one, whole; what may be left over is a file with `.new` behind its name, which the next call
/// replaces.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let mut file = File::create(&new)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    std::fs::rename(&new, path)?;
    // The name is in the folder, and that has to reach the disk too.
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(folder)?.sync_all()
}
