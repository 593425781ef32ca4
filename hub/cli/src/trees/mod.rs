//! Controllers as text: trees, machines and automata, converted and explained.

pub mod algebra;
pub mod explain;
pub mod machines;
pub mod nodes;
pub mod tree;
