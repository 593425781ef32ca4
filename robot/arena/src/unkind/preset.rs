//! Named presets of deviations.

use super::keys::{FloorKeys, RobotKeys, SpellKeys, Spread, SupplyKeys, Unkind, Varied};
use crate::faults::Faults;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::world::PhysicsKeys;

/// A named set of deviations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Preset {
    /// No deviations: the simulator's own world.
    #[default]
    None,
    /// Likely conditions in the thesis's arena. The document `docs/arena.md` states a source or a reason for each
    /// value.
    Typical,
}

impl Preset {
    /// Returns the deviations of the preset.
    pub fn unkind(self) -> Unkind {
        match self {
            Preset::None => Unkind::default(),
            Preset::Typical => typical(),
        }
    }
}

fn typical() -> Unkind {
    Unkind {
        physics: PhysicsKeys {
            // Friction force of 1.71 N for a mass of 0.3 kg (Table 7.2). This is dynamic friction, because robots are
            // mostly moving.
            robot_friction: Some(0.58),
            // Friction force of 0.33 N for a mass of 0.07 kg (Table 7.2).
            frisbee_friction: Some(0.48),
            // Midway between the fitted value 0.15 and the lowest tabulated value for plastics, 0.3 (7.2.1, 7.2.2).
            body_friction: Some(0.22),
            // This value is an assumption. Restitution "seemed to make little difference below about 0.3" (7.2.2).
            restitution: Some(0.2),
            // Motion noise as measured in the thesis. The noise that the thesis uses to mask the reality gap is
            // greater (7.2.2).
            noise: Some([0.01, 0.015, 0.015]),
            ..PhysicsKeys::default()
        },
        // In Table 7.2, the friction readings of one Xpuck scatter by 5 %, and the readings of the frisbee by 10 %.
        // The spread lies between these values.
        floor: Some(FloorKeys { spread: 0.07, length_m: super::keys::floor_length() }),
        every_robot: RobotKeys {
            // The distance error differs between robots by 10 mm per metre (7.2.2).
            wheel_bias: Some(Varied::Drawn(Spread { spread: 0.01 })),
            // This noise yields the measured distance error of one robot, 8 mm per metre (7.2.2).
            wheel_noise: Some(0.01),
            // Dirt "at least doubles" the distance errors (7.2.2). The rate and the duration are assumptions.
            wheel_slips: Some(SpellKeys { per_minute: 2.0, seconds: 0.2 }),
            // The thesis corrected the sensors' offset and scale (7.3.1). The amounts here are assumptions.
            proximity_gain: Some(Varied::Drawn(Spread { spread: 0.1 })),
            proximity_offset_counts: Some(Varied::Drawn(Spread { spread: 40.0 })),
            proximity_noise_counts: Some(5.0),
            // These values are assumptions. The vision's threshold, 0.2 % of the pixels (7.3.2), is well above the
            // fraction of hot pixels.
            camera_noise: Some(4.0),
            dead_pixels: Some(0.0005),
            hot_pixels: Some(0.0001),
            camera_turn_deg: Some(Varied::Drawn(Spread { spread: 2.0 })),
            // Latency of image processing. It makes the gap in Fig. 7.5 grow with the turning speed.
            camera_delay_s: Some(0.1),
            // According to GCtronic, one I2C transfer in a thousand times out.
            bus_faults: Some(Faults { nak_every: 1000, ..Faults::default() }),
            // With nine robots, 2 of 20 runs of one minute ended because of a battery (7.4.4). The rate is 2 / (20 *
            // 9) per minute.
            supply: Some(SupplyKeys { surges_per_minute: 0.011, ..SupplyKeys::default() }),
            ..RobotKeys::default()
        },
        robots: Vec::new(),
        faults: Vec::new(),
        changes: Vec::new(),
    }
}
