//! Atomic file replacement. After a crash, a file has its old or its new contents, but never a mixture.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Permission bits of a new file, from which the system removes the bits of the umask.
const MODE: u32 = 0o666;

/// New contents of a file, flushed to disk under a temporary name and not yet moved to the final path.
pub struct PendingFile {
    path: PathBuf,
    new: PathBuf,
}

/// Writes new contents for the file at `path` to disk as `<path>.new`. The new file gets the permissions of an
/// existing file at `path`.
///
/// # Errors
/// Any I/O error. A file at `path` is unchanged.
pub fn prepare(path: &Path, bytes: &[u8]) -> Result<PendingFile> {
    path.symlink_metadata().map_or(Ok(()), |there| check_replaceable(&there))?;
    write_temporary(path, temporary_path(path)?, bytes, MODE)
}

/// Creates a file with the given contents and permissions at `path`. On failure, no partly written file remains.
///
/// # Errors
/// A file already exists at `path`, or any I/O error.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let prepared = write_temporary(path, temporary_path(path)?, bytes, mode)?;
    let new = prepared.new.clone();
    prepared.commit().inspect_err(|_| drop(remove(&new)))
}

/// Returns the temporary name `<path>.new`. If a crash left a file with this name, the file is removed. A link with
/// this name is removed without following it.
fn temporary_path(path: &Path) -> Result<PathBuf> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    remove(&new)?;
    Ok(new)
}

/// Returns an error for a folder, device, pipe or socket, which a file must not replace.
fn check_replaceable(there: &Metadata) -> Result<()> {
    match there.is_file() || there.is_symlink() {
        true => Ok(()),
        false if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        false => Err(Error::other("is a device, a pipe or a socket; choose a file")),
    }
}

/// Writes the bytes to the path `new`, where no file may exist. The new file gets the permissions of the file at
/// `path`. If no file is at `path`, the new file gets the permissions `mode` without the bits of the umask.
fn write_temporary(path: &Path, new: PathBuf, bytes: &[u8], mode: u32) -> Result<PendingFile> {
    let fill = || {
        let mut file = File::options().write(true).create_new(true).mode(mode).open(&new)?;
        if let Ok(metadata) = std::fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    match fill() {
        Ok(()) => Ok(PendingFile { path: path.into(), new }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(error) => {
            // The partly written file is useless. An error of the removal is ignored, because the first error is more
            // informative.
            let _ = remove(&new);
            Err(error)
        }
    }
}

impl PendingFile {
    /// Moves the file to its final path. After a crash at any moment, the complete old file or the complete new file is
    /// at this path.
    ///
    /// # Errors
    /// Any I/O error.
    pub fn commit(self) -> Result<()> {
        std::fs::rename(&self.new, &self.path)?;
        sync_folder(&self.path)
    }
}

/// Creates or replaces the file at `path`. Writes the bytes to `<path>.new`, flushes them to disk, then renames the
/// file.
///
/// # Errors
/// Any I/O error. A previous file then has its old or its new contents.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    prepare(path, bytes)?.commit()
}

/// Creates or replaces a file like [`write()`], at a path that the user named. The temporary name contains the process
/// id. It therefore differs from the temporary names of other processes, and from the names of the user's files.
///
/// # Errors
/// Any I/O error. A previous file then has its old or its new contents.
pub fn write_user_file(path: &Path, bytes: &[u8]) -> Result<()> {
    write_temporary(path, process_path(path)?, bytes, MODE)?.commit()
}

/// Returns a temporary name in the folder of `path` that is unique to this process.
fn process_path(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.{}.new", std::process::id())))
}

/// Writes output to the path that the user named. A file is replaced atomically; for a symbolic link, its target is
/// replaced. Output to a device or to an open pipe is written directly.
///
/// # Errors
/// A named pipe at `path`, or any I/O error. A previous file then has its old or its new contents.
pub fn output(path: &Path, bytes: &[u8]) -> Result<()> {
    no_named_pipe(path)?;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => write_user_file(&path.canonicalize()?, bytes),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            write_user_file(path, bytes)
        }
        _ => std::fs::write(path, bytes),
    }
}

/// Returns an error for a named pipe, because opening a named pipe blocks until another process opens its other end.
/// Links to open pipes, such as `/dev/stdout` and a shell's `/dev/fd/63`, are allowed.
fn no_named_pipe(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.file_type().is_fifo() => {
            Err(Error::other("is a pipe, which could block; choose a file or /dev/stdout"))
        }
        _ => Ok(()),
    }
}

