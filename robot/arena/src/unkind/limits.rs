//! Bounds of the keys of `arena.toml`. The schema of the file contains the same bounds.

use super::change::{ChangeKeys, WallKeys};
use super::keys::{FaultKeys, RobotKeys, Unkind, Varied};
use crate::ft2232h;
use std::ops::RangeInclusive;
use xpuck_kernels::world::PhysicsKeys;
use xpuck_registers::infrared::MAX_COUNTS;

/// Error for an invalid value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` is {value}: {allowed}")]
pub struct OutOfBounds {
    /// Dotted path of the key in the file.
    pub key: String,
    /// Value of the key.
    pub value: String,
    /// Allowed values.
    pub allowed: String,
}

/// Maximum number of faults in a file.
const MAX_FAULTS: usize = 256;
/// Maximum number of changes in a file.
const MAX_CHANGES: usize = 64;
/// Range of a proximity sensor's gain.
const GAIN: RangeInclusive<f32> = 0.0..=4.0;

/// Validates every value against its bounds. Validates every robot name against `names`, which contains the names of
/// all robots of the swarm.
pub(super) fn check(unkind: &Unkind, names: &[String]) -> Result<(), OutOfBounds> {
    physics("physics", &unkind.physics)?;
    if let Some(floor) = unkind.floor {
        within("floor.spread", floor.spread, 0.0..=0.5)?;
        within("floor.length_m", floor.length_m, 0.05..=10.0)?;
    }
    if let Some(id) = &unkind.every_robot.id {
        return refuse("every_robot.id", format!("{id:?}"), "not allowed here; use [[robots]] for a single robot");
    }
    robot("every_robot", &unkind.every_robot)?;
    for (i, keys) in unkind.robots.iter().enumerate() {
        let Some(id) = &keys.id else {
            return refuse("robots.id", format!("missing in table {} of [[robots]]", i + 1), "every table needs an id");
        };
        known("robots.id", id, names)?;
        if unkind.robots[..i].iter().any(|other| other.id == keys.id) {
            return refuse("robots.id", format!("{id:?} twice"), "give each robot one table");
        }
        robot(&format!("robots.{id}"), keys)?;
    }
    if unkind.faults.len() > MAX_FAULTS {
        return refuse("faults", format!("{} tables", unkind.faults.len()), "at most 256 are allowed");
    }
    if unkind.changes.len() > MAX_CHANGES {
        return refuse("change", format!("{} tables", unkind.changes.len()), "at most 64 are allowed");
    }
    unkind.changes.iter().try_for_each(|one| change(one, names))?;
    unkind.faults.iter().try_for_each(|one| fault(one, names))
}

fn physics(place: &str, keys: &PhysicsKeys) -> Result<(), OutOfBounds> {
    let PhysicsKeys {
        robot_mass_kg,
        robot_friction,
        frisbee_mass_kg,
        frisbee_friction,
        body_friction,
        restitution,
        noise,
    } = *keys;
    let at = |key: &str| format!("{place}.{key}");
    maybe(&at("robot_mass_kg"), robot_mass_kg, 0.001..=10.0)?;
    maybe(&at("robot_friction"), robot_friction, 0.0..=10.0)?;
    maybe(&at("frisbee_mass_kg"), frisbee_mass_kg, 0.001..=10.0)?;
    maybe(&at("frisbee_friction"), frisbee_friction, 0.0..=10.0)?;
    maybe(&at("body_friction"), body_friction, 0.0..=10.0)?;
    maybe(&at("restitution"), restitution, 0.0..=1.0)?;
    noise.into_iter().flatten().try_for_each(|part| within(&at("noise"), part, 0.0..=1.0))
}

fn robot(place: &str, keys: &RobotKeys) -> Result<(), OutOfBounds> {
    let at = |key: &str| format!("{place}.{key}");
    varied(&at("wheel_bias"), keys.wheel_bias, -0.5..=0.5, 0.15)?;
    maybe(&at("wheel_noise"), keys.wheel_noise, 0.0..=1.0)?;
    if let Some(slips) = keys.wheel_slips {
        within(&at("wheel_slips.per_minute"), slips.per_minute, 0.0..=600.0)?;
        within(&at("wheel_slips.seconds"), slips.seconds, 0.025..=3600.0)?;
    }
    varied(&at("proximity_gain"), keys.proximity_gain, GAIN, 0.3)?;
    varied(&at("proximity_offset_counts"), keys.proximity_offset_counts, -4095.0..=4095.0, 1000.0)?;
    maybe(&at("proximity_noise_counts"), keys.proximity_noise_counts, 0.0..=1000.0)?;
    for stuck in keys.stuck_proximity.iter().flatten() {
        within(&at("stuck_proximity.sensor"), f32::from(stuck.sensor), 0.0..=7.0)?;
        within(&at("stuck_proximity.counts"), f32::from(stuck.counts), 0.0..=f32::from(MAX_COUNTS))?;
    }
    maybe(&at("camera_noise"), keys.camera_noise, 0.0..=64.0)?;
    maybe(&at("dead_pixels"), keys.dead_pixels, 0.0..=0.5)?;
    maybe(&at("hot_pixels"), keys.hot_pixels, 0.0..=0.5)?;
    varied(&at("camera_turn_deg"), keys.camera_turn_deg.map(one), -45.0..=45.0, 15.0)?;
    maybe(&at("camera_misses"), keys.camera_misses, 0.0..=1.0)?;
    maybe(&at("camera_delay_s"), keys.camera_delay_s, 0.0..=2.0)?;
    if let Some(ft2232h::Faults { lost_packets, garbled_packets, stalled_frames }) = keys.camera_faults {
        within(&at("camera_faults.lost_packets"), lost_packets, 0.0..=1.0)?;
        within(&at("camera_faults.garbled_packets"), garbled_packets, 0.0..=1.0)?;
        within(&at("camera_faults.stalled_frames"), stalled_frames, 0.0..=1.0)?;
    }
    if let Some(address) = keys.bus_faults.iter().flat_map(|bus| &bus.absent).find(|address| **address > 127) {
        return refuse(&at("bus_faults.absent"), address.to_string(), "an I2C address must be 0 to 127");
    }
    maybe(&at("charge"), keys.charge, 0.0..=1.0)?;
    maybe(&at("capacity_ah"), keys.capacity_ah, 0.05..=20.0)?;
    let Some(supply) = keys.supply else { return Ok(()) };
    within(&at("supply.ohms"), supply.ohms, 0.0..=2.0)?;
    within(&at("supply.surges_per_minute"), supply.surges_per_minute, 0.0..=600.0)?;
    within(&at("supply.surge_watts"), supply.surge_watts, 0.0..=100.0)?;
    within(&at("supply.surge_seconds"), supply.surge_seconds, 0.025..=60.0)?;
    within(&at("supply.reset_below_v"), supply.reset_below_v, 0.0..=5.0)?;
    within(&at("supply.reset_seconds"), supply.reset_seconds, 0.025..=600.0)
}

