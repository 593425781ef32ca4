//! Scenery that exists only while a condition of the objective holds: walls, patches, lights and starts.

use super::physics::Physics;
use super::senses::Patch;
use super::senses::light::Light;
use super::wall::Wall;

/// Conditions of the parts of a world. Each list has one entry for each part, or is empty if all parts always exist. An
/// entry is the index of a condition of the objective; `None` means that the part always exists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Conditions of the inner walls.
    pub walls: Vec<Option<u8>>,
    /// Conditions of the patches.
    pub patches: Vec<Option<u8>>,
    /// Conditions of the lights.
    pub lights: Vec<Option<u8>>,
    /// Conditions of the starts, which may depend on lots only.
    pub starts: Vec<Option<u8>>,
}

impl Conditions {
    /// True if walls, patches or lights depend on a condition.
    pub fn change_scenery(&self) -> bool {
        [&self.walls, &self.patches, &self.lights].into_iter().flatten().any(Option::is_some)
    }
}

/// True if a part of a world exists while the conditions of the bit mask `active` hold.
#[inline(always)]
pub fn holds(condition: Option<u8>, active: u32) -> bool {
    condition.is_none_or(|condition| active >> condition & 1 == 1)
}

/// Parts of a list that exist while the conditions of the bit mask `active` hold.
pub(super) fn existing<T: Clone>(all: &[T], conditions: &[Option<u8>], active: u32) -> Vec<T> {
    let condition = |index: usize| conditions.get(index).copied().flatten();
    all.iter().enumerate().filter(|(index, _)| holds(condition(*index), active)).map(|(_, part)| part.clone()).collect()
}

/// All walls, patches and lights of a world whose scenery changes, with their conditions.
#[derive(Clone, Debug)]
pub struct Scenery {
    /// All inner walls.
    pub walls: Vec<Wall>,
    /// All patches.
    pub patches: Vec<Patch>,
    /// All lights.
    pub lights: Vec<Light>,
    /// Conditions of the parts.
    pub conditions: Conditions,
}

impl Scenery {
    /// Replaces walls, patches and lights of a world by those that exist now.
    pub fn apply(&self, active: u32, physics: &mut Physics, patches: &mut Vec<Patch>, lights: &mut Vec<Light>) {
        physics.walls = existing(&self.walls, &self.conditions.walls, active);
        *patches = existing(&self.patches, &self.conditions.patches, active);
        *lights = existing(&self.lights, &self.conditions.lights, active);
    }
}
