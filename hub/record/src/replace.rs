//! Renames record files. Existing files are never overwritten, and a damaged original is kept next to the recovered
//! file.

use crate::OPEN;
use rustix::fs::{CWD, RenameFlags, renameat_with};
use rustix::io::Errno;
use std::io::{Error, ErrorKind, Result};
use std::path::{Path, PathBuf};
use xpuck_wire::atomic;

/// Suffix of the name of a damaged original.
const DAMAGED: &str = ".damaged";
/// Maximum number of damaged originals that are kept for one record file.
const MAX_KEPT: u32 = 1000;

/// Returns the name that a file has when it is complete.
pub(crate) fn whole_name(path: &Path) -> PathBuf {
    path.to_string_lossy().strip_suffix(OPEN).map_or(path.to_path_buf(), PathBuf::from)
}

/// Renames a file. Fails if a file with the new name already exists.
pub(crate) fn rename_new(from: &Path, to: &Path) -> Result<()> {
    match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        // Some file systems cannot rename a file and check for an existing one atomically.
        Err(Errno::INVAL | Errno::NOSYS) if !to.try_exists()? => std::fs::rename(from, to),
        Err(Errno::INVAL | Errno::NOSYS) => Err(Error::from(ErrorKind::AlreadyExists)),
        other => Ok(other?),
    }
}

/// Renames a damaged file as a damaged original, and returns its new path.
pub(crate) fn set_aside(path: &Path) -> Result<PathBuf> {
    let aside = under_free_name(path, rename_new)?;
    sync_folder(path);
    Ok(aside)
}

/// Calls `what` with `path` and an unused name for a damaged original. Returns this name.
fn under_free_name(path: &Path, mut what: impl FnMut(&Path, &Path) -> Result<()>) -> Result<PathBuf> {
    let base = whole_name(path);
    for n in 1..=MAX_KEPT {
        let number = if n == 1 { String::new() } else { format!("-{n}") };
        let aside = PathBuf::from(format!("{}{DAMAGED}{number}", base.display()));
        match what(path, &aside) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            other => return other.map(|()| aside),
        }
    }
    Err(Error::other(format!("already has {MAX_KEPT} damaged originals; remove some of them")))
}

/// Replaces a file with the new file that was made from it, and keeps the original next to it if `keep` is set. If
/// the process is killed at any point, the original still exists under its own name or as a damaged original. Returns
/// the path of the original if it was kept.
pub(crate) fn swap(new: &Path, path: &Path, keep: bool) -> Result<Option<PathBuf>> {
    let target = whole_name(path);
    // With hard links, the original keeps its name until the new file replaces it.
    let mut moved = false;
    let link = |from: &Path, to: &Path| match std::fs::hard_link(from, to) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            rename_new(from, to)?;
            moved = true;
            Ok(())
        }
        other => other,
    };
    let aside = if keep { Some(under_free_name(path, link)?) } else { None };
    sync_folder(&target);
    match target == path {
        true => std::fs::rename(new, &target)?,
        false => rename_new(new, &target)?,
    }
    sync_folder(&target);
    // If the original was moved, a hub may already have begun a new file under its old name.
    if target != path && !moved {
        atomic::remove(path)?;
        sync_folder(&target);
    }
    Ok(aside)
}

/// Syncs the directory entries of a file's folder to the disk. Errors are ignored, because some file systems do not
/// support it.
pub(crate) fn sync_folder(path: &Path) {
    let _ = atomic::sync_folder(path);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swap_never_overwrites_other_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let write = |name: &str| std::fs::write(at(name), name).unwrap();
        for name in ["run.mcap.open", "run.mcap", "new", "run.mcap.damaged"] {
            write(name);
        }
        assert!(swap(&at("new"), &at("run.mcap.open"), false).is_err() && at("run.mcap.open").exists());
        assert_eq!(std::fs::read_to_string(at("run.mcap")).unwrap(), "run.mcap");
        let kept = swap(&at("new"), &at("run.mcap"), true).unwrap();
        assert_eq!(kept, Some(at("run.mcap.damaged-2")));
        assert_eq!(std::fs::read_to_string(at("run.mcap.damaged-2")).unwrap(), "run.mcap");
        assert_eq!(std::fs::read_to_string(at("run.mcap")).unwrap(), "new");
        assert_eq!(std::fs::read_to_string(at("run.mcap.damaged")).unwrap(), "run.mcap.damaged");
        assert_eq!(set_aside(&at("run.mcap.open")).unwrap(), at("run.mcap.damaged-3"));
        assert!(!at("run.mcap.open").exists());
    }
}
