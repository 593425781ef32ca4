//! Where the arena's unkindness draws its chance: worlds in the random counter's space, of which the arena itself has 0 and
//! the two kinds of camera path 1 and 2. So nothing that is set changes what something else draws.

/// A robot's fixed deviations; the step numbers the deviation.
pub(crate) const TRAITS: u32 = 3;
/// Noise of the wheels.
pub(crate) const WHEELS: u32 = 4;
/// Noise of the proximity sensors.
pub(crate) const PROXIMITY: u32 = 5;
/// Which pixels are dead or hot; the step is the row.
pub(crate) const PIXELS: u32 = 6;
/// Noise of the pixels; the step is the frame.
pub(crate) const PICTURE: u32 = 7;
/// What a picture does not show; the step is the frame.
pub(crate) const MISSES: u32 = 9;
/// Sounds' phases, and sensors that tell anything; the step is the arena's.
pub(crate) const FELT: u32 = 10;
/// Noise of devices that only some robots have; the step is the arena's.
pub(crate) const FITTED: u32 = 11;
/// Noise of what range and bearing boards hear; the step is the arena's.
pub(crate) const HEARING: u32 = 12;
/// The floor.
pub(crate) const FLOOR: u32 = 8;
/// Spells, one world each.
pub(crate) const SPELLS: u32 = 16;
