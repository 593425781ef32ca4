//! Clients of motion-capture systems.
//!
//! The client of each protocol ([`vicon`], [`vrpn`], [`natnet`]) converts bytes into raw frames. All clients and the
//! replay of a record are pose sources ([`source::PoseSource`]). The thread of [`client`] filters the poses
//! ([`xpuck_hub_core::mocap::gates`]) and passes frames to the hub.

pub mod client;
pub mod error;
pub mod natnet;
pub mod open;
pub mod probe;
mod replay;
mod rotation;
pub mod source;
mod stream;
pub mod vicon;
pub mod vrpn;
