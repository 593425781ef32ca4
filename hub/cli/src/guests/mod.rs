//! Commands of optional features: automata in the world of cargo, bodies of joined cubes, Kilobots, and protocols of
//! other makers' programs. Each group of commands has its own Cargo feature.

#[cfg(feature = "automata")]
pub mod automata;
#[cfg(feature = "bodies")]
pub mod body;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "kilobots")]
pub mod kilobot;
