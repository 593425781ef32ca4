//! Calibration of the camera's colours. For each colour, finds a region of HSV space. The region contains the pixels of
//! a coloured target, but not the pixels of a white card.

use super::file::Edit;
use super::{CalibrateError, Operator, unfit};
use crate::device::{Frame, FrameSource};
use crate::vision::colours::{Region, hsv};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xpuck_registers::yuyv;

const NAMES: [&str; 3] = ["red", "green", "blue"];
/// Number of frames sampled per target.
const FRAMES: usize = 10;
/// Polling interval of the camera, and maximum number of polls (10 s in total).
const ASK: (Duration, usize) = (Duration::from_millis(10), 1000);
/// Sampling stride, in pixel pairs horizontally and in rows vertically.
const STRIDE: usize = 4;
/// Fraction of a target's pixels that a region may exclude at each end of the distribution of hue, saturation or value.
const TAIL: f32 = 0.02;
/// Margins of a region: width added at each end of the hue range (degrees), and factor applied to the minimum
/// saturation and the minimum value.
const MARGIN: (f32, f32) = (10.0, 0.8);
/// Maximum width of one colour's hue range (degrees).
const WIDEST: f32 = 100.0;
/// Margin between a region's minimum saturation and the white card's saturation.
const ABOVE_WHITE: f32 = 0.05;
/// Range of the mean HSV value of a correctly exposed white card.
const WHITE: std::ops::RangeInclusive<f32> = 0.4..=0.97;

/// Hue (degrees), saturation (0..=1) and value (0..=1) of a pixel.
pub type Hsv = [f32; 3];

/// Pixels of the white card, and of the targets in the order red, green, blue.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// Pixels of the white card.
    pub white: Vec<Hsv>,
    /// Pixels of the red, green and blue target; `None` for a target that was not measured.
    pub targets: [Option<Vec<Hsv>>; 3],
}

/// Fits a region to the pixels of each measured target. The other regions remain as in `present`.
///
/// # Errors
/// If the pixels do not determine the regions.
pub fn fit(samples: &Samples, present: &[Region; 3]) -> Result<[Region; 3], CalibrateError> {
    let finite = |pixels: &[Hsv]| !pixels.is_empty() && pixels.iter().flatten().all(|x| x.is_finite());
    if !finite(&samples.white) {
        return unfit("no valid pixels of the white card were measured");
    }
    let brightness = samples.white.iter().map(|p| p[2]).sum::<f32>() / samples.white.len() as f32;
    if !WHITE.contains(&brightness) {
        let remedy =
            if brightness < *WHITE.start() { "more light, or a longer exposure" } else { "a shorter exposure" };
        return unfit(format!("the mean brightness of the white card is {brightness:.2}; use {remedy}"));
    }
    let white = quantile(samples.white.iter().map(|p| p[1]), 1.0 - TAIL) + ABOVE_WHITE;
    let mut regions = *present;
    for (i, pixels) in samples.targets.iter().enumerate() {
        let Some(pixels) = pixels else { continue };
        let name = NAMES[i];
        if !finite(pixels) {
            return unfit(format!("no valid pixels of the {name} target were measured"));
        }
        let seen = quantile(pixels.iter().map(|p| p[1]), TAIL);
        if seen <= white {
            return unfit(format!(
                "the {name} target has a saturation of {seen:.2}, and the white card already {:.2}; correct the white \
                 balance or the light",
                white - ABOVE_WHITE
            ));
        }
        let middle = mean_hue(pixels);
        let off = |p: &Hsv| (p[0] - middle + 180.0).rem_euclid(360.0) - 180.0;
        let (from, to) = (quantile(pixels.iter().map(off), TAIL), quantile(pixels.iter().map(off), 1.0 - TAIL));
        if to - from > WIDEST {
            return unfit(format!(
                "the {name} target has hues {:.0} degrees apart; check that it fills the picture",
                to - from
            ));
        }
        let value = quantile(pixels.iter().map(|p| p[2]), TAIL);
        let edge = |off: f32| ((middle + off).rem_euclid(360.0) * 10.0).round() / 10.0;
        regions[i] = Region {
            hue: [edge(from - MARGIN.0), edge(to + MARGIN.0)],
            saturation: (seen * MARGIN.1).max(white),
            value: (value * MARGIN.1).max(0.05),
        };
    }
    for (i, j) in [(0, 1), (1, 2), (0, 2)] {
        let (a, b) = (&regions[i], &regions[j]);
        let starts_in = |hue: f32, region: &Region| region.contains([hue, 1.0, 1.0]);
        if starts_in(a.hue[0], b) || starts_in(b.hue[0], a) {
            return unfit(format!(
                "{} {:?} and {} {:?} share hues; measure both, or use targets with clearer colours",
                NAMES[i], a.hue, NAMES[j], b.hue
            ));
        }
    }
    Ok(regions)
}

