//! Parts of a card as loop devices, and file systems mounted for a while. Both end when they are dropped.

use crate::card::Part;
use crate::tools::{self, ToolError};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A part of a card as a device of its own.
pub(super) struct Loop {
    pub(super) path: PathBuf,
}

impl Loop {
    /// Makes one.
    pub(super) fn new(card: &Path, part: Part) -> Result<Loop, ToolError> {
        let mut make = Command::new("losetup");
        make.args(["--find", "--show", "--offset", &part.start.to_string(), "--sizelimit", &part.length.to_string()]);
        let path = tools::run("reaching a part of the card", make.arg(card))?;
        Ok(Loop { path: path.trim().into() })
    }

    /// Has the next read come from the card.
    pub(super) fn forget(&self) -> Result<(), ToolError> {
        tools::run("emptying buffers", Command::new("blockdev").arg("--flushbufs").arg(&self.path)).map(drop)
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        // A device that stays is named by the next look at losetup; nothing else can be done here.
        let _ = tools::run("", Command::new("losetup").arg("--detach").arg(&self.path));
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
