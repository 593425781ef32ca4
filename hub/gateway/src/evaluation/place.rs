//! Where robots and their sensors are (section 3.2).
//!
//! Lengths are in millimetres, the arena is 0 to 2000 in X and Y, Z is the height above ground zero. Angles are in radians. A direction
//! is that of the positive y-axis of the robot's shape, or of a sensor's beam, counter-clockwise from the arena's positive x-axis.

use std::f64::consts::FRAC_PI_2;
use std::ops::RangeInclusive;

use super::error::MessageError;
use super::number::FINITE;
use super::reader::Reader;
use super::visit::Visit;

/// Programs send a quarter turn with few digits, rounded up: 1.571. Such a value is no other one in practice.
const ROUNDING: f64 = 0.001;
/// Tilts. The document excludes the quarter turn itself, but no sensor could then look straight down.
const TILTS: RangeInclusive<f64> = -FRAC_PI_2 - ROUNDING..=FRAC_PI_2 + ROUNDING;
/// Opening angles of beams.
const OPENINGS: RangeInclusive<f64> = 0.0..=FRAC_PI_2 + ROUNDING;

/// Where a robot is and how it came there, of `YourPosition`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// X, mm.
    pub x: f64,
    /// Y, mm.
    pub y: f64,
    /// Z, mm.
    pub z: f64,
    /// Dir, direction of travel, rad.
    pub direction: f64,
    /// `TiltS`, rad, at most a quarter turn either way: straight forward, positive uphill.
    pub tilt_forward: f64,
    /// `TiltC`, rad, at most a quarter turn either way: across, positive with the left side up.
    pub tilt_across: f64,
    /// Stress: the part of the move that obstacles blocked, 0 to 1.
    pub stress: f64,
    /// Death: the bottom of the robot is on deathly ground.
    pub death: bool,
}

impl Position {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            x: values.real("x")?,
            y: values.real("y")?,
            z: values.real("z")?,
            direction: values.real("direction")?,
            tilt_forward: values.real("tilt straight forward")?,
            tilt_across: values.real("tilt across")?,
            stress: values.real("stress")?,
            death: values.flag("death")?,
        })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit("x", self.x, FINITE)?;
        visit("y", self.y, FINITE)?;
        visit("z", self.z, FINITE)?;
        visit("direction", self.direction, FINITE)?;
        visit("tilt straight forward", self.tilt_forward, TILTS)?;
        visit("tilt across", self.tilt_across, TILTS)?;
        visit("stress", self.stress, 0.0..=1.0)?;
        visit("death", self.death.into(), 0.0..=1.0)
    }
}

/// Where a robot shall be, of `JumpTo` and `MoveTo`. Targets outside of the arena are allowed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// X, mm.
    pub x: f64,
    /// Y, mm.
    pub y: f64,
    /// Dir, rad.
    pub direction: f64,
}

impl Target {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self { x: values.real("x")?, y: values.real("y")?, direction: values.real("direction")? })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit("x", self.x, FINITE)?;
        visit("y", self.y, FINITE)?;
        visit("direction", self.direction, FINITE)
    }
}

/// A sensor's beam, of `VisualSensor` and `SonicSensor`; absolute, not relative to the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beam {
    /// X of the sensor, mm.
    pub x: f64,
    /// Y of the sensor, mm.
    pub y: f64,
    /// Z of the sensor, mm.
    pub z: f64,
    /// Dir, rad.
    pub direction: f64,
    /// Tilt, rad, at most a quarter turn either way: positive upwards.
    pub tilt: f64,
    /// `AngH`, the whole horizontal opening angle, rad, 0 to a quarter turn.
    pub horizontal: f64,
    /// `AngV`, the whole vertical opening angle, rad, 0 to a quarter turn.
    pub vertical: f64,
}

impl Beam {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        Ok(Self {
            x: values.real("x")?,
            y: values.real("y")?,
            z: values.real("z")?,
            direction: values.real("direction")?,
            tilt: values.real("tilt")?,
            horizontal: values.real("horizontal opening angle")?,
            vertical: values.real("vertical opening angle")?,
        })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit("x", self.x, FINITE)?;
        visit("y", self.y, FINITE)?;
        visit("z", self.z, FINITE)?;
        visit("direction", self.direction, FINITE)?;
        visit("tilt", self.tilt, TILTS)?;
        visit("horizontal opening angle", self.horizontal, OPENINGS)?;
        visit("vertical opening angle", self.vertical, OPENINGS)
    }
}
