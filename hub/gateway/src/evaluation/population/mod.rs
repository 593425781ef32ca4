//! A population manager: one population of networks with different numbers of hidden neurons, which robot simulators evaluate
//! (section 3.1).
//!
//! Pure but for [`manager`], which holds the connections: [`genotype`] is what is inherited, [`variation`] makes children of parents,
//! [`evolution`] goes from generation to generation, [`dispatch`] decides who evaluates whom.

pub mod dispatch;
pub mod evolution;
pub mod genotype;
pub mod manager;
pub mod variation;
