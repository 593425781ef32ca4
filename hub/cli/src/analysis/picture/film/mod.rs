//! Films of swarms. They show the arena from above, a clock and the current fitness.

pub mod canvas;
mod encoder;
mod signals;
mod stage;

pub use encoder::RATE;
pub use stage::{Sheet, Stage, Token};

use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Result, bail};
use encoder::Encoder;
use signals::Stop;
use std::path::Path;

/// Valid range of `--film-speed` (times real time).
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.1..=1000.0;

/// Rejects a film speed out of range.
///
/// # Errors
/// The speed is out of range; the error states the option and its range.
pub fn check_speed(speed: f64) -> Result<()> {
    if !SPEEDS.contains(&speed) {
        wrong_argument!("--film-speed {speed}: must be {} to {} (times real time)", SPEEDS.start(), SPEEDS.end());
    }
    Ok(())
}

/// Returns the world time of each frame of a film (s). The film runs at `speed` times real time. The first frame is at
/// time 0, and the last frame is at time `seconds`.
pub fn moments(seconds: f64, speed: f64) -> impl ExactSizeIterator<Item = f64> {
    let steps = (seconds / speed * RATE).round().max(1.0) as u32;
    (0..steps + 1).map(move |frame| seconds * f64::from(frame) / f64::from(steps))
}

/// Makes a film with one frame for each world time in `moments` (s). `draw` draws each frame on the stage. If the film
/// is interrupted, the partial file is removed.
///
/// # Errors
/// `ffmpeg` is missing or fails, the file cannot be written, `draw` fails, or a signal stopped the film.
pub fn shoot(
    path: &Path,
    stage: &mut Stage,
    moments: impl ExactSizeIterator<Item = f64>,
    quiet: bool,
    mut draw: impl FnMut(&mut Stage, f64) -> Result<()>,
) -> Result<()> {
    let stop = Stop::new()?;
    let mut encoder = Encoder::begin(path, stage.size())?;
    let total = moments.len() as u64;
    let progress = Progress::steps("frame", total, quiet);
    for (done, moment) in (1..).zip(moments) {
        if stop.asked() {
            bail!("{}: stopped; nothing was written", path.display());
        }
        draw(stage, moment)?;
        encoder.frame(stage.pixels())?;
        progress.set(done, total);
    }
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn film_duration_is_run_time_over_speed() {
        let all: Vec<f64> = moments(60.0, 8.0).collect();
        assert_eq!((all.len(), all[0], all[188]), (189, 0.0, 60.0));
        assert_eq!(moments(0.1, 1000.0).collect::<Vec<_>>(), [0.0, 0.1]);
        assert!(check_speed(8.0).is_ok() && check_speed(0.0).is_err() && check_speed(f64::NAN).is_err());
    }
}
