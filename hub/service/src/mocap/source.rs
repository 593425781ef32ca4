//! What all motion-capture systems have in common.

use super::error::MocapError;
use std::time::Duration;
use xpuck_hub_core::mocap::RawFrame;

/// A motion-capture system, connected.
pub trait PoseSource {
    /// The frames that came since the last call. Waits for one, at most about half a second.
    ///
    /// # Errors
    /// Why the connection is of no more use, in a few words.
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError>;

    /// Changes of what the server said of itself since the last call, a line each.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// A protocol over a stream of bytes, without any I/O.
pub trait Codec {
    /// Takes bytes from the server and returns the frames they complete.
    ///
    /// # Errors
    /// What in the bytes makes no sense; the connection must be dropped.
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, MocapError>;

    /// Bytes to send to the server.
    fn take_outgoing(&mut self) -> Vec<u8>;

    /// How long to wait before what is to be sent is sent: a server that answers at once must not be asked all the time.
    fn pace(&self) -> Duration {
        Duration::ZERO
    }

    /// The server has been silent for a moment; what is to be asked may be asked now.
    fn quiet(&mut self) {}
}
