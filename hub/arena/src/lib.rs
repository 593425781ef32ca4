//! A virtual arena that stands where the real one would: it moves bodies with the kernels' physics, answers each
//! robot's SPI words, camera packets and power registers byte for byte, and streams poses as a Vicon system does.
//!
//! [`Arena`] is the core, without sockets or clocks; [`run`] serves it. Nothing outside can ask it for anything that
//! the real devices would not give.

mod arena;
pub mod camera;
pub mod dspic;
pub mod ft2232h;
pub mod keeper;
pub mod power;
mod settings;
mod shell;
pub mod vicon;

pub use arena::{Arena, STEP_SECONDS};
pub use settings::{ArenaError, CameraSettings, Settings};
pub use shell::{Listening, Summary, run};
