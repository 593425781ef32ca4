//! The shim's own logic under the robot's own drivers: the Verilog of `fpga/boards/xpuck`, translated by Verilator, between
//! what it is connected with.
//!
//! `Bench` is the board: the verilated top level with its clocks, a camera's lines, an FT2232H, an SPI master and the
//! strip of Neopixels. `Logic` puts it between a robot of an arena and its devices. Time is simulated, in picoseconds; nothing depends on a clock of the machine.

#[cfg(feature = "verilated")]
mod bench;
#[cfg(feature = "verilated")]
mod camera;
#[cfg(feature = "verilated")]
mod chip;
#[cfg(feature = "verilated")]
mod logic;
#[cfg(feature = "verilated")]
mod spi;
#[cfg(feature = "verilated")]
mod strip;
#[cfg(feature = "verilated")]
mod verilated;

#[cfg(feature = "verilated")]
pub use {bench::Bench, bench::Clocks, camera::Timing, chip::Host, logic::Logic, spi::Exchange, strip::Strip};
