//! Readers of the files of Petrovic's program. A project file corresponds to a curriculum, and has a world file for
//! each step.
//!
//! Values have a fixed order and are separated by blanks. `#` begins a comment, which ends with the line. Values that
//! only state where Petrovic's program keeps its files are skipped. Features without a counterpart in this project
//! are rejected.

mod project;
mod values;
mod world;

pub use project::project;
pub use world::world;
