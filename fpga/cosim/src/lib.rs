//! Co-simulation of the shim's logic with the robot's drivers. Verilator translates the Verilog of
//! `fpga/boards/xpuck`; the connected devices are simulated.
//!
//! `Bench` is the board: the verilated top level with its clocks, a camera, an FT2232H, an SPI master and the strip
//! of Neopixels. `Logic` inserts a board between a robot of an arena and its devices. Time is simulated, in
//! picoseconds, and independent of the machine's clock.

#![cfg(feature = "verilated")]

mod bench;
mod camera;
mod chip;
mod logic;
mod spi;
mod strip;
mod verilated;

pub use {bench::Bench, bench::Clocks, camera::Timing, chip::Host, logic::Logic, spi::Exchange, strip::Strip};
