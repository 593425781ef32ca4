//! The shim's own logic under the robot's own drivers: the Verilog of `fpga/boards/xpuck`, translated by Verilator, between
//! what it is connected with.
//!
//! `Bench` is the board: the verilated top level with its clocks, a camera's lines, an FT2232H, an SPI master and the
//! strip of Neopixels. `Logic` puts it between a robot of an arena and its devices. Time is simulated, in picoseconds;
//! nothing depends on a clock of the machine.

#![cfg(feature = "verilated")]

mod bench;
mod camera;
mod chip;
mod logic;
mod spi;
mod strip;
mod verilated;

pub use {bench::Bench, bench::Clocks, camera::Timing, chip::Host, logic::Logic, spi::Exchange, strip::Strip};
