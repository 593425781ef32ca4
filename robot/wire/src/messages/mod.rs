//! Messages, with their version and limits. The module also contains keys, seals, signatures, and the formats of files
//! that all programs share.

pub mod codec;
pub mod drive;
pub mod estimate;
pub mod groot_recording;
pub mod keyring;
pub mod keys;
pub mod mark;
pub mod message;
pub mod park;
pub mod peer;
pub mod peers_report;
pub mod picture;
pub mod rollout;
pub mod seal;
pub mod sensors;
pub mod settings;
pub mod signed;
pub mod status;
pub mod swarm;
pub mod tags;
pub mod telemetry;
pub mod updates;
pub mod witness;
