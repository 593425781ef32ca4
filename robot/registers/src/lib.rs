//! Device definitions as data, with encoders and decoders. They cover the SPI words of the dsPIC, the registers and
//! packets of e-puck1 and e-puck2, and the registers of the shim's logic. They also cover the infra-red curve,
//! accelerometer, light sensors, microphones, stepper motors, INA231, BNO055, ADS1015, ground sensors and VL53L0X. For
//! the camera, they cover sensors, USB bridge, streams and pixel format. Data transfer is not part of this crate.

pub mod accelerometer;
pub mod ads1015;
pub mod bno055;
pub mod camera_sensor;
pub mod camera_stream;
pub mod epuck1;
pub mod epuck2;
pub mod erandb;
pub mod ft2232h;
pub mod ground;
pub mod ina231;
pub mod infrared;
pub mod light;
pub mod microphone;
pub mod page;
pub mod shim;
pub mod spi;
pub mod stepper;
pub mod tag36h11;
pub mod uvc;
pub mod vl53l0x;
pub mod yuyv;
