//! The TOML files that people write, each with its JSON Schema, by which editors complete and check keys.

use crate::evolution_run::file::EvolutionFile;
use crate::machine_file::MachineFile;
use crate::sweep::file::SweepFile;
use schemars::{JsonSchema, Schema};
use xpuck_evolve::PrimitiveSetFile;
use xpuck_experiment::world_file::WorldFile;
use xpuck_experiment::{Calibration, Experiment};
use xpuck_hub_core::config::HubFile;
use xpuck_wire::Swarm;
use xpuck_wire::schema::of_file;

/// A kind of TOML file.
#[derive(Clone, Copy)]
pub struct FileKind {
    /// By which it is asked for.
    pub name: &'static str,
    /// What such a file says, in a few words.
    pub what: &'static str,
    /// Makes the schema.
    pub schema: fn() -> Schema,
}

impl FileKind {
    /// A kind of file that is read as a `T`.
    pub const fn of<T: JsonSchema>(name: &'static str, what: &'static str) -> FileKind {
        FileKind { name, what, schema: of_file::<T> }
    }
}

/// The kinds that are read by this crate and those below it, in alphabetical order.
pub const KINDS: [FileKind; 9] = [
    FileKind::of::<Calibration>("calibration", "calibration.toml: what was measured of the real thing"),
    FileKind::of::<EvolutionFile>("evolution", "a run of evolution"),
    FileKind::of::<Experiment>("experiment", "what the swarm is to do"),
    FileKind::of::<HubFile>("hub", "hub.toml: motion capture, virtual senses, records"),
    FileKind::of::<MachineFile>("machine", "a state machine"),
    FileKind::of::<PrimitiveSetFile>("primitive-set", "nodes, registers and ranges that evolution uses"),
    FileKind::of::<Swarm>("swarm", "swarm.toml: what hub, arena and robots share"),
    FileKind::of::<SweepFile>("sweep", "settings of evolution to compare"),
    FileKind::of::<WorldFile>("world", "a simulated world"),
];
