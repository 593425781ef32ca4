//! Petrovic's own files: a project is a curriculum, with a world file for each step.
//!
//! Values have a fixed order and are separated by blanks; `#` begins a comment up to the end of the line. Values that
//! only state where Petrovic's program keeps its files are skipped. Features without a counterpart here are rejected.

mod project;
mod values;
mod world;

pub use project::project;
pub use world::world;
