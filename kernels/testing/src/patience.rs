//! Deadlines of tests that wait for another thread, process or machine.
//!
//! A deadline delays only tests that fail. On a machine that is n times slower than a usual machine, set
//! `XPUCK_SLOWNESS=n`.

use std::time::{Duration, Instant};

/// Environment variable with the slowness of the machine relative to a usual one: a decimal number >= 1 (default: 1).
pub const SLOWNESS: &str = "XPUCK_SLOWNESS";

/// Time limit of one wait on a machine with slowness 1.
const USUAL: Duration = Duration::from_secs(60);

/// Interval between two checks of a condition.
const POLL: Duration = Duration::from_millis(20);

/// Returns the time limit of one wait: 60 s times the slowness of the machine.
///
/// # Panics
/// If [`SLOWNESS`] is set to a text that is not a number >= 1.
pub fn patience() -> Duration {
    scaled(USUAL)
}

/// Multiplies a duration on a usual machine by the slowness of this machine.
///
/// # Panics
/// If [`SLOWNESS`] is set to a text that is not a number >= 1.
pub fn scaled(duration: Duration) -> Duration {
    duration.mul_f64(slowness(std::env::var(SLOWNESS).ok().as_deref()))
}

fn slowness(text: Option<&str>) -> f64 {
    let Some(text) = text else { return 1.0 };
    let factor = text.trim().parse::<f64>().ok().filter(|factor| factor.is_finite() && *factor >= 1.0);
    factor.unwrap_or_else(|| panic!("{SLOWNESS}={text}: not a number >= 1"))
}

/// Waits until `holds` returns true. `what` describes the condition in the failure message.
///
/// # Panics
/// If the condition does not hold within [`patience`].
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    wait_for(what, || holds().then_some(()));
}

/// Waits until `check` returns a value, and returns the value. `what` describes the value in the failure message.
///
/// # Panics
/// If `check` returns no value within [`patience`].
pub fn wait_for<T>(what: &str, check: impl FnMut() -> Option<T>) -> T {
    wait_within(patience(), check, || what.to_string())
}

/// Waits until `check` returns a value, and returns the value. `describe` returns the text of the failure message.
///
/// # Panics
/// If `check` returns no value within `limit`.
pub fn wait_within<T>(limit: Duration, mut check: impl FnMut() -> Option<T>, describe: impl Fn() -> String) -> T {
    let start = Instant::now();
    loop {
        // The time is read before the check. A check that runs past the limit is therefore repeated once.
        let late = start.elapsed() >= limit;
        if let Some(value) = check() {
            return value;
        }
        assert!(!late, "not within {} s: {}", limit.as_secs_f64(), describe());
        std::thread::sleep(POLL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slowness_is_one_by_default_and_read_from_text() {
        assert_eq!([slowness(None), slowness(Some("1")), slowness(Some(" 2.5\n"))], [1.0, 1.0, 2.5]);
    }

    #[test]
    fn slowness_below_one_or_not_a_number_is_rejected() {
        for text in ["", "0.5", "-1", "nan", "inf", "fast"] {
            assert!(std::panic::catch_unwind(|| slowness(Some(text))).is_err(), "{text}");
        }
    }

    #[test]
    fn wait_returns_the_first_value() {
        let mut count = 0;
        let value = wait_for("the third check", || {
            count += 1;
            (count == 3).then_some("here")
        });
        assert_eq!((value, count), ("here", 3));
    }

    #[test]
    fn wait_beyond_its_limit_panics_with_the_description() {
        let wait = || wait_within(Duration::ZERO, || None::<()>, || "the end of time".into());
        let panic = std::panic::catch_unwind(wait).expect_err("no value");
        let text = panic.downcast_ref::<String>().expect("a message");
        assert!(text.contains("the end of time"), "{text}");
    }
}
