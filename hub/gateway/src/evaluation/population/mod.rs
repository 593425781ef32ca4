//! Population manager: evolves one population of networks with variable numbers of hidden neurons, which robot
//! simulators evaluate (section 3.1).
//!
//! All modules except [`manager`], which holds the connections, are pure: [`genotype`] defines the inherited data,
//! [`variation`] creates children, [`evolution`] creates generations, [`dispatch`] assigns individuals to simulators.

pub mod dispatch;
pub mod evolution;
pub mod genotype;
pub mod manager;
pub mod variation;
