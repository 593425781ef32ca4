//! Automata, bodies, Kilobots and protocols of other makers' programs.

mod bodies;
mod curricula;
mod gateway;
mod kilobot_hex;
mod kilobots;
mod monitors;
mod simulators;