/// Returns the circular mean of the hues, weighted by saturation (degrees).
fn mean_hue(pixels: &[Hsv]) -> f32 {
    let sum = pixels.iter().fold((0.0f64, 0.0f64), |(x, y), [hue, saturation, _]| {
        let (sin, cos) = f64::from(*hue).to_radians().sin_cos();
        (x + f64::from(*saturation) * cos, y + f64::from(*saturation) * sin)
    });
    sum.1.atan2(sum.0).to_degrees() as f32
}

/// Returns the quantile `part` (0..=1) of the values.
fn quantile(values: impl Iterator<Item = f32>, part: f32) -> f32 {
    let mut all: Vec<f32> = values.collect();
    all.sort_by(f32::total_cmp);
    all[((all.len() - 1) as f32 * part).round() as usize]
}

/// Asks the operator to show the white card and the targets, and samples their pixels. The green target is measured
/// only if `green` is set.
///
/// # Errors
/// Any error of the camera or the operator.
pub fn measure(
    camera: &mut dyn FrameSource,
    green: bool,
    operator: &mut dyn Operator,
    stop: &AtomicBool,
    wait: &mut dyn FnMut(Duration),
) -> Result<Samples, CalibrateError> {
    let mut look = |what: &str| {
        operator.ready(&format!("Hold {what} so that it fills the middle of the lower half of the picture."))?;
        pixels(camera, stop, wait)
    };
    let white = look("a white card")?;
    let mut targets = [None, None, None];
    for (target, name) in targets.iter_mut().zip(NAMES) {
        if name != "green" || green {
            *target = Some(look(&format!("the {name} target"))?);
        }
    }
    Ok(Samples { white, targets })
}

/// Samples pixels from the middle of the lower half of the next frames.
fn pixels(
    camera: &mut dyn FrameSource,
    stop: &AtomicBool,
    wait: &mut dyn FnMut(Duration),
) -> Result<Vec<Hsv>, CalibrateError> {
    let (mut pixels, mut frames) = (Vec::new(), 0);
    // Discards a frame that was captured while the operator moved.
    camera.latest()?;
    for _ in 0..ASK.1 {
        if stop.load(Ordering::Relaxed) {
            return Err(CalibrateError::Operator("stopped".into()));
        }
        if let Some(frame) = camera.latest()? {
            sample(frame, &mut pixels);
            frames += 1;
            if frames == FRAMES {
                return Ok(pixels);
            }
        }
        wait(ASK.0);
    }
    unfit(format!("the camera delivered {frames} frames in 10 s; {FRAMES} are needed"))
}

fn sample(frame: &Frame, pixels: &mut Vec<Hsv>) {
    let row_bytes = frame.width() * yuyv::BYTES_PER_PIXEL;
    let lower = &frame.bytes()[frame.height() / 2 * row_bytes..];
    for row in lower.chunks_exact(row_bytes).step_by(STRIDE) {
        // Samples the middle third of the row, in whole pairs of pixels.
        let pairs = row.chunks_exact(4);
        let third = pairs.len() / 3;
        for pair in pairs.skip(third).take(third.max(1)).step_by(STRIDE) {
            pixels.push(hsv(yuyv::to_rgb([pair[0], pair[1], pair[3]])));
        }
    }
}

