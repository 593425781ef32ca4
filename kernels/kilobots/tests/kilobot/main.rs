//! Tests of foraging Kilobots. The reference implementation of runs is compared with the vectorised implementation. The
//! tick is compared with the thesis's description of each node.

mod c;
mod c_senses;
mod figure_4_6;
mod foreign;
mod random;
mod recorded;
mod simavr;
mod tick;
mod twins;