fn fault(keys: &FaultKeys, names: &[String]) -> Result<(), OutOfBounds> {
    if let Some(id) = &keys.robot {
        known("faults.robot", id, names)?;
    }
    maybe("faults.at_s", keys.at_s, 0.0..=1e7)?;
    maybe("faults.per_minute", keys.per_minute, 0.0..=600.0)?;
    within("faults.seconds", keys.seconds, 0.025..=3600.0)?;
    match (keys.at_s, keys.per_minute) {
        (Some(_), Some(_)) => refuse("faults.at_s", "given together with per_minute".into(), "remove one of them"),
        (None, None) => refuse("faults.at_s", "missing".into(), "a fault needs at_s or per_minute"),
        _ => Ok(()),
    }
}

fn change(keys: &ChangeKeys, names: &[String]) -> Result<(), OutOfBounds> {
    within("change.at_s", keys.at_s, 0.0..=1e7)?;
    physics("change.physics", &keys.physics)?;
    if let Some(WallKeys { from_m, to_m }) = keys.wall {
        [from_m, to_m].into_iter().flatten().try_for_each(|value| within("change.wall", value, -20.0..=20.0))?;
        if (from_m[0] - to_m[0]).hypot(from_m[1] - to_m[1]) < 0.01 {
            return refuse("change.wall", format!("{from_m:?} to {to_m:?}"), "a wall must be at least 0.01 m long");
        }
    }
    if keys.physics == PhysicsKeys::default() && keys.wall.is_none() && keys.robot.is_none() && keys.wheels.is_none() {
        return refuse("change", format!("at_s = {}", keys.at_s), "set what changes: physics, wall or wheels");
    }
    keys.wheels.into_iter().flatten().try_for_each(|part| within("change.wheels", part, 0.0..=1.5))?;
    match (&keys.robot, keys.wheels) {
        (Some(id), Some(_)) => known("change.robot", id, names),
        (None, None) => Ok(()),
        (Some(id), None) => refuse("change.robot", format!("{id:?}"), "add wheels = [left, right]"),
        (None, Some(parts)) => refuse("change.wheels", format!("{parts:?}"), "add robot = \"NAME\""),
    }
}

fn known(key: &str, id: &str, names: &[String]) -> Result<(), OutOfBounds> {
    if names.iter().any(|name| name == id) {
        return Ok(());
    }
    refuse(key, format!("{id:?}"), &format!("choose one of {}", names.join(", ")))
}

/// Converts a single value to a list with one element.
fn one(value: Varied<f32>) -> Varied<[f32; 1]> {
    match value {
        Varied::Given(value) => Varied::Given([value]),
        Varied::Drawn(spread) => Varied::Drawn(spread),
    }
}

fn varied<const N: usize>(
    key: &str,
    value: Option<Varied<[f32; N]>>,
    range: RangeInclusive<f32>,
    widest: f32,
) -> Result<(), OutOfBounds> {
    match value {
        Some(Varied::Given(values)) => values.into_iter().try_for_each(|value| within(key, value, range.clone())),
        Some(Varied::Drawn(drawn)) => within(&format!("{key}.spread"), drawn.spread, 0.0..=widest),
        None => Ok(()),
    }
}

fn maybe(key: &str, value: Option<f32>, range: RangeInclusive<f32>) -> Result<(), OutOfBounds> {
    value.map_or(Ok(()), |value| within(key, value, range))
}

fn within(key: &str, value: f32, range: RangeInclusive<f32>) -> Result<(), OutOfBounds> {
    if range.contains(&value) {
        return Ok(());
    }
    refuse(key, value.to_string(), &format!("{} to {} are allowed", range.start(), range.end()))
}

fn refuse(key: &str, value: String, allowed: &str) -> Result<(), OutOfBounds> {
    Err(OutOfBounds { key: key.to_string(), value, allowed: allowed.to_string() })
}
