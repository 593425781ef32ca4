//! What the ZeroMQ library on this machine can do.

/// Its version, such as "4.3.4".
pub fn version() -> String {
    let (major, minor, patch) = zmq::version();
    format!("{major}.{minor}.{patch}")
}

/// True if it can authenticate and encrypt (CURVE).
pub fn has_curve() -> bool {
    zmq::has("curve") == Some(true)
}
