//! The devices' facts as data: SPI words of the dsPIC, registers and packets of e-puck1 and e-puck2, the infra-red curve, the accelerometer, the light sensors and microphones,
//! the stepper motors, the registers of the shim's logic, the INA231 power monitors, the BNO055, the ADS1015, ground sensors and VL53L0X, the camera sensors, their USB bridge, streams and pixel format; how to
//! encode and decode them, and nothing about how bytes travel.

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
