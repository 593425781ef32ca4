//! One robot: its devices, camera vision, the 10 Hz control loop, onboard evolution and the link to the hub.

pub mod device;
pub mod vision;
