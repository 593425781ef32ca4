//! The choice of an engine on the command line.

use clap::ValueEnum;
use xpuck_kernels::engine::{Engine, Reference, Simd};

/// Engines. All give the same digits; see docs/performance.md for their speed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum EngineArg {
    /// The definition: one world after another.
    Reference,
    /// Worlds side by side in vector registers.
    Simd,
    /// The fastest here.
    #[default]
    Auto,
}

impl EngineArg {
    /// The engine.
    pub fn engine(self) -> Box<dyn Engine> {
        match self {
            EngineArg::Reference => Box::new(Reference),
            EngineArg::Simd | EngineArg::Auto => Box::new(Simd),
        }
    }
}
