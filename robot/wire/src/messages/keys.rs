//! Keys and key files. A key file is a TOML file. A key has 32 bytes and is written as 40 characters of Z85 (ZeroMQ RFC
//! 32).
//!
//! `NAME.pub` contains the public keys. `NAME.key` contains public and secret keys, and only its owner may read it. The
//! CURVE key pair authenticates connections, and the Ed25519 key pair signs experiments.

use crate::atomic;
use crate::file::{self, FileError};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};
use rand::TryRng;
use rand::rngs::SysRng;
use serde::{Deserialize, Serialize};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Maximum size of a key file (bytes).
const MAX_FILE: u64 = 4096;
/// Permissions of a secret file.
const PRIVATE: u32 = 0o600;

/// Public key, or a secret key inside [`Secret`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Key(pub [u8; 32]);

impl Key {
    /// Returns the key as 40 characters of Z85.
    pub fn text(&self) -> String {
        zmq::z85_encode(&self.0).expect("32 bytes are a multiple of four")
    }
}

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.text())
    }
}

impl From<Key> for String {
    fn from(key: Key) -> String {
        key.text()
    }
}

impl TryFrom<String> for Key {
    type Error = String;

    fn try_from(text: String) -> Result<Key, String> {
        decode(&text).map(Key).ok_or_else(|| "a key must be 40 characters of Z85".into())
    }
}

/// Digits of base 85 (ZeroMQ RFC 32).
const DIGITS: &[u8; 85] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/// Decodes 40 characters of Z85; returns `None` if they are invalid. The decoder of the crate `zmq` is not used,
/// because it leaks 41 bytes per call, and the sender's key of each received message is decoded.
fn decode(text: &str) -> Option<[u8; 32]> {
    let text: &[u8; 40] = text.as_bytes().try_into().ok()?;
    let mut bytes = [0; 32];
    for (five, four) in text.chunks_exact(5).zip(bytes.chunks_exact_mut(4)) {
        let mut value = 0u64;
        for character in five {
            value = value * 85 + DIGITS.iter().position(|digit| digit == character)? as u64;
        }
        four.copy_from_slice(&u32::try_from(value).ok()?.to_be_bytes());
    }
    Some(bytes)
}

/// Contents of a `.pub` file: a holder's name and public keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Public {
    /// Name of the holder; for a robot, its id. See [`check_name`] for the allowed characters.
    pub name: String,
    /// CURVE public key.
    pub curve: Key,
    /// Ed25519 public key, which verifies signatures of experiments.
    pub ed25519: Key,
}

/// Contents of a `.key` file: a holder's name, public keys and secret keys.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Secret {
    /// Name and public keys of the holder.
    pub public: Public,
    secret: Secrets,
}

#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Secrets {
    curve: Key,
    ed25519: Key,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secret({:?})", self.public)
    }
}

impl Public {
    /// Reads a `.pub` file.
    ///
    /// # Errors
    /// The file cannot be read, or is not a valid `.pub` file.
    pub fn read(path: &Path) -> Result<Public, FileError> {
        let name = path.display().to_string();
        let public: Public = file::parse(&name, &text(path, false)?)?;
        check_name(&name, &public.name)?;
        Ok(public)
    }

    /// Writes a new `.pub` file.
    ///
    /// # Errors
    /// The file exists already or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        write(path, &to_toml(self), 0o644)
    }
}

impl Secret {
    /// Generates new key pairs from the system's random numbers.
    ///
    /// # Errors
    /// The name is invalid, or the system provides no random numbers.
    pub fn generate(name: &str) -> Result<Secret, FileError> {
        check_name("a new key", name)?;
        let trouble = |what: String| FileError::value("a new key", what);
        let pair = zmq::CurveKeyPair::new().map_err(|e| trouble(format!("libzmq cannot create CURVE keys: {e}")))?;
        let mut seed = [0; 32];
        SysRng.try_fill_bytes(&mut seed).map_err(|e| trouble(format!("cannot get random numbers: {e}")))?;
        let ed25519 = Key(SigningKey::from_bytes(&seed).verifying_key().to_bytes());
        let public = Public { name: name.into(), curve: Key(pair.public_key), ed25519 };
        Ok(Secret { public, secret: Secrets { curve: Key(pair.secret_key), ed25519: Key(seed) } })
    }

    /// Reads a `.key` file.
    ///
    /// # Errors
    /// The file cannot be read or is invalid, its public and secret keys do not match, or users other than its owner
    /// may read it.
    pub fn read(path: &Path) -> Result<Secret, FileError> {
        let name = path.display().to_string();
        let read: Secret = file::parse(&name, &text(path, true)?)?;
        check_name(&name, &read.public.name)?;
        if read.signing().verifying_key().to_bytes() != read.public.ed25519.0 {
            return Err(FileError::value(&name, "public.ed25519 does not belong to secret.ed25519"));
        }
        Ok(read)
    }

    /// Writes a new `.key` file that only its owner may read.
    ///
    /// # Errors
    /// The file exists already or cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        write(path, &to_toml(self), PRIVATE)
    }

    /// Returns the CURVE secret key.
    pub(crate) fn curve(&self) -> &[u8; 32] {
        &self.secret.curve.0
    }

    fn signing(&self) -> SigningKey {
        SigningKey::from_bytes(&self.secret.ed25519.0)
    }

    /// Signs bytes with the Ed25519 secret key.
    pub fn sign(&self, bytes: &[u8]) -> [u8; 64] {
        self.signing().sign(bytes).to_bytes()
    }
}

