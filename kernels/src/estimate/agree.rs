//! How robots that tell each other their reports come to one world.

use super::estimator::Report;
use super::parameter::Parameter;
use std::collections::BTreeMap;

/// Reports older than this are not counted, s.
pub const FRESH_S: f64 = 60.0;
/// Evidence that makes a report a vote, and how much all votes need together, nats.
const VOTE: f32 = 3.0;
const TOGETHER: f32 = 24.0;
/// Evidence that a robot needs to change what only it has, nats.
const ALONE: f32 = 20.0;
/// After a change of its own a robot is not brought back to what most others simulate for so long, s.
const SETTLED_S: f64 = 30.0;
/// Most voters that a change needs, however large the swarm is.
const QUORUM: usize = 3;
/// Standard deviations by which votes may be off the middle one.
const CONSISTENT: f32 = 3.0;

/// What a robot knows of everybody's reports.
#[derive(Clone, Debug, Default)]
pub struct Council {
    heard: BTreeMap<u16, (f64, Vec<Report>)>,
    /// When this robot changed a parameter last: what it found out is not undone because others have yet to hear of it.
    changed: BTreeMap<Parameter, f64>,
}

impl Council {
    /// Another robot's reports came, s.
    pub fn hear(&mut self, now: f64, island: u16, reports: Vec<Report>) {
        self.heard.insert(island, (now, reports));
    }

    /// This robot simulates another value of a parameter from now on, s.
    pub fn change(&mut self, now: f64, parameter: Parameter) {
        self.changed.insert(parameter, now);
    }

    /// What this robot should change in its simulator now: the first parameter for which there is reason, and its value.
    /// `robots` is how many the swarm has.
    pub fn verdict(&self, now: f64, own: &[Report], robots: usize) -> Option<(Parameter, f32)> {
        let alone = says(own).filter(|report| report.parameter.own() && report.evidence >= ALONE);
        let mut found: Option<(f32, Parameter, f32)> = None;
        for report in own {
            let parameter = report.parameter;
            let reason = if parameter.own() {
                alone.filter(|alone| alone.parameter == parameter).map(|report| (report.evidence, report.value))
            } else {
                self.caught_up(now, report).or_else(|| self.voted(now, (own, parameter), robots))
            };
            if let Some((evidence, value)) = reason
                && !parameter.as_good(value, report.model, self.changed.contains_key(&parameter))
                && found.is_none_or(|(most, ..)| evidence > most)
            {
                found = Some((evidence, parameter, value));
            }
        }
        found.map(|(_, parameter, value)| (parameter, value))
    }

    /// What every other robot reported lately.
    fn others(&self, now: f64) -> impl Iterator<Item = &[Report]> {
        self.heard.values().filter(move |(at, _)| now - at <= FRESH_S).map(|(_, reports)| &reports[..])
    }

    /// Most others simulate another world than this robot: theirs.
    fn caught_up(&self, now: f64, own: &Report) -> Option<(f32, f32)> {
        let parameter = own.parameter;
        if self.changed.get(&parameter).is_some_and(|at| now - at <= SETTLED_S) {
            return None;
        }
        let mut models: Vec<f32> = self.others(now).filter_map(|reports| Some(of(reports, parameter)?.model)).collect();
        models.sort_by(f32::total_cmp);
        let middle = *models.get(models.len() / 2)?;
        let held = models.iter().filter(|model| parameter.as_good(**model, middle, true)).count();
        (held * 2 > models.len() + 1 && !parameter.as_good(middle, own.model, true)).then_some((f32::INFINITY, middle))
    }

    /// Enough robots have seen alike that the world is another. Only what robots saw that simulate the same world adds up:
    /// to one that does not know of a heavy frisbee yet, the floor may seem slippery.
    fn voted(&self, now: f64, (own, parameter): (&[Report], Parameter), robots: usize) -> Option<(f32, f32)> {
        let others = self.others(now).filter(|reports| same_world(reports, own));
        let said = others.chain([own]).filter_map(says);
        let mut votes: Vec<&Report> =
            said.filter(|report| report.parameter == parameter && report.evidence >= VOTE).collect();
        votes.sort_by(|a, b| a.value.total_cmp(&b.value));
        let middle = parameter.even(votes.get(votes.len() / 2)?.value);
        let near = |report: &&Report| (parameter.even(report.value) - middle).abs() <= CONSISTENT * report.sd;
        votes.retain(near);
        let evidence: f32 = votes.iter().map(|report| report.evidence).sum();
        if votes.len() < robots.div_ceil(3).min(QUORUM) || evidence < TOGETHER {
            return None;
        }
        let weight = |report: &Report| report.sd.powi(-2);
        let total: f32 = votes.iter().map(|report| weight(report)).sum();
        let mean = votes.iter().map(|report| parameter.even(report.value) * weight(report)).sum::<f32>() / total;
        Some((evidence, parameter.uneven(mean)))
    }
}

