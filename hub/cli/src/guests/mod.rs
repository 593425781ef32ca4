//! Commands of the guests: bodies of joined cubes, and Kilobots.

pub mod body;
pub mod kilobot;
