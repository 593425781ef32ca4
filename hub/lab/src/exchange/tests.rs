//! Tests of the form of exports. The exported interpreters are compared with Xpuck's interpreter, tick by tick.

mod automode;
mod floor;
mod form;
mod import;
mod missions;
mod random_missions;
mod ticks;

use super::Export;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::WorldSpec;

/// Compiles a tree from text.
fn program(text: &str) -> Program {
    Program::compile(&Tree::parse(text).unwrap()).unwrap()
}

/// Calls `look` with an export that has two trees.
fn with_export<T>(spec: &WorldSpec, look: impl FnOnce(&Export<'_>) -> T) -> T {
    let parts = [(spec.robots - 1, program("sel\n  avoiding\n  upfield 1\n")), (1, program("attract 1\n"))];
    look(&Export { spec, parts: &parts, seed: 3, runs: 2, seconds: 60.0 })
}
