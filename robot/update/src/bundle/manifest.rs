//! Manifest of a bundle, which describes the payload. The checks in this module compare a manifest with the robot's
//! board, architecture and release.

use super::{BundleError, MAGIC, MAX_MANIFEST, MAX_SIGNER, SIGNATURE};
use crate::release::{Release, is_version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xpuck_wire::file;
use xpuck_wire::keys::{Key, Secret, verify};
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::signed::{hex, unhex};

/// Prefix of the signed bytes. It prevents the use of signatures that were made for other purposes.
const PURPOSE: &[u8] = b"xpuck update 1\n";
/// Maximum size of a payload that is a package (bytes).
pub const MAX_APP: u64 = 256 << 20;
/// Maximum size of a payload that is an image (bytes).
pub const MAX_IMAGE: u64 = 4 << 30;
/// Maximum number of boards that a manifest lists.
const MAX_BOARDS: usize = 16;

/// Kind of the payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A Debian package of the robot's program.
    App,
    /// An image of a whole system, which is installed into a root of the card.
    Image,
}

/// Description of a bundle's payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// Kind of the payload.
    pub kind: Kind,
    /// Supported boards, such as "pi5". The name "any" stands for all boards.
    pub boards: Vec<String>,
    /// Debian's name of the processor architecture, such as "arm64". The name "any" stands for all architectures.
    pub arch: String,
    /// Version of the release.
    pub version: String,
    /// Counter of the release. Robots reject a bundle with a lower counter than their installed release.
    pub counter: u64,
    /// Size of the payload (bytes).
    pub size: u64,
    /// SHA-256 of the payload, 64 hexadecimal digits.
    pub sha256: String,
}

/// Head of a bundle: a manifest in transfer format, with its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// Manifest as TOML text. The signature covers exactly these bytes, after a fixed prefix.
    pub manifest: String,
    /// Name of the operator who signed the manifest.
    pub signer: String,
    /// Ed25519 signature, 128 hexadecimal digits.
    pub signature: String,
}

impl Manifest {
    /// Returns the release in the bundle.
    pub fn release(&self) -> Release {
        Release { version: self.version.clone(), counter: self.counter }
    }

    /// Validates the values of all keys, independently of a robot's properties.
    ///
    /// # Errors
    /// One line that names the first invalid key.
    pub fn check(&self) -> Result<(), BundleError> {
        let bad = |why: String| Err(BundleError::Manifest(why));
        let limit = if self.kind == Kind::App { MAX_APP } else { MAX_IMAGE };
        if !is_version(&self.version) {
            return bad("version must have 1 to 64 letters, digits, and . + ~ - _".into());
        }
        if !(1..=limit).contains(&self.size) {
            return bad(format!("size = {} is outside 1 to {limit}", self.size));
        }
        if self.sha256.len() != 64 || !self.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return bad("sha256 must be 64 hexadecimal digits".into());
        }
        if !(1..=MAX_BOARDS).contains(&self.boards.len()) || !self.boards.iter().all(|word| is_word(word)) {
            return bad(format!("boards must list 1 to {MAX_BOARDS} names of a-z, 0-9 and -, or \"any\""));
        }
        if !is_word(&self.arch) {
            return bad("arch must be one of Debian's architectures, such as \"arm64\", or \"any\"".into());
        }
        Ok(())
    }

    /// Verifies that the bundle is for this board and architecture, and is not older than the release `floor`. The
    /// caller passes the highest release that was healthy on the robot, or the packaged release if it is higher.
    ///
    /// # Errors
    /// Reason why the bundle does not fit.
    pub fn fits(&self, board: &str, arch: &str, floor: &Release) -> Result<(), BundleError> {
        let any = |word: &String, wanted: &str| word == "any" || word == wanted;
        if !self.boards.iter().any(|word| any(word, board)) {
            return Err(BundleError::Board { offered: self.boards.join(", "), board: board.into() });
        }
        if !any(&self.arch, arch) {
            return Err(BundleError::Arch { offered: self.arch.clone(), arch: arch.into() });
        }
        let (offered, counter, installed) = (self.version.clone(), self.counter, floor.version.clone());
        match self.counter.cmp(&floor.counter) {
            std::cmp::Ordering::Less => Err(BundleError::Older { offered, counter, installed, floor: floor.counter }),
            std::cmp::Ordering::Equal if offered != installed => {
                Err(BundleError::SameCounter { offered, counter, installed })
            }
            _ => Ok(()),
        }
    }
}

/// Returns Debian's name of the architecture for which this program was built.
pub fn this_arch() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "arm" => "armhf",
        other => other,
    }
}

fn is_word(text: &str) -> bool {
    (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
}

impl From<BundleHead> for Head {
    fn from(BundleHead { manifest, signer, signature }: BundleHead) -> Head {
        Head { manifest, signer, signature }
    }
}

impl From<Head> for BundleHead {
    fn from(Head { manifest, signer, signature }: Head) -> BundleHead {
        BundleHead { manifest, signer, signature }
    }
}

impl Head {
    /// Signs a manifest.
    ///
    /// # Errors
    /// The manifest is invalid.
    pub fn sign(manifest: &Manifest, signer: &Secret) -> Result<Head, BundleError> {
        manifest.check()?;
        let text = toml::to_string(manifest).expect("a manifest is plain TOML");
        let signature = hex(&signer.sign(&signed_bytes(&text)));
        Ok(Head { manifest: text, signer: signer.public.name.clone(), signature })
    }

    /// Verifies the signature with the keys of these operators, and returns the manifest.
    ///
    /// # Errors
    /// Reason why the manifest is not trusted.
    pub fn open(&self, operators: &BTreeMap<String, Key>) -> Result<Manifest, BundleError> {
        if self.signature.is_empty() {
            return Err(BundleError::Unsigned);
        }
        let shown = self.signer.escape_debug().to_string();
        let Some(key) = operators.get(&self.signer) else { return Err(BundleError::UnknownSigner(shown)) };
        let fits = unhex(&self.signature).is_some_and(|s| verify(key, &signed_bytes(&self.manifest), &s));
        if !fits {
            return Err(BundleError::Changed(shown));
        }
        self.unverified_manifest()
    }

    /// Returns the manifest without verification of the signature. The result must not be trusted.
    ///
    /// # Errors
    /// The manifest is too long or invalid.
    pub fn unverified_manifest(&self) -> Result<Manifest, BundleError> {
        if self.manifest.len() > MAX_MANIFEST || self.signer.len() > MAX_SIGNER || self.signature.len() > SIGNATURE {
            return Err(BundleError::Manifest("the manifest, the signer's name or the signature is too long".into()));
        }
        let wrong = |error: xpuck_wire::FileError| BundleError::Manifest(error.to_string());
        let manifest: Manifest = file::parse("manifest", &self.manifest).map_err(wrong)?;
        manifest.check()?;
        Ok(manifest)
    }

    /// Encodes the head in the format of a bundle, including the magic bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        for part in [&self.manifest, &self.signer, &self.signature] {
            bytes.extend(u32::try_from(part.len()).unwrap_or(u32::MAX).to_be_bytes());
            bytes.extend(part.as_bytes());
        }
        bytes
    }
}

fn signed_bytes(manifest: &str) -> Vec<u8> {
    [PURPOSE, manifest.as_bytes()].concat()
}
