//! Common interfaces of motion-capture systems.

use super::error::MocapError;
use std::time::Duration;
use xpuck_hub_core::mocap::RawFrame;

/// Connected motion-capture system.
pub trait PoseSource {
    /// Returns the frames received since the last call. Waits for a frame for about half a second at most.
    ///
    /// # Errors
    /// Reason why the connection is unusable, in a few words.
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError>;

    /// Changes of the server's description since the last call, one line each.
    fn take_notes(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Protocol over a byte stream, without I/O.
pub trait Codec {
    /// Processes bytes from the server and returns the completed frames.
    ///
    /// # Errors
    /// The bytes are invalid; the connection has to be dropped.
    fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, MocapError>;

    /// Bytes to send to the server.
    fn take_outgoing(&mut self) -> Vec<u8>;

    /// Delay before outgoing bytes are sent, so that a server with immediate answers is not polled continuously.
    fn pace(&self) -> Duration {
        Duration::ZERO
    }

    /// Called when the server has been silent for a while; the codec may send a request.
    fn quiet(&mut self) {}
}
