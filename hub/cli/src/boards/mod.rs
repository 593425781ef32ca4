//! Robots' boards: images, cards, and markers for motion capture.

pub mod flash;
pub mod image;
pub mod markers;
