//! Interface for optional logic between a robot's board and its devices. An example is the thesis's shim, which this
//! crate does not contain.

use std::fmt::Debug;
use xpuck_registers::spi::Words;

/// Logic between the first robot's board and the dsPIC and camera of this robot.
pub trait Shim: Debug + Send + Sync {
    /// Transfers an SPI message: `words` from the board and `ready` from the body. Returns the words that the body
    /// receives and the words that the board receives.
    fn spi(&self, words: &Words, ready: &Words) -> (Vec<u16>, Words);

    /// Appends to `out` the FT2232H's packets of a frame with rows of `width` pixels. The length of each packet
    /// precedes the packet (two bytes, little-endian).
    fn frame(&self, pixels: &[u8], width: usize, out: &mut Vec<u8>);
}
