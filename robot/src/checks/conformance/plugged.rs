//! Camera checks that are not part of the selftest, because a person or a program must unplug the camera. The camera is
//! opened twice at the same time, and opened with another picture size. Its USB endpoint is halted. Finally, the camera
//! is unplugged and plugged in again.

use super::{Bench, Finding, Opened, Picture, camera};
use crate::device::camera::CameraError;
use crate::device::{DeviceError, FrameSource};
use std::time::{Duration, Instant};

/// Time limit for the next frame, and for an error after the camera is unplugged.
const FRAME_LIMIT: Duration = Duration::from_millis(if cfg!(test) { 300 } else { 5000 });
/// Time limit for a frame after the camera is plugged in again.
const REPLUG_LIMIT: Duration = Duration::from_secs(15);
/// Number of times that the camera is closed and reopened.
const TIMES: u32 = 5;
/// Interval between polls of the camera.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Function that opens the camera for pictures of this width and height (pixels).
type Open<'a> = &'a dyn Fn((usize, usize)) -> Opened<Box<dyn FrameSource>>;

/// Camera under test, and the actions on it.
pub struct UnplugChecks<'a> {
    /// Name of the camera in the results.
    pub name: &'static str,
    /// Opens the camera.
    pub open: Open<'a>,
    /// Requirements on the camera's frames.
    pub picture: Picture,
    /// Picture size that the camera does not support; `None` if the camera accepts every size.
    pub other_size: Option<(usize, usize)>,
    /// Halts the USB endpoint; `None` if the camera does not use one.
    pub halt: Option<&'a dyn Fn()>,
    /// Unplugs the camera.
    pub pull: &'a dyn Fn(),
    /// Plugs the camera in again.
    pub put: &'a dyn Fn(),
}

/// Runs the camera checks of the selftest, and the checks of this module.
pub fn unplug_checks(on: &UnplugChecks<'_>) -> Vec<Finding> {
    let mut bench = Bench { findings: Vec::new(), since: Instant::now(), speed: 1.0, device: "" };
    let size = (on.picture.width, on.picture.height);
    let open = || (on.open)(size);
    camera::frames(bench.on(on.name), Some((open(), on.picture.clone())), None);
    check_reopen(&mut bench, &open);
    check_exclusive(&mut bench, &open);
    if let Some(other) = on.other_size {
        let (expected, refused) = (format!("{} x {} is rejected", other.0, other.1), (on.open)(other).map(|_| ()));
        let format = matches!(&refused, Err(DeviceError::Camera(CameraError::Format { .. })));
        bench.judge("other size", format, &expected, open_result(refused));
    }
    if let Some(halt) = on.halt {
        halted(&mut bench, &open, halt);
    }
    pulled(&mut bench, &open, on);
    bench.findings
}

/// Describes the result of opening a device.
fn open_result<T>(opened: Opened<T>) -> String {
    opened.map_or_else(|error| error.to_string(), |_| "it opens".into())
}

/// Waits for the next frame. The error states why no frame arrived.
fn frame(camera: &mut dyn FrameSource) -> Result<(), String> {
    let start = Instant::now();
    while start.elapsed() < FRAME_LIMIT {
        match camera.latest() {
            Ok(Some(_)) => return Ok(()),
            Ok(None) => std::thread::sleep(POLL_INTERVAL),
            Err(error) => return Err(error.to_string()),
        }
    }
    Err(format!("no frame in {FRAME_LIMIT:?}"))
}

fn check_reopen(bench: &mut Bench, open: &dyn Fn() -> Opened<Box<dyn FrameSource>>) {
    let once = || open().map_err(|error| error.to_string()).and_then(|mut camera| frame(camera.as_mut()));
    let failed = (1..=TIMES).find_map(|time| once().err().map(|why| format!("time {time}: {why}")));
    let (good, found) = (failed.is_none(), failed.unwrap_or_else(|| format!("{TIMES} times")));
    bench.judge("opens again", good, "a frame each time", found);
}

fn check_exclusive(bench: &mut Bench, open: &dyn Fn() -> Opened<Box<dyn FrameSource>>) {
    let expected = "a second program is rejected";
    let first = open();
    let second = open().map(|_| ());
    let kept = first.map_err(|error| error.to_string()).and_then(|mut camera| frame(camera.as_mut()));
    match kept {
        Ok(()) => bench.judge("one program", second.is_err(), expected, open_result(second)),
        Err(why) => bench.fail("one program", expected, format!("the first: {why}")),
    }
}

fn halted(bench: &mut Bench, open: &dyn Fn() -> Opened<Box<dyn FrameSource>>, halt: &dyn Fn()) {
    let expected = "a stall is cleared, and frames continue";
    let run = || -> Result<u64, String> {
        let mut camera = open().map_err(|error| error.to_string())?;
        frame(camera.as_mut())?;
        halt();
        let start = Instant::now();
        while camera.counts().stalls == 0 {
            if start.elapsed() > FRAME_LIMIT {
                return Err(format!("no stall in {FRAME_LIMIT:?}"));
            }
            frame(camera.as_mut())?;
        }
        // Three frames are read, because the first two may have been received before the halt.
        (0..3).try_for_each(|_| frame(camera.as_mut()))?;
        Ok(camera.counts().stalls)
    };
    match run() {
        Ok(stalls) => bench.judge("stall", true, expected, format!("stalls: {stalls}")),
        Err(why) => bench.fail("stall", expected, why),
    }
}

