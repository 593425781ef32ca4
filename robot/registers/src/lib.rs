//! The devices' facts as data: SPI words of the dsPIC, the infra-red curve, the stepper motors, the INA231 power
//! monitors, the camera's USB bridge, stream and pixel format; how to encode and decode them, and nothing about how
//! bytes travel.

pub mod camera_stream;
pub mod ft2232h;
pub mod ina231;
pub mod infrared;
pub mod spi;
pub mod stepper;
pub mod yuyv;
