//! Reception of a bundle by a robot. The received bytes are stored in a file, so that the robot requests only the
//! missing bytes after a restart.

use crate::bundle::{BundleError, Head, Manifest, Reader};
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
pub use xpuck_wire::rollout::MAX_PIECE;
use xpuck_wire::{atomic, file};

/// Number of bytes written between synchronisations of the file to the disk. If a power failure loses bytes, the robot
/// requests them again.
const SYNC_EVERY: u64 = 4 << 20;

/// State of the reception after a piece was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Piece {
    /// The payload is incomplete. The next piece must begin at this offset in the payload (bytes).
    Next(u64),
    /// The payload is complete and verified, and ready to be installed.
    Ready,
}

/// Bundle that is being received.
#[derive(Debug)]
pub struct Incoming {
    folder: PathBuf,
    head: Head,
    manifest: Manifest,
    file: File,
    offset: u64,
    unsynced: u64,
}

impl Incoming {
    /// Starts to receive a bundle into a folder. The caller has verified the head. If the folder contains a partial
    /// file of the same bundle, the reception continues in that file. A partial file of another bundle is replaced.
    ///
    /// # Errors
    /// Errors of the disk.
    pub fn begin(folder: &Path, head: &Head, manifest: &Manifest) -> Result<Incoming, BundleError> {
        let path = folder.join("part");
        let bytes = head.to_bytes();
        let kept = begins_with(&path, &bytes)?;
        if kept.is_none() {
            remove_any(&path)?;
        }
        let mut file =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).mode(0o640).open(&path)?;
        let offset = match kept {
            // A file longer than the whole bundle is invalid.
            Some(length) if length - bytes.len() as u64 <= manifest.size => length - bytes.len() as u64,
            _ => {
                file.set_len(0)?;
                file.write_all(&bytes)?;
                0
            }
        };
        file.seek(SeekFrom::Start(bytes.len() as u64 + offset))?;
        Ok(Incoming {
            folder: folder.into(),
            head: head.clone(),
            manifest: manifest.clone(),
            file,
            offset,
            unsynced: 0,
        })
    }

    /// Returns the offset of the next required piece in the payload (bytes).
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the SHA-256 of the payload (64 hexadecimal digits), which identifies the bundle.
    pub fn digest(&self) -> &str {
        &self.manifest.sha256
    }

    /// Stores a piece if `offset` (bytes) is the required offset, and ignores it otherwise. When the payload is
    /// complete, verifies it and makes the bundle ready for installation.
    ///
    /// # Errors
    /// The disk fails, or the payload does not match the manifest. A complete payload that does not match is removed.
    pub fn write_piece(&mut self, offset: u64, bytes: &[u8]) -> Result<Piece, BundleError> {
        if offset == self.offset && bytes.len() <= MAX_PIECE {
            let left = self.manifest.size - self.offset;
            if bytes.len() as u64 > left {
                return Err(BundleError::Longer(self.manifest.size));
            }
            let written = self.file.write_all(bytes);
            if let Err(error) = written {
                // Moves the file position back, so that the next attempt overwrites a partially written piece.
                let _ = self.file.seek(SeekFrom::Start(self.head.to_bytes().len() as u64 + self.offset));
                return Err(error.into());
            }
            self.offset += bytes.len() as u64;
            self.unsynced += bytes.len() as u64;
        }
        if self.offset < self.manifest.size {
            if self.unsynced >= SYNC_EVERY {
                self.file.sync_data()?;
                self.unsynced = 0;
            }
            return Ok(Piece::Next(self.offset));
        }
        self.finish()
    }

    fn finish(&mut self) -> Result<Piece, BundleError> {
        let path = self.folder.join("part");
        self.file.sync_all()?;
        let verified = file::open(&path)
            .map_err(BundleError::from)
            .and_then(|bundle| Reader::new(bundle)?.payload(&self.manifest, |_| Ok(())));
        if let Err(error) = verified {
            remove_any(&path)?;
            return Err(error);
        }
        atomic::replace(&path, &self.folder.join("ready"))?;
        Ok(Piece::Ready)
    }
}

