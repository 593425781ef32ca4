//! Random streams of the arena's deviations. Each stream is a world index in the space of the random counter. The
//! arena itself uses the index 0, and the two kinds of camera path use 1 and 2. Because the streams are separate, no
//! setting affects the random values of another setting.

/// Stream of a robot's fixed deviations; the step is the index of the deviation.
pub(crate) const TRAITS: u32 = 3;
/// Stream of the wheels' noise.
pub(crate) const WHEELS: u32 = 4;
/// Stream of the proximity sensors' noise.
pub(crate) const PROXIMITY: u32 = 5;
/// Stream that selects dead and hot pixels; the step is the row.
pub(crate) const PIXELS: u32 = 6;
/// Stream of the pixels' noise; the step is the number of the frame.
pub(crate) const PICTURE: u32 = 7;
/// Stream that selects thirds of a picture without colour; the step is the number of the frame.
pub(crate) const MISSES: u32 = 9;
/// Stream of the phases of sounds, and of the readings of sensors with the fault `mad`; the step is the arena step.
pub(crate) const FELT: u32 = 10;
/// Stream of the optional devices' noise; the step is the arena step.
pub(crate) const FITTED: u32 = 11;
/// Stream of the noise of range and bearing reception; the step is the arena step.
pub(crate) const HEARING: u32 = 12;
/// Stream of the uneven floor.
pub(crate) const FLOOR: u32 = 8;
/// First stream of the random intervals; the number of the condition is added to this index.
pub(crate) const SPELLS: u32 = 16;
