//! The document's own files: a project is a curriculum, with a world file for each step.
//!
//! Values come in a fixed order, parted by blanks; `#` begins a comment that goes on to the end of its line. What only says
//! where the document's program keeps its files is read over. What has no counterpart here is refused.

mod project;
mod values;
mod world;

pub use project::project;
pub use world::world;