fn pulled(bench: &mut Bench, open: &dyn Fn() -> Opened<Box<dyn FrameSource>>, on: &UnplugChecks<'_>) {
    let expected = "the camera is reported as disconnected";
    let opened = open().map_err(|error| error.to_string());
    let running = opened.and_then(|mut camera| frame(camera.as_mut()).map(|()| camera));
    match running {
        Err(why) => bench.fail("pulled out", expected, why),
        Ok(mut camera) => {
            (on.pull)();
            let start = Instant::now();
            let error = loop {
                match camera.latest() {
                    Err(error) => break Some(error),
                    Ok(_) if start.elapsed() > FRAME_LIMIT => break None,
                    Ok(_) => std::thread::sleep(POLL_INTERVAL),
                }
            };
            let gone = matches!(&error, Some(DeviceError::Camera(CameraError::Gone { .. })));
            let found = error.map_or_else(|| format!("nothing in {FRAME_LIMIT:?}"), |error| error.to_string());
            bench.judge("pulled out", gone, expected, found);
        }
    }
    let absent = open().map(|_| ());
    bench.judge("absent", absent.is_err(), "it cannot be opened", open_result(absent));
    (on.put)();
    let start = Instant::now();
    let found = loop {
        match open().map_err(|error| error.to_string()).and_then(|mut camera| frame(camera.as_mut())) {
            Err(_) if start.elapsed() < REPLUG_LIMIT => std::thread::sleep(POLL_INTERVAL),
            found => break found,
        }
    };
    let words = found.as_ref().map_or_else(String::clone, |()| "frames".into());
    bench.judge("put in again", found.is_ok(), "frames", words);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checks::conformance::{Verdict, passed};
    use crate::device::Frame;
    use crate::device::frames::CameraCounts;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};

    /// Faults of the simulated camera.
    #[derive(Clone, Copy, Default)]
    struct Wrong {
        shared: bool,
        any_size: bool,
        deaf_to_stalls: bool,
        never_gone: bool,
    }

    #[derive(Clone, Default)]
    struct State {
        wrong: Wrong,
        users: Arc<AtomicU32>,
        stalls: Arc<AtomicU64>,
        out: Arc<AtomicBool>,
    }

    struct Fake(State, Frame);

    impl FrameSource for Fake {
        fn latest(&mut self) -> Result<Option<&Frame>, DeviceError> {
            let gone = self.0.out.load(Relaxed) && !self.0.wrong.never_gone;
            match gone {
                true => Err(CameraError::Gone { device: "fake".into() }.into()),
                false => Ok(Some(&self.1)),
            }
        }

        fn counts(&self) -> CameraCounts {
            CameraCounts { stalls: self.0.stalls.load(Relaxed), ..CameraCounts::default() }
        }
    }

    impl Drop for Fake {
        fn drop(&mut self) {
            self.0.users.fetch_sub(1, Relaxed);
        }
    }

    impl State {
        fn open(&self, (width, height): (usize, usize)) -> Opened<Box<dyn FrameSource>> {
            let State { wrong, users, out, .. } = self;
            let refused = CameraError::Absent { vendor: 0, product: 0, serial: None };
            if out.load(Relaxed) || users.load(Relaxed) > 0 && !wrong.shared {
                return Err(refused.into());
            }
            if (width, height) != (4, 2) && !wrong.any_size {
                let (asked, found) = (String::new(), String::new());
                return Err(CameraError::Format { path: "fake".into(), asked, found }.into());
            }
            users.fetch_add(1, Relaxed);
            let mut frame = Frame::black(width, height)?;
            frame.bytes_mut()[0] = 9;
            Ok(Box::new(Fake(self.clone(), frame)))
        }
    }

    fn failed(wrong: Wrong) -> Vec<&'static str> {
        let state = State { wrong, ..State::default() };
        let halt = || {
            state.stalls.fetch_add(u64::from(!wrong.deaf_to_stalls), Relaxed);
        };
        let findings = unplug_checks(&UnplugChecks {
            name: "camera",
            open: &|size| state.open(size),
            picture: Picture { width: 4, height: 2, rate: 1.0..=1e6 },
            other_size: Some((6, 2)),
            halt: Some(&halt),
            pull: &|| state.out.store(true, Relaxed),
            put: &|| state.out.store(false, Relaxed),
        });
        let failed: Vec<&str> = findings.iter().filter(|f| f.verdict == Verdict::Fail).map(|f| f.check).collect();
        assert_eq!(failed.is_empty(), passed(&findings));
        failed
    }

    #[test]
    fn each_fault_is_found_by_its_check() {
        let faults: [(Wrong, &[&str]); 5] = [
            (Wrong::default(), &[]),
            (Wrong { shared: true, ..Wrong::default() }, &["one program"]),
            (Wrong { any_size: true, ..Wrong::default() }, &["other size"]),
            (Wrong { deaf_to_stalls: true, ..Wrong::default() }, &["stall"]),
            (Wrong { never_gone: true, ..Wrong::default() }, &["pulled out"]),
        ];
        let found = faults.map(|(wrong, expected)| (std::thread::spawn(move || failed(wrong)), expected));
        for (found, expected) in found {
            assert_eq!(found.join().unwrap(), expected);
        }
    }
}
