//! Preparation of robots: images and cards for their boards, and markers for motion capture.

pub mod flash;
pub mod image;
pub mod markers;
