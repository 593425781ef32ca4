//! The painted floor as words of the table.

use super::region::{NO_CONDITION, append_region, region_iterations};
use crate::world::floor::{Floor, Shade};

/// Number of words of a floor without its paints.
pub(super) const FLOOR_WORDS: usize = 9;
/// Number of words of a paint.
pub(super) const PAINT_WORDS: usize = 4;

/// Appends a floor to the table, and returns the index of its first word. The words are: the number of paints, the shade
/// of the rest, the limits of the random numbers for each shade, and the level of the rest. For each paint, the index of
/// its region, its shade, its condition, and its level follow.
pub(super) fn append_floor(floor: &Floor, table: &mut Vec<u32>) -> usize {
    let regions: Vec<usize> = floor.paint.iter().map(|paint| append_region(&paint.zone, table)).collect();
    let start = table.len();
    let shade = |level: f32| Shade::of_level(level) as u32;
    table.extend([floor.paint.len() as u32, shade(floor.level)]);
    table.extend(floor.limits().iter().flatten().map(|limit| limit.to_bits()));
    table.push(floor.level.to_bits());
    for (region, paint) in regions.into_iter().zip(&floor.paint) {
        let condition = paint.condition.map_or(NO_CONDITION, u32::from);
        table.extend([region as u32, shade(paint.level), condition, paint.level.to_bits()]);
    }
    start
}

/// Upper bound on the loop iterations for one reading of the floor.
pub(super) fn iterations(floor: &Floor) -> u32 {
    3 * (1 + floor.paint.iter().map(|paint| region_iterations(&paint.zone)).sum::<u32>())
}
