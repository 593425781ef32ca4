//! Version and capabilities of the ZeroMQ library.

/// Version, such as "4.3.4".
pub fn version() -> String {
    let (major, minor, patch) = zmq::version();
    format!("{major}.{minor}.{patch}")
}

/// Whether the library supports authentication and encryption (CURVE).
pub fn has_curve() -> bool {
    zmq::has("curve") == Some(true)
}