/// Whether `signature` is a valid Ed25519 signature of `bytes` by the holder of `key`. Weak keys and non-canonical
/// signatures are rejected.
pub fn verify(key: &Key, bytes: &[u8], signature: &[u8; 64]) -> bool {
    let signature = ed25519_dalek::Signature::from_bytes(signature);
    VerifyingKey::from_bytes(&key.0).is_ok_and(|key| key.verify_strict(bytes, &signature).is_ok())
}

/// Rejects an invalid name of a key holder; `file` is the file name in the error.
///
/// # Errors
/// The name does not consist of 1 to 32 characters of a-z, 0-9, - and _.
pub fn check_name(file: &str, name: &str) -> Result<(), FileError> {
    match crate::swarm::is_id(name) {
        true => Ok(()),
        false => {
            let name = name.escape_debug();
            Err(FileError::value(file, format!("`{name}` is not a valid key name; use 1 to 32 of a-z, 0-9, - and _")))
        }
    }
}

fn to_toml<T: Serialize>(value: &T) -> String {
    toml::to_string(value).expect("keys are plain TOML")
}

fn text(path: &Path, private: bool) -> Result<String, FileError> {
    let unreadable = |error| FileError::Unreadable { path: path.into(), error };
    let file = file::open(path).map_err(unreadable)?;
    let mode = file.metadata().map_err(unreadable)?.permissions().mode() & 0o777;
    let name = path.display();
    if private && mode & 0o077 != 0 {
        let message = match path.extension().is_some_and(|end| end == "pub") {
            true => format!("is the public half; use the secret half, {}", path.with_extension("key").display()),
            false => format!("is readable by other users (mode {mode:o}); run `chmod 600 {name}`"),
        };
        return Err(FileError::value(&name.to_string(), message));
    }
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(unreadable)?;
    if text.len() as u64 > MAX_FILE {
        return Err(FileError::value(
            &name.to_string(),
            format!("is longer than {MAX_FILE} bytes, so it is not a key file"),
        ));
    }
    Ok(text)
}

/// Writes a new file, completely or not at all. Returns an error if the file exists already.
fn write(path: &Path, text: &str, mode: u32) -> Result<(), FileError> {
    atomic::create(path, text.as_bytes(), mode)
        .map_err(|error| FileError::value(&path.display().to_string(), format!("cannot be written: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_pair_round_trips_through_file_and_signs() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("xp01.key");
        let secret = Secret::generate("xp01").unwrap();
        secret.write(&path).unwrap();
        assert!(secret.write(&path).unwrap_err().to_string().contains("exists"), "a secret is never overwritten");
        let read = Secret::read(&path).unwrap();
        assert_eq!((&read.public, read.curve()), (&secret.public, secret.curve()));
        let signature = read.sign(b"stop");
        assert!(verify(&secret.public.ed25519, b"stop", &signature));
        assert!(!verify(&secret.public.ed25519, b"stop!", &signature));
        assert!(!verify(&Key([0; 32]), b"stop", &signature), "a weak key verifies nothing");
        assert!(!format!("{secret:?}").contains(&Key(*secret.curve()).text()), "secrets are not printed");
    }

    #[test]
    fn z85_is_read_as_libzmq_writes_it_and_nothing_else_is() {
        for seed in 0..200u8 {
            let key =
                Key(std::array::from_fn(|i| seed.wrapping_mul(37).wrapping_add((i as u8).wrapping_mul(seed | 1))));
            assert_eq!(Key::try_from(key.text()), Ok(key));
        }
        let good = Key([0xff; 32]).text();
        for wrong in [&good[1..], &good.replacen('%', "~", 1), &"#".repeat(40), &format!("{}é", &good[2..]), ""] {
            assert!(Key::try_from(wrong.to_string()).is_err(), "{wrong}");
        }
    }

    #[test]
    fn readable_secret_is_rejected_with_remedy() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("xp01.key");
        Secret::generate("xp01").unwrap().write(&path).unwrap();
        for mode in [0o640, 0o604, 0o660] {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
            let error = Secret::read(&path).unwrap_err().to_string();
            assert!(error.contains("chmod 600") && error.lines().count() == 1, "{error}");
        }
    }

    #[test]
    fn invalid_key_is_rejected_in_one_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.pub");
        let good = Secret::generate("a").unwrap().public;
        for (text, why) in [
            (to_toml(&good).replace(&good.curve.text(), "short"), "40 characters"),
            (to_toml(&good).replace(&good.curve.text(), &"~".repeat(40)), "40 characters"),
            (to_toml(&good).replace("name = \"a\"", "name = \"../a\""), "not a valid key name"),
            (to_toml(&good) + "more = 1\n", "more"),
            ("#".repeat(5000), "not a key file"),
        ] {
            std::fs::write(&path, text).unwrap();
            let error = Public::read(&path).unwrap_err().to_string();
            assert!(error.contains(why) && error.lines().count() == 1, "{error}");
        }
    }
}
