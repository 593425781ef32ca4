//! Time courses of the world parameters with which robots simulated, gathered while a record is read.

use std::collections::BTreeMap;

/// Time course of a parameter's value in a robot's simulator.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterHistory {
    /// Name of the robot.
    pub robot: String,
    /// Name of the parameter.
    pub parameter: String,
    /// Points of the course: time (min) and value.
    pub course: Vec<(f64, f64)>,
}

/// Gathers the parameter values that robots report, by parameter and robot.
#[derive(Default)]
pub(super) struct Courses(BTreeMap<(String, String), Vec<(f64, f64)>>);

impl Courses {
    /// Records the value `simulated` of a parameter in a robot's simulator, at a time (min).
    pub fn record(&mut self, minutes: f64, robot: &str, parameter: &str, simulated: f64) {
        let course = self.0.entry((parameter.into(), robot.into())).or_default();
        // While the value is constant, only the time of the last point is updated. A course thus ends at the end of
        // the run.
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
