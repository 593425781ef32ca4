//! Reads a device in a separate thread, so that the control loop never waits for the device.

use crate::device::DeviceError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Interval between attempts to open a device after an error.
const RETRY: Duration = Duration::from_secs(1);

/// Function that reads a device once. It returns `None` if the device has no new value.
pub type Reader<T> = Box<dyn FnMut() -> Result<Option<T>, DeviceError> + Send>;

/// Values and errors of a device so far.
#[derive(Clone, Copy, Debug)]
pub struct PollerState<T> {
    /// Last value, and the time of its arrival.
    pub latest: Option<(T, Instant)>,
    /// Number of values read.
    pub values: u32,
    /// Number of failed readings and failed attempts to open the device.
    pub errors: u32,
}

struct Latest<T> {
    seen: PollerState<T>,
    trouble: Option<String>,
}

impl<T> Latest<T> {
    fn record(&mut self, result: Result<Option<T>, DeviceError>, told: &mut Option<String>) {
        match result {
            Ok(None) => {}
            Ok(Some(value)) => {
                self.seen.latest = Some((value, Instant::now()));
                self.seen.values = self.seen.values.saturating_add(1);
                *told = None;
            }
            Err(error) => {
                self.seen.errors = self.seen.errors.saturating_add(1);
                let text = Some(error.to_string());
                // An error that persists is reported only once.
                if *told != text {
                    self.trouble = text.clone();
                    *told = text;
                }
            }
        }
    }
}

/// Handle of the polling thread. When the handle is dropped, the thread ends at its next poll.
pub struct Poller<T> {
    latest: Arc<Mutex<Latest<T>>>,
    ended: Arc<AtomicBool>,
    seen: PollerState<T>,
    trouble: Option<String>,
}

impl<T: Copy + Send + 'static> Poller<T> {
    /// Starts a thread that opens a device and reads it every `period`. After an error, the thread reopens the device.
    ///
    /// # Errors
    /// If the system cannot create a thread.
    pub fn start(
        name: &str,
        period: Duration,
        open: impl FnMut() -> Result<Reader<T>, DeviceError> + Send + 'static,
    ) -> std::io::Result<Poller<T>> {
        let seen = PollerState { latest: None, values: 0, errors: 0 };
        let latest = Arc::new(Mutex::new(Latest { seen, trouble: None }));
        let ended = Arc::new(AtomicBool::new(false));
        let (theirs, end) = (latest.clone(), ended.clone());
        std::thread::Builder::new().name(name.into()).spawn(move || poll(open, period, &theirs, &end))?;
        Ok(Poller { latest, ended, seen, trouble: None })
    }

    /// Returns the state of the poller. The function never blocks. It returns the previous state while the thread is
    /// writing.
    pub fn seen(&mut self) -> PollerState<T> {
        if let Ok(mut latest) = self.latest.try_lock() {
            self.seen = latest.seen;
            self.trouble = latest.trouble.take().or(self.trouble.take());
        }
        self.seen
    }

    /// Returns the last new error, and clears it. New errors become available when [`Poller::seen`] is called.
    pub fn take_error(&mut self) -> Option<String> {
        self.trouble.take()
    }
}

impl<T> Drop for Poller<T> {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::Relaxed);
    }
}

fn poll<T>(
    mut open: impl FnMut() -> Result<Reader<T>, DeviceError>,
    period: Duration,
    latest: &Mutex<Latest<T>>,
    ended: &AtomicBool,
) {
    let mut reader: Option<Reader<T>> = None;
    let mut told = None;
    while !ended.load(Ordering::Relaxed) {
        let result = match &mut reader {
            Some(read) => read(),
            None => open().map(|opened| {
                reader = Some(opened);
                None
            }),
        };
        let wait = if result.is_ok() { period } else { RETRY };
        if result.is_err() {
            reader = None;
        }
        // The polling thread may wait for the lock here. Readers hold the lock only briefly, and never wait for it.
        latest.lock().unwrap_or_else(PoisonError::into_inner).record(result, &mut told);
        std::thread::sleep(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn broken_device_is_reopened_and_reported() {
        let mut openings = 0;
        let open = move || -> Result<Reader<u32>, DeviceError> {
            openings += 1;
            let (mut count, broken) = (100 * openings, openings == 1);
            Ok(Box::new(move || {
                count += 1;
                match broken && count > 102 {
                    true => Err(DeviceError::Closed { path: "bench".into() }),
                    false => Ok((count % 2 == 0).then_some(count)),
                }
            }))
        };
        let mut poller = Poller::start("bench", Duration::from_millis(1), open).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut trouble = None;
        while poller.seen().latest.is_none_or(|(value, _)| value <= 200) {
            trouble = poller.take_error().or(trouble);
            assert!(Instant::now() < deadline, "{:?}", poller.seen());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(poller.seen().errors, 1);
        assert!(poller.seen().values >= 2);
        assert_eq!(trouble.unwrap(), "bench was closed by the other side");
    }
}
