//! Common interface of the three kinds of body: the e-puck over SPI, and the e-puck1 and e-puck2 over I2C.

use super::DeviceError;
use super::lamps::Lamps;
use super::shim::ShimReport;
use std::time::Duration;
use xpuck_registers::accelerometer::RawAcceleration;
use xpuck_registers::infrared::RawInfrared;
use xpuck_registers::light::RawLight;
use xpuck_registers::microphone::RawSound;
use xpuck_registers::stepper::StepsPerSecond;

/// Command of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drive {
    /// Speeds of the left and right motor.
    pub speeds: [StepsPerSecond; 2],
    /// Lamps and sound, as far as the body supports them.
    pub lamps: Lamps,
}

/// Readings of an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyReadings {
    /// Reflected infra-red in the order of the thesis's Table 6.1: sensor 1 is left of the front, then
    /// counter-clockwise.
    pub reflected: [RawInfrared; 8],
    /// Ambient infra-red; `None` until every sensor has been read.
    pub light: Option<RawLight>,
    /// Step counters of the left and right motor, wrapping; forward counts up.
    pub steps: [u16; 2],
    /// Acceleration, if the body reports it.
    pub acceleration: Option<RawAcceleration>,
    /// Microphone readings, if the body reports them.
    pub sound: Option<RawSound>,
    /// Position of the selector (0..=15), and whether the button is pressed, if the body reports them.
    pub selector: Option<(u8, bool)>,
    /// Battery voltage (mV), if the body reports it.
    pub battery_mv: Option<u16>,
    /// Whether the body has stopped its wheels, because no valid command arrived in time.
    pub timed_out: bool,
}

/// Counters of the bus since the body was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of exchanges, successful or not.
    pub exchanges: u64,
    /// Number of exchanges that failed on the bus after all retries.
    pub bus_errors: u64,
    /// Number of repeated transfers.
    pub retries: u64,
    /// Number of answers with a wrong checksum or with impossible values.
    pub corrupt: u64,
    /// Number of commands that the body rejected or did not echo.
    pub rejected: u64,
}

/// Body of a robot on its bus.
pub trait Body: Send {
    /// Sends a command, and returns the readings received meanwhile, which may be older than the command.
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError>;

    /// Interval between exchanges.
    fn period(&self) -> Duration;

    /// Counters of the bus.
    fn counts(&self) -> Counts;

    /// Last report of the logic between board and body; `None` without a logic.
    fn shim(&self) -> Option<ShimReport> {
        None
    }
}

impl<B: Body + ?Sized> Body for Box<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        (**self).exchange(drive)
    }

    fn period(&self) -> Duration {
        (**self).period()
    }

    fn counts(&self) -> Counts {
        (**self).counts()
    }

    fn shim(&self) -> Option<ShimReport> {
        (**self).shim()
    }
}
