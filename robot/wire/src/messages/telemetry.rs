//! Telemetry, which each robot sends ten times a second, with at most 10 KiB/s. All counts are 0 when the robot's
//! program starts, and stop at their maximum value instead of overflowing.

use crate::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Number of bins of the control loop's lateness histogram.
pub const LATENESS_BINS: usize = 32;

/// State of a robot, sent ten times a second.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Telemetry {
    /// Time since the robot's program started (s).
    pub time: f64,
    /// Session number from the robot's hello message. It distinguishes two programs with the same robot key.
    pub session: u64,
    /// Operating state.
    pub state: State,
    /// Number of the last directive of the hub that the robot obeyed.
    pub obeyed: u64,
    /// Number of the experiment's segment that the robot's tree belongs to; 0 before the first segment.
    pub segment: u32,
    /// Power supply and temperature.
    pub power: PowerReport,
    /// Sensor readings.
    pub senses: SensesReport,
    /// Motion of the robot.
    pub motion: MotionReport,
    /// Timing of the control loop.
    pub control: ControlReport,
    /// Link to the hub.
    pub link: LinkReport,
    /// Counts of device operations and errors.
    pub devices: DeviceReport,
    /// Progress of evolution.
    pub evolution: EvolutionReport,
    /// Engine of the robot's simulations.
    #[serde(default)]
    pub engine: EngineReport,
    /// Number of lines of the robot's log that were lost.
    #[serde(default)]
    pub log_lines_lost: u32,
    /// Number of batches of control updates that were lost before sending.
    #[serde(default)]
    pub unsent: u32,
}

impl Telemetry {
    /// Rounds all values to the resolution of the devices, because further decimal places would occupy a tenth of a
    /// record. Times are rounded to 0.1 ms, speeds to 0.01 mm/s, and positions to 0.1 mm. The power supply is rounded
    /// to 1 mV and 1 mW, and fitness to 1e-5.
    pub fn rounded(mut self) -> Telemetry {
        let power = &mut self.power;
        let supply = [&mut power.battery_v, &mut power.battery_w, &mut power.supply_v, &mut power.supply_w];
        supply.into_iter().flatten().for_each(|value| round(value, 3));
        power.soc_c.iter_mut().for_each(|value| round(value, 2));
        let senses = &mut self.senses;
        let ages = [&mut senses.body_age, &mut senses.camera_age, &mut senses.virtual_age];
        ages.into_iter().flatten().for_each(|value| round(value, 4));
        senses.proximity.iter_mut().for_each(|value| round(value, 4));
        let motion = &mut self.motion;
        motion.wheels.iter_mut().chain(&mut motion.speeds).for_each(|value| round(value, 5));
        motion.pose.iter_mut().for_each(|value| round(value, 4));
        self.link.trip_ms.iter_mut().for_each(|value| round(value, 3));
        round(&mut self.evolution.duty, 3);
        round(&mut self.engine.r_acc, 0);
        let evolution = &mut self.evolution;
        for value in [&mut evolution.best, &mut evolution.derated, &mut evolution.mean] {
            *value = (*value * 1e5).round() / 1e5;
        }
        self.time = (self.time * 1e4).round() / 1e4;
        self
    }
}

fn round(value: &mut f32, places: i32) {
    *value = rounded(*value, places);
}

/// Rounds `value` to `places` decimal places. The calculation uses `f64`, because the result of an `f32` division would
/// print with more decimal places.
pub fn rounded(value: f32, places: i32) -> f32 {
    let scale = 10f64.powi(places);
    ((f64::from(value) * scale).round() / scale) as f32
}

/// Power supply and temperature. A value that the robot cannot measure is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct PowerReport {
    /// Battery voltage (V).
    pub battery_v: Option<f32>,
    /// Power drawn from the battery (W).
    pub battery_w: Option<f32>,
    /// Supply voltage of the board, after the voltage converter (V).
    pub supply_v: Option<f32>,
    /// Power that the board draws from the voltage converter (W).
    pub supply_w: Option<f32>,
    /// Temperature of the board's processor (degrees C).
    pub soc_c: Option<f32>,
}

/// Sensor readings. Ages are in seconds of arena time, and `None` before the first reading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct SensesReport {
    /// Readings of the eight proximity sensors (0 to 1), in the order of thesis Table 6.1.
    pub proximity: [f32; 8],
    /// Whether the camera sees a blob. The first index is the colour (red, green, blue), and the second index is the
    /// segment of the picture (left, centre, right).
    pub blobs: [[bool; 3]; 3],
    /// Number of robots in the range of the virtual senses.
    pub neighbours: u32,
    /// Age of the readings of the robot's body, which are proximity and wheel steps (s).
    pub body_age: Option<f32>,
    /// Age of the camera frame (s).
    pub camera_age: Option<f32>,
    /// Age of the virtual senses, which the hub sends (s).
    pub virtual_age: Option<f32>,
    /// Numbers of control updates in state RUN with stale readings, counted separately for the body, the camera and the
    /// virtual senses.
    pub stale: [u32; 3],
}

