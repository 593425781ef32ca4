//! What a bundle says of its payload, and whether that is for this robot.

use super::{BundleError, MAGIC, MAX_MANIFEST, MAX_SIGNER, SIGNATURE};
use crate::release::{Release, is_version};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use xpuck_wire::file;
use xpuck_wire::keys::{Key, Secret, verify};
use xpuck_wire::rollout::BundleHead;
use xpuck_wire::signed::{hex, unhex};

/// What is signed begins with this, so that no other signature passes for one of a bundle.
const PURPOSE: &[u8] = b"xpuck update 1\n";
/// Largest package, bytes.
pub const MAX_APP: u64 = 256 << 20;
/// Largest image, bytes.
pub const MAX_IMAGE: u64 = 4 << 30;
/// Most boards that a bundle can be for.
const MAX_BOARDS: usize = 16;

/// What the payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A Debian package of the robot's program.
    App,
    /// The image of a card.
    Image,
}

/// What a bundle says of its payload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// What the payload is.
    pub kind: Kind,
    /// The boards that it is for, such as "pi5"; "any" is for all.
    pub boards: Vec<String>,
    /// Debian's name of the architecture, such as "arm64"; "any" is for all.
    pub arch: String,
    /// The release's version.
    pub version: String,
    /// The release's counter; a robot goes to no lower one.
    pub counter: u64,
    /// Bytes of the payload.
    pub size: u64,
    /// SHA-256 of the payload, 64 hexadecimal digits.
    pub sha256: String,
}

/// A manifest as it travels, with its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Head {
    /// The manifest, TOML; these very bytes are signed.
    pub manifest: String,
    /// The operator who signed.
    pub signer: String,
    /// Ed25519 signature, 128 hexadecimal digits.
    pub signature: String,
}

impl Manifest {
    /// The release that it brings.
    pub fn release(&self) -> Release {
        Release { version: self.version.clone(), counter: self.counter }
    }

    /// Checks what anybody can check without knowing the robot.
    ///
    /// # Errors
    /// One line with the first key that makes no sense.
    pub fn check(&self) -> Result<(), BundleError> {
        let bad = |why: String| Err(BundleError::Manifest(why));
        let limit = if self.kind == Kind::App { MAX_APP } else { MAX_IMAGE };
        if !is_version(&self.version) {
            return bad("version has 1 to 64 letters, digits, and . + ~ - _".into());
        }
        if !(1..=limit).contains(&self.size) {
            return bad(format!("size = {} is outside 1..={limit}", self.size));
        }
        if self.sha256.len() != 64 || !self.sha256.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b)) {
            return bad("sha256 is not 64 hexadecimal digits".into());
        }
        if !(1..=MAX_BOARDS).contains(&self.boards.len()) || !self.boards.iter().all(|word| is_word(word)) {
            return bad(format!("boards lists 1 to {MAX_BOARDS} of a-z, 0-9 and -, or \"any\""));
        }
        if !is_word(&self.arch) {
            return bad("arch is one of Debian's architectures, such as \"arm64\", or \"any\"".into());
        }
        Ok(())
    }

    /// Checks that it is for a robot with this board and architecture, on which `floor` was the highest release that was good.
    ///
    /// # Errors
    /// Why it is not.
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

/// Debian's name of the architecture that this program is built for.
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
    /// The manifest makes no sense.
    pub fn sign(manifest: &Manifest, signer: &Secret) -> Result<Head, BundleError> {
        manifest.check()?;
        let text = toml::to_string(manifest).expect("a manifest is plain TOML");
        let signature = hex(&signer.sign(&signed_bytes(&text)));
        Ok(Head { manifest: text, signer: signer.public.name.clone(), signature })
    }

    /// Verifies the signature by one of these operators' keys, and gives the manifest.
    ///
    /// # Errors
    /// Why it must not be used.
    pub fn open(&self, operators: &BTreeMap<String, Key>) -> Result<Manifest, BundleError> {
        if self.signature.is_empty() {
            return Err(BundleError::Unsigned);
        }
        let shown = self.signer.escape_debug().to_string();
        let Some(key) = operators.get(&self.signer) else { return Err(BundleError::Stranger(shown)) };
        let fits = unhex(&self.signature).is_some_and(|s| verify(key, &signed_bytes(&self.manifest), &s));
        if !fits {
            return Err(BundleError::Changed(shown));
        }
        self.told()
    }

    /// The manifest, whoever signed it: for what is only shown.
    ///
    /// # Errors
    /// It is too long or makes no sense.
    pub fn told(&self) -> Result<Manifest, BundleError> {
        if self.manifest.len() > MAX_MANIFEST || self.signer.len() > MAX_SIGNER || self.signature.len() > SIGNATURE {
            return Err(BundleError::Manifest("it, its signer's name or its signature is too long".into()));
        }
        let wrong = |error: xpuck_wire::FileError| BundleError::Manifest(error.to_string());
        let manifest: Manifest = file::parse("manifest", &self.manifest).map_err(wrong)?;
        manifest.check()?;
        Ok(manifest)
    }

    /// The bytes that a bundle with this head begins with.
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
