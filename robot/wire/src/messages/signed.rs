//! Signed experiments. A manifest contains the experiment's text and a list of its files with sizes and SHA-256
//! digests, and an operator signs the manifest. The hub verifies the signature when it accepts an experiment, and each
//! robot verifies the signature before use.

use crate::file::{self, FileError};
use crate::keyring::{Keyring, Role};
use crate::keys::{Key, Secret, verify};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Maximum number of files in addition to the experiment's text.
pub const MAX_FILES: usize = 16;
/// Maximum total size of the files (bytes). Files and a manifest of maximum size fit in one message.
pub const MAX_FILE_BYTES: usize = 512 * 1024;
/// Maximum length of a manifest (bytes).
const MAX_MANIFEST: usize = 192 * 1024;
/// Prefix of the signed bytes, so that a signature made for another purpose is not valid for an experiment.
const PURPOSE: &[u8] = b"xpuck experiment 1\n";

/// Experiment with its files and signature, as it is sent in messages.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Signed {
    /// Manifest in TOML. The signature covers exactly these bytes.
    pub manifest: String,
    /// Name of the operator who signed the manifest; empty if unsigned.
    pub signer: String,
    /// Ed25519 signature, 128 hexadecimal digits; empty if unsigned.
    pub signature: String,
    /// Contents of the files, as UTF-8 text, by file name.
    pub files: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    experiment: String,
    #[serde(default, rename = "file", skip_serializing_if = "Vec::is_empty")]
    files: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    size: usize,
    sha256: String,
}

/// Signers whose experiments are accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trust {
    /// Any signer. Unsigned experiments are also accepted (`dev_mode`).
    Anybody,
    /// Only these operators, with their Ed25519 public keys by name.
    Operators(BTreeMap<String, Key>),
}

impl Trust {
    /// Returns a `Trust` that accepts no signer.
    pub fn nobody() -> Trust {
        Trust::Operators(BTreeMap::new())
    }

    /// Returns a `Trust` that accepts the operators of a keyring.
    pub fn operators(ring: &Keyring) -> Trust {
        let operators = ring.holders().filter(|h| h.role == Role::Operator);
        Trust::Operators(operators.map(|h| (h.public.name.clone(), h.public.ed25519)).collect())
    }
}

/// Reason for rejecting an experiment.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// The experiment is not signed.
    #[error("the experiment is not signed; sign it with an operator's key")]
    Unsigned,
    /// The signer is not a trusted operator.
    #[error(
        "signer `{0}` of the experiment is not an operator of this swarm; enrol the signer's key or sign with an operator's key"
    )]
    Stranger(String),
    /// The signature of this signer does not match the manifest.
    #[error("the signature of `{0}` does not match the experiment: the file was changed or signed with another key")]
    Wrong(String),
    /// A file does not match the manifest, or is not allowed.
    #[error("file `{name}`: {why}")]
    File {
        /// Name of the file.
        name: String,
        /// Reason why the file is rejected.
        why: String,
    },
    /// The manifest or the experiment is invalid.
    #[error("{0}")]
    Text(#[from] FileError),
}

/// Whether a file name is valid: 1 to 64 letters, digits, `-`, `_` and `.`, without a leading `.`.
fn is_file_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (1..=64).contains(&name.len()) && !name.starts_with('.') && name.chars().all(allowed)
}

fn bad(name: &str, why: impl Into<String>) -> SignatureError {
    SignatureError::File { name: name.into(), why: why.into() }
}

fn check_files(files: &BTreeMap<String, String>) -> Result<(), SignatureError> {
    if files.len() > MAX_FILES {
        let why = format!("it has {} files; at most {MAX_FILES} are allowed", files.len());
        return Err(FileError::value("experiment", why).into());
    }
    if let Some(name) = files.keys().find(|name| !is_file_name(name)) {
        return Err(bad(&name.escape_debug().to_string(), "a name must have 1 to 64 letters, digits, -, _ and ."));
    }
    let bytes: usize = files.values().map(String::len).sum();
    if bytes > MAX_FILE_BYTES {
        let why = format!("it has {bytes} bytes of files; at most {MAX_FILE_BYTES} are allowed");
        return Err(FileError::value("experiment", why).into());
    }
    Ok(())
}

