//! Commands of guests: automata in the world of cargo, bodies of joined cubes, Kilobots, and protocols of other makers' programs.
//! Each stands behind a feature of its own; beside commands only the arena's guests and the kinds of files ask for them.

#[cfg(feature = "automata")]
pub mod automata;
#[cfg(feature = "bodies")]
pub mod body;
#[cfg(feature = "gateway")]
pub mod gateway;
#[cfg(feature = "kilobots")]
pub mod kilobot;
