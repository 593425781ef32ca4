//! Tests of robots, hub and arena as processes: runs, orders, senses, faults and their consequences.

mod beside_demo;
mod clock;
mod demo;
mod duplicate_programs;
pub mod experiments;
mod external;
mod finished_run;
mod fleet;
mod ground;
mod hubless;
mod keys;
mod memory;
mod missions;
mod mocap;
mod natnet;
mod operators;
mod senses;
mod sensors;
mod standstill;
mod stop;
mod stopped;
mod switchboard;
mod tags;
mod update;