/// Motion of the robot.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct MotionReport {
    /// Commanded speeds of the left and right wheel over the floor (m/s).
    pub wheels: [f32; 2],
    /// Speeds of the left and right wheel, computed from the step counters (m/s).
    pub speeds: [f32; 2],
    /// Step counters of the left and right wheel, which wrap around.
    pub steps: [u16; 2],
    /// Pose from odometry, relative to the pose at the start of the program: x (m), y (m), heading (rad).
    pub pose: [f32; 3],
}

/// Timing of the control loop, in wall time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ControlReport {
    /// Whether the control loop has real-time priority (SCHED_FIFO).
    pub realtime: bool,
    /// Delay of the last control update (us).
    pub late_us: u32,
    /// 99th percentile of the delays of all control updates (us).
    pub p99_us: u32,
    /// Maximum delay of a control update (us).
    pub max_us: u32,
    /// Number of control updates that were skipped because the loop was late by a whole period or more.
    pub missed: u32,
    /// Histogram of the delays of control updates, with two bins per octave from 16 us upwards.
    pub bins: [u32; LATENESS_BINS],
}

/// Link of the robot to the hub.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LinkReport {
    /// Last round trip time to the hub, measured by the robot (ms of wall time); `None` before the first measurement.
    pub trip_ms: Option<f32>,
    /// Number of messages from the hub that the robot rejected.
    pub refused: u32,
}

/// Counts of device operations and errors. The body is the robot's base with wheels and proximity sensors.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct DeviceReport {
    /// Number of exchanges with the body, both successful and failed.
    pub exchanges: u32,
    /// Number of exchanges with the body that failed on the bus after all retries.
    pub bus: u32,
    /// Number of bus transfers that were retried.
    pub retries: u32,
    /// Number of answers of the body with a wrong checksum or impossible values.
    pub corrupt: u32,
    /// Number of commands that the body rejected or did not echo.
    pub rejected: u32,
    /// Number of periods without an exchange with the body, because an exchange was late.
    pub missed: u32,
    /// Number of times that the wheels were stopped because no command of the control loop arrived in time.
    pub leases: u32,
    /// Maximum time between the starts of two consecutive exchanges with the body (us).
    pub gap_us: u32,
    /// Number of camera frames received.
    pub frames: u32,
    /// Number of camera frames that were lost or damaged.
    pub dropped: u32,
    /// Number of failed readings of the power monitors.
    pub power: u32,
    /// Number of times that the body's device was reopened.
    pub reopened: u32,
}

/// Progress of a robot's evolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EvolutionReport {
    /// Number of completed generations.
    pub generation: u32,
    /// Estimated fitness of the champion, which is the fittest tree of the population.
    pub best: f64,
    /// Estimated fitness of the champion, scaled down if it has fewer than 8 evaluations (Eq. 8.1).
    pub derated: f64,
    /// Number of evaluations of the champion.
    pub evaluations: u32,
    /// Mean fitness of the population.
    pub mean: f64,
    /// Fraction of time in which evolution runs (0 to 1). Below 1, evolution pauses to cool the processor.
    pub duty: f32,
    /// Number of completed generations at the last checkpoint on disk; 0 without a checkpoint.
    pub kept: u32,
}

/// Maximum length of a text in [`EngineReport`] (bytes), so that telemetry stays within its limit.
pub const ENGINE_TEXT: usize = 11;

/// Engine that simulates for a robot's evolution.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct EngineReport {
    /// Name of the engine: "simd", "reference", "gpu", or "gpu+simd" for both in parallel. The name is empty before the
    /// first batch of simulations.
    pub name: String,
    /// Shortened name of the GPU adapter; empty without an adapter.
    pub adapter: String,
    /// Number of simulated robot-seconds per second over the last generations, without pauses. The value is 0 before
    /// the first batch of simulations.
    pub r_acc: f32,
}

impl EngineReport {
    /// Returns the report with all values within their limits. Texts are reduced to at most [`ENGINE_TEXT`] printable
    /// ASCII characters. A speed that is negative or not finite becomes 0.
    pub fn bounded(&self) -> EngineReport {
        let r_acc = if self.r_acc.is_finite() { self.r_acc.max(0.0) } else { 0.0 };
        EngineReport { name: short(&self.name), adapter: short(&self.adapter), r_acc }
    }
}

