//! Decision logic of one robot, as plain state machines: time and messages go in, actions come out. The state
//! machines use no device, clock, socket or thread, so `xpuckd` runs one of them on a robot, and the simulation test
//! runs nine at once.

pub mod champion;
pub mod controller;
pub mod core;
pub mod curriculum_state;
pub mod external;
pub mod island;
pub mod lease;
pub mod lineage_samples;
pub mod missed;
pub mod peers;
pub mod probe;
pub mod readings;
pub mod robot;
pub mod trace;
