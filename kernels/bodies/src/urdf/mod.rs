//! URDF files of bodies, for other simulators or byte for byte as pyro-corpus writes them: [`export`] and [`import`].
//!
//! The root's frame lies at the world's origin and its cube's centre at (0, 0, 2) and half an edge into its direction; every
//! other part's frame lies at its joint, with the centre half an edge into its direction. No frame is ever turned.

mod export;
mod import;
pub(crate) mod names;

pub use export::{Dialect, export};
pub use import::import;

/// Longest URDF that is read, in bytes.
pub const MAX_URDF: usize = 1 << 20;

/// Centre of the root's frame, before the half edge, in half metres.
const START: [i32; 3] = [0, 0, 4];
