//! What the slots need of a disk. Paths are relative to the slots' folder.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// A disk. What was not synchronised may be gone after a power cut, in parts and in any order.
pub trait Disk {
    /// Opens a file; a link or anything else that is none is an error.
    fn open(&self, path: &str) -> Result<Box<dyn Read>>;
    /// Where a link points.
    fn target(&self, path: &str) -> Result<String>;
    /// Makes a file with nothing in it, where none may be.
    fn create(&mut self, path: &str, executable: bool) -> Result<()>;
    /// Adds to the end of a file.
    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<()>;
    /// Makes a folder, unless it is there.
    fn make_folder(&mut self, path: &str) -> Result<()>;
    /// Makes a link, where nothing may be.
    fn link(&mut self, target: &str, path: &str) -> Result<()>;
    /// Gives a file or a link another name, in place of what had it; takes no room.
    fn rename(&mut self, from: &str, to: &str) -> Result<()>;
    /// Removes whatever has this name, if there is anything.
    fn remove(&mut self, path: &str) -> Result<()>;
    /// Brings a file's contents to the disk.
    fn sync_file(&mut self, path: &str) -> Result<()>;
    /// Brings a folder's names to the disk; "" is the slots' own.
    fn sync_folder(&mut self, path: &str) -> Result<()>;
}

/// A folder of this machine.
pub struct RealDisk {
    root: PathBuf,
}

impl RealDisk {
    /// The slots in this folder, which must be there.
    pub fn new(root: &Path) -> RealDisk {
        RealDisk { root: root.into() }
    }

    /// Where something is.
    pub fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Disk for RealDisk {
    fn open(&self, path: &str) -> Result<Box<dyn Read>> {
        let path = self.path(path);
        if fs::symlink_metadata(&path)?.is_symlink() {
            return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is a link, not a file"));
        }
        Ok(Box::new(file::open(&path)?))
    }

    fn target(&self, path: &str) -> Result<String> {
        Ok(fs::read_link(self.path(path))?.to_string_lossy().into_owned())
    }

    fn create(&mut self, path: &str, executable: bool) -> Result<()> {
        let mode = if executable { 0o755 } else { 0o644 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(self.path(path))?;
        // Whatever the caller's mask is, the robot's user has to read it.
        file.set_permissions(fs::Permissions::from_mode(mode))
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        OpenOptions::new().append(true).open(self.path(path))?.write_all(bytes)
    }

    fn make_folder(&mut self, path: &str) -> Result<()> {
        match fs::create_dir(self.path(path)) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
            Err(error) => Err(error),
            Ok(()) => fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)),
        }
    }

    fn link(&mut self, target: &str, path: &str) -> Result<()> {
        symlink(target, self.path(path))
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        fs::rename(self.path(from), self.path(to))
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        let path = self.path(path);
        match fs::symlink_metadata(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
        }
    }

    fn sync_file(&mut self, path: &str) -> Result<()> {
        File::open(self.path(path))?.sync_all()
    }

    fn sync_folder(&mut self, path: &str) -> Result<()> {
        File::open(self.path(path))?.sync_all()
    }
}

/// Keeps others from changing the slots as long as it is held.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until nobody else holds it.
    ///
    /// # Errors
    /// What the system says.
    pub fn take(disk: &RealDisk) -> Result<Lock> {
        let file = File::open(&disk.root)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Lock { _file: file })
    }
}
