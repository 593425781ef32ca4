//! Opens engines by name.

use crate::errors;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};
use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, Engine, EngineChoice, EngineKind};
use xpuck_kernels::world::WorldSpec;

/// Open engines, which are reused, so that a device's kernels are compiled only once. Each entry contains the id of the
/// process that opened the engine, because a forked process cannot use the engines of its parent.
static OPEN: Mutex<Vec<(u32, EngineChoice, Arc<ChosenEngine>)>> = Mutex::new(Vec::new());

/// Opens an engine by name ("simd", "reference", "gpu", "both", "auto"). `adapter` is the number of an adapter or a
/// part of its name. `None`: the best adapter.
///
/// # Errors
/// If the engine or adapter does not exist, or the engine lacks a feature that a world requires.
pub fn open(name: &str, adapter: Option<&str>, specs: &[&WorldSpec]) -> PyResult<Arc<ChosenEngine>> {
    let kind: EngineKind = serde_json::from_value(name.into())
        .map_err(|_| errors::value(format!("engine {name:?}: must be simd, gpu, both, auto or reference")))?;
    let adapter = adapter.map_or(AdapterChoice::Best, |text| match text.parse() {
        Ok(choice) => choice,
        Err(never) => match never {},
    });
    let choice = EngineChoice { engine: kind, adapter };
    let process = std::process::id();
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let found = open.iter().find(|(owner, known, _)| *owner == process && *known == choice);
    let engine = match found {
        Some((_, _, engine)) => engine.clone(),
        None => {
            let engine = Arc::new(xpuck_lab::engine::open(choice.clone(), &[]).map_err(errors::value)?);
            open.push((process, choice, engine.clone()));
            engine
        }
    };
    specs.iter().try_for_each(|spec| engine.check(spec)).map_err(errors::value)?;
    Ok(engine)
}

/// Issues the engine's notices as Python warnings, such as the loss of a device.
///
/// # Errors
/// If Python is configured to turn warnings into errors.
pub fn report_notice(py: Python<'_>, engine: &dyn Engine) -> PyResult<()> {
    let Some(notice) = engine.notice() else { return Ok(()) };
    let text = CString::new(notice).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)
}
