//! `xpuckd bench markers`: detection rate and pose accuracy of the robot's tag detector (thesis 5.4), in synthetic
//! camera pictures.

mod figure;
mod table;
mod trials;

use crate::checks::bench::{BenchError, can_draw, draw};
use crate::checks::calibrate::lens::fit::{self, Fit};
use crate::vision::lens::Lens;
use crate::vision::markers::Markers;
use crate::vision::synthetic::{self, Optics};
use crate::vision::tags::board::Board;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::output;

/// Board of tags for the lens calibration, and number of views of the board.
const BOARD: Board = Board { first: 0, columns: 4, rows: 6, size: 0.03, pitch: 0.04 };
const VIEWS: usize = 12;

/// Arguments of `xpuckd bench markers`.
#[derive(Debug, Args)]
pub struct MarkersArgs {
    /// Width of the pictures (pixels, 160..=1280): 320 as in the thesis, or 640 as the camera. The height is three
    /// quarters of the width.
    #[arg(long, default_value_t = 320, value_parser = clap::value_parser!(u16).range(160..=1280))]
    width: u16,
    /// Number of pictures per distance and angle, and per speed (1..=1000).
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..=1000))]
    frames: u16,
    /// Seed for the random positions of the tags and for the noise.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// First distortion coefficient of the true lens.
    #[arg(long, default_value_t = -0.22, allow_negative_numbers = true)]
    k1: f64,
    /// Second distortion coefficient of the true lens.
    #[arg(long, default_value_t = 0.06, allow_negative_numbers = true)]
    k2: f64,
    /// Focal length of the true lens, relative to that of a lens with a field of view of 56 degrees (0.5..=2).
    #[arg(long, default_value_t = 0.97)]
    focal: f64,
    /// Standard deviation of the optical blur (pixels of a picture of width 640, 0..=10).
    #[arg(long, default_value_t = 0.7)]
    blur: f64,
    /// Standard deviation of the colour noise in the dark (levels of 255, 0..=50). At white, the noise is twice as
    /// large.
    #[arg(long, default_value_t = 2.0)]
    noise: f64,
    /// Exposure time of a row (ms, 0..=66).
    #[arg(long, default_value_t = 20.0)]
    exposure_ms: f64,
    /// Print one JSON object instead of tables.
    #[arg(long)]
    json: bool,
    /// File for the figure (SVG).
    #[arg(long)]
    svg: Option<PathBuf>,
}

/// Parameters of the measurement, and the robot's lens calibration.
pub(super) struct Setup {
    /// Optics that render the pictures.
    optics: Optics,
    /// Lens as measured by the robot.
    measured: Lens,
    frames: u32,
    seed: u32,
}

impl Setup {
    fn draws(&self, part: u32, case: u32, frame: u32) -> Draws {
        Draws::new(self.seed.into(), part, case, frame, Stream::Device)
    }

    /// Returns the robot's detector for tags of side `tag_size` (m) in pictures of the size that `optics` renders.
    /// Without `lens`, the detector assumes an ideal pinhole.
    fn markers(&self, tag_size: f64, lens: Option<Lens>) -> Markers {
        Markers::for_frames(tag_size, self.optics.lens.size[0] as usize).with_lens(lens)
    }
}

/// Results of `xpuckd bench markers`.
#[derive(Serialize)]
struct Report {
    /// Picture size (pixels).
    size: [f64; 2],
    /// True lens.
    lens: LensReport,
    /// Lens measured from views of a board.
    measured: LensReport,
    /// Root mean square distance between the board's observed corners and the corners predicted by the measured lens
    /// (pixels).
    rms_px: f64,
    accuracy: Vec<trials::Accuracy>,
    speeds: Vec<trials::Speeds>,
    /// Speed at which the mean detection rate over all positions falls to one half (pixels/s). `None` if the rate does
    /// not cross one half at the tested speeds.
    half_at_px_s: Option<f64>,
    times: Vec<trials::Time>,
}

#[derive(Serialize)]
struct LensReport {
    focal: [f64; 2],
    centre: [f64; 2],
    distortion: [f64; 2],
}

impl From<Lens> for LensReport {
    fn from(lens: Lens) -> LensReport {
        LensReport { focal: lens.focal, centre: lens.centre, distortion: lens.distortion }
    }
}

