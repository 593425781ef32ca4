//! Opens simulation engines on this machine.

use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, EngineChoice, EngineKind, EngineStatus, Machine};
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::clock::monotonic;
use xpuck_wire::gpu_nodes;

/// Returns this machine's clock and whether it has a GPU.
pub fn machine() -> Machine {
    Machine { clock: monotonic, gpu: gpu_nodes::any() }
}

/// Opens an engine for these worlds.
///
/// # Errors
/// One line with the keys: an adapter that is missing or insufficient, or a feature of a world that the engine lacks.
pub fn open(choice: EngineChoice, specs: &[&WorldSpec]) -> Result<ChosenEngine, String> {
    let engine = ChosenEngine::open(choice, machine())?;
    specs.iter().try_for_each(|spec| engine.check(spec))?;
    Ok(engine)
}

/// Opens the SIMD engine, which runs on every machine and gives the reference engine's results.
pub fn simd() -> ChosenEngine {
    let choice = EngineChoice { engine: EngineKind::Simd, adapter: AdapterChoice::Best };
    ChosenEngine::open(choice, Machine { clock: monotonic, gpu: false }).expect("simd needs nothing to be opened")
}

/// Returns the name and adapter of an engine as text.
pub fn words(status: &EngineStatus) -> String {
    match (&status.adapter, &status.driver) {
        (Some(adapter), Some(driver)) => format!("{} on {adapter}, driver {driver}", status.engine),
        (Some(adapter), None) => format!("{} on {adapter}", status.engine),
        _ => status.engine.to_string(),
    }
}
