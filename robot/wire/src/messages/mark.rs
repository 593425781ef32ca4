//! Mark of a swarm, which distinguishes the records of different swarms in one folder.

use crate::file::FileError;
use crate::keys::Secret;
use crate::signed::hex;
use crate::swarm::Swarm;
use sha2::{Digest, Sha256};

/// Returns the mark of a swarm: twelve hexadecimal digits derived from the hub's public key or, in `dev_mode`, from the
/// hub's address.
///
/// # Errors
/// The hub's key cannot be read.
pub fn swarm_mark(swarm: &Swarm) -> Result<String, FileError> {
    let text = match swarm.security.dev_mode {
        true => swarm.hub.robots.clone(),
        false => Secret::read(&swarm.security.keys.join("hub.key"))?.public.curve.text(),
    };
    Ok(hex(&Sha256::digest(text.as_bytes())[..6]))
}
