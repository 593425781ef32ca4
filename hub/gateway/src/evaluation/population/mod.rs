//! Population manager. It evolves a population of networks with variable numbers of hidden neurons, which robot
//! simulators evaluate (section 3.1 of the specification).
//!
//! Only [`manager`] has connections; the other modules perform no input or output. [`genotype`] defines the inherited
//! data, [`variation`] creates children, and [`evolution`] creates generations. [`dispatch`] assigns individuals to
//! simulators.

pub mod dispatch;
pub mod evolution;
pub mod genotype;
pub mod manager;
pub mod variation;
