//! The devices' facts as data: SPI words, I2C registers, the infra-red curve