/// Runs the benchmark, and prints the results.
pub(super) fn run(args: &MarkersArgs) -> Result<(), BenchError> {
    can_draw(args.svg.as_deref())?;
    let optics = optics(args)?;
    let fit = measure_lens(&optics, args.seed)?;
    let setup = Setup { optics, measured: fit.lens, frames: args.frames.into(), seed: args.seed };
    let told = |what: &str| output::print_error(what);
    told("tags at rest");
    let accuracy = trials::accuracy(&setup);
    told("tags while the robot turns");
    let speeds = trials::speeds(&setup);
    told("times");
    let times = trials::times(&setup);
    let half_at_px_s = trials::half_rate_speed(&speeds);
    let (size, rms_px) = (optics.lens.size, fit.rms);
    let lenses = [optics.lens.into(), fit.lens.into()];
    let [lens, measured] = lenses;
    let report = Report { size, lens, measured, rms_px, accuracy, speeds, half_at_px_s, times };
    match args.json {
        true => {
            output::line(serde_json::to_string(&report).map_err(|error| BenchError::Unmeasured(error.to_string()))?)?
        }
        false => output::text(table::text(&report))?,
    }
    match &args.svg {
        Some(path) => draw(path, &figure::svg(&report)),
        None => Ok(()),
    }
}

/// Returns the optics that the arguments describe.
fn optics(args: &MarkersArgs) -> Result<Optics, BenchError> {
    let within = |range: std::ops::RangeInclusive<f64>, value: f64, what| match range.contains(&value) {
        true => Ok(value),
        false => Err(BenchError::Argument(what)),
    };
    let (width, height) = (usize::from(args.width / 4 * 4), usize::from(args.width / 4 * 3));
    let pinhole = Lens::nominal(width, height);
    let focal = within(0.5..=2.0, args.focal, "focal must be 0.5 to 2")? * pinhole.focal[0];
    // The optical axis is off the picture's middle by 1 % of the width and 1 % of the height. A sensor that is glued by
    // hand has such an offset.
    let centre = [width as f64 * 0.51, height as f64 * 0.49];
    let lens = Lens { focal: [focal, focal * 1.003], centre, distortion: [args.k1, args.k2], ..pinhole };
    lens.check()
        .map_err(|_| BenchError::Argument("k1 and --k2 fold the corners of the image over; choose smaller values"))?;
    let scale = width as f64 / 640.0;
    let blur = within(0.0..=10.0, args.blur, "blur must be 0 to 10 pixels")? * scale;
    let dark_noise = within(0.0..=50.0, args.noise, "noise must be 0 to 50 levels")?;
    let exposure = within(0.0..=66.0, args.exposure_ms, "exposure-ms must be 0 to 66 (the frame period)")? / 1000.0;
    // At white, the shot noise has three times the variance of the dark noise.
    let shot_noise = 3.0 * dark_noise * dark_noise / 255.0;
    // The readout time of 480 rows is 0.064 s: a frame of 500 lines lasts 1/15 s (thesis 5.2.1).
    Ok(Optics { lens, blur, dark_noise, shot_noise, exposure, readout: 0.064, turning: 0.0 })
}

/// Measures the lens as `xpuckd calibrate lens` does, with rendered views of the board.
fn measure_lens(optics: &Optics, seed: u32) -> Result<Fit, BenchError> {
    let mut markers = Markers::new(BOARD.size, 1);
    let view = |(n, tags): (usize, &Vec<_>)| -> Vec<fit::TagView> {
        let mut draws = Draws::new(seed.into(), u32::MAX, 0, n as u32, Stream::Device);
        let frame = synthetic::render(tags, BOARD.size, &Optics { exposure: 0.0, ..*optics }, &mut draws);
        markers.detect(&frame).iter().map(|marker| (marker.id, marker.corners)).collect()
    };
    let views: Vec<_> = synthetic::calibration_views(&BOARD, VIEWS).iter().enumerate().map(view).collect();
    let size = optics.lens.size.map(|side| side as usize);
    fit::fit(&views, &BOARD, size).map_err(|error| BenchError::Unmeasured(format!("the lens: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: MarkersArgs,
    }

    fn args(more: &[&str]) -> MarkersArgs {
        Line::parse_from([&["bench"], more].concat()).args
    }

    #[test]
    fn measured_lens_improves_bearings() {
        let optics = optics(&args(&["--width", "320"])).unwrap();
        let fit = measure_lens(&optics, 1).unwrap();
        let setup = Setup { optics, measured: fit.lens, frames: 4, seed: 1 };
        let rows = trials::accuracy_at(&setup, &[0.5, 1.0], &[0.0, 40.0]);
        for row in &rows {
            assert_eq!(row.found, 4, "{} m", row.distance_m);
            assert!(row.measured.bearing_deg < 0.3 && row.nominal.bearing_deg > 0.5, "{} m", row.distance_m);
            assert!(row.measured.range_mm < 0.02 * 1000.0 * row.distance_m, "{} m", row.distance_m);
        }
    }

    #[test]
    fn arguments_that_cannot_be_are_refused() {
        let error = |more: &[&str]| optics(&args(more)).unwrap_err().to_string();
        assert_eq!(error(&["--exposure-ms", "70"]), "--exposure-ms must be 0 to 66 (the frame period)");
        assert_eq!(error(&["--k1", "-2"]), "--k1 and --k2 fold the corners of the image over; choose smaller values");
        assert_eq!(error(&["--blur", "NaN"]), "--blur must be 0 to 10 pixels");
    }
}
