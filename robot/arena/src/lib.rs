//! Virtual arena that replaces a real arena. It moves bodies with the kernels' physics, and emulates each robot's SPI
//! words, I2C transactions and camera packets byte for byte. It streams poses like Vicon, VRPN and OptiTrack systems.
//!
//! [`Arena`] is the core, without sockets or clocks. [`run`] serves an arena to clients. Clients receive only data that
//! the real devices would also provide.

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
mod scenery;
pub mod sensor;
mod settings;
mod shell;
mod shim;
pub mod sounds;
pub mod tags;
pub mod unkind;
pub mod uvc;

pub use arena::hand::MAX_PUSH_SPEED;
pub use arena::{Arena, STEP_SECONDS, View};
pub use body::sensor_levels::SensorLevels;
pub use faults::{Faults, SenseFault};
pub use robot::Guest;
pub use settings::{ArenaError, BodyKind, CameraSettings, Fittings, Settings};
pub use shell::{Listening, StepHooks, Summary, run};
pub use shim::Shim;
pub use unkind::Unkind;
