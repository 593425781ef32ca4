//! User-written TOML files with their JSON Schemas, which editors use to complete and validate keys.

use crate::evolution_run::file::EvolutionFile;
use crate::machine_file::MachineFile;
use crate::sweep::file::SweepFile;
use schemars::{JsonSchema, Schema};
use xpuck_evolve::PrimitiveSetFile;
use xpuck_experiment::robot_model::RobotFile;
use xpuck_experiment::world_file::WorldFile;
use xpuck_experiment::{Calibration, Experiment};
use xpuck_hub_core::config::HubFile;
use xpuck_wire::Swarm;
use xpuck_wire::schema::file_schema;

/// A kind of user-written TOML file, with its schema.
#[derive(Clone, Copy)]
pub struct FileKind {
    /// Name with which a user requests the schema.
    pub name: &'static str,
    /// Short description of the contents.
    pub what: &'static str,
    /// Function that returns the schema.
    pub schema: fn() -> Schema,
}

impl FileKind {
    /// Creates the description of a kind of file that is deserialised to `T`.
    pub const fn new<T: JsonSchema>(name: &'static str, what: &'static str) -> FileKind {
        FileKind { name, what, schema: file_schema::<T> }
    }
}

/// Kinds of files that this crate and its dependencies read, in alphabetical order.
pub const KINDS: [FileKind; 10] = [
    FileKind::new::<Calibration>("calibration", "calibration.toml: measured properties of robots and arena"),
    FileKind::new::<EvolutionFile>("evolution", "a run of evolution"),
    FileKind::new::<Experiment>("experiment", "task and phases of the swarm"),
    FileKind::new::<HubFile>("hub", "hub.toml: motion capture, virtual senses, records"),
    FileKind::new::<MachineFile>("machine", "a state machine"),
    FileKind::new::<PrimitiveSetFile>("primitive-set", "nodes, registers and ranges that evolution uses"),
    FileKind::new::<RobotFile>("robot-model", "radius, wheels and senses of the robots of a world"),
    FileKind::new::<Swarm>("swarm", "swarm.toml: settings that hub, arena and robots share"),
    FileKind::new::<SweepFile>("sweep", "settings of evolution to compare"),
    FileKind::new::<WorldFile>("world", "a simulated world"),
];
