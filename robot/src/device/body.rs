//! A robot's body, whichever of the three kinds it is: the e-puck over SPI, an e-puck1 or an e-puck2 over I2C.

use super::DeviceError;
use super::lamps::Lamps;
use super::shim::ShimReport;
use std::time::Duration;
use xpuck_registers::accelerometer::RawAcceleration;
use xpuck_registers::infrared::RawInfrared;
use xpuck_registers::light::RawLight;
use xpuck_registers::microphone::RawSound;
use xpuck_registers::stepper::StepsPerSecond;

/// What a body is told in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Drive {
    /// Speeds of the left and right motor.
    pub speeds: [StepsPerSecond; 2],
    /// What its lamps show and its speaker plays, as well as they can.
    pub lamps: Lamps,
}

/// What a body tells in an exchange.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sensed {
    /// Reflected infra-red in the order of the thesis's Table 6.1: sensor 1 is left of the front, then counter-clockwise.
    pub reflected: [RawInfrared; 8],
    /// Ambient infra-red, once every sensor was read.
    pub light: Option<RawLight>,
    /// Steps the left and right motor made, wrapping; forward counts up.
    pub steps: [u16; 2],
    /// Acceleration, where the body tells it.
    pub acceleration: Option<RawAcceleration>,
    /// What the microphones hear, where the body tells it.
    pub sound: Option<RawSound>,
    /// Position of the selector, 0..=15, and whether the button is pressed, where the body tells it.
    pub selector: Option<(u8, bool)>,
    /// Battery, mV, where the body tells it.
    pub battery_mv: Option<u16>,
    /// The body itself has stopped its wheels, because no valid command came in time.
    pub timed_out: bool,
}

/// What happened on the way to a body since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Exchanges, good or bad.
    pub exchanges: u64,
    /// Exchanges that the bus itself did not make, after all retries.
    pub bus_errors: u64,
    /// Transfers that were made again.
    pub retries: u64,
    /// Answers with a wrong checksum, or with values that cannot be.
    pub corrupt: u64,
    /// Commands that the body rejected or did not echo.
    pub rejected: u64,
}

/// A robot's body on its bus.
pub trait Body: Send {
    /// Sends a command and returns what the body told meanwhile, which may be from before the command.
    fn exchange(&mut self, drive: &Drive) -> Result<Sensed, DeviceError>;

    /// Time from one exchange to the next.
    fn period(&self) -> Duration;

    /// What happened so far.
    fn counts(&self) -> Counts;

    /// What the logic on the way to the body told about itself, where there is one.
    fn shim(&self) -> Option<ShimReport> {
        None
    }
}

impl<B: Body + ?Sized> Body for Box<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<Sensed, DeviceError> {
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
