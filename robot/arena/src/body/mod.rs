//! Models of robot bodies as the robots' boards observe them: SPI words of the dsPIC, I2C registers and packets,
//! motors, infra-red sensors and lamps.

pub mod dspic;
pub mod epuck1;
pub mod epuck2;
pub(crate) mod infrared;
pub mod lamps;
pub mod motors;
pub(crate) mod sensor_levels;
