//! Tests of trees: guarantees of the node table, exchange formats, the library, memoryless forms, state machines, and
//! the RASP machine.

#![allow(clippy::disallowed_methods, reason = "tests read the library of trees and bound the time of readers")]

mod btcpp;
mod btcpp_ticks;
mod exchange;
mod explain;
mod hostile;
mod library;
mod memoryless;
mod random;
mod rasp;
mod results;
mod side_by_side;
mod state_machines;
mod xml_files;
