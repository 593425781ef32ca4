//! URDF files of bodies: [`export`] and [`import`]. The files are written for other simulators, or byte for byte as
//! pyro-corpus writes them.
//!
//! The root's frame is at the world's origin. The centre of the root's cube is half an edge from (0, 0, 2) in the
//! root's direction. The frame of every other part is at the part's joint to its parent. The centre of the part is half
//! an edge from this joint in the part's direction. Frames are never rotated.

mod export;
mod import;
pub(crate) mod names;

pub use export::{Dialect, export};
pub use import::import;

/// Maximum length of a URDF file (bytes).
pub const MAX_URDF: usize = 1 << 20;

/// Base point of the root's cube in the root's frame (half metres). The cube's centre is half an edge away from it, in
/// the root's direction.
const START: [i32; 3] = [0, 0, 4];
