//! Foraging Kilobots: both implementations of runs, and the tick compared with the thesis's description of each node.

mod c;
mod c_senses;
mod figure_4_6;
mod foreign;
mod random;
mod recorded;
mod simavr;
mod tick;
mod twins;
