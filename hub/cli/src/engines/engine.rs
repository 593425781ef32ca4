//! Selection of an engine on the command line.

use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use std::convert::Infallible;
use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, Engine, EngineChoice, EngineKind, check_choice};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::engine;
use xpuck_wire::output;

/// Engines. Results of `reference` and `simd` are identical, and those of `gpu` have the same distribution
/// (docs/performance.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// Reference implementation: one world after another.
    Reference,
    /// Worlds in parallel, in vector registers.
    Simd,
    /// Worlds on a GPU, through Vulkan; on a software adapter if there is no hardware adapter.
    Gpu,
    /// Simd and gpu in parallel, each with a share of the worlds in proportion to its speed.
    Both,
    /// The fastest of simd, gpu and both on this machine, measured with the first batch; a software adapter only if
    /// --adapter names it.
    Auto,
}

impl EngineArg {
    fn kind(self) -> EngineKind {
        match self {
            EngineArg::Reference => EngineKind::Reference,
            EngineArg::Simd => EngineKind::Simd,
            EngineArg::Gpu => EngineKind::Gpu,
            EngineArg::Both => EngineKind::Both,
            EngineArg::Auto => EngineKind::Auto,
        }
    }
}

/// Options that select an engine.
#[derive(Args, Clone, Debug)]
pub struct EngineArgs {
    /// Simulation engine.
    #[arg(long, value_enum)]
    engine: Option<EngineArg>,
    /// Adapter of gpu, both and auto: its index, or a part of its name (`xpuck dev engines` lists them).
    #[arg(long, value_name = "ADAPTER", value_parser = adapter)]
    adapter: Option<AdapterChoice>,
}

fn adapter(text: &str) -> Result<AdapterChoice, Infallible> {
    text.parse()
}

impl EngineArgs {
    /// Returns whether an engine or an adapter was selected.
    pub fn is_given(&self) -> bool {
        self.engine.is_some() || self.adapter.is_some()
    }

    /// Returns the selected engine and adapter. Where an option is missing, the value of `otherwise` is used.
    pub fn over(&self, otherwise: &EngineChoice) -> EngineChoice {
        EngineChoice {
            engine: self.engine.map_or(otherwise.engine, EngineArg::kind),
            adapter: self.adapter.clone().unwrap_or_else(|| otherwise.adapter.clone()),
        }
    }

    /// Opens the selected engine, or `otherwise` if no engine was selected, for these worlds.
    ///
    /// # Errors
    /// The engine cannot be opened, or lacks a feature that a world requires.
    pub fn open(&self, otherwise: EngineKind, specs: &[&WorldSpec]) -> Result<ChosenEngine> {
        engine::open(self.over(&EngineChoice::with_best_adapter(otherwise)), specs).map_err(Error::msg)
    }

    /// Checks that the requested adapter exists. Commands call this before they start other work.
    ///
    /// # Errors
    /// The adapter does not exist. The error contains the selection and the available adapters, in one line.
    pub fn check_adapter(&self) -> Result<(), String> {
        let choice = self.over(&EngineChoice::with_best_adapter(EngineKind::Auto));
        let needed = matches!(choice.engine, EngineKind::Gpu | EngineKind::Both) || self.adapter.is_some();
        let checked = if needed { check_choice(&choice) } else { Ok(()) };
        checked.map_err(|error| format!("{}: {error}", choice.keys()))
    }

    /// Returns the selection as command-line options for another command.
    pub fn options(&self) -> Vec<String> {
        let engine = self.engine.map(|engine| ["--engine".to_string(), engine.kind().to_string()]);
        let adapter = self.adapter.as_ref().map(|adapter| ["--adapter".to_string(), adapter.to_string()]);
        [engine, adapter].into_iter().flatten().flatten().collect()
    }

    /// Returns the selection as lines of a TOML file.
    pub fn toml(&self) -> String {
        let engine = self.engine.map(|engine| format!("engine = \"{}\"\n", engine.kind()));
        let adapter = self.adapter.as_ref().map(|adapter| match adapter {
            AdapterChoice::Index(index) => format!("adapter = {index}\n"),
            AdapterChoice::Name(name) => format!("adapter = {name:?}\n"),
            AdapterChoice::Best => String::new(),
        });
        [engine, adapter].into_iter().flatten().collect()
    }
}

/// Prints an engine's notice on standard error.
pub fn report(engine: &dyn Engine) {
    if let Some(notice) = engine.notice() {
        output::print_error(format_args!("xpuck: {notice}"));
    }
}
