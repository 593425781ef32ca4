//! Deviations of an arena from the simulator's world: different physics, an uneven floor, different robots, and
//! faults. All deviations are off by default. Random values are drawn from the arena's seed.

mod change;
pub(crate) mod fault_interval;
mod floor;
mod keys;
mod limits;
pub mod picture;
mod preset;
mod proximity;
pub(crate) mod streams;
mod traits;
mod wheels;

pub use change::{ChangeKeys, WallKeys};
pub(crate) use floor::Floor;
pub use keys::{
    FaultKeys, FaultKind, FloorKeys, RobotKeys, SpellKeys, Spread, StuckSensor, SupplyKeys, Unkind, Varied,
};
pub use limits::OutOfBounds;
pub use preset::Preset;
pub use traits::Traits;

impl Unkind {
    /// Validates every value and every robot name. `names` contains the names of all robots of the swarm.
    ///
    /// # Errors
    /// Returns the first invalid key with its value and the allowed values.
    pub fn check(&self, names: &[String]) -> Result<(), OutOfBounds> {
        limits::check(self, names)
    }

    /// Combines these settings with a preset. The preset's values apply to keys that are not set here. The faults and
    /// changes of both settings apply.
    pub fn over(self, preset: Unkind) -> Unkind {
        Unkind {
            physics: self.physics.merge(preset.physics),
            floor: self.floor.or(preset.floor),
            every_robot: self.every_robot.over(&preset.every_robot),
            robots: self.robots,
            faults: [self.faults, preset.faults].concat(),
            changes: [self.changes, preset.changes].concat(),
        }
    }

    /// Returns the defects and deviations of robot number `robot` with the name `name`.
    pub(crate) fn traits(&self, seed: u64, robot: usize, name: &str) -> Traits {
        let own = self.robots.iter().find(|keys| keys.id.as_deref() == Some(name)).cloned().unwrap_or_default();
        Traits::new(&own.over(&self.every_robot), seed, robot)
    }

    /// Returns the faults of the robot `name`, each with its index in the list of all faults.
    pub(crate) fn faults_of<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (usize, &'a FaultKeys)> {
        self.faults.iter().enumerate().filter(move |(_, fault)| fault.robot.as_deref().is_none_or(|id| id == name))
    }
}

impl RobotKeys {
    /// Combines these keys with `other`. The values of `other` apply to keys that are not set here. The id is kept.
    pub fn over(self, other: &RobotKeys) -> RobotKeys {
        let other = other.clone();
        RobotKeys {
            id: self.id,
            wheel_bias: self.wheel_bias.or(other.wheel_bias),
            wheel_noise: self.wheel_noise.or(other.wheel_noise),
            wheel_slips: self.wheel_slips.or(other.wheel_slips),
            proximity_gain: self.proximity_gain.or(other.proximity_gain),
            proximity_offset_counts: self.proximity_offset_counts.or(other.proximity_offset_counts),
            proximity_noise_counts: self.proximity_noise_counts.or(other.proximity_noise_counts),
            stuck_proximity: self.stuck_proximity.or(other.stuck_proximity),
            camera_noise: self.camera_noise.or(other.camera_noise),
            dead_pixels: self.dead_pixels.or(other.dead_pixels),
            hot_pixels: self.hot_pixels.or(other.hot_pixels),
            camera_turn_deg: self.camera_turn_deg.or(other.camera_turn_deg),
            camera_misses: self.camera_misses.or(other.camera_misses),
            camera_delay_s: self.camera_delay_s.or(other.camera_delay_s),
            camera_faults: self.camera_faults.or(other.camera_faults),
            bus_faults: self.bus_faults.or(other.bus_faults),
            charge: self.charge.or(other.charge),
            capacity_ah: self.capacity_ah.or(other.capacity_ah),
            supply: self.supply.or(other.supply),
        }
    }
}

#[cfg(test)]
mod tests;
