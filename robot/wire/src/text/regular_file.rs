//! Opens regular files. Pipes, devices, sockets and folders are rejected without blocking.

use rustix::fs::OFlags;
use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

/// Opens a regular file for reading. Other kinds of files are rejected, because a pipe may block its reader forever,
/// and a device may deliver data without end.
///
/// # Errors
/// Any I/O error, or the path is not a regular file.
pub fn open(path: &Path) -> io::Result<File> {
    // The type is checked before opening, because opening a device may activate it.
    reject_non_files(fs::metadata(path)?.file_type())?;
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // The type is checked again, because the path may have been replaced since the first check.
    reject_non_files(file.metadata()?.file_type())?;
    Ok(file)
}

/// Opens one of the program's own files for appending, and creates a missing file. Symbolic links and files other than
/// regular files are rejected without blocking.
///
/// # Errors
/// The errors of [`open`], and an error for a symbolic link.
pub fn append(path: &Path) -> io::Result<File> {
    open_own(path, OpenOptions::new().create(true).append(true))
}

/// Opens one of the program's own files like [`append`], but for reading and writing at any offset.
///
/// # Errors
/// The errors of [`append`].
pub fn modify(path: &Path) -> io::Result<File> {
    open_own(path, OpenOptions::new().create(true).read(true).write(true).truncate(false))
}

fn open_own(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::NOFOLLOW).bits() as i32;
    let file = options.custom_flags(flags).open(path).map_err(|error| match path.symlink_metadata() {
        Ok(metadata) if metadata.is_symlink() => {
            io::Error::new(ErrorKind::InvalidInput, "it is a symbolic link, not a file")
        }
        Ok(metadata) => reject_non_files(metadata.file_type()).err().unwrap_or(error),
        Err(_) => error,
    })?;
    reject_non_files(file.metadata()?.file_type())?;
    Ok(file)
}

fn reject_non_files(kind: FileType) -> io::Result<()> {
    let what = match kind {
        _ if kind.is_file() => return Ok(()),
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ => "a device",
    };
    Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a file")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::text;
    use std::os::unix::net::UnixListener;

    #[test]
    fn special_files_are_rejected_by_kind_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        let _socket = UnixListener::bind(at("socket")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let others = [
            (at("socket"), "a socket"),
            (at("pipe"), "a named pipe"),
            (dir.path().into(), "a folder"),
            ("/dev/zero".into(), "a device"),
            ("/dev/full".into(), "a device"),
        ];
        for (path, what) in others {
            let error = text(&path, 10).unwrap_err().to_string();
            assert_eq!(error, format!("{}: cannot be read: it is {what}, not a file", path.display()));
        }
        assert_eq!(open(&at("nothing")).unwrap_err().kind(), ErrorKind::NotFound);
    }
}
