//! A device that is read by a thread of its own, so that the control loop never waits for it.

use crate::device::DeviceError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A device that does not answer is opened again so often.
const RETRY: Duration = Duration::from_secs(1);

/// Reads a device once; `None` if it has nothing new.
pub type Reader<T> = Box<dyn FnMut() -> Result<Option<T>, DeviceError> + Send>;

/// What came from a device so far.
#[derive(Clone, Copy, Debug)]
pub struct Seen<T> {
    /// The last value and when it came.
    pub latest: Option<(T, Instant)>,
    /// Values that came.
    pub values: u32,
    /// Readings that went wrong, and openings.
    pub errors: u32,
}

struct Latest<T> {
    seen: Seen<T>,
    trouble: Option<String>,
}

impl<T> Latest<T> {
    fn note(&mut self, result: Result<Option<T>, DeviceError>, told: &mut Option<String>) {
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
                // A device that is absent for hours is told of once.
                if *told != text {
                    self.trouble = text.clone();
                    *told = text;
                }
            }
        }
    }
}

/// A handle on the thread; dropping it ends the thread at its next look.
pub struct Poller<T> {
    latest: Arc<Mutex<Latest<T>>>,
    ended: Arc<AtomicBool>,
    seen: Seen<T>,
    trouble: Option<String>,
}

impl<T: Copy + Send + 'static> Poller<T> {
    /// Reads what `open` gives every `period`; after an error it is opened again.
    ///
    /// # Errors
    /// If the system gives no thread.
    pub fn start(
        name: &str,
        period: Duration,
        open: impl FnMut() -> Result<Reader<T>, DeviceError> + Send + 'static,
    ) -> std::io::Result<Poller<T>> {
        let seen = Seen { latest: None, values: 0, errors: 0 };
        let latest = Arc::new(Mutex::new(Latest { seen, trouble: None }));
        let ended = Arc::new(AtomicBool::new(false));
        let (theirs, end) = (latest.clone(), ended.clone());
        std::thread::Builder::new().name(name.into()).spawn(move || poll(open, period, &theirs, &end))?;
        Ok(Poller { latest, ended, seen, trouble: None })
    }

    /// What came so far. It never waits: while the thread is writing, this is what was there before.
    pub fn seen(&mut self) -> Seen<T> {
        if let Ok(mut latest) = self.latest.try_lock() {
            self.seen = latest.seen;
            self.trouble = latest.trouble.take().or(self.trouble.take());
        }
        self.seen
    }

    /// What went wrong since this was asked, if anything did.
    pub fn trouble(&mut self) -> Option<String> {
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
        // Nothing under the lock is slow, so whoever reads waits for nobody.
        latest.lock().unwrap_or_else(PoisonError::into_inner).note(result, &mut told);
        std::thread::sleep(wait);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_breaks_is_opened_again_and_told_of() {
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
            trouble = poller.trouble().or(trouble);
            assert!(Instant::now() < deadline, "{:?}", poller.seen());
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(poller.seen().errors, 1);
        assert!(poller.seen().values >= 2);
        assert_eq!(trouble.unwrap(), "bench was closed by its other side");
    }
}
