//! Co-simulation of the shim's logic with the robot's drivers. The shim is the interface board with an FPGA between
//! the e-puck and the Linux board. Verilator translates the Verilog of `fpga/boards/xpuck`, and the connected devices
//! are simulated.
//!
//! `Bench` is the board: the verilated top level with its clocks, a camera, an FT2232H, an SPI master and the strip
//! of Neopixels. `Logic` inserts a board between a robot of an arena and its devices. All times are simulated times
//! (ps), which do not depend on the clock of the computer.

#![cfg(feature = "verilated")]

mod bench;
mod camera;
mod chip;
mod logic;
mod spi;
mod strip;
mod verilated;

pub use {bench::Bench, bench::Clocks, camera::Timing, chip::Host, logic::Logic, spi::Exchange, strip::Strip};
