//! Disk operations that the slots need. Paths are relative to the slots' folder.

use rustix::fs::{FlockOperation, flock};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Result, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use xpuck_wire::file;

/// Disk with the slots' folder. After a power failure, any data that was not synchronised may be missing.
pub trait Disk {
    /// Opens a file for reading. Fails if the path is a symbolic link, or is not a regular file.
    fn open(&self, path: &str) -> Result<Box<dyn Read>>;
    /// Returns the target of a symbolic link.
    fn target(&self, path: &str) -> Result<String>;
    /// Creates an empty file. Fails if the path exists.
    fn create(&mut self, path: &str, executable: bool) -> Result<()>;
    /// Appends to a file.
    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<()>;
    /// Creates a folder if it does not exist.
    fn make_folder(&mut self, path: &str) -> Result<()>;
    /// Creates a symbolic link. Fails if the path exists.
    fn link(&mut self, target: &str, path: &str) -> Result<()>;
    /// Renames a file or a link, and replaces an existing file or link. Requires no free space.
    fn rename(&mut self, from: &str, to: &str) -> Result<()>;
    /// Removes the file, link or folder at a path, if it exists.
    fn remove(&mut self, path: &str) -> Result<()>;
    /// Synchronises the contents of a file.
    fn sync_file(&mut self, path: &str) -> Result<()>;
    /// Synchronises the names in a folder. The path "" is the slots' folder itself.
    fn sync_folder(&mut self, path: &str) -> Result<()>;
}

/// Disk whose root is a folder on this machine.
pub struct RealDisk {
    root: PathBuf,
}

impl RealDisk {
    /// Creates a disk for the slots' folder `root`, which must exist.
    pub fn new(root: &Path) -> RealDisk {
        RealDisk { root: root.into() }
    }

    /// Converts a path in the slots' folder to a path on this machine.
    pub fn path(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.root.clone() } else { self.root.join(path) }
    }
}

impl Disk for RealDisk {
    fn open(&self, path: &str) -> Result<Box<dyn Read>> {
        let path = self.path(path);
        if fs::symlink_metadata(&path)?.is_symlink() {
            return Err(std::io::Error::new(ErrorKind::InvalidInput, "it is a symbolic link, not a file"));
        }
        Ok(Box::new(file::open(&path)?))
    }

    fn target(&self, path: &str) -> Result<String> {
        Ok(fs::read_link(self.path(path))?.to_string_lossy().into_owned())
    }

    fn create(&mut self, path: &str, executable: bool) -> Result<()> {
        let mode = if executable { 0o755 } else { 0o644 };
        let file = OpenOptions::new().write(true).create_new(true).mode(mode).open(self.path(path))?;
        // Sets the mode independently of the caller's umask, because the robot's user must be able to read the file.
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

/// Exclusive lock on the slots' folder, which is released when the value is dropped.
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until the lock is free, and acquires it.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn acquire(disk: &RealDisk) -> Result<Lock> {
        let file = File::open(&disk.root)?;
        flock(&file, FlockOperation::LockExclusive)?;
        Ok(Lock { _file: file })
    }
}
