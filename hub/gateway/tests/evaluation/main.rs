//! Tests of world simulators, robot simulators and population managers over real sockets.

mod conformance;
mod managers;
mod peers;
mod serving;
mod worlds;
