//! Time courses of parameter values simulated by robots, gathered while a record is read.

use std::collections::BTreeMap;

/// Values of a parameter that a robot simulated, over time.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterHistory {
    /// Name of the robot.
    pub robot: String,
    /// Name of the parameter.
    pub parameter: String,
    /// Time (min), and value.
    pub course: Vec<(f64, f64)>,
}

/// Gathers the values reported by robots.
#[derive(Default)]
pub(super) struct Courses(BTreeMap<(String, String), Vec<(f64, f64)>>);

impl Courses {
    /// Records a value that a robot reports to simulate.
    pub fn record(&mut self, minutes: f64, robot: &str, parameter: &str, simulated: f64) {
        let course = self.0.entry((parameter.into(), robot.into())).or_default();
        // While the value is constant, only the time of the last point is updated, so that a course ends with the
        // run.
        match &mut course[..] {
            [.., before, last] if before.1 == simulated && last.1 == simulated => last.0 = minutes,
            _ => course.push((minutes, simulated)),
        }
    }

    pub fn finish(self) -> Vec<ParameterHistory> {
        let held = |((parameter, robot), course)| ParameterHistory { robot, parameter, course };
        self.0.into_iter().map(held).collect()
    }
}
