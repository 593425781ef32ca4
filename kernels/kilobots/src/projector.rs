//! Detection of a projector's colour with a Kilobot's monochrome light sensor (thesis 4.2 and Figure 4.2).
//!
//! A cheap projector shows colours in sequence with a colour wheel that makes 120 turns per second. A full primary
//! colour gives one pulse of 1.2 ms per turn. Cyan and yellow give one pulse of 3.5 ms. Magenta gives two pulses of
//! 1.2 ms, separated by 2 ms. Black gives no pulse. Sixteen samples at intervals of 520 us cover one turn, independent
//! of the phase at which the sampling starts.

/// Number of samples that cover one turn of the colour wheel.
pub const PROJECTOR_SAMPLES: usize = 16;
/// Interval between samples (s).
pub const PROJECTOR_INTERVAL: f32 = 520e-6;
/// Maximum length of a short pulse (samples). A pulse of 1.2 ms covers two or three samples. Noise at an edge may add a
/// sample.
const SHORT: usize = 4;
/// Maximum length of a long pulse (samples). A pulse of 3.5 ms covers six or seven samples.
const LONG: usize = 8;

/// Colour of the projector, as far as the sensor can distinguish colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Light {
    /// No light.
    Black,
    /// Red, green or blue.
    Primary,
    /// Cyan or yellow.
    CyanOrYellow,
    /// Magenta.
    Magenta,
}

/// Returns the colour for sixteen sensor readings; `None` if the pulses match no colour. If the range of the readings
/// is below `contrast`, the result is black.
pub fn classify_light(readings: [u16; PROJECTOR_SAMPLES], contrast: u16) -> Option<Light> {
    let (mut darkest, mut brightest) = (u16::MAX, 0);
    for reading in readings {
        (darkest, brightest) = (darkest.min(reading), brightest.max(reading));
    }
    if brightest - darkest < contrast {
        return Some(Light::Black);
    }
    let bright = |i: usize| readings[i % PROJECTOR_SAMPLES] - darkest > (brightest - darkest) / 2;
    // Counting starts at a dark sample, because the first sample may be within a pulse. At least the darkest sample
    // counts as dark.
    let from = (0..PROJECTOR_SAMPLES).find(|i| !bright(*i))?;
    let (mut pulses, mut count, mut length) = ([0; 2], 0, 0);
    for i in from + 1..=from + PROJECTOR_SAMPLES {
        if bright(i) {
            length += 1;
        } else if length > 0 {
            *pulses.get_mut(count)? = length;
            (count, length) = (count + 1, 0);
        }
    }
    match (count, pulses) {
        (1, [pulse, _]) if pulse <= SHORT => Some(Light::Primary),
        (1, [pulse, _]) if pulse <= LONG => Some(Light::CyanOrYellow),
        (2, [first, second]) if first <= SHORT && second <= SHORT => Some(Light::Magenta),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    /// Duration of one turn of the colour wheel (s).
    const TURN: f32 = 1.0 / 120.0;

    /// Returns noisy sensor readings that begin at the given phase of the turn (0..1).
    fn readings(light: Light, phase: f32, noise: f32, draws: &mut Draws) -> [u16; PROJECTOR_SAMPLES] {
        let pulses: &[(f32, f32)] = match light {
            Light::Black => &[],
            Light::Primary => &[(0.0, 1.2e-3)],
            Light::CyanOrYellow => &[(0.0, 3.5e-3)],
            Light::Magenta => &[(0.0, 1.2e-3), (3.2e-3, 4.4e-3)],
        };
        std::array::from_fn(|i| {
            let time = (phase + i as f32 * PROJECTOR_INTERVAL / TURN).fract() * TURN;
            let on = pulses.iter().any(|(from, to)| (*from..*to).contains(&time));
            let level = if on { 700.0 } else { 200.0 };
            (level + draws.range(-noise, noise)) as u16
        })
    }

    #[test]
    fn colours_are_decoded_at_any_sample_phase() {
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
        for light in [Light::Black, Light::Primary, Light::CyanOrYellow, Light::Magenta] {
            for phase in 0..1000 {
                let read = readings(light, phase as f32 / 1000.0, 60.0, &mut draws);
                assert_eq!(classify_light(read, 200), Some(light), "phase {phase}: {read:?}");
            }
        }
    }

    #[test]
    fn invalid_sample_patterns_decode_to_no_colour() {
        let of = |bits: u16| classify_light(std::array::from_fn(|i| 200 + 500 * (bits >> i & 1)), 200);
        assert_eq!(of(0b1100_0000_0000_0001), Some(Light::Primary), "a pulse across the end of the samples");
        assert_eq!(of(0b0101_0101_0101_0101), None);
        assert_eq!(of(0b0000_0011_1111_1111), None);
        assert_eq!(of(0b0000_0111_1110_0011), None, "a long and a short one");
    }
}
