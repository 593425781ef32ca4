//! Decision logic of one robot, as state machines that receive time and messages and return actions. The state
//! machines use no device, clock, socket or thread. Therefore `xpuckd` can run one robot, and the simulation test can
//! run nine robots at once.

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
