//! Help, examples and manual pages of the command line.

pub mod complete;
pub mod examples;
pub mod grouped;
pub mod manual;
