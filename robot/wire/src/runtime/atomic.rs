//! Files that are either as they were or as they shall be, whatever happens in between.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Result, Write};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Permissions of a new file, less the umask.
const MODE: u32 = 0o666;

/// New contents of a file that are on the disk but not in their place yet.
pub struct Prepared {
    path: PathBuf,
    new: PathBuf,
}

/// Brings new contents for the file at `path` to the disk, under its name with `.new` behind it. A file that is there gives
/// its permissions.
///
/// # Errors
/// What the system says; the old file is untouched.
pub fn prepare(path: &Path, bytes: &[u8]) -> Result<Prepared> {
    path.symlink_metadata().map_or(Ok(()), |there| no_other_kind(&there))?;
    fill(path, free_new(path)?, bytes, MODE)
}

/// Puts a new file with these bytes and permissions at `path`, whole or not at all.
///
/// # Errors
/// A file is there, or what the system says.
pub fn create(path: &Path, bytes: &[u8], mode: u32) -> Result<()> {
    if path.symlink_metadata().is_ok() {
        return Err(ErrorKind::AlreadyExists.into());
    }
    let prepared = fill(path, free_new(path)?, bytes, mode)?;
    let new = prepared.new.clone();
    prepared.commit().inspect_err(|_| drop(remove(&new)))
}

/// The name beside a file under which its new contents are written. What a crash left there is removed; a link or a pipe is not
/// followed.
fn free_new(path: &Path) -> Result<PathBuf> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    remove(&new)?;
    Ok(new)
}

/// Refuses to put a file in the place of a folder, a device, a pipe or a socket.
fn no_other_kind(there: &Metadata) -> Result<()> {
    match there.is_file() || there.is_symlink() {
        true => Ok(()),
        false if there.is_dir() => Err(ErrorKind::IsADirectory.into()),
        false => Err(Error::other("is a device, a pipe or a socket: name a file")),
    }
}

/// Writes the bytes to `new`, which must not be there. Without a file at `path` it gets the permissions `mode`, less the umask.
fn fill(path: &Path, new: PathBuf, bytes: &[u8], mode: u32) -> Result<Prepared> {
    let fill = || {
        let mut file = File::options().write(true).create_new(true).mode(mode).open(&new)?;
        if let Ok(metadata) = std::fs::metadata(path) {
            file.set_permissions(metadata.permissions())?;
        }
        file.write_all(bytes)?;
        file.sync_all()
    };
    match fill() {
        Ok(()) => Ok(Prepared { path: path.into(), new }),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        Err(error) => {
            // What a full disk took of it is of no use; if it cannot be removed either, the first error says more.
            let _ = remove(&new);
            Err(error)
        }
    }
}

impl Prepared {
    /// Puts the contents in their place. Who comes after a crash at any moment finds the old file or the new one, whole.
    ///
    /// # Errors
    /// What the system says.
    pub fn commit(self) -> Result<()> {
        std::fs::rename(&self.new, &self.path)?;
        sync_folder(&self.path)
    }
}

/// Puts a file with these bytes at `path`, in place of any other: written beside it as `<path>.new`, brought to the disk,
/// then renamed.
///
/// # Errors
/// What the system says; the old file is then still there.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    prepare(path, bytes)?.commit()
}

/// The same for a file that a person named, in a folder of their own: it is first written beside it under a name that only this
/// process has, so that neither another's file nor another process is in the way.
///
/// # Errors
/// What the system says; the old file is then still there.
pub fn write_beside_others(path: &Path, bytes: &[u8]) -> Result<()> {
    fill(path, beside(path)?, bytes, MODE)?.commit()
}

/// A name beside a file that only this process has.
fn beside(path: &Path) -> Result<PathBuf> {
    let name = path.file_name().ok_or(ErrorKind::InvalidInput)?.to_string_lossy();
    Ok(path.with_file_name(format!(".{name}.{}.new", std::process::id())))
}

/// Writes what a person asked for to the place that they named. A file is replaced whole, also behind a symbolic link;
/// a device or a pipe is written to.
///
/// # Errors
/// What the system says; a file that was there before is then still there.
pub fn output(path: &Path, bytes: &[u8]) -> Result<()> {
    no_named_pipe(path)?;
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_file() => write_beside_others(&path.canonicalize()?, bytes),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => {
            write_beside_others(path, bytes)
        }
        _ => std::fs::write(path, bytes),
    }
}