/// Returns the length of a file that begins with `bytes`; `None` if the file is missing or begins with other bytes.
fn begins_with(path: &Path, bytes: &[u8]) -> std::io::Result<Option<u64>> {
    let mut file = match file::open(path) {
        Ok(file) => file,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::InvalidInput) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut begins = vec![0; bytes.len()];
    match file.read_exact(&mut begins) {
        Ok(()) if begins == bytes => Ok(Some(file.metadata()?.len())),
        Ok(()) => Ok(None),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
        Err(error) => Err(error),
    }
}

fn remove_any(path: &Path) -> std::io::Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        _ => atomic::remove(path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bundle::{Kind, seal};
    use crate::release::Release;
    use xpuck_wire::keys::Secret;

    fn made(version: &str) -> (Head, Manifest, Vec<u8>) {
        let alice = Secret::generate("alice").unwrap();
        let payload: Vec<u8> = (0..600_000u32).map(|i| (i * 7) as u8).collect();
        let release = Release { version: version.into(), counter: 1 };
        let head = seal(Kind::App, &["any".into()], "any", &release, &payload[..], &alice).unwrap();
        let manifest = head.unverified_manifest().unwrap();
        (head, manifest, payload)
    }

    #[test]
    fn it_goes_on_where_it_was_and_begins_anew_for_another() {
        let dir = tempfile::tempdir().unwrap();
        let (head, manifest, payload) = made("1");
        let mut incoming = Incoming::begin(dir.path(), &head, &manifest).unwrap();
        let piece = |offset: u64| &payload[offset as usize..payload.len().min(offset as usize + MAX_PIECE)];
        assert_eq!(incoming.write_piece(0, piece(0)).unwrap(), Piece::Next(MAX_PIECE as u64));
        // Neither a repeated piece nor a piece after a lost piece has an effect.
        assert_eq!(incoming.write_piece(0, piece(0)).unwrap(), Piece::Next(MAX_PIECE as u64));
        assert_eq!(incoming.write_piece(400_000, &payload[400_000..]).unwrap(), Piece::Next(MAX_PIECE as u64));
        drop(incoming);
        let mut incoming = Incoming::begin(dir.path(), &head, &manifest).unwrap();
        let mut next = Piece::Next(incoming.offset());
        assert_eq!(next, Piece::Next(MAX_PIECE as u64));
        while let Piece::Next(offset) = next {
            next = incoming.write_piece(offset, piece(offset)).unwrap();
        }
        let ready = Reader::new(File::open(dir.path().join("ready")).unwrap()).unwrap();
        assert_eq!(ready.head, head);
        ready.payload(&manifest, |_| Ok(())).unwrap();
        let mut other = Incoming::begin(dir.path(), &head, &manifest).unwrap();
        other.write_piece(0, piece(0)).unwrap();
        let (head, manifest, _) = made("2");
        assert_eq!(Incoming::begin(dir.path(), &head, &manifest).unwrap().offset(), 0);
    }

    #[test]
    fn damaged_payload_never_becomes_ready() {
        let dir = tempfile::tempdir().unwrap();
        let (head, manifest, mut payload) = made("1");
        payload[300_000] ^= 1;
        let mut incoming = Incoming::begin(dir.path(), &head, &manifest).unwrap();
        let mut ends = payload.chunks(MAX_PIECE).map(|piece| incoming.write_piece(incoming.offset(), piece));
        let last = ends.by_ref().last().unwrap();
        assert!(last.unwrap_err().to_string().contains("SHA-256 differs"));
        drop(ends);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let mut incoming = Incoming::begin(dir.path(), &head, &manifest).unwrap();
        incoming.write_piece(0, &payload[..MAX_PIECE]).unwrap();
        incoming.write_piece(MAX_PIECE as u64, &payload[MAX_PIECE..2 * MAX_PIECE]).unwrap();
        let long = vec![0; MAX_PIECE];
        assert!(incoming.write_piece(2 * MAX_PIECE as u64, &long).unwrap_err().to_string().contains("more than"));
    }
}
