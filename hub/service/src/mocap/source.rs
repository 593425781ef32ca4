//! Common interfaces of the clients of motion-capture systems.

use super::error::MocapError;
use std::time::Duration;
use xpuck_hub_core::mocap::RawFrame;

/// Connection to a motion-capture system, or the replay of a record.
pub trait PoseSource {
    /// Returns the frames received since the last call. Waits for a frame for about half a second at most.
    ///
    /// # Errors
    /// The connection is unusable; the error contains the reason.
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError>;

    /// Returns log lines about changes of the server's description since the last call.
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

    /// Returns the bytes to send to the server, and clears them.
    fn take_outgoing(&mut self) -> Vec<u8>;

    /// Returns the delay before outgoing bytes are sent. The delay prevents continuous polling of a server that
    /// answers immediately.
    fn pace(&self) -> Duration {
        Duration::ZERO
    }

    /// Handles a silence of the server. The codec may queue a request, so that the server answers.
    fn quiet(&mut self) {}
}