/// A pipe that has a name makes whoever opens it wait for the other side, for ever if need be. Standard output and what a shell
/// passes as `/dev/fd/63` are links, and open already.
fn no_named_pipe(path: &Path) -> Result<()> {
    match path.symlink_metadata() {
        Ok(metadata) if metadata.file_type().is_fifo() => {
            Err(Error::other("is a pipe, for whose reader this would wait: name a file, or /dev/stdout"))
        }
        _ => Ok(()),
    }
}

/// Tells before a long piece of work whether [`output`] can write there; nothing stays of that. Devices and pipes are not
/// opened, since their other side would see it.
///
/// # Errors
/// What the system says.
pub fn can_output(path: &Path) -> Result<()> {
    no_named_pipe(path)?;
    let attempt = |path: &Path| remove(&fill(path, beside(path)?, b"", MODE)?.new);
    match std::fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() => Err(ErrorKind::IsADirectory.into()),
        Ok(metadata) if metadata.is_file() => attempt(&path.canonicalize()?),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_err() => attempt(path),
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// A file on its way, beside its place under a name that only this process has: it is taken away unless it was
/// [put](Part::put) in its place.
#[derive(Debug)]
pub struct Part {
    part: PathBuf,
    path: PathBuf,
}

impl Part {
    /// The part of the file that is to be at `path`, and the file to write to.
    ///
    /// # Errors
    /// What the system says, and what [`can_replace`] refuses.
    pub fn of(path: &Path) -> Result<(Part, File)> {
        can_replace(path)?;
        let part = beside(path)?;
        // Of an earlier process of the same number.
        remove(&part)?;
        let file = File::create_new(&part)?;
        Ok((Part { part, path: path.into() }, file))
    }

    /// Where it is until then.
    pub fn place(&self) -> &Path {
        &self.part
    }

    /// Puts it in its place, as [`replace`] does.
    ///
    /// # Errors
    /// What the system says; what was there before is then still there.
    pub fn put(self) -> Result<()> {
        replace(&self.part, &self.path)
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // Half a file is of use to nobody; that it cannot be removed is no worse than what went wrong.
        let _ = std::fs::remove_file(&self.part);
    }
}

/// Puts a file that was written piece by piece in the place of `path`: brings it to the disk first. A file behind a symbolic
/// link is replaced there.
///
/// # Errors
/// What the system says, and a device, a pipe or a folder at `path`; whatever was there is then still there.
pub fn replace(new: &Path, path: &Path) -> Result<()> {
    can_replace(path)?;
    let path = path.canonicalize().unwrap_or_else(|_| path.into());
    File::open(new)?.sync_all()?;
    Prepared { path, new: new.into() }.commit()
}

/// Tells before a long piece of work whether [`replace`] can be asked to put a file there.
///
/// # Errors
/// A device, a pipe or a folder at `path`.
pub fn can_replace(path: &Path) -> Result<()> {
    match std::fs::metadata(path) {
        Ok(there) => no_other_kind(&there),
        Err(error) if error.kind() == ErrorKind::NotFound && path.symlink_metadata().is_ok() => {
            Err(Error::other("is a link to nothing: name a file"))
        }
        _ => Ok(()),
    }
}

/// The folder that a file is in.
pub fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Brings the names in a file's folder to the disk: a new name is safe only then.
///
/// # Errors
/// What the system says, also where a file system cannot do that.
pub fn sync_folder(path: &Path) -> Result<()> {
    File::open(folder(path))?.sync_all()
}

/// Removes a file that may be gone already.
///
/// # Errors
/// What the system says if it is still there.
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
    fn a_file_is_replaced_with_its_permissions_and_nothing_is_left_beside_it() {
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
        assert!(replace(&new, &socket).unwrap_err().to_string().contains("name a file"));
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
    fn an_output_replaces_files_and_is_written_to_devices() {
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
    fn what_lies_where_new_contents_are_written_first_is_not_touched() {
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
    fn a_bare_name_is_in_the_present_folder() {
        assert_eq!((folder(Path::new("x")), folder(Path::new("a/x"))), (Path::new("."), Path::new("a")));
    }
}
