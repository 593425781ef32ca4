//! Loop devices for parts of a card, and temporary mounts of file systems. Loop devices and mounts end on drop, and
//! also if the program is killed. Mounts end because they are in a private namespace. Loop devices end because they are
//! marked for detachment after their creation, and the kernel detaches them when they are no longer open.

use crate::card::Part;
use crate::tools::{self, ToolError};
use nix::sched::{CloneFlags, unshare};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Moves the calling thread into a private mount namespace.
pub(super) fn private_namespace() -> Result<(), ToolError> {
    let here = Path::new("a namespace for mounts");
    unshare(CloneFlags::CLONE_NEWNS).map_err(|error| ToolError::file(here)(error.into()))?;
    tools::run("keeping mounts apart", Command::new("mount").args(["--make-rprivate", "/"])).map(drop)
}

/// Loop device for a part of a card.
pub(super) struct Loop {
    pub(super) path: PathBuf,
    held: Option<File>,
}

impl Loop {
    /// Creates a loop device for a part of a card.
    pub(super) fn new(card: &Path, part: Part) -> Result<Loop, ToolError> {
        let mut make = Command::new("losetup");
        make.args(["--find", "--show", "--offset", &part.start.to_string(), "--sizelimit", &part.length.to_string()]);
        let path: PathBuf = tools::run("attaching a part of the card", make.arg(card))?.trim().into();
        let held = File::open(&path).map_err(ToolError::file(&path));
        // The kernel detaches the loop device when it is no longer open.
        tools::run("releasing a part of the card", Command::new("losetup").arg("--detach").arg(&path))?;
        Ok(Loop { path, held: Some(held?) })
    }

    /// Drops cached data, so that the next read accesses the card.
    pub(super) fn drop_cache(&self) -> Result<(), ToolError> {
        tools::run("emptying buffers", Command::new("blockdev").arg("--flushbufs").arg(&self.path)).map(drop)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        drop(self.held.take());
    }
}

/// Mounted file system, which is unmounted on drop.
pub(super) struct Mount {
    pub(super) path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Mount {
    /// Mounts the btrfs file system whose two copies are on the given loop devices.
    pub(super) fn copies(copies: &[Loop; 2], options: &str) -> Result<Mount, ToolError> {
        let folder = tempfile::tempdir().map_err(ToolError::file(Path::new("a folder for a mount")))?;
        let devices: Vec<String> = copies.iter().map(|copy| format!("device={}", copy.path.display())).collect();
        let mut mount = Command::new("mount");
        mount.args(["-t", "btrfs", "-o", &format!("{options},{}", devices.join(","))]);
        tools::run("mounting the card", mount.arg(&copies[0].path).arg(folder.path()))?;
        Ok(Mount { path: folder.path().into(), _folder: folder })
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        // Unmounting flushes all data to the card. A failure is ignored, because it is detected when the card is read
        // back.
        let _ = tools::run("", Command::new("umount").arg(&self.path));
    }
}
