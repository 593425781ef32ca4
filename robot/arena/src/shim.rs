//! What may lie between a robot's board and its devices: the logic of the thesis's shim, of which this crate knows nothing.

use std::fmt::Debug;
use xpuck_registers::spi::Words;

/// The logic between the first robot's board, its dsPIC and its camera.
pub trait Shim: Debug + Send + Sync {
    /// A message: what the body gets of the board's words, and the board of those that the body has ready.
    fn spi(&self, words: &Words, ready: &Words) -> (Vec<u16>, Words);

    /// Adds to `out` the FT2232H's packets of a frame of rows of `width` pixels, each behind its length in two bytes, the less
    /// significant first.
    fn frame(&self, pixels: &[u8], width: usize, out: &mut Vec<u8>);
}