/// A robot's report of a parameter.
fn of(reports: &[Report], parameter: Parameter) -> Option<&Report> {
    reports.iter().find(|report| report.parameter == parameter)
}

/// The parameter that explains best what a robot saw. The others explain in part what that one does in whole, so that a
/// robot speaks for one only.
fn says(reports: &[Report]) -> Option<&Report> {
    reports.iter().reduce(|best, report| if report.evidence > best.evidence { report } else { best })
}

/// True if two robots simulate the same world, as far as both say.
fn same_world(reports: &[Report], own: &[Report]) -> bool {
    own.iter().filter(|report| !report.parameter.own()).all(|report| {
        of(reports, report.parameter).is_none_or(|other| report.parameter.alike(other.model, report.model))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASS: Parameter = Parameter::FrisbeeMass;
    const FLOOR: Parameter = Parameter::RobotFriction;

    /// Reports of a robot that simulates frisbees of this mass.
    fn reports(model: f32, mass: f32, floor: f32) -> Vec<Report> {
        let report =
            |parameter, model, value, evidence| Report { parameter, model, value, sd: 0.05, evidence, windows: 50 };
        vec![report(MASS, model, 0.28, mass), report(FLOOR, 0.5, 0.35, floor)]
    }

    fn council(others: &[Vec<Report>]) -> Council {
        let mut council = Council::default();
        others.iter().enumerate().for_each(|(i, reports)| council.hear(1.0, i as u16 + 2, reports.clone()));
        council
    }

    #[test]
    fn a_robot_speaks_for_what_explains_best_and_only_to_those_of_its_world() {
        let heavy = || reports(0.07, 20.0, 15.0);
        let council_of_heavy = council(&[heavy(), heavy()]);
        assert_eq!(council_of_heavy.verdict(1.0, &heavy(), 9).unwrap().0, MASS);
        let floor = || reports(0.28, 0.0, 15.0);
        assert_eq!(council(&[floor(), floor()]).verdict(1.0, &floor(), 9).unwrap().0, FLOOR);
        // The floor of those that do not know of the heavy frisbee is no evidence for one that does.
        let unaware = || reports(0.07, 10.0, 15.0);
        let mut first = council(&[unaware(), unaware()]);
        first.change(0.5, MASS);
        assert_eq!(first.verdict(1.0, &floor(), 9), None);
    }

    #[test]
    fn a_robot_whose_own_wheel_explains_more_does_not_accuse_the_world() {
        let slips = |evidence| {
            let mut own = reports(0.07, 18.0, 0.0);
            own.push(Report { parameter: Parameter::LeftWheel, model: 1.0, value: 0.7, evidence, ..own[0] });
            own
        };
        let heavy = council(&[reports(0.07, 11.0, 0.0), reports(0.07, 11.0, 0.0)]);
        assert_eq!(heavy.verdict(1.0, &slips(0.0), 9).unwrap().0, MASS);
        assert_eq!(heavy.verdict(1.0, &slips(19.0), 9), None);
        assert_eq!(heavy.verdict(1.0, &slips(25.0), 9).unwrap().0, Parameter::LeftWheel);
    }

    #[test]
    fn a_robot_that_is_alone_with_what_it_changed_comes_back() {
        let mut council = council(&vec![reports(0.28, 0.0, 0.0); 8]);
        council.change(0.0, MASS);
        let alone = reports(0.1, 0.0, 0.0);
        assert_eq!(council.verdict(20.0, &alone, 9), None);
        assert_eq!(council.verdict(40.0, &alone, 9), Some((MASS, 0.28)));
        let behind = reports(0.245, 0.0, 0.0);
        council.hear(1.0, 9, behind.clone());
        assert_eq!(
            council.verdict(40.0, &behind, 9),
            Some((MASS, 0.28)),
            "two that miss the others' correction follow"
        );
        let near = reports(0.275, 0.0, 0.0);
        assert_eq!(council.verdict(40.0, &near, 9), None);
    }
}
