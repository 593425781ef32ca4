//! What tells swarms apart whose records lie in one folder.

use crate::file::FileError;
use crate::keys::Secret;
use crate::signed::hex;
use crate::swarm::Swarm;
use sha2::{Digest, Sha256};

/// Twelve hexadecimal digits that follow from the key of a swarm's hub, or without keys from its hub's address.
///
/// # Errors
/// The hub's key cannot be read.
pub fn of(swarm: &Swarm) -> Result<String, FileError> {
    let text = match swarm.security.dev_mode {
        true => swarm.hub.robots.clone(),
        false => Secret::read(&swarm.security.keys.join("hub.key"))?.public.curve.text(),
    };
    Ok(hex(&Sha256::digest(text.as_bytes())[..6]))
}
