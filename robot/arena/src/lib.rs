//! A virtual arena that stands where the real one would: it moves bodies with the kernels' physics, answers each
//! robot's SPI words, I2C transactions and camera packets byte for byte, and streams poses as Vicon, VRPN and OptiTrack
//! systems do.
//!
//! [`Arena`] is the core, without sockets or clocks; [`run`] serves it. Nothing outside can ask it for anything that
//! the real devices would not give.

mod arena;
pub mod body;
pub mod camera;
pub mod draw;
pub mod faults;
pub mod fitted;
pub mod ft2232h;
pub mod keeper;
pub mod mocap;
mod outage;
pub mod overhead;
mod port;
pub mod power;
mod robot;
pub mod sensor;
mod settings;
mod shell;
mod shim;
pub mod sounds;
pub mod tags;
pub mod unkind;
pub mod uvc;

pub use arena::hand::MOST_SPEED;
pub use arena::{Arena, STEP_SECONDS, View};
pub use body::felt::Felt;
pub use faults::{Faults, SenseFault};
pub use robot::Guest;
pub use settings::{ArenaError, BodyKind, CameraSettings, Fittings, Settings};
pub use shell::{Beside, Listening, Summary, run};
pub use shim::Shim;
pub use unkind::Unkind;
