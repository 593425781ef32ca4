//! Lamp patterns: the colours of the ring for each control update. All functions are pure.

use crate::device::lamps::{DARK, Lamps, Sound};
use xpuck_experiment::lamps::Lamps as Pattern;
use xpuck_registers::spi::{PIXELS, Pixel};
use xpuck_wire::message::State;

/// Normal level of a lamp (0..=255), which is bright enough for a dim room. At this level, 15 lamps draw 0.2 A.
const LEVEL: u8 = 16;
/// Colour of a robot that blinks after an identify request.
const BRIGHT: Pixel = Pixel { red: 64, green: 64, blue: 64 };
/// Number of the melody that an identify request starts.
const MELODY: u8 = 1;
/// Voltage of an empty lithium-ion cell, and voltage of a full cell (V).
const CELL: (f32, f32) = (3.3, 4.1);
/// Hue difference between consecutive leaves (turns). It is the golden section of a turn, so that leaves with
/// neighbouring indices have distinct colours.
const HUE_STEP: f32 = 0.618_034;

/// Inputs of the lamp patterns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LampInputs<'a> {
    /// Pattern of the experiment; `None` without an experiment.
    pub pattern: Option<&'a Pattern>,
    /// State of the robot.
    pub state: State,
    /// Battery voltage (V); `None` if it is unknown.
    pub battery_v: Option<f32>,
    /// Index of the active leaf of the controlling tree; `None` without an active leaf.
    pub leaf: Option<usize>,
    /// Signal of the tree; 0 means no signal.
    pub signal: u8,
    /// Blink phase after an identify request: true while the lamps are lit, false while they are dark. `None` while
    /// the robot does not blink.
    pub blinks: Option<bool>,
    /// Number of identify requests so far.
    pub called: u8,
    /// Colours that an external controller requests; `None` without a request.
    pub wanted: Option<[Pixel; PIXELS]>,
}

/// Returns the current lamps and sound. Order of precedence: blinking, colours of an external controller, a state other
/// than RUN, the tree's signal, the experiment's pattern.
pub fn lamps(shown: &LampInputs<'_>) -> Lamps {
    // The number of identify requests identifies the sound. A change of this number restarts the melody.
    let sound = Sound { melody: if shown.called > 0 { MELODY } else { 0 }, number: shown.called };
    Lamps { sound, ..picture(shown) }
}

fn picture(shown: &LampInputs<'_>) -> Lamps {
    if let Some(lit) = shown.blinks {
        return Lamps::all(if lit { BRIGHT } else { DARK });
    }
    if let Some(pixels) = shown.wanted {
        return Lamps { pixels, ..Lamps::default() };
    }
    let state = Lamps::all(colour(shown.state));
    if shown.state != State::Run {
        return state;
    }
    if shown.signal > 0 {
        return Lamps::all(hue(f32::from(shown.signal) / 8.0, 4 * LEVEL));
    }
    match shown.pattern {
        None | Some(Pattern::State) => state,
        Some(Pattern::Off) => Lamps::default(),
        Some(Pattern::Battery) => shown.battery_v.map_or(state, battery),
        Some(Pattern::Branch) => {
            shown.leaf.map_or(Lamps::default(), |leaf| Lamps::all(hue(leaf as f32 * HUE_STEP, LEVEL)))
        }
        Some(Pattern::Colours(colours)) => {
            let pixel = |i: usize| {
                let [red, green, blue] = colours[i % colours.len().max(1)];
                Pixel { red, green, blue }
            };
            let pixels = if colours.is_empty() { [DARK; PIXELS] } else { std::array::from_fn(pixel) };
            Lamps { pixels, ..Lamps::default() }
        }
    }
}

/// Returns the colour of the lamps in a state of the robot.
pub fn colour(state: State) -> Pixel {
    let (red, green, blue) = match state {
        State::Idle => (0, 0, LEVEL),
        State::Ready => (0, LEVEL, LEVEL),
        State::Run => (0, LEVEL, 0),
        State::Pause => (LEVEL, 12, 0),
        State::Stop => (LEVEL, 0, 0),
    };
    Pixel { red, green, blue }
}