/// Returns the entries for the robot's file.
pub fn edits(regions: &[Region; 3]) -> Vec<Edit> {
    let rows = NAMES.iter().zip(regions).map(|(name, region)| {
        [
            Edit::list(&["camera", name, "hue"], &region.hue),
            Edit::one(&["camera", name, "saturation"], region.saturation),
            Edit::one(&["camera", name, "value"], region.value),
        ]
    });
    rows.flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::super::test_bench::Script;
    use super::*;
    use crate::device::DeviceError;
    use crate::device::frames::CameraCounts;
    use crate::vision::colours::{ColourClassifier, REGIONS};
    use std::sync::Mutex;
    use xpuck_registers::yuyv::Rgb;

    /// Simulated camera in greenish light, which sees one uniform colour at a time.
    struct Bench<'a> {
        shown: &'a Mutex<Rgb>,
        frame: Option<Frame>,
        count: u8,
    }

    fn frame(rgb: Rgb, shift: u8) -> Frame {
        let lit = |c: u8, gain: f32| ((f32::from(c) * gain) as u8).saturating_add(shift % 7);
        let [y, u, v] = yuyv::from_rgb([lit(rgb[0], 0.75), lit(rgb[1], 0.85), lit(rgb[2], 0.7)]);
        Frame::new(160, 120, yuyv::pack([y, u, v], [y, u, v]).repeat(80 * 120)).unwrap()
    }

    impl FrameSource for Bench<'_> {
        fn latest(&mut self) -> Result<Option<&Frame>, DeviceError> {
            self.count = self.count.wrapping_add(1);
            self.frame = self.count.is_multiple_of(3).then(|| frame(*self.shown.lock().unwrap(), self.count));
            Ok(self.frame.as_ref())
        }

        fn counts(&self) -> CameraCounts {
            CameraCounts::default()
        }
    }

    const WHITE_CARD: Rgb = [225, 225, 222];
    const RED: Rgb = [190, 35, 40];
    const GREEN: Rgb = [40, 150, 60];
    const BLUE: Rgb = [35, 80, 185];

    #[test]
    fn colour_regions_are_fitted_to_current_light() {
        let shown = Mutex::new(WHITE_CARD);
        let mut camera = Bench { shown: &shown, frame: None, count: 0 };
        let mut ready = |what: &str| {
            let colours = [("white", WHITE_CARD), ("red", RED), ("green", GREEN), ("blue", BLUE)];
            *shown.lock().unwrap() = colours.iter().find(|(name, _)| what.contains(name)).unwrap().1;
        };
        let mut operator = Script { ready: &mut ready, answer: &mut |_| f64::NAN };
        let stop = AtomicBool::new(false);
        let samples = measure(&mut camera, true, &mut operator, &stop, &mut |_| ()).unwrap();
        let regions = fit(&samples, &REGIONS).unwrap();
        let vision = ColourClassifier::new(&regions);
        for (i, rgb) in [RED, GREEN, BLUE, WHITE_CARD].into_iter().enumerate() {
            let mut expected = [[false; 3]; 3];
            if let Some(colour) = expected.get_mut(i) {
                *colour = [true; 3];
            }
            assert_eq!(vision.classify(&frame(rgb, 3)).0, expected, "{rgb:?}: {regions:?}");
        }
        let dark = ColourClassifier::default().classify(&frame(BLUE, 3)).0;
        assert_ne!(dark[2], [false; 3], "the published regions are wide enough for this blue too");
        stop.store(true, Ordering::Relaxed);
        assert!(measure(&mut camera, true, &mut operator, &stop, &mut |_| ()).is_err());
    }

    #[test]
    fn inconclusive_measurements_are_rejected_with_reason() {
        let many = |hsv: Hsv| vec![hsv; 100];
        let white = many([90.0, 0.1, 0.8]);
        let error = |white: &Vec<Hsv>, red: Vec<Hsv>, blue: Vec<Hsv>| {
            let samples = Samples { white: white.clone(), targets: [Some(red), None, Some(blue)] };
            fit(&samples, &REGIONS).unwrap_err().to_string()
        };
        let (red, blue) = (many([355.0, 0.8, 0.6]), many([220.0, 0.7, 0.6]));
        assert!(error(&many([0.0, 0.0, 0.2]), red.clone(), blue.clone()).contains("more light"));
        assert!(error(&many([0.0, 0.0, 1.0]), red.clone(), blue.clone()).contains("shorter exposure"));
        assert!(error(&white, many([355.0, 0.12, 0.6]), blue.clone()).contains("white card already 0.10"));
        let mixed = [many([0.0, 0.8, 0.6]), many([120.0, 0.8, 0.6])].concat();
        assert!(error(&white, mixed, blue.clone()).contains("120 degrees apart"));
        assert!(error(&white, many([f32::NAN, 0.8, 0.6]), blue.clone()).contains("no valid pixels of the red target"));
        assert!(error(&white, many([215.0, 0.8, 0.6]), blue.clone()).contains("share hues"));
        assert!(error(&vec![], red.clone(), blue.clone()).contains("white card"));
        let samples = Samples { white, targets: [Some(red), None, Some(blue)] };
        let regions = fit(&samples, &REGIONS).unwrap();
        assert_eq!((regions[0].hue, regions[1]), ([345.0, 5.0], REGIONS[1]));
    }
}
