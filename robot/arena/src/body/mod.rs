//! Robot bodies as seen by their boards: SPI words of the dsPIC, I2C registers and packets, motors, infra-red rays
//! and lamps.

pub mod dspic;
pub mod epuck1;
pub mod epuck2;
pub(crate) mod infrared;
pub mod lamps;
pub mod motors;
pub(crate) mod sensor_levels;
