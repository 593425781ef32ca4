//! Version and capabilities of the ZeroMQ library.

/// Returns the version of the ZeroMQ library, such as "4.3.4".
pub fn version() -> String {
    let (major, minor, patch) = zmq::version();
    format!("{major}.{minor}.{patch}")
}

/// Returns whether the ZeroMQ library supports authentication and encryption (CURVE).
pub fn has_curve() -> bool {
    zmq::has("curve") == Some(true)
}