/// Shortens a name to [`ENGINE_TEXT`] characters. Removes the first parenthesis and all text after it. If the name is
/// still too long, removes its first words, because the names of similar models differ in the last words.
fn short(name: &str) -> String {
    let name = name.split('(').next().unwrap_or_default();
    let text: String = name.chars().filter(|c| (' '..='~').contains(c)).collect();
    let mut text = text.trim();
    while let Some((_, rest)) = text.split_once(' ').filter(|_| text.len() > ENGINE_TEXT) {
        text = rest.trim_start();
    }
    text.chars().take(ENGINE_TEXT).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::encode;
    use crate::message::RobotMessage;

    /// Telemetry rate (Hz).
    const RATE: usize = 10;
    /// Maximum data rate of one robot (bytes/s).
    const LIMIT: usize = 10_240;

    fn largest() -> Telemetry {
        Telemetry {
            time: f64::MAX,
            session: u64::MAX,
            state: State::Ready,
            obeyed: u64::MAX,
            segment: u32::MAX,
            power: PowerReport {
                battery_v: Some(f32::MAX),
                battery_w: Some(f32::MAX),
                supply_v: Some(f32::MAX),
                supply_w: Some(f32::MAX),
                soc_c: Some(f32::MAX),
            },
            senses: SensesReport {
                proximity: [f32::MAX; 8],
                blobs: [[true; 3]; 3],
                neighbours: u32::MAX,
                body_age: Some(f32::MAX),
                camera_age: Some(f32::MAX),
                virtual_age: Some(f32::MAX),
                stale: [u32::MAX; 3],
            },
            motion: MotionReport {
                wheels: [f32::MAX; 2],
                speeds: [f32::MAX; 2],
                steps: [u16::MAX; 2],
                pose: [f32::MAX; 3],
            },
            control: ControlReport {
                realtime: true,
                late_us: u32::MAX,
                p99_us: u32::MAX,
                max_us: u32::MAX,
                missed: u32::MAX,
                bins: [u32::MAX; LATENESS_BINS],
            },
            link: LinkReport { trip_ms: Some(f32::MAX), refused: u32::MAX },
            devices: DeviceReport {
                exchanges: u32::MAX,
                bus: u32::MAX,
                retries: u32::MAX,
                corrupt: u32::MAX,
                rejected: u32::MAX,
                missed: u32::MAX,
                leases: u32::MAX,
                gap_us: u32::MAX,
                frames: u32::MAX,
                dropped: u32::MAX,
                power: u32::MAX,
                reopened: u32::MAX,
            },
            evolution: EvolutionReport {
                generation: u32::MAX,
                best: f64::MAX,
                derated: f64::MAX,
                evaluations: u32::MAX,
                mean: f64::MAX,
                duty: f32::MAX,
                kept: u32::MAX,
            },
            engine: EngineReport { name: "gpu+simd".into(), adapter: "x".repeat(ENGINE_TEXT), r_acc: f32::MAX },
            log_lines_lost: u32::MAX,
            unsent: u32::MAX,
        }
    }

    #[test]
    fn engine_report_is_sanitised_and_bounded() {
        let wild = EngineReport { name: "a\u{7}\u{1b}[31mb".into(), adapter: "y".repeat(1000), r_acc: f32::NAN };
        let bounded = wild.bounded();
        assert_eq!((bounded.name.as_str(), bounded.adapter.len(), bounded.r_acc), ("a[31mb", ENGINE_TEXT, 0.0));
        assert_eq!(bounded.bounded(), bounded);
        for (name, told) in [
            ("llvmpipe (LLVM 15.0.6, 256 bits)", "llvmpipe"),
            ("NVIDIA GeForce RTX 4090", "RTX 4090"),
            ("AMD Radeon RX 7900 XTX (RADV NAVI31)", "RX 7900 XTX"),
        ] {
            assert_eq!(short(name), told);
        }
    }

    #[test]
    fn telemetry_is_rounded_to_measurement_precision() {
        let mut told = largest();
        (told.time, told.motion.wheels) = (12.345678, [0.099051274, -0.1234567]);
        (told.senses.body_age, told.evolution.best) = (Some(0.00076814), 0.2454423476010561);
        let told = told.rounded();
        assert_eq!((told.time, told.motion.wheels), (12.3457, [0.09905, -0.12346]));
        assert_eq!((told.senses.body_age, told.evolution.best), (Some(0.0008), 0.24544));
        assert_eq!((told.senses.proximity[0], told.power.soc_c), (f32::MAX, Some(f32::MAX)));
        assert!(told.control == largest().control && told.session == u64::MAX);
    }

    #[test]
    fn largest_telemetry_stays_within_bound() {
        let bytes = encode(&RobotMessage::Telemetry(Box::new(largest()))).len();
        let usual = encode(&RobotMessage::Telemetry(Box::default())).len();
        println!("{bytes} bytes at most, {usual} at the start");
        assert!(RATE * bytes < LIMIT, "{bytes} bytes, {RATE} times a second");
    }
}
