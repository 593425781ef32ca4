//! Tests of foraging Kilobots. Both implementations of runs are compared with each other. The tick is compared with
//! the thesis's description of each node.

mod c;
mod c_senses;
mod figure_4_6;
mod foreign;
mod random;
mod recorded;
mod simavr;
mod tick;
mod twins;
