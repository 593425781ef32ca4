//! The choice of an engine on the command line.

use anyhow::Result;
use clap::ValueEnum;
use std::time::{Duration, Instant};
use xpuck_kernels::engine::{Engine, Gpu, Job, Reference, Simd, Team};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Scenario, WorldSpec};
use xpuck_wire::output;

/// Engines. `reference` and `simd` give the same digits, `gpu` the same distributions (docs/performance.md).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The definition: one world after another.
    Reference,
    /// Worlds side by side in vector registers.
    Simd,
    /// Worlds on a GPU, through Vulkan.
    Gpu,
    /// The faster of simd and gpu on this machine, tried once.
    #[default]
    Auto,
}

impl EngineArg {
    /// The engine.
    ///
    /// # Errors
    /// If `gpu` is asked for and there is none.
    pub fn engine(self) -> Result<Box<dyn Engine>> {
        Ok(match self {
            EngineArg::Reference => Box::new(Reference::default()),
            EngineArg::Simd => Box::new(Simd::default()),
            EngineArg::Gpu => Box::new(Gpu::open()?),
            EngineArg::Auto => auto(),
        })
    }
}

/// Times both on the same worlds and keeps the faster. A software adapter runs on the processor that simd uses, and
/// slower, so it is not tried.
fn auto() -> Box<dyn Engine> {
    let simd = Simd::default();
    match Gpu::open_hardware() {
        Ok(gpu) if time(&gpu) < time(&simd) => Box::new(gpu),
        _ => Box::new(simd),
    }
}

/// Time of 4096 worlds of 3 s, after one run to warm up.
fn time(engine: &dyn Engine) -> Duration {
    let tree = Tree::parse("sel\n  avoiding\n  explore 20\n").expect("a tree");
    let programs = [Program::compile(&tree).expect("fits a robot")];
    let spec = WorldSpec::scenario(9, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 1, world, updates: 30 };
    let jobs: Vec<Job<'_>> = (0..4096).map(job).collect();
    engine.run(&programs, &jobs[..64]);
    let started = Instant::now();
    engine.run(&programs, &jobs);
    started.elapsed()
}

/// Says on standard error what the user should know about an engine's runs.
pub fn report(engine: &dyn Engine) {
    if let Some(notice) = engine.notice() {
        output::note(format_args!("xpuck: {notice}"));
    }
}
