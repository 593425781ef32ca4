//! Bodies as their boards see them: the dsPIC's words on SPI, registers and packets over I2C, motors, rays and lamps.

pub mod dspic;
pub mod epuck1;
pub mod epuck2;
pub(crate) mod felt;
pub(crate) mod infrared;
pub mod lamps;
pub mod motors;
