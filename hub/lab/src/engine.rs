//! Engines opened for this machine.

use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, EngineChoice, EngineKind, EngineStatus, Machine};
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::clock::monotonic;
use xpuck_wire::gpu_nodes;

/// This machine, as engines need to know it.
pub fn machine() -> Machine {
    Machine { clock: monotonic, gpu: gpu_nodes::any() }
}

/// Opens an engine that is to run these worlds.
///
/// # Errors
/// One line with the keys: an adapter that is not there or has too little, or a world with something that it lacks.
pub fn open(choice: EngineChoice, specs: &[&WorldSpec]) -> Result<ChosenEngine, String> {
    let engine = ChosenEngine::open(choice, machine())?;
    specs.iter().try_for_each(|spec| engine.check(spec))?;
    Ok(engine)
}

/// The engine whose digits are the definition's, and which every machine has.
pub fn simd() -> ChosenEngine {
    let choice = EngineChoice { engine: EngineKind::Simd, adapter: AdapterChoice::Best };
    ChosenEngine::open(choice, Machine { clock: monotonic, gpu: false }).expect("simd needs nothing to be opened")
}

/// Name and adapter in words.
pub fn words(status: &EngineStatus) -> String {
    match (&status.adapter, &status.driver) {
        (Some(adapter), Some(driver)) => format!("{} on {adapter}, driver {driver}", status.engine),
        (Some(adapter), None) => format!("{} on {adapter}", status.engine),
        _ => status.engine.to_string(),
    }
}
