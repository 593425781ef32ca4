//! Folder of update bundles: `updates` beside the runs, with one subfolder per bundle. The digest of the payload is
//! the subfolder's name.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use xpuck_hub_core::switchboard::{Bundle, Update};
use xpuck_update::bundle::{Head, Kind, Reader};
use xpuck_update::incoming::{Incoming, Piece};
use xpuck_wire::keys::Key;
use xpuck_wire::rollout::{BundleHead, MAX_PIECE};
use xpuck_wire::{atomic, file};

/// Maximum number of stored bundles.
const MAX_BUNDLES: usize = 8;
/// Maximum total size of the bundles (bytes).
const MAX_BYTES: u64 = 4 << 30;
/// Name of the file with the state of the update.
const UPDATE: &str = "update.json";
/// Maximum size of the update's file (bytes).
const MAX_UPDATE: u64 = 4 << 20;

/// Stored update bundles of a hub.
pub struct Store {
    folder: PathBuf,
    /// Bundle being received.
    incoming: Option<Incoming>,
    /// Open bundle from which robots read pieces: digest, file, offset of the payload in the file, and length of the
    /// payload (bytes).
    open: Option<(String, File, u64, u64)>,
    /// Digest of the bundle that the update in progress uses; this bundle must not be removed.
    in_use: Option<String>,
}

impl Store {
    /// Creates the store in the record folder `records`.
    pub fn new(records: &Path) -> Store {
        Store { folder: records.join("updates"), incoming: None, open: None, in_use: None }
    }

    /// Returns the stored state of the update; `None` if it is missing or unreadable.
    pub fn update(&mut self) -> Option<Update> {
        let bytes = file::bytes(&self.folder.join(UPDATE), MAX_UPDATE).ok()?;
        let update: Update = serde_json::from_slice(&bytes).ok()?;
        self.in_use = (!update.is_done()).then(|| update.digest().into());
        Some(update)
    }

