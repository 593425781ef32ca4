//! Common interface to the three kinds of body: the e-puck over SPI, and the e-puck1 and e-puck2 over I2C.

use super::DeviceError;
use super::lamps::Lamps;
use super::shim::ShimReport;
use std::time::Duration;
use xpuck_registers::accelerometer::RawAcceleration;
use xpuck_registers::infrared::RawInfrared;
use xpuck_registers::light::RawLight;
use xpuck_registers::microphone::RawSound;
use xpuck_registers::stepper::StepsPerSecond;

/// Command that is sent to the body in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drive {
    /// Speeds of the left and the right motor.
    pub speeds: [StepsPerSecond; 2],
    /// Lamps and sound, as far as the body supports them.
    pub lamps: Lamps,
}

/// Readings that are received from the body in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyReadings {
    /// Reflected infra-red, in the order of the thesis's Table 6.1: counter-clockwise, starting with sensor 1 at the
    /// left of the front.
    pub reflected: [RawInfrared; 8],
    /// Ambient infra-red in the same order; `None` until every sensor has been read.
    pub light: Option<RawLight>,
    /// Step counters of the left and the right motor, modulo 65536. Forward motion counts up.
    pub steps: [u16; 2],
    /// Acceleration, if the body reports it.
    pub acceleration: Option<RawAcceleration>,
    /// Microphone readings, if the body reports them.
    pub sound: Option<RawSound>,
    /// Position of the selector switch (0..=15), and whether the button is pressed, if the body reports them.
    pub selector: Option<(u8, bool)>,
    /// Battery voltage (mV), if the body reports it.
    pub battery_mv: Option<u16>,
    /// Whether the body has stopped its wheels because no valid command arrived in time.
    pub timed_out: bool,
}

/// Counters of exchanges and errors since the body was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Number of exchanges, including failed exchanges.
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

/// Body of a robot, as reached over a bus.
pub trait Body: Send {
    /// Sends a command, and returns the readings received in the same exchange. The readings may be older than the
    /// command.
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError>;

    /// Returns the interval between exchanges.
    fn period(&self) -> Duration;

    /// Returns the counters of exchanges and errors.
    fn counts(&self) -> Counts;

    /// Returns the last report of the shim, the logic between board and body; `None` without a shim.
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
