//! Kilobots that forage: both ways to run them, and the tick against what the thesis says of each node.

mod c;
mod c_senses;
mod figure_4_6;
mod foreign;
mod random;
mod recorded;
mod simavr;
mod tick;
mod twins;
