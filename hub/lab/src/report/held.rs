//! The values that robots simulated, gathered while a record is read.

use std::collections::BTreeMap;

/// From when on a robot simulated a value of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct Held {
    /// The robot.
    pub robot: String,
    /// The parameter.
    pub parameter: String,
    /// When, minutes of the run, and what.
    pub course: Vec<(f64, f64)>,
}

/// Gathers what robots tell.
#[derive(Default)]
pub(super) struct Courses(BTreeMap<(String, String), Vec<(f64, f64)>>);

impl Courses {
    /// A robot tells that it simulates a value.
    pub fn take(&mut self, minutes: f64, robot: &str, parameter: &str, simulated: f64) {
        let course = self.0.entry((parameter.into(), robot.into())).or_default();
        // The last point goes with the time as long as nothing changes, so that a course ends where the run did.
        match &mut course[..] {
            [.., before, last] if before.1 == simulated && last.1 == simulated => last.0 = minutes,
            _ => course.push((minutes, simulated)),
        }
    }

    pub fn finish(self) -> Vec<Held> {
        let held = |((parameter, robot), course)| Held { robot, parameter, course };
        self.0.into_iter().map(held).collect()
    }
}
