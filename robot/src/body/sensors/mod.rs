//! Typed, calibrated and validated readings of the body's sensors, except proximity. All functions are pure. Times are
//! in seconds of arena time.

pub mod fitted;
pub mod hearing;
pub mod watch;

use crate::calibration::Senses;
use crate::device::body::BodyReadings;
use hearing::SoundSums;
use watch::{FaultDetector, Plausibility, SensorFault};
use xpuck_registers::accelerometer::MetresPerSecondSquared;
use xpuck_registers::light::Brightness;
use xpuck_registers::microphone::RawSound;
use xpuck_wire::message::Sensors;

/// Last valid readings of the body's sensors, and the current faults.
#[derive(Clone, Debug)]
pub struct BodySensors {
    acceleration: (FaultDetector<3>, Option<MetresPerSecondSquared>),
    light: (FaultDetector<8>, Option<Brightness>),
    samples: FaultDetector<3>,
    volumes: FaultDetector<4>,
    heard: SoundSums,
    /// Sums of the microphone readings at the time of the last message.
    heard_before: SoundSums,
    hears: bool,
    steps: Option<([u16; 2], [i64; 2])>,
    selector: Option<(u8, bool)>,
    /// Current fault of each sensor, in the order acceleration, light, microphones.
    troubles: [Option<SensorFault>; 3],
}

/// Names of the sensors, in the order of `troubles`.
const NAMES: [&str; 3] = ["the accelerometer", "the light sensors' reading", "the microphones' reading"];

impl Default for BodySensors {
    fn default() -> BodySensors {
        let zero_is_dead = |may_jump| Plausibility { may_be_zero: false, may_jump };
        BodySensors {
            acceleration: (FaultDetector::new(zero_is_dead(false)), None),
            light: (FaultDetector::new(Plausibility { may_be_zero: true, may_jump: false }), None),
            samples: FaultDetector::new(zero_is_dead(true)),
            volumes: FaultDetector::new(zero_is_dead(true)),
            heard: SoundSums::default(),
            heard_before: SoundSums::default(),
            hears: false,
            steps: None,
            selector: None,
            troubles: [None; 3],
        }
    }
}

impl BodySensors {
    /// Processes the body's readings at time `now` (s). `heard` contains the sums over all sound readings so far.
    pub fn on_readings(&mut self, now: f64, sensed: &BodyReadings, heard: SoundSums, calibration: &Senses) {
        let Senses { acceleration, light, .. } = calibration;
        self.troubles[0] = sensed.acceleration.and_then(|raw| self.acceleration.0.look(now, raw.0));
        let believed = sensed.acceleration.filter(|_| self.troubles[0].is_none());
        self.acceleration.1 = believed.map(|raw| raw.calibrated(acceleration.zero, acceleration.per_g));
        self.troubles[1] = sensed.light.and_then(|raw| self.light.0.look(now, raw.0));
        let believed = sensed.light.filter(|_| self.troubles[1].is_none());
        self.light.1 = believed.map(|raw| raw.calibrated(light.dark, light.scale));
        self.troubles[2] = match sensed.sound {
            Some(RawSound::Samples(samples)) => self.samples.look(now, samples),
            Some(RawSound::Volumes(volumes)) => self.volumes.look(now, volumes),
            None => None,
        };
        (self.heard, self.hears) = (heard, sensed.sound.is_some() && self.troubles[2].is_none());
        let (last, total) = self.steps.unwrap_or((sensed.steps, [0; 2]));
        let made = |i: usize| i64::from(sensed.steps[i].wrapping_sub(last[i]) as i16);
        self.steps = Some((sensed.steps, [total[0] + made(0), total[1] + made(1)]));
        self.selector = sensed.selector;
    }

    /// Returns the brightness at each infra-red sensor as a fraction of full scale. Returns `None` without a valid
    /// reading.
    pub fn brightness(&self) -> Option<[f32; 8]> {
        self.light.1.map(|brightness| brightness.0)
    }

    /// Returns a description of the current faults. The text is empty without a fault.
    pub fn trouble(&self) -> String {
        let named = NAMES.iter().zip(&self.troubles);
        let words: Vec<String> = named.filter_map(|(name, what)| Some(format!("{name} {}", (*what)?))).collect();
        words.join("; ")
    }

    /// Creates the sensor message for the hub at time `now` (s). Its loudness covers the time since the previous
    /// message.
    pub fn message(&mut self, now: f64) -> Sensors {
        let hearing = self.heard.since(&self.heard_before).filter(|_| self.hears).unwrap_or_default();
        self.heard_before = self.heard;
        Sensors {
            time: now,
            acceleration: self.acceleration.1.map(|acceleration| acceleration.0),
            light: self.brightness(),
            loudness: hearing.loudness.iter().map(|loudness| loudness.0).collect(),
            sound_from: hearing.from,
            steps: self.steps.map(|(_, total)| total),
            selector: self.selector.map(|(position, _)| position),
            button: self.selector.map(|(_, pressed)| pressed),
            trouble: self.trouble(),
            ..Sensors::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::accelerometer::RawAcceleration;
    use xpuck_registers::light::RawLight;

    fn readings(noise: u16) -> BodyReadings {
        BodyReadings {
            light: Some(RawLight([400 + noise, 0, 0, 0, 0, 0, 0, 819])),
            acceleration: Some(RawAcceleration([2048, 2048, 2848 + noise])),
            sound: Some(RawSound::Samples([2048 + noise, 2048, 2048])),
            steps: [65_530 + 3 * noise, 10],
            ..BodyReadings::default()
        }
    }

    #[test]
    fn raw_body_data_becomes_readings_in_units() {
        let (mut sensors, mut heard) = (BodySensors::default(), SoundSums::default());
        for i in 0..30u16 {
            let sensed = readings(i % 3);
            heard.add_reading(sensed.sound.unwrap());
            sensors.on_readings(f64::from(i) / 10.0, &sensed, heard, &Senses::default());
        }
        let message = sensors.message(3.0);
        assert!(message.is_sound() && message.trouble.is_empty(), "{message:?}");
        let [x, y, z] = message.acceleration.unwrap();
        assert!(x == 0.0 && y == 0.0 && (z - 9.81).abs() < 0.05, "{message:?}");
        assert_eq!((message.light.unwrap()[7], message.loudness.len()), (0.2, 3));
        assert_eq!(message.steps, Some([6, 0]), "the counter wrapped");
        assert_eq!((message.selector, message.sound_from), (None, None));
        assert!(sensors.message(3.1).loudness.is_empty(), "nothing was heard since");
    }

    #[test]
    fn implausible_readings_are_omitted_and_reported() {
        let mut sensors = BodySensors::default();
        (0..120u16).for_each(|i| {
            sensors.on_readings(f64::from(i) / 10.0, &readings(0), SoundSums::default(), &Senses::default())
        });
        let message = sensors.message(12.0);
        assert_eq!((message.acceleration, message.light, &message.loudness[..]), (None, None, &[][..]));
        assert_eq!(
            message.trouble,
            "the accelerometer is stuck; the light sensors' reading is stuck; the microphones' reading is stuck"
        );
        assert!(message.is_sound() && sensors.brightness().is_none());
    }
}