impl Signed {
    /// Returns the SHA-256 digest of the manifest, 64 hexadecimal digits. The digest identifies an experiment with all
    /// of its files, because the manifest contains the files' digests. It does not depend on the signer.
    pub fn digest(&self) -> String {
        hex(&Sha256::digest(self.manifest.as_bytes()))
    }

    /// Creates an experiment that is signed with the key of `signer`. Without `signer` it is unsigned, for hubs in
    /// `dev_mode`.
    ///
    /// # Errors
    /// The experiment is too long, there are too many files, or a file's name or size is not allowed.
    pub fn new(
        text: String,
        files: BTreeMap<String, String>,
        signer: Option<&Secret>,
    ) -> Result<Signed, SignatureError> {
        check_files(&files)?;
        let entry = |(name, text): (&String, &String)| Entry {
            name: name.clone(),
            size: text.len(),
            sha256: hex(&Sha256::digest(text.as_bytes())),
        };
        let manifest = Manifest { experiment: text, files: files.iter().map(entry).collect() };
        let manifest = toml::to_string(&manifest).expect("a manifest is plain TOML");
        let (name, signature) = match signer {
            Some(secret) => (secret.public.name.clone(), hex(&secret.sign(&signed_bytes(&manifest)))),
            None => (String::new(), String::new()),
        };
        let signed = Signed { manifest, signer: name, signature, files };
        // Makes the same checks as the receivers, so that an invalid experiment is not sent.
        signed.open(&Trust::Anybody)?;
        Ok(signed)
    }

    /// Verifies the signature, and the sizes and digests of the files. Returns the experiment's text, which is not
    /// validated.
    ///
    /// # Errors
    /// The signature, the manifest or a file is invalid, or the signer is not trusted.
    pub fn open(&self, trust: &Trust) -> Result<String, SignatureError> {
        if self.manifest.len() > MAX_MANIFEST {
            let why = format!("it has {} bytes; at most {MAX_MANIFEST} are allowed", self.manifest.len());
            return Err(FileError::value("manifest", why).into());
        }
        check_files(&self.files)?;
        if let Trust::Operators(operators) = trust {
            if self.signature.is_empty() {
                return Err(SignatureError::Unsigned);
            }
            let key = operators.get(&self.signer);
            let key = key.ok_or_else(|| SignatureError::Stranger(self.signer.escape_debug().to_string()))?;
            let fits = unhex(&self.signature).is_some_and(|s| verify(key, &signed_bytes(&self.manifest), &s));
            if !fits {
                return Err(SignatureError::Wrong(self.signer.clone()));
            }
        }
        let manifest: Manifest = file::parse("manifest", &self.manifest)?;
        for entry in &manifest.files {
            let text = self.files.get(&entry.name).ok_or_else(|| bad(&entry.name, "is in the manifest but missing"))?;
            if text.len() != entry.size {
                return Err(bad(
                    &entry.name,
                    format!("it has {} bytes, but the manifest announces {}", text.len(), entry.size),
                ));
            }
            if hex(&Sha256::digest(text.as_bytes())) != entry.sha256 {
                return Err(bad(&entry.name, "its SHA-256 differs from the manifest"));
            }
        }
        if let Some(name) = self.files.keys().find(|name| !manifest.files.iter().any(|e| e.name == **name)) {
            return Err(bad(name, "it is not in the manifest"));
        }
        Ok(manifest.experiment)
    }
}

fn signed_bytes(manifest: &str) -> Vec<u8> {
    [PURPOSE, manifest.as_bytes()].concat()
}

