//! Motion capture: clients of the systems that track bodies.
//!
//! A protocol's client ([`vicon`], [`vrpn`], [`natnet`]) turns bytes into raw frames, and all of them, and the replay of a
//! record, are a [`source::PoseSource`]. [`client`] is the thread that lets pass what can be true
//! ([`xpuck_hub_core::mocap::gates`]) and hands frames to the hub.

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
