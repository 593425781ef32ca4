//! Opens simulation engines on this machine.

use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, EngineChoice, EngineKind, EngineStatus, Machine};
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::clock::monotonic;
use xpuck_wire::gpu_nodes;

/// Returns this machine's clock, and whether it has a GPU.
pub fn machine() -> Machine {
    Machine { clock: monotonic, gpu: gpu_nodes::any() }
}

/// Opens an engine that can simulate the given worlds.
///
/// # Errors
/// The adapter is missing or insufficient, or the engine lacks a feature of a world. The error is one line that names
/// the keys.
pub fn open(choice: EngineChoice, specs: &[&WorldSpec]) -> Result<ChosenEngine, String> {
    let engine = ChosenEngine::open(choice, machine())?;
    specs.iter().try_for_each(|spec| engine.check(spec))?;
    Ok(engine)
}

/// Opens the SIMD engine. It runs on every machine, and its results equal those of the reference engine.
pub fn simd() -> ChosenEngine {
    let choice = EngineChoice { engine: EngineKind::Simd, adapter: AdapterChoice::Best };
    ChosenEngine::open(choice, Machine { clock: monotonic, gpu: false }).expect("simd needs nothing to be opened")
}

/// Formats the name, the adapter and the driver of an engine.
pub fn words(status: &EngineStatus) -> String {
    match (&status.adapter, &status.driver) {
        (Some(adapter), Some(driver)) => format!("{} on {adapter}, driver {driver}", status.engine),
        (Some(adapter), None) => format!("{} on {adapter}", status.engine),
        _ => status.engine.to_string(),
    }
}
