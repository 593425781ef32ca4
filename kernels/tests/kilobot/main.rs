//! Kilobots that forage: both ways to run them, and the tick against what the thesis says of each node.

mod random;
mod twins;