/// Checks before a long computation whether [`output`] can write to the path. Leaves no file behind. Devices and open
/// pipes are not tested, because their readers would notice a second writer.
///
/// # Errors
/// Any I/O error.
pub fn can_output(path: &Path) -> Result<()> {
    no_named_pipe(path)?;
    let attempt = |path: &Path| remove(&write_temporary(path, process_path(path)?, b"", MODE)?.new);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(metadata) if metadata.is_file() => attempt(&path.canonicalize()?),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => attempt(path),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Incomplete file with a temporary name that is unique to this process. The file is removed on drop, unless
/// [`PartialFile::commit`] has moved it to its final path.
#[derive(Debug)]
pub struct PartialFile {
    part: PathBuf,
    path: PathBuf,
}

impl PartialFile {
    /// Creates a temporary file that is later moved to `path`. Also returns its open handle for writing.
    ///
    /// # Errors
    /// Any I/O error, and the errors of [`can_replace`].
    pub fn open(path: &Path) -> Result<(PartialFile, File)> {
        can_replace(path)?;
        let part = process_path(path)?;
        // An earlier process with the same process id may have left a file with this name.
        remove(&part)?;
        let file = File::create_new(&part)?;
        Ok((PartialFile { part, path: path.into() }, file))
    }

    /// Returns the temporary path of the file.
    pub fn part(&self) -> &Path {
        &self.part
    }

    /// Moves the file to its final path by [`replace`].
    ///
    /// # Errors
    /// The errors of [`replace`].
    pub fn commit(self) -> Result<()> {
        replace(&self.part, &self.path)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        // After `commit`, no file exists at this path. Otherwise the file is incomplete and useless. A failed removal
        // is ignored, because it does no harm.
        let _ = std::fs::remove_file(&self.part);
    }
}

/// Flushes the file `new` to disk and moves it to `path`. If `path` is a symbolic link, the link's target is replaced,
/// not the link.
///
/// # Errors
/// Any I/O error, and the errors of [`can_replace`]. A previous file at `path` then has its old or its new contents.
pub fn replace(new: &Path, path: &Path) -> Result<()> {
    can_replace(path)?;
    let path = path.canonicalize().unwrap_or_else(|_| path.into());
    File::open(new)?.sync_all()?;
    PendingFile { path, new: new.into() }.commit()
}

/// Checks before a long computation whether [`replace`] can put a file at `path`.
///
/// # Errors
/// A device, socket, pipe, folder or dangling link at `path`.
pub fn can_replace(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(there) => check_replaceable(&there),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err(Error::other("is a dangling link; choose a file"))
        }
        _ => Ok(()),
    }
}

/// Returns the folder that contains the file at `path`.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Flushes the folder of a file to disk. Before the flush, a crash may lose the name of a new file.
///
/// # Errors
/// Any I/O error, for example because the file system does not support this operation.
pub fn sync_folder(path: &Path) -> Result<()> {
    File::open(folder(path))?.sync_all()
}

/// Removes a file. A missing file is not an error.
///
/// # Errors
/// Any I/O error other than a missing file.
pub fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn replace_keeps_permissions_and_leaves_no_temporary() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("x");
        write(&path, b"one").unwrap();
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o600)).unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1);
        assert!(write(&dir.path().join("nowhere/x"), b"").is_err());
        remove(&path).unwrap();
        remove(&path).unwrap();
    }

    #[test]
    fn only_files_are_replaced_by_what_was_written_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let (new, path, link) = (dir.path().join("new"), dir.path().join("x"), dir.path().join("link"));
        std::os::unix::fs::symlink("x", &link).unwrap();
        for place in [&path, &link] {
            std::fs::write(&new, b"whole").unwrap();
            std::fs::write(&path, b"old").unwrap();
            replace(&new, place).unwrap();
            assert_eq!(std::fs::read(&path).unwrap(), b"whole");
        }
        assert!(link.symlink_metadata().unwrap().is_symlink());
        std::fs::write(&new, b"whole").unwrap();
        let socket = dir.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        assert!(replace(&new, &socket).unwrap_err().to_string().contains("choose a file"));
        assert!(!std::fs::metadata(&socket).unwrap().is_file());
        assert_eq!(replace(&new, dir.path()).unwrap_err().kind(), ErrorKind::IsADirectory);
        let (dangling, pipe) = (dir.path().join("dangling"), dir.path().join("pipe"));
        std::os::unix::fs::symlink("nothing", &dangling).unwrap();
        assert!(replace(&new, &dangling).is_err() && dangling.symlink_metadata().unwrap().is_symlink());
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::RWXU).unwrap();
        assert!(can_output(&pipe).is_err() && output(&pipe, b"waits").is_err());
        assert!(new.is_file());
    }

    #[test]
    fn output_replaces_files_and_writes_to_devices() {
        let dir = tempfile::tempdir().unwrap();
        let (path, link) = (dir.path().join("x"), dir.path().join("link"));
        output(&path, b"one").unwrap();
        std::os::unix::fs::symlink("x", &link).unwrap();
        output(&link, b"two").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"two");
        assert!(link.symlink_metadata().unwrap().is_symlink());
        output(Path::new("/dev/null"), b"gone").unwrap();
        assert!(!std::fs::metadata("/dev/null").unwrap().is_file());
        assert_eq!(output(Path::new("/dev/full"), b"x").unwrap_err().kind(), ErrorKind::StorageFull);
        assert!(output(dir.path(), b"x").is_err());
        for wrong in [dir.path().to_path_buf(), dir.path().join("nowhere/x"), path.join("x")] {
            assert!(can_output(&wrong).is_err(), "{}", wrong.display());
        }
        for right in [&path, &link, &dir.path().join("y"), Path::new("/dev/null")] {
            can_output(right).unwrap();
        }
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }

    #[test]
    fn existing_temporary_file_is_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let [path, new, victim] = ["x", "x.new", "victim"].map(|name| dir.path().join(name));
        std::fs::write(&victim, "precious").unwrap();
        std::os::unix::fs::symlink(&victim, &new).unwrap();
        output(&path, b"one").unwrap();
        assert!(new.symlink_metadata().unwrap().is_symlink());
        write(&path, b"two").unwrap();
        assert_eq!(
            (std::fs::read(&path).unwrap(), std::fs::read(&victim).unwrap()),
            (b"two".to_vec(), b"precious".to_vec())
        );
        assert!(!path.symlink_metadata().unwrap().is_symlink());
    }

    #[test]
    fn bare_name_is_in_current_folder() {
        assert_eq!((folder(Path::new("x")), folder(Path::new("a/x"))), (Path::new("."), Path::new("a")));
    }
}
