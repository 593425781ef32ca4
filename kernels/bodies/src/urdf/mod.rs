//! URDF files of bodies, for other simulators or byte for byte as pyro-corpus writes them: [`export`] and [`import`].
//!
//! The root's frame is at the world's origin, with its cube's centre at (0, 0, 2) plus half an edge in its direction.
//! The frame of each other part is at its joint, with the centre half an edge away in its direction. Frames are never
//! rotated.

mod export;
mod import;
pub(crate) mod names;

pub use export::{Dialect, export};
pub use import::import;

/// Maximum length of a URDF (bytes).
pub const MAX_URDF: usize = 1 << 20;

/// Base point of the root's cube in the root's frame (half metres). The cube's centre is half an edge away from it, in
/// the root's direction.
const START: [i32; 3] = [0, 0, 4];
