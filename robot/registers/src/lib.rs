//! The devices' facts as data: SPI words of the dsPIC, registers and packets of e-puck1 and e-puck2, the infra-red curve,
//! the stepper motors, the registers of the shim's logic, the INA231 power monitors, the camera sensors, their USB bridge, streams and pixel format; how to
//! encode and decode them, and nothing about how bytes travel.

pub mod camera_sensor;
pub mod camera_stream;
pub mod epuck1;
pub mod epuck2;
pub mod ft2232h;
pub mod ina231;
pub mod infrared;
pub mod page;
pub mod shim;
pub mod spi;
pub mod stepper;
pub mod uvc;
pub mod yuyv;
