//! Poses of robots and their sensors (section 3.2 of the specification).
//!
//! Lengths are in millimetres and angles in radians. The arena is 0 to 2000 in X and Y; Z is the height above ground
//! zero. A direction is an angle counter-clockwise from the arena's positive x-axis. It describes the positive y-axis
//! of the robot's shape, or the axis of a sensor's beam.

use std::f64::consts::FRAC_PI_2;
use std::ops::RangeInclusive;

use super::error::MessageError;
use super::number::FINITE;
use super::reader::Reader;
use super::visit::Visit;

/// Tolerance for angles slightly above a quarter turn (rad). Programs may round pi / 2 up, for example to 1.571.
const ROUNDING: f64 = 0.001;
/// Range of tilts (rad). The specification excludes a tilt of exactly a quarter turn, but sensors that point straight
/// down need it.
const TILTS: RangeInclusive<f64> = -FRAC_PI_2 - ROUNDING..=FRAC_PI_2 + ROUNDING;
/// Range of opening angles of beams (rad).
const OPENINGS: RangeInclusive<f64> = 0.0..=FRAC_PI_2 + ROUNDING;

/// Pose of a robot and outcome of its last move, as in `YourPosition`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Position {
    /// X (mm).
    pub x: f64,
    /// Y (mm).
    pub y: f64,
    /// Z (mm).
    pub z: f64,
    /// Dir: direction of travel (rad).
    pub direction: f64,
    /// `TiltS`: tilt in the direction of travel, positive uphill (rad). The magnitude is at most a quarter turn.
    pub tilt_forward: f64,
    /// `TiltC`: tilt across the direction of travel, positive if the left side is higher (rad). The magnitude is at
    /// most a quarter turn.
    pub tilt_across: f64,
    /// Stress: fraction of the move that obstacles prevented, 0 to 1.
    pub stress: f64,
    /// Death: whether the bottom of the robot is on deadly ground.
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

/// Requested pose of a robot, as in `JumpTo` and `MoveTo`. It may be outside the arena.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Target {
    /// X (mm).
    pub x: f64,
    /// Y (mm).
    pub y: f64,
    /// Dir: direction of the robot (rad).
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

/// Beam of a sensor, as in `VisualSensor` and `SonicSensor`. Position and direction refer to the arena, not to the
/// robot.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Beam {
    /// X of the sensor (mm).
    pub x: f64,
    /// Y of the sensor (mm).
    pub y: f64,
    /// Z of the sensor (mm).
    pub z: f64,
    /// Dir: direction of the beam (rad).
    pub direction: f64,
    /// Tilt of the beam, positive upwards (rad). The magnitude is at most a quarter turn.
    pub tilt: f64,
    /// `AngH`: full horizontal opening angle (rad), 0 to a quarter turn.
    pub horizontal: f64,
    /// `AngV`: full vertical opening angle (rad), 0 to a quarter turn.
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
