//! The choice of an engine on the command line.

use anyhow::{Error, Result};
use clap::{Args, ValueEnum};
use std::convert::Infallible;
use xpuck_kernels::engine::{AdapterChoice, ChosenEngine, Engine, EngineChoice, EngineKind, check_choice};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::engine;
use xpuck_wire::output;

/// Engines. `reference` and `simd` give the same digits, `gpu` the same distributions (docs/performance.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The definition: one world after another.
    Reference,
    /// Worlds side by side in vector registers.
    Simd,
    /// Worlds on a GPU, through Vulkan; a software adapter too if there is no other.
    Gpu,
    /// Simd and gpu side by side, each with a share by its speed.
    Both,
    /// The fastest of simd, gpu and both on this machine, tried at the first batch; a software adapter only if --adapter
    /// names it.
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

/// The options by which commands choose an engine.
#[derive(Args, Clone, Debug)]
pub struct EngineArgs {
    /// What runs the simulations.
    #[arg(long, value_enum)]
    engine: Option<EngineArg>,
    /// The adapter of gpu, both and auto: its index, or a part of its name (`xpuck dev engines` lists them).
    #[arg(long, value_name = "ADAPTER", value_parser = adapter)]
    adapter: Option<AdapterChoice>,
}

fn adapter(text: &str) -> Result<AdapterChoice, Infallible> {
    text.parse()
}

impl EngineArgs {
    /// True if an engine or an adapter was chosen.
    pub fn is_given(&self) -> bool {
        self.engine.is_some() || self.adapter.is_some()
    }

    /// The choice: what is not given is as in `otherwise`.
    pub fn over(&self, otherwise: &EngineChoice) -> EngineChoice {
        EngineChoice {
            engine: self.engine.map_or(otherwise.engine, EngineArg::kind),
            adapter: self.adapter.clone().unwrap_or_else(|| otherwise.adapter.clone()),
        }
    }

    /// Opens the engine for these worlds; `otherwise` where none is given.
    ///
    /// # Errors
    /// If it cannot be opened, or lacks something that a world has.
    pub fn open(&self, otherwise: EngineKind, specs: &[&WorldSpec]) -> Result<ChosenEngine> {
        engine::open(self.over(&EngineChoice::of(otherwise)), specs).map_err(Error::msg)
    }

    /// Says whether the adapter is there that is asked for, before anything is started.
    ///
    /// # Errors
    /// One line with the options as keys, and what is there.
    pub fn check_adapter(&self) -> Result<(), String> {
        let choice = self.over(&EngineChoice::of(EngineKind::Auto));
        let needed = matches!(choice.engine, EngineKind::Gpu | EngineKind::Both) || self.adapter.is_some();
        let checked = if needed { check_choice(&choice) } else { Ok(()) };
        checked.map_err(|error| format!("{}: {error}", choice.keys()))
    }

    /// The same as options of another command.
    pub fn options(&self) -> Vec<String> {
        let engine = self.engine.map(|engine| ["--engine".to_string(), engine.kind().to_string()]);
        let adapter = self.adapter.as_ref().map(|adapter| ["--adapter".to_string(), adapter.to_string()]);
        [engine, adapter].into_iter().flatten().flatten().collect()
    }

    /// The same as lines of a file.
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

/// Says on standard error what the user should know about an engine's runs.
pub fn report(engine: &dyn Engine) {
    if let Some(notice) = engine.notice() {
        output::note(format_args!("xpuck: {notice}"));
    }
}
