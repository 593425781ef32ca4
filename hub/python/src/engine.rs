//! Engines by their names.

use crate::errors;
use pyo3::exceptions::PyRuntimeWarning;
use pyo3::prelude::*;
use std::ffi::CString;
use std::sync::{Arc, Mutex, PoisonError};
use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, Engine, EngineChoice, EngineKind};
use xpuck_kernels::world::WorldSpec;

/// Engines that are open, and the process that opened them: a device's kernels are compiled once, and a forked process has no
/// part in its parent's.
static OPEN: Mutex<Vec<(u32, EngineChoice, Arc<ChosenEngine>)>> = Mutex::new(Vec::new());

/// The engine of a name ("simd", "reference", "gpu", "both", "auto"), on an adapter by its number or a part of its name.
///
/// # Errors
/// No such engine or adapter, or a world with something that it lacks.
pub fn open(name: &str, adapter: Option<&str>, specs: &[&WorldSpec]) -> PyResult<Arc<ChosenEngine>> {
    let kind: EngineKind = serde_json::from_value(name.into())
        .map_err(|_| errors::value(format!("engine {name:?}: there are simd, gpu, both, auto and reference")))?;
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

/// Warns of what a person should know of an engine's runs, such as a device that was lost.
///
/// # Errors
/// Python was told to make errors of warnings.
pub fn tell(py: Python<'_>, engine: &dyn Engine) -> PyResult<()> {
    let Some(notice) = engine.notice() else { return Ok(()) };
    let text = CString::new(notice).unwrap_or_default();
    PyErr::warn(py, &py.get_type::<PyRuntimeWarning>(), &text, 2)
}
