//! The camera: its sensor is one that is known and takes its settings, and frames come in the right size and number.

use super::{Bench, Opened, Picture};
use crate::device::camera_sensor::AnySensor;
use crate::device::{DeviceError, FrameSource};
use std::time::{Duration, Instant};
use xpuck_registers::camera_sensor::Clock;

/// How long frames are counted.
const COUNTED: Duration = Duration::from_secs(2);
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(2);

/// Checks the sensor's id and sets it up.
pub(super) fn sensor(bench: &mut Bench, sensor: Option<(Opened<AnySensor>, Clock)>) {
    let (mut sensor, clock) = match sensor {
        Some((Ok(sensor), clock)) => (sensor, clock),
        Some((Err(error), _)) => return bench.fail("id", "a sensor that is known", error.to_string()),
        None => return bench.skip("id", "not reached over I2C"),
    };
    let name = sensor.sensor().name;
    bench.judge("id", true, "a sensor that is known", name.into());
    let expected = "registers that hold";
    match sensor.set_up(clock).and_then(|()| sensor.identify()) {
        Ok(()) => bench.judge("set-up", true, expected, format!("{name} for 640 x 480 YUYV")),
        Err(error) => bench.fail("set-up", expected, error.to_string()),
    }
}

/// What came in a while.
#[derive(Default)]
struct Seen {
    frames: u32,
    size: Option<(usize, usize)>,
    plain: bool,
}

/// Counts frames and looks at them.
pub(super) fn frames(bench: &mut Bench, camera: Option<(Opened<Box<dyn FrameSource>>, Picture)>) {
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
    bench.judge("picture", seen.size.is_some() && !seen.plain, "pixels that differ", found.into());
}

fn watch(bench: &Bench, camera: &mut dyn FrameSource) -> Result<Seen, DeviceError> {
    let (start, mut seen) = (Instant::now(), Seen::default());
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
