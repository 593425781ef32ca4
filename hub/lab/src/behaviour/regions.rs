//! Robots in the regions of a mission.

use std::collections::BTreeMap;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::Task;
use xpuck_kernels::world::zone::Zone;

/// Counter of the robots in each region. Regions that exist only under a condition are left out, because a record does
/// not contain the times at which the condition held.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RegionMeter {
    zones: Vec<Zone>,
    /// Number of samples of each segment, and number of robots in each region, summed over the samples.
    segments: BTreeMap<u32, (u64, Vec<u64>)>,
}

impl RegionMeter {
    /// Creates a counter for the regions of a task. A task that is not a mission has no regions.
    pub fn new(task: &Task) -> RegionMeter {
        let Task::Objective(objective) = task else { return RegionMeter::default() };
        let always = |zone: &&Zone| {
            let index = objective.zones.iter().position(|other| other.name == zone.name);
            index.is_some_and(|index| objective.zone_exists(index as u16, 0))
        };
        RegionMeter { zones: objective.named_zones().filter(always).cloned().collect(), segments: BTreeMap::new() }
    }

    /// Adds the positions of the robots at one time (m).
    pub fn add_sample(&mut self, segment: u32, robots: &[Vec2]) {
        if self.zones.is_empty() {
            return;
        }
        let empty = || (0, vec![0; self.zones.len()]);
        let (samples, counts) = self.segments.entry(segment).or_insert_with(empty);
        *samples += 1;
        for (count, zone) in counts.iter_mut().zip(&self.zones) {
            *count += robots.iter().filter(|at| zone.contains(**at)).count() as u64;
        }
    }

    /// Returns the names of the regions, in the order of the world file.
    pub fn names(&self) -> Vec<&str> {
        self.zones.iter().map(|zone| zone.name.as_str()).collect()
    }

    /// Returns the mean number of robots in the region with this index. `None` if the segment has no samples.
    pub fn mean(&self, segment: u32, region: usize) -> Option<f64> {
        let (samples, counts) = self.segments.get(&segment)?;
        Some(counts[region] as f64 / *samples as f64)
    }
}
