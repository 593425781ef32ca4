//! The devices' facts as data: SPI words of the dsPIC, the infra-red curve, the stepper motors, the INA231 power
//! monitors and the camera's pixel format; how to encode and decode them, and nothing about how bytes travel.

pub mod ina231;
pub mod infrared;
pub mod spi;
pub mod stepper;
pub mod yuyv;
