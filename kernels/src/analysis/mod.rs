//! Static analysis of trees: reduction to smaller equivalent trees, explanations in English, and conversion to and
//! from other kinds of machines.

pub mod explain;
pub mod machine;
pub mod reduce;
