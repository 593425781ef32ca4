//! Parts of a card as loop devices, and file systems mounted for a while. Both end when they are dropped, and also when the
//! program is killed: the mounts are in a namespace of its own, and each loop device is detached as soon as it is made, which
//! the kernel does once nobody has it open any more.

use crate::card::Part;
use crate::tools::{self, ToolError};
use nix::sched::{CloneFlags, unshare};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Has the calling thread's programs mount where nobody else sees it.
pub(super) fn alone() -> Result<(), ToolError> {
    let here = Path::new("a namespace for mounts");
    unshare(CloneFlags::CLONE_NEWNS).map_err(|error| ToolError::file(here)(error.into()))?;
    tools::run("keeping mounts apart", Command::new("mount").args(["--make-rprivate", "/"])).map(drop)
}

/// A part of a card as a device of its own.
pub(super) struct Loop {
    pub(super) path: PathBuf,
    held: Option<File>,
}

impl Loop {
    /// Makes one.
    pub(super) fn new(card: &Path, part: Part) -> Result<Loop, ToolError> {
        let mut make = Command::new("losetup");
        make.args(["--find", "--show", "--offset", &part.start.to_string(), "--sizelimit", &part.length.to_string()]);
        let path: PathBuf = tools::run("reaching a part of the card", make.arg(card))?.trim().into();
        let held = File::open(&path).map_err(ToolError::file(&path));
        // Not before it is closed.
        tools::run("letting go of a part of the card", Command::new("losetup").arg("--detach").arg(&path))?;
        Ok(Loop { path, held: Some(held?) })
    }

    /// Has the next read come from the card.
    pub(super) fn forget(&self) -> Result<(), ToolError> {
        tools::run("emptying buffers", Command::new("blockdev").arg("--flushbufs").arg(&self.path)).map(drop)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        drop(self.held.take());
    }
}

/// A mounted file system.
pub(super) struct Mount {
    pub(super) path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Mount {
    /// Mounts the file system that two devices hold together.
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
        // Unmounting brings everything to the card; one that fails shows when the card is read again.
        let _ = tools::run("", Command::new("umount").arg(&self.path));
    }
}