    /// Stores the state of an update.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn keep(&mut self, update: &Update) -> Result<(), String> {
        self.in_use = (!update.is_done()).then(|| update.digest().into());
        let bytes = serde_json::to_vec(update).map_err(|error| error.to_string())?;
        let path = self.folder.join(UPDATE);
        atomic::write(&path, &bytes).map_err(|error| format!("{}: {error}", path.display()))
    }

    /// Adds a piece of a bundle that one of `operators` has signed. Returns the received length of the payload
    /// (bytes).
    ///
    /// # Errors
    /// The bundle is rejected, or the disk is full. The error contains the reason in one line.
    pub fn add_piece(
        &mut self,
        head: BundleHead,
        operators: &BTreeMap<String, Key>,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, String> {
        let head = Head::from(head);
        let manifest = head.open(operators).map_err(|error| error.to_string())?;
        let place = self.folder.join(&manifest.sha256);
        if bytes.len() > MAX_PIECE {
            return Err(format!("a piece has {} bytes; at most {MAX_PIECE} are allowed", bytes.len()));
        }
        if self.head(&manifest.sha256).is_ok_and(|there| there == head) {
            return Ok(manifest.size);
        }
        let disk = |error: &dyn std::fmt::Display| format!("{}: {error}", place.display());
        if self.incoming.as_ref().is_none_or(|incoming| incoming.digest() != manifest.sha256) {
            // The upload replaces a stored bundle that has the same payload but another signature or description.
            self.make_room(&manifest.sha256, manifest.size)?;
            fs::create_dir_all(&place).map_err(|error| disk(&error))?;
            self.incoming = Some(Incoming::begin(&place, &head, &manifest).map_err(|error| disk(&error))?);
        }
        let Some(incoming) = &mut self.incoming else {
            return Err("no bundle is being uploaded; start the upload again".into());
        };
        match incoming.write_piece(offset, bytes) {
            Ok(Piece::Next(there)) => Ok(there),
            Ok(Piece::Ready) => {
                (self.incoming, self.open) = (None, None);
                Ok(manifest.size)
            }
            Err(error) => {
                self.incoming = None;
                Err(error.to_string())
            }
        }
    }

    /// Returns the complete bundle with this digest, if one of `operators` has signed it.
    ///
    /// # Errors
    /// The bundle is missing, incomplete or not signed by one of `operators`.
    pub fn bundle(&self, digest: &str, operators: &BTreeMap<String, Key>) -> Result<Bundle, String> {
        let head = self.head(digest)?;
        let manifest = head.open(operators).map_err(|error| error.to_string())?;
        let (version, counter, size) = (manifest.version, manifest.counter, manifest.size);
        let image = manifest.kind == Kind::Image;
        Ok(Bundle { head: head.into(), digest: manifest.sha256, version, counter, size, image })
    }

    /// Reads the piece of a payload at `offset`, with at most [`MAX_PIECE`] bytes.
    ///
    /// # Errors
    /// The bundle is missing or unreadable.
    pub fn read(&mut self, digest: &str, offset: u64) -> Result<Vec<u8>, String> {
        if self.open.as_ref().is_none_or(|(open, ..)| open != digest) {
            let begins = self.head(digest)?.to_bytes().len() as u64;
            let file = file::open(&self.ready(digest)).map_err(|error| error.to_string())?;
            let size = file.metadata().map_err(|error| error.to_string())?.len().saturating_sub(begins);
            self.open = Some((digest.into(), file, begins, size));
        }
        let Some((_, file, begins, size)) = &mut self.open else { return Err("no bundle is open".into()) };
        let mut bytes = vec![0; size.saturating_sub(offset).min(MAX_PIECE as u64) as usize];
        let read = file.seek(SeekFrom::Start(*begins + offset)).and_then(|_| file.read_exact(&mut bytes));
        match read {
            Ok(()) => Ok(bytes),
            Err(error) => {
                self.open = None;
                Err(error.to_string())
            }
        }
    }

    fn ready(&self, digest: &str) -> PathBuf {
        self.folder.join(digest).join("ready")
    }

    fn head(&self, digest: &str) -> Result<Head, String> {
        let none = || format!("the hub has no bundle {}; upload it first", digest.escape_debug());
        // The digest becomes part of a path, so its characters are checked.
        if digest.len() != 64 || !digest.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(none());
        }
        let file = file::open(&self.ready(digest)).map_err(|_| none())?;
        Reader::new(file).map(|reader| reader.head).map_err(|error| error.to_string())
    }

    /// Removes the oldest bundles until a bundle of `size` bytes fits. Never removes the bundle in use or the bundle
    /// with this digest.
    fn make_room(&mut self, digest: &str, size: u64) -> Result<(), String> {
        let Ok(entries) = fs::read_dir(&self.folder) else { return Ok(()) };
        let mut bundles: Vec<(SystemTime, String, u64)> = Vec::new();
        for entry in entries.flatten().filter(|entry| entry.path().is_dir()) {
            let name = entry.file_name().to_string_lossy().into_owned();
            let sizes =
                ["ready", "part"].map(|part| fs::metadata(entry.path().join(part)).map_or(0, |data| data.len()));
            let at = entry.metadata().and_then(|data| data.modified()).unwrap_or(SystemTime::UNIX_EPOCH);
            if name != digest {
                bundles.push((at, name, sizes.iter().sum()));
            }
        }
        bundles.sort();
        let mut all: u64 = bundles.iter().map(|(_, _, size)| size).sum();
        let mut count = bundles.len();
        for (_, name, bytes) in bundles {
            if count < MAX_BUNDLES && all.saturating_add(size) <= MAX_BYTES {
                return Ok(());
            }
            if self.in_use.as_ref() == Some(&name) {
                continue;
            }
            let path = self.folder.join(&name);
            fs::remove_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
            (all, count) = (all - bytes, count - 1);
        }
        match all.saturating_add(size) <= MAX_BYTES {
            true => Ok(()),
            false => Err(format!(
                "there is no space for a bundle of {size} bytes; all bundles together may have at most {MAX_BYTES} bytes"
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_update::bundle::{Kind, seal};
    use xpuck_update::release::Release;
    use xpuck_wire::keys::Secret;

    fn made(signer: &Secret, version: &str) -> (BundleHead, String, Vec<u8>) {
        let payload: Vec<u8> = version.bytes().cycle().take(300_000).collect();
        let release = Release { version: version.into(), counter: 1 };
        let head = seal(Kind::App, &["any".into()], "any", &release, &payload[..], signer).unwrap();
        let digest = head.unverified_manifest().unwrap().sha256;
        (head.into(), digest, payload)
    }

    #[test]
    fn bundle_is_uploaded_and_read_in_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let alice = Secret::generate("alice").unwrap();
        let operators = BTreeMap::from([("alice".to_string(), alice.public.ed25519)]);
        let (head, digest, payload) = made(&alice, "1");
        let mut store = Store::new(dir.path());
        assert!(
            store.add_piece(head.clone(), &BTreeMap::new(), 0, &[]).unwrap_err().contains("is not an operator here")
        );
        assert_eq!(store.add_piece(head.clone(), &operators, 0, &[]), Ok(0));
        assert_eq!(store.add_piece(head.clone(), &operators, 0, &payload[..MAX_PIECE]), Ok(MAX_PIECE as u64));
        assert!(store.bundle(&digest, &operators).unwrap_err().contains("upload it first"));
        // A new store, as after a restart of the hub, continues the upload at the same position.
        let mut store = Store::new(dir.path());
        assert_eq!(store.add_piece(head.clone(), &operators, 0, &[]), Ok(MAX_PIECE as u64));
        assert_eq!(store.add_piece(head.clone(), &operators, MAX_PIECE as u64, &payload[MAX_PIECE..]), Ok(300_000));
        assert_eq!(store.bundle(&digest, &operators).unwrap().version, "1");
        let mut read = store.read(&digest, 0).unwrap();
        read.extend(store.read(&digest, MAX_PIECE as u64).unwrap());
        assert_eq!((read == payload, store.read(&digest, 900_000)), (true, Ok(Vec::new())));
        assert!(store.bundle("../../etc/passwd", &operators).is_err());
        assert!(store.bundle(&digest, &BTreeMap::new()).is_err(), "whoever signed it may be gone since");
    }

    #[test]
    fn oldest_bundles_are_evicted() {
        let dir = tempfile::tempdir().unwrap();
        let alice = Secret::generate("alice").unwrap();
        let operators = BTreeMap::from([("alice".to_string(), alice.public.ed25519)]);
        let mut store = Store::new(dir.path());
        for version in 0..MAX_BUNDLES + 3 {
            let (head, digest, payload) = made(&alice, &version.to_string());
            if version == 0 {
                store.in_use = Some(digest);
            }
            for (i, piece) in payload.chunks(MAX_PIECE).enumerate() {
                store.add_piece(head.clone(), &operators, (i * MAX_PIECE) as u64, piece).unwrap();
            }
        }
        assert_eq!(fs::read_dir(dir.path().join("updates")).unwrap().count(), MAX_BUNDLES);
        assert!(store.bundle(&made(&alice, "0").1, &operators).is_ok(), "what robots load stays");
        assert!(store.bundle(&made(&alice, "1").1, &operators).is_err());
    }
}
