//! Unpacks a package into a slot. Only the files that a slot needs are unpacked. Archives with extended headers or
//! special files are rejected.

use super::{Disk, PROGRAM, Slot};
use std::collections::BTreeSet;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use tar::{Archive, Entry, EntryType};

/// Maximum number of entries in an archive.
pub const MAX_ENTRIES: usize = 4096;
/// Maximum total size of the files in an archive (bytes).
pub const MAX_BYTES: u64 = 512 << 20;
/// Maximum length of an entry's name (bytes).
const MAX_NAME: usize = 255;
/// Folder in a package. Apart from the program, only the files in this folder are unpacked.
const OWN_FOLDER: &str = "usr/lib/xpuck/";
/// Maximum number of bytes per write to the disk.
const PIECE: usize = 64 * 1024;

/// Reason why a package is not unpacked.
#[derive(Debug, thiserror::Error)]
pub enum UnpackError {
    /// The package contains an entry that is not allowed.
    #[error("the package's `{name}`: {why}")]
    Entry {
        /// Name of the entry.
        name: String,
        /// Reason for the rejection.
        why: &'static str,
    },
    /// The package has too many entries or bytes.
    #[error("the package has more than {MAX_ENTRIES} entries or {MAX_BYTES} bytes")]
    TooMuch,
    /// The package cannot be read, or its files cannot be written to the disk.
    #[error("the package cannot be unpacked: {0}")]
    Disk(#[from] io::Error),
}

/// Unpacks a tar archive into a slot that does not exist yet, and synchronises all files of the slot.
///
/// # Errors
/// The archive has an entry that is not allowed, or is too large or damaged, or the disk is full. The slot is then
/// invalid.
pub fn unpack(disk: &mut impl Disk, slot: Slot, tar: impl Read) -> Result<(), UnpackError> {
    let mut folders = BTreeSet::new();
    make_folder(disk, slot.folder(), &mut folders)?;
    let mut archive = Archive::new(tar);
    let (mut entries, mut bytes) = (0, 0u64);
    // In raw mode, the reader returns long names and format extensions as separate entries, which are rejected. In
    // normal mode, the reader would store their contents in memory.
    for entry in archive.entries()?.raw(true) {
        let mut entry = entry?;
        entries += 1;
        bytes = bytes.saturating_add(entry.size());
        if entries > MAX_ENTRIES || bytes > MAX_BYTES {
            return Err(UnpackError::TooMuch);
        }
        let Some(name) = checked_name(&entry)? else { continue };
        let wanted = name == PROGRAM || name.starts_with(OWN_FOLDER);
        if wanted && entry.header().entry_type().is_file() {
            let path = format!("{}/{name}", slot.folder());
            make_parents(disk, &path, &mut folders)?;
            copy(disk, &path, &mut entry)?;
        }
    }
    // Reads the input to its end, so that a failure of the program that produces the archive is detected.
    io::copy(&mut archive.into_inner().take(MAX_BYTES), &mut io::sink())?;
    for folder in folders.iter().rev() {
        disk.sync_folder(folder)?;
    }
    Ok(disk.sync_folder("")?)
}

/// Validates an entry and returns its name without a leading `./`; `None` for the root of the archive.
fn checked_name(entry: &Entry<'_, impl Read>) -> Result<Option<String>, UnpackError> {
    let raw = entry.path_bytes();
    let shown = String::from_utf8_lossy(&raw[..raw.len().min(MAX_NAME)]).escape_debug().to_string();
    let bad = |why| Err(UnpackError::Entry { name: shown.clone(), why });
    let Ok(text) = str::from_utf8(&raw) else { return bad("its name is not UTF-8 text") };
    if text.len() > MAX_NAME || text.contains('\0') {
        return bad("its name is too long");
    }
    if text.starts_with('/') {
        return bad("its name is absolute");
    }
    let parts: Vec<_> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    if parts.contains(&"..") {
        return bad("its name leads out of the package");
    }
    match entry.header().entry_type() {
        EntryType::Regular | EntryType::Directory => {}
        kind @ (EntryType::Symlink | EntryType::Link) => {
            let name = parts.join("/");
            if name == PROGRAM || name.starts_with(OWN_FOLDER) {
                return bad("it must be a file, not a link");
            }
            let from = if kind == EntryType::Link { 0 } else { parts.len().saturating_sub(1) };
            let target = entry.link_name_bytes().unwrap_or_default();
            if leads_out(&target, from) {
                return bad("the link leads out of the package");
            }
        }
        EntryType::XHeader | EntryType::XGlobalHeader | EntryType::GNULongName | EntryType::GNULongLink => {
            return bad("names of more than 100 bytes and extended headers are not unpacked");
        }
        _ => return bad("it is not a file, folder or link"),
    }
    Ok((!parts.is_empty()).then(|| parts.join("/")))
}

/// Whether the target of a link leads out of the package. `depth` is the depth of the folder to which the target is
/// relative. An absolute target always leads out of the package.
fn leads_out(target: &[u8], depth: usize) -> bool {
    let Ok(target) = str::from_utf8(target) else { return true };
    let mut depth = depth as i64;
    target.starts_with('/')
        || target.split('/').any(|part| {
            depth += match part {
                "" | "." => 0,
                ".." => -1,
                _ => 1,
            };
            depth < 0
        })
}

fn make_parents(disk: &mut impl Disk, path: &str, made: &mut BTreeSet<String>) -> io::Result<()> {
    let ends = path.match_indices('/').map(|(end, _)| end);
    ends.into_iter().try_for_each(|end| make_folder(disk, &path[..end], made))
}

fn make_folder(disk: &mut impl Disk, path: &str, made: &mut BTreeSet<String>) -> io::Result<()> {
    if made.insert(path.into()) {
        disk.make_folder(path)?;
    }
    Ok(())
}

fn copy(disk: &mut impl Disk, path: &str, entry: &mut Entry<'_, impl Read>) -> io::Result<()> {
    let executable = entry.header().mode()? & 0o111 != 0;
    let size = entry.size();
    disk.create(path, executable)?;
    let (mut piece, mut have) = (vec![0; PIECE], 0);
    loop {
        match entry.read(&mut piece)? {
            0 => break,
            read => {
                have += read as u64;
                disk.append(path, &piece[..read])?;
            }
        }
    }
    if have < size {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the archive ends too early"));
    }
    disk.sync_file(path)
}

/// Files of a Debian package as a tar archive, read through `dpkg-deb`.
pub struct DebTar {
    child: Child,
    output: ChildStdout,
}

impl DebTar {
    /// Starts `dpkg-deb`, which unpacks a Debian package to a tar archive.
    ///
    /// # Errors
    /// `dpkg-deb` cannot be started.
    pub fn open(package: &Path) -> io::Result<DebTar> {
        let mut dpkg = Command::new("dpkg-deb");
        dpkg.arg("--fsys-tarfile").arg(package).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = dpkg
            .spawn()
            .map_err(|error| io::Error::new(error.kind(), format!("dpkg-deb cannot be started: {error}")))?;
        let output = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(DebTar { child, output })
    }
}

impl Read for DebTar {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.output.read(buffer)?;
        if read == 0 && !buffer.is_empty() && !self.child.wait()?.success() {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "dpkg-deb rejects the package as damaged"));
        }
        Ok(read)
    }
}

impl Drop for DebTar {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
