//! Co-simulation of the shim's logic with the robot's drivers: the Verilog of `fpga/boards/xpuck`, translated by
//! Verilator, with simulated devices.
//!
//! `Bench` is the board: the verilated top level with its clocks, a camera, an FT2232H, an SPI master and the strip
//! of Neopixels. `Logic` connects it between an arena's robot and its devices. Time is simulated, in picoseconds, and
//! independent of the machine's clock.

#![cfg(feature = "verilated")]

mod bench;
mod camera;
mod chip;
mod logic;
mod spi;
mod strip;
mod verilated;

pub use {bench::Bench, bench::Clocks, camera::Timing, chip::Host, logic::Logic, spi::Exchange, strip::Strip};
