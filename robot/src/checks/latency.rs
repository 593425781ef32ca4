//! Measures the timing of the board. A real-time thread wakes 200 times a second at absolute deadlines, like
//! cyclictest, and exchanges a message with the body each time. The bound is a result of the thesis (5.2.1): in
//! several hours, no message exchange at 200 Hz had a latency above 457 us.

use crate::board::processors;
use crate::device::DeviceError;
use crate::device::body::{Body, Drive};
use crate::histogram::Histogram;
use crate::pace::PeriodicTimer;
use serde::Serialize;
use std::time::{Duration, Instant};
use xpuck_wire::priority;

/// Period of the wake-ups, equal to that of the thesis's message exchanges (5.2.1).
pub const PERIOD: Duration = Duration::from_millis(5);
/// Bound of the wake-up latency: the maximum latency in the thesis (5.2.1).
pub const BOUND: Duration = Duration::from_micros(457);
/// Priority of the thread under SCHED_FIFO, above the priorities of the robot's other threads.
const PRIORITY: u8 = 80;

/// Results of the timing measurement.
#[derive(Clone, Debug, Serialize)]
pub struct Latency {
    /// Whether the kernel granted real-time priority to the thread.
    pub realtime: bool,
    /// Processor to which the thread was pinned; `None` if it may run on several processors.
    pub processor: Option<usize>,
    /// Number of wake-ups.
    pub wakes: u64,
    /// Number of deadlines missed by a whole period or more.
    pub missed: u64,
    /// Wake-up latency: median, 99.9 % quantile, maximum (us).
    pub late_us: [u64; 3],
    /// Duration of the exchange with the body: median, 99.9 % quantile, maximum (us); `None` without a body that
    /// answers.
    pub exchange_us: Option<[u64; 3]>,
    /// Number of failed exchanges.
    pub failed: u64,
    /// Bound of the wake-up latency (us).
    pub bar_us: u64,
}

impl Latency {
    /// Returns the maximum wake-up latency.
    pub fn worst(&self) -> Duration {
        Duration::from_micros(self.late_us[2])
    }

    /// Returns whether no deadline was missed, and no wake-up latency exceeded the bound.
    pub fn meets_bound(&self) -> bool {
        self.missed == 0 && self.worst() <= BOUND
    }
}

/// Measures the timing for `length`, with stopped wheels. Calls `told` once a second with the elapsed time (s). Without
/// a body, only the wake-ups are measured.
pub fn measure(
    body: Result<Box<dyn Body>, DeviceError>,
    length: Duration,
    told: &mut (dyn FnMut(u64) + Send),
) -> std::io::Result<Latency> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("latency".into());
        let thread = thread.spawn_scoped(scope, move || wake(body.ok(), length, told))?;
        Ok(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}

fn wake(mut body: Option<Box<dyn Body>>, length: Duration, told: &mut (dyn FnMut(u64) + Send)) -> Latency {
    let realtime = priority::run_first(PRIORITY).is_ok();
    if realtime {
        processors::pin_to_control();
    }
    let processor = processors::pinned_to();
    let (mut exchanges, mut failed, mut wakes, mut seconds) = (Histogram::default(), 0, 0, 0);
    let mut pace = PeriodicTimer::new(PERIOD, PERIOD);
    let begun = Instant::now();
    while begun.elapsed() < length {
        std::thread::sleep(pace.remaining(begun.elapsed()));
        if !pace.poll(begun.elapsed()) {
            continue;
        }
        wakes += 1;
        if let Some(body) = &mut body {
            let before = Instant::now();
            match body.exchange(&Drive::default()) {
                Ok(_) => exchanges.record(before.elapsed()),
                Err(_) => failed += 1,
            }
        }
        if begun.elapsed().as_secs() > seconds {
            seconds = begun.elapsed().as_secs();
            told(seconds);
        }
    }
    let told = |times: &Histogram| [0.5, 0.999, 1.0].map(|part| times.quantile(part).as_micros() as u64);
    Latency {
        realtime,
        processor,
        wakes,
        missed: pace.skipped(),
        late_us: told(pace.lateness()),
        exchange_us: (exchanges.count() > 0).then(|| told(&exchanges)),
        failed,
        bar_us: BOUND.as_micros() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::body::{BodyReadings, Counts};

    /// Simulated body whose tenth exchange takes 20 ms. The field is the number of exchanges.
    struct Slow(u64);

    impl Body for Slow {
        fn exchange(&mut self, _: &Drive) -> Result<BodyReadings, DeviceError> {
            self.0 += 1;
            std::thread::sleep(Duration::from_millis(if self.0 == 10 { 20 } else { 0 }));
            Ok(BodyReadings::default())
        }

        fn period(&self) -> Duration {
            PERIOD
        }

        fn counts(&self) -> Counts {
            Counts::default()
        }
    }

    #[test]
    fn slow_exchange_is_measured_and_misses_deadlines() {
        let mut seconds = Vec::new();
        let found = measure(Ok(Box::new(Slow(0))), Duration::from_millis(1200), &mut |s| seconds.push(s)).unwrap();
        let [_, _, longest] = found.exchange_us.unwrap();
        assert!(longest >= 20_000 && found.missed >= 3, "{found:?}");
        assert!(!found.meets_bound() && (100..=240).contains(&found.wakes), "{found:?}");
        assert_eq!((found.failed, seconds.first()), (0, Some(&1)));
    }

    #[test]
    fn latency_bound_is_that_of_thesis() {
        let good = Latency {
            realtime: true,
            processor: Some(3),
            wakes: 200,
            missed: 0,
            late_us: [10, 100, 457],
            exchange_us: None,
            failed: 0,
            bar_us: 457,
        };
        assert!(good.meets_bound());
        assert!(!Latency { late_us: [10, 100, 458], ..good.clone() }.meets_bound());
        assert!(!Latency { missed: 1, ..good }.meets_bound());
    }
}