/// Returns the lamps that display the battery charge. The number of lit lamps (at least one) is proportional to the
/// charge. Their colour changes from green (full) to red (empty).
fn battery(volts: f32) -> Lamps {
    let part = ((volts - CELL.0) / (CELL.1 - CELL.0)).clamp(0.0, 1.0);
    let lit = (part * PIXELS as f32).ceil().max(1.0) as usize;
    let level = f32::from(LEVEL);
    let pixel = Pixel { red: ((1.0 - part) * level).round() as u8, green: (part * level).round() as u8, blue: 0 };
    Lamps { pixels: std::array::from_fn(|i| if i < lit { pixel } else { DARK }), ..Lamps::default() }
}

/// Returns the fully saturated colour with this hue (turns). Its brightest channel has the value `level`.
fn hue(turns: f32, level: u8) -> Pixel {
    let part = |shift: f32| {
        let from = ((turns + shift).rem_euclid(1.0) * 6.0 - 3.0).abs() - 1.0;
        (from.clamp(0.0, 1.0) * f32::from(level)).round() as u8
    };
    Pixel { red: part(0.0), green: part(2.0 / 3.0), blue: part(1.0 / 3.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running(pattern: &Pattern) -> LampInputs<'_> {
        LampInputs { pattern: Some(pattern), state: State::Run, ..LampInputs::default() }
    }

    #[test]
    fn blinking_overrides_state_and_pattern() {
        let off = Pattern::Off;
        assert_eq!(lamps(&running(&off)), Lamps::default());
        let stopped = LampInputs { state: State::Stop, ..running(&off) };
        assert_eq!(lamps(&stopped), Lamps::all(colour(State::Stop)));
        let (lit, dark) =
            (LampInputs { blinks: Some(true), ..stopped }, LampInputs { blinks: Some(false), ..running(&off) });
        assert_eq!((lamps(&lit), lamps(&dark)), (Lamps::all(BRIGHT), Lamps::default()));
    }

    #[test]
    fn battery_pattern_lights_pixels_by_charge() {
        let pattern = Pattern::Battery;
        let lit = |volts| {
            let shown = lamps(&LampInputs { battery_v: Some(volts), ..running(&pattern) });
            (shown.pixels.iter().filter(|pixel| **pixel != DARK).count(), shown.pixels[0])
        };
        assert_eq!(lit(4.2), (15, Pixel { red: 0, green: 16, blue: 0 }));
        assert_eq!(lit(3.0), (1, Pixel { red: 16, green: 0, blue: 0 }));
        assert_eq!(lit(3.7).0, 8);
        assert_eq!(lamps(&running(&pattern)), Lamps::all(colour(State::Run)), "not measured");
    }

    #[test]
    fn branches_look_unlike_and_colours_go_round() {
        let pattern = Pattern::Branch;
        let of = |leaf| lamps(&LampInputs { leaf, ..running(&pattern) }).pixels[3];
        let some = [1, 2, 3, 5, 8].map(|leaf| of(Some(leaf)));
        assert!((0..5).all(|i| (0..i).all(|j| some[i] != some[j])), "{some:?}");
        assert_eq!(of(None), DARK);
        let two = Pattern::Colours(vec![[1, 2, 3], [0, 255, 0]]);
        let shown = lamps(&running(&two)).pixels;
        assert_eq!((shown[0], shown[1], shown[14]), (shown[2], Pixel { green: 255, ..DARK }, shown[0]));
    }

    #[test]
    fn signal_overrides_pattern() {
        let off = Pattern::Off;
        let shown = [1, 2, 7].map(|signal| lamps(&LampInputs { signal, ..running(&off) }).pixels[0]);
        assert!(shown[0] != shown[1] && shown[1] != shown[2] && !shown.contains(&DARK), "{shown:?}");
    }
}
