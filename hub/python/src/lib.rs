//! Native part of the Python package `xpuck`. The public interface is in `python/xpuck/`. The types of this module
//! are declared in `python/xpuck/_xpuck.pyi`.

// PyO3's macros generate generic conversions of arguments and errors.
#![allow(clippy::useless_conversion, reason = "written by PyO3's macros")]

mod engine;
mod errors;
mod evolution;
mod fitness;
mod pool;
mod records;
mod simulate;
mod study;
mod sweep;
mod tree;
mod world;
mod worlds;

use pyo3::prelude::*;

/// Native part of the package `xpuck`.
#[pymodule]
mod _xpuck {
    #[pymodule_export]
    use super::evolution::Evolution;
    #[pymodule_export]
    use super::records::{Generations, export};
    #[pymodule_export]
    use super::simulate::simulate;
    #[pymodule_export]
    use super::study::{
        study_ablate, study_adapt, study_branches, study_hetero, study_migrate, study_mix, study_perturb, study_size,
        study_transfer, study_tune,
    };
    #[pymodule_export]
    use super::sweep::Sweep;
    #[pymodule_export]
    use super::tree::Tree;
    #[pymodule_export]
    use super::world::World;
    #[pymodule_export]
    use super::worlds::Worlds;

    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
