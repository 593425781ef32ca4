//! Random streams of the arena's deviations, as world indices in the random counter's space: the arena itself uses 0,
//! and the two kinds of camera path use 1 and 2. With separate streams, no setting affects the draws of another.

/// Fixed deviations of a robot; the step is the index of the deviation.
pub(crate) const TRAITS: u32 = 3;
/// Noise of the wheels.
pub(crate) const WHEELS: u32 = 4;
/// Noise of the proximity sensors.
pub(crate) const PROXIMITY: u32 = 5;
/// Selection of dead and hot pixels; the step is the row.
pub(crate) const PIXELS: u32 = 6;
/// Noise of the pixels; the step is the frame.
pub(crate) const PICTURE: u32 = 7;
/// Segments without colour; the step is the frame.
pub(crate) const MISSES: u32 = 9;
/// Phases of sounds, and readings of sensors with the fault `mad`; the step is the arena step.
pub(crate) const FELT: u32 = 10;
/// Noise of the optional devices; the step is the arena step.
pub(crate) const FITTED: u32 = 11;
/// Noise of range and bearing reception; the step is the arena step.
pub(crate) const HEARING: u32 = 12;
/// The uneven floor.
pub(crate) const FLOOR: u32 = 8;
/// First world of the fault intervals, one world per interval.
pub(crate) const SPELLS: u32 = 16;
