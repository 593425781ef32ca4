//! Random streams of the arena's deviations. The position of a random value is defined by a world index, the robot and
//! a step. Each stream has its own world index. The arena itself uses the index 0, and the two kinds of camera path
//! use 1 and 2. Because the streams are separate, no setting affects the random values of another setting.

/// Stream of a robot's fixed deviations. The index of the deviation replaces the step number.
pub(crate) const TRAITS: u32 = 3;
/// Stream of the wheels' noise.
pub(crate) const WHEELS: u32 = 4;
/// Stream of the proximity sensors' noise.
pub(crate) const PROXIMITY: u32 = 5;
/// Stream that selects dead and hot pixels. The row number replaces the step number.
pub(crate) const PIXELS: u32 = 6;
/// Stream of the pixels' noise. The frame number replaces the step number.
pub(crate) const PICTURE: u32 = 7;
/// Stream that selects the thirds of a picture without colour. The frame number replaces the step number.
pub(crate) const MISSES: u32 = 9;
/// Stream for the phases of sounds, and for the readings of sensors with the fault `mad`. The step number is the arena
/// step.
pub(crate) const FELT: u32 = 10;
/// Stream of the optional devices' noise. The step number is the arena step.
pub(crate) const FITTED: u32 = 11;
/// Stream of the noise of range and bearing reception. The step number is the arena step.
pub(crate) const HEARING: u32 = 12;
/// Stream of the uneven floor.
pub(crate) const FLOOR: u32 = 8;
/// First stream of the random intervals. The stream of a condition is this index plus the number of the condition.
pub(crate) const SPELLS: u32 = 16;
