//! Tests of automata, bodies, Kilobots, and protocols of third-party programs.

mod bodies;
mod curricula;
mod gateway;
mod kilobot_hex;
mod kilobots;
mod monitors;
mod simulators;
