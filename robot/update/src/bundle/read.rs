//! Reads a bundle in pieces. Only the head and one piece of the payload are in memory at any time.

use super::{BundleError, Head, MAGIC, MAX_MANIFEST, MAX_SIGNER, Manifest, SIGNATURE};
use sha2::{Digest, Sha256};
use std::io::{ErrorKind, Read};
use xpuck_wire::signed::hex;

/// Size of a piece of the payload (bytes).
const PIECE: usize = 64 * 1024;

/// Reader of a bundle whose head has already been read.
pub struct Reader<R> {
    /// Head, not yet verified.
    pub head: Head,
    pub(super) rest: R,
}

impl<R: Read> Reader<R> {
    /// Reads the head of a bundle, and creates a reader of its payload.
    ///
    /// # Errors
    /// The file is not a bundle, is truncated, or has an invalid head.
    pub fn new(mut bundle: R) -> Result<Reader<R>, BundleError> {
        let mut magic = [0; MAGIC.len()];
        let have = fill(&mut bundle, &mut magic)?;
        if magic[..have] != *MAGIC {
            // A non-empty prefix of the magic bytes is a truncated bundle. Any other text is not a bundle.
            return Err(match MAGIC.starts_with(&magic[..have]) && have > 0 {
                true => short("the head", have, MAGIC.len()),
                false => BundleError::NoBundle,
            });
        }
        let manifest = part(&mut bundle, MAX_MANIFEST, "manifest")?;
        let signer = part(&mut bundle, MAX_SIGNER, "the signer's name")?;
        let signature = part(&mut bundle, SIGNATURE, "the signature")?;
        Ok(Reader { head: Head { manifest, signer, signature }, rest: bundle })
    }

    /// Passes the payload to `take` in pieces, and compares its size and digest with a verified manifest.
    ///
    /// # Errors
    /// The payload does not match the manifest, or `take` fails. The caller must then discard all pieces.
    pub fn payload(
        mut self,
        manifest: &Manifest,
        mut take: impl FnMut(&[u8]) -> std::io::Result<()>,
    ) -> Result<(), BundleError> {
        let mut digest = Sha256::new();
        let mut have = 0;
        let mut piece = vec![0; PIECE];
        loop {
            let read = fill(&mut self.rest, &mut piece)?;
            if read == 0 {
                break;
            }
            have += read as u64;
            if have > manifest.size {
                return Err(BundleError::Longer(manifest.size));
            }
            digest.update(&piece[..read]);
            take(&piece[..read])?;
        }
        if have < manifest.size {
            return Err(BundleError::Truncated { what: "payload", have, want: manifest.size });
        }
        match hex(&digest.finalize()) == manifest.sha256 {
            true => Ok(()),
            false => Err(BundleError::Payload),
        }
    }
}

/// Verifies that a payload outside a bundle, such as a package file, matches a manifest.
///
/// # Errors
/// The errors of [`Reader::payload`].
pub fn payload_fits(payload: impl Read, manifest: &Manifest) -> Result<(), BundleError> {
    let head = Head { manifest: String::new(), signer: String::new(), signature: String::new() };
    Reader { head, rest: payload }.payload(manifest, |_| Ok(()))
}

fn part(bundle: &mut impl Read, limit: usize, what: &'static str) -> Result<String, BundleError> {
    let mut length = [0; 4];
    let have = fill(bundle, &mut length)?;
    if have < length.len() {
        return Err(short(what, have, length.len()));
    }
    let length = u32::from_be_bytes(length) as usize;
    if length > limit {
        return Err(BundleError::Manifest(format!("{what} has {length} bytes; at most {limit} are allowed")));
    }
    let mut bytes = vec![0; length];
    let have = fill(bundle, &mut bytes)?;
    if have < length {
        return Err(short(what, have, length));
    }
    String::from_utf8(bytes).map_err(|_| BundleError::Manifest(format!("{what} is not UTF-8 text")))
}

fn short(what: &'static str, have: usize, want: usize) -> BundleError {
    BundleError::Truncated { what, have: have as u64, want: want as u64 }
}

/// Reads until the buffer is full or the source ends. Returns the number of bytes read.
fn fill(source: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut have = 0;
    while have < buffer.len() {
        match source.read(&mut buffer[have..]) {
            Ok(0) => break,
            Ok(read) => have += read,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(have)
}
