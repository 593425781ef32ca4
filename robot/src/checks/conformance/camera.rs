//! Checks of the camera: its sensor has a known id and accepts settings, and its frames have the right size and rate.

use super::{Bench, Opened, Picture};
use crate::device::camera_sensor::BoxedSensor;
use crate::device::{DeviceError, FrameSource};
use std::time::{Duration, Instant};
use xpuck_registers::camera_sensor::Clock;

/// Time for which frames are counted.
const COUNTED: Duration = Duration::from_secs(2);
/// Interval between polls of the camera.
const LOOK: Duration = Duration::from_millis(2);

/// Two exposure times (s). With the second, the picture of a lit scene must be brighter.
const EXPOSURES: [f64; 2] = [0.003, 0.012];
/// Minimum ratio of the mean luma at the longer exposure to the mean luma at the shorter exposure. The second constant
/// is the mean luma at the longer exposure below which the scene counts as dark.
const BRIGHTER: f64 = 1.15;
const DARK: f64 = 20.0;
/// Time after which frames no longer have the previous exposure.
const SETTLES: Duration = Duration::from_millis(600);

/// Configured sensor, and its clock source.
type Ready = (BoxedSensor, Clock);

/// Checks the sensor's id, and configures the sensor. Returns the sensor if both succeed.
pub(super) fn sensor(bench: &mut Bench, sensor: Option<(Opened<BoxedSensor>, Clock)>) -> Option<Ready> {
    let (mut sensor, clock) = match sensor {
        Some((Ok(sensor), clock)) => (sensor, clock),
        Some((Err(error), _)) => {
            bench.fail("id", "a known sensor", error.to_string());
            return None;
        }
        None => {
            bench.skip("id", "not reached over I2C");
            return None;
        }
    };
    let name = sensor.sensor().name;
    bench.judge("id", true, "a known sensor", name.into());
    let expected = "registers keep their values";
    match sensor.set_up(clock).and_then(|()| sensor.identify()) {
        Ok(()) => bench.judge("set-up", true, expected, format!("{name} for 640 x 480 YUYV")),
        Err(error) => {
            bench.fail("set-up", expected, error.to_string());
            return None;
        }
    }
    Some((sensor, clock))
}

/// Verifies that a longer exposure gives a brighter picture, and restores the sensor's settings.
fn exposure(bench: &mut Bench, camera: &mut dyn FrameSource, ready: Option<Ready>) {
    let Some((mut sensor, clock)) = ready else { return bench.skip("exposure", "no sensor accepts settings") };
    if sensor.sensor().exposing.is_none() {
        return bench.skip("exposure", "not supported on this sensor");
    }
    let expected = format!("brighter at {} ms than at {}", EXPOSURES[1] * 1e3, EXPOSURES[0] * 1e3);
    let mut luma = [0.0; 2];
    for (seconds, luma) in EXPOSURES.into_iter().zip(&mut luma) {
        let seen = sensor.expose(Some(seconds), clock).and_then(|()| {
            bench.wait(SETTLES);
            brightness(bench, camera)
        });
        match seen {
            Ok(seen) => *luma = seen,
            Err(error) => return bench.fail("exposure", &expected, error.to_string()),
        }
    }
    // The sensor's normal exposure is restored: automatic, or the fixed exposure time that `set_up` configures.
    if let Err(error) = sensor.expose(None, clock).and_then(|()| sensor.set_up(clock)) {
        return bench.fail("exposure", &expected, error.to_string());
    }
    let [short, long] = luma;
    if long < DARK {
        return bench.skip("exposure", "the image is dark");
    }
    bench.judge("exposure", long > BRIGHTER * short, &expected, format!("luma {short:.0} to {long:.0}"));
}

/// Returns the mean luma of the next three frames (0..=255). If frames arrive slowly, the mean is over fewer frames.
/// Returns 0 if no frame arrives within [`COUNTED`].
fn brightness(bench: &Bench, camera: &mut dyn FrameSource) -> Result<f64, DeviceError> {
    // A frame that was captured with the previous exposure is discarded.
    camera.latest()?;
    let (start, mut sum, mut frames) = (Instant::now(), 0.0, 0u32);
    while bench.seconds(start) < COUNTED.as_secs_f64() && frames < 3 {
        if let Some(frame) = camera.latest()? {
            let luma = frame.bytes().iter().step_by(2);
            sum += luma.map(|y| f64::from(*y)).sum::<f64>() / (frame.bytes().len() / 2) as f64;
            frames += 1;
        }
        std::thread::sleep(LOOK);
    }
    Ok(if frames == 0 { 0.0 } else { sum / f64::from(frames) })
}

/// Summary of the frames received during the count.
#[derive(Default)]
struct FrameCount {
    frames: u32,
    size: Option<(usize, usize)>,
    plain: bool,
}

/// Checks the rate, size and content of the frames, and the effect of the exposure time.
pub(super) fn frames(
    bench: &mut Bench,
    camera: Option<(Opened<Box<dyn FrameSource>>, Picture)>,
    sensor: Option<Ready>,
) {
    let (mut camera, picture) = match camera {
        Some((Ok(camera), picture)) => (camera, picture),
        Some((Err(error), _)) => return bench.fail("opens", "it opens", error.to_string()),
        None => return bench.skip("frames", "not named in the robot's file"),
    };
    let start = Instant::now();
    let seen = watch(bench, camera.as_mut());
    let rate = |frames: u32| f64::from(frames) / bench.seconds(start);
    let expected = format!("{:.0} to {:.0} frames/s", picture.rate.start(), picture.rate.end());
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => return bench.fail("frames", &expected, error.to_string()),
    };
    let rate = rate(seen.frames);
    bench.judge("frames", picture.rate.contains(&rate), &expected, format!("{rate:.1} frames/s"));
    let found = seen.size.map_or("none".into(), |(width, height)| format!("{width} x {height}"));
    let expected = (picture.width, picture.height);
    bench.judge("size", seen.size == Some(expected), &format!("{} x {}", expected.0, expected.1), found);
    let found = if seen.plain { "all pixels alike" } else { "a picture" };
    bench.judge("picture", seen.size.is_some() && !seen.plain, "different pixels", found.into());
    if seen.size.is_some() {
        exposure(bench, camera.as_mut(), sensor);
    }
}

fn watch(bench: &Bench, camera: &mut dyn FrameSource) -> Result<FrameCount, DeviceError> {
    let (start, mut seen) = (Instant::now(), FrameCount::default());
    while bench.seconds(start) < COUNTED.as_secs_f64() {
        if let Some(frame) = camera.latest()? {
            seen.frames += 1;
            seen.size = Some((frame.width(), frame.height()));
            let bytes = frame.bytes();
            seen.plain = bytes.chunks_exact(4).all(|pair| pair == &bytes[..4]);
        }
        std::thread::sleep(LOOK);
    }
    Ok(seen)
}