/// Encodes each byte as two lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Decodes the 64 bytes of a signature from 128 hexadecimal digits; returns `None` for any other text.
pub fn unhex(text: &str) -> Option<[u8; 64]> {
    let digit = |c: u8| char::from(c).to_digit(16).map(|d| d as u8);
    let pairs = text.as_bytes().chunks(2);
    let bytes: Option<Vec<u8>> = pairs.map(|pair| Some(digit(*pair.first()?)? << 4 | digit(*pair.get(1)?)?)).collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n";

    fn with_tree() -> (Signed, Secret, Trust) {
        let alice = Secret::generate("alice").unwrap();
        let trust = Trust::operators(&Keyring::from_holders([(Role::Operator, alice.public.clone())]));
        let text = format!("controller_file = \"my.bt\"\n{TEXT}");
        let files = BTreeMap::from([("my.bt".to_string(), "movcv v_goal 0deg".to_string())]);
        (Signed::new(text, files, Some(&alice)).unwrap(), alice, trust)
    }

    #[test]
    fn signed_experiment_opens_to_its_text() {
        let (signed, _, trust) = with_tree();
        assert!(signed.open(&trust).unwrap().ends_with(TEXT));
    }

    #[test]
    fn tampered_experiment_is_rejected_with_reason() {
        let (good, _, trust) = with_tree();
        let refused = |change: &dyn Fn(&mut Signed), why: &str| {
            let mut signed = good.clone();
            change(&mut signed);
            let error = signed.open(&trust).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        };
        refused(&|s| s.manifest = s.manifest.replace("1.0", "9.0"), "does not match");
        refused(&|s| s.signature.replace_range(0..1, "g"), "does not match");
        refused(&|s| s.signature.truncate(126), "does not match");
        refused(&|s| s.signature.clear(), "not signed");
        refused(&|s| s.signer = "mallory".into(), "not an operator of this swarm");
        refused(&|s| drop(s.files.insert("my.bt".into(), "movcv v_goal 9deg".into())), "SHA-256");
        refused(&|s| drop(s.files.insert("my.bt".into(), "movcv".into())), "5 bytes");
        refused(&|s| drop(s.files.insert("other.bt".into(), String::new())), "not in the manifest");
        refused(&|s| s.files.clear(), "missing");
        let bob = Secret::generate("alice").unwrap();
        let forged = Signed::new(TEXT.into(), BTreeMap::new(), Some(&bob)).unwrap();
        assert!(forged.open(&trust).unwrap_err().to_string().contains("another key"));
        assert!(good.open(&Trust::nobody()).is_err());
        let unsigned = Signed::new(TEXT.into(), BTreeMap::new(), None).unwrap();
        assert!(unsigned.open(&Trust::Anybody).is_ok() && unsigned.open(&trust).is_err());
    }

    #[test]
    fn names_and_sizes_of_files_are_limited() {
        let refused =
            |files: BTreeMap<String, String>| Signed::new(TEXT.into(), files, None).expect_err("refused").to_string();
        for name in ["../a", "a/b", ".hidden", "", "a\nb"] {
            let why = refused(BTreeMap::from([(name.into(), String::new())]));
            assert!(why.contains("a name must have") && why.lines().count() == 1, "{why}");
        }
        assert!(refused((0..=MAX_FILES).map(|i| (format!("{i}"), String::new())).collect()).contains("17 files"));
        let big = "x".repeat(MAX_FILE_BYTES / 2 + 1);
        assert!(refused([("a".into(), big.clone()), ("b".into(), big)].into()).contains("bytes of files"));
    }

    #[test]
    fn largest_experiment_fits_one_message() {
        let files = BTreeMap::from([("a".to_string(), "\u{e4}".repeat(MAX_FILE_BYTES / 2))]);
        // The longest manifest results from tabs, because TOML escapes each tab as two characters.
        let text = format!("{TEXT}#{}", "\t".repeat(64 * 1024 - TEXT.len() - 1));
        let signed = Signed::new(text, files, Some(&Secret::generate("a").unwrap())).unwrap();
        let message = crate::message::ToRobot::Experiment { number: u64::MAX, seed: u64::MAX, robots: 200, signed };
        assert!(crate::codec::encode(&message).len() < crate::codec::MAX_BYTES);
    }
}
