//! What the program says of itself and of errors.

pub mod examples;
pub mod grouped;
pub mod manual;
