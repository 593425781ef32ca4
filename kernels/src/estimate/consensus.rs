//! Consensus on a common world model among robots that exchange their reports.

use super::estimator::Report;
use super::parameter::Parameter;
use std::collections::BTreeMap;

/// Maximum age at which reports of other robots are used (s).
pub const FRESH_S: f64 = 60.0;
/// Minimum evidence for a report to count as a vote (nats), and minimum total evidence of the votes for a change
/// (nats).
const MIN_VOTE_NATS: f32 = 3.0;
const MIN_TOTAL_NATS: f32 = 24.0;
/// Minimum evidence for a robot to change a parameter of its own body (nats).
const MIN_OWN_NATS: f32 = 20.0;
/// Time after a robot's own change during which it does not revert to the value of the majority (s).
const SETTLED_S: f64 = 30.0;
/// Maximum value of the required number of votes. In small swarms, a third of the robots is required.
const QUORUM: usize = 3;
/// Maximum deviation of a vote from the median, in standard deviations of the vote.
const CONSISTENT: f32 = 3.0;

/// Reports that a robot has received from the other robots, and the state of its own changes.
#[derive(Clone, Debug, Default)]
pub struct Consensus {
    heard: BTreeMap<u16, (f64, Vec<Report>)>,
    /// Time of this robot's last change of each parameter (s). For a while, a change is not reverted to the
    /// majority's value, because other robots cannot know of it yet.
    changed: BTreeMap<Parameter, f64>,
}

impl Consensus {
    /// Stores the reports of another robot. `now` is the current time (s).
    pub fn hear(&mut self, now: f64, island: u16, reports: Vec<Report>) {
        self.heard.insert(island, (now, reports));
    }

    /// Records that this robot simulates a new value of a parameter from time `now` (s) on.
    pub fn change(&mut self, now: f64, parameter: Parameter) {
        self.changed.insert(parameter, now);
    }

    /// Returns the change that this robot should make in its simulator now: the parameter with the strongest
    /// evidence, and its new value. `robots` is the size of the swarm. Returns `None` if no change has sufficient
    /// evidence.
    pub fn decide(&self, now: f64, own: &[Report], robots: usize) -> Option<(Parameter, f32)> {
        let alone = best_report(own).filter(|report| report.parameter.is_own_body() && report.evidence >= MIN_OWN_NATS);
        let mut found: Option<(f32, Parameter, f32)> = None;
        for report in own {
            let parameter = report.parameter;
            let reason = if parameter.is_own_body() {
                alone.filter(|alone| alone.parameter == parameter).map(|report| (report.evidence, report.value))
            } else {
                self.majority_value(now, report).or_else(|| self.vote_result(now, (own, parameter), robots))
            };
            if let Some((evidence, value)) = reason
                && !parameter.is_close(value, report.model, self.changed.contains_key(&parameter))
                && found.is_none_or(|(most, ..)| evidence > most)
            {
                found = Some((evidence, parameter, value));
            }
        }
        found.map(|(_, parameter, value)| (parameter, value))
    }

    /// Returns the recent reports of the other robots.
    fn others(&self, now: f64) -> impl Iterator<Item = &[Report]> {
        self.heard.values().filter(move |(at, _)| now - at <= FRESH_S).map(|(_, reports)| &reports[..])
    }

    /// Returns infinite evidence and the value that the majority of the other robots simulates. Returns `None` if there
    /// is no majority, if its value is close to this robot's value, or if this robot changed the parameter recently.
    fn majority_value(&self, now: f64, own: &Report) -> Option<(f32, f32)> {
        let parameter = own.parameter;
        if self.changed.get(&parameter).is_some_and(|at| now - at <= SETTLED_S) {
            return None;
        }
        let mut models: Vec<f32> =
            self.others(now).filter_map(|reports| Some(find_report(reports, parameter)?.model)).collect();
        models.sort_by(f32::total_cmp);
        let middle = *models.get(models.len() / 2)?;
        let held = models.iter().filter(|model| parameter.is_close(**model, middle, true)).count();
        (held * 2 > models.len() + 1 && !parameter.is_close(middle, own.model, true)).then_some((f32::INFINITY, middle))
    }

    /// Returns the evidence and the value on which enough robots agree; `None` without an agreement. Only votes of
    /// robots that simulate the same world are counted, because another world leads to wrong estimates. For example,
    /// the floor may seem slippery to a robot that does not know of a heavy frisbee yet.
    fn vote_result(&self, now: f64, (own, parameter): (&[Report], Parameter), robots: usize) -> Option<(f32, f32)> {
        let others = self.others(now).filter(|reports| same_world(reports, own));
        let said = others.chain([own]).filter_map(best_report);
        let mut votes: Vec<&Report> =
            said.filter(|report| report.parameter == parameter && report.evidence >= MIN_VOTE_NATS).collect();
        votes.sort_by(|a, b| a.value.total_cmp(&b.value));
        let middle = parameter.scaled(votes.get(votes.len() / 2)?.value);
        let near = |report: &&Report| (parameter.scaled(report.value) - middle).abs() <= CONSISTENT * report.sd;
        votes.retain(near);
        let evidence: f32 = votes.iter().map(|report| report.evidence).sum();
        if votes.len() < robots.div_ceil(3).min(QUORUM) || evidence < MIN_TOTAL_NATS {
            return None;
        }
        let weight = |report: &Report| report.sd.powi(-2);
        let total: f32 = votes.iter().map(|report| weight(report)).sum();
        let mean = votes.iter().map(|report| parameter.scaled(report.value) * weight(report)).sum::<f32>() / total;
        Some((evidence, parameter.unscaled(mean)))
    }
}

/// Returns a robot's report of a parameter.
fn find_report(reports: &[Report], parameter: Parameter) -> Option<&Report> {
    reports.iter().find(|report| report.parameter == parameter)
}

/// Returns the report of the parameter that best explains a robot's observations. Other parameters explain a part of
/// the same observations, so each robot votes for only one parameter.
fn best_report(reports: &[Report]) -> Option<&Report> {
    reports.iter().reduce(|best, report| if report.evidence > best.evidence { report } else { best })
}

/// Returns true if two robots simulate the same world, according to their reports.
fn same_world(reports: &[Report], own: &[Report]) -> bool {
    own.iter().filter(|report| !report.parameter.is_own_body()).all(|report| {
        find_report(reports, report.parameter)
            .is_none_or(|other| report.parameter.same_world(other.model, report.model))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASS: Parameter = Parameter::FrisbeeMass;
    const FLOOR: Parameter = Parameter::RobotFriction;

    /// Returns the reports of a robot that simulates frisbees with mass `model`. `mass` and `floor` are the evidence
    /// for a heavier frisbee and for a slippery floor.
    fn reports(model: f32, mass: f32, floor: f32) -> Vec<Report> {
        let report =
            |parameter, model, value, evidence| Report { parameter, model, value, sd: 0.05, evidence, windows: 50 };
        vec![report(MASS, model, 0.28, mass), report(FLOOR, 0.5, 0.35, floor)]
    }

    fn consensus(others: &[Vec<Report>]) -> Consensus {
        let mut council = Consensus::default();
        others.iter().enumerate().for_each(|(i, reports)| council.hear(1.0, i as u16 + 2, reports.clone()));
        council
    }

    #[test]
    fn votes_best_explanation_among_equal_models() {
        let heavy = || reports(0.07, 20.0, 15.0);
        let council_of_heavy = consensus(&[heavy(), heavy()]);
        assert_eq!(council_of_heavy.decide(1.0, &heavy(), 9).unwrap().0, MASS);
        let floor = || reports(0.28, 0.0, 15.0);
        assert_eq!(consensus(&[floor(), floor()]).decide(1.0, &floor(), 9).unwrap().0, FLOOR);
        // This robot knows of the heavy frisbee. It ignores reports on the floor from robots that do not know of the
        // frisbee.
        let unaware = || reports(0.07, 10.0, 15.0);
        let mut first = consensus(&[unaware(), unaware()]);
        first.change(0.5, MASS);
        assert_eq!(first.decide(1.0, &floor(), 9), None);
    }

    #[test]
    fn own_wheel_slip_suppresses_world_votes() {
        let slips = |evidence| {
            let mut own = reports(0.07, 18.0, 0.0);
            own.push(Report { parameter: Parameter::LeftWheel, model: 1.0, value: 0.7, evidence, ..own[0] });
            own
        };
        let heavy = consensus(&[reports(0.07, 11.0, 0.0), reports(0.07, 11.0, 0.0)]);
        assert_eq!(heavy.decide(1.0, &slips(0.0), 9).unwrap().0, MASS);
        assert_eq!(heavy.decide(1.0, &slips(19.0), 9), None);
        assert_eq!(heavy.decide(1.0, &slips(25.0), 9).unwrap().0, Parameter::LeftWheel);
    }

    #[test]
    fn sole_change_reverts_to_majority() {
        let mut council = consensus(&vec![reports(0.28, 0.0, 0.0); 8]);
        council.change(0.0, MASS);
        let alone = reports(0.1, 0.0, 0.0);
        assert_eq!(council.decide(20.0, &alone, 9), None);
        assert_eq!(council.decide(40.0, &alone, 9), Some((MASS, 0.28)));
        let behind = reports(0.245, 0.0, 0.0);
        council.hear(1.0, 9, behind.clone());
        assert_eq!(council.decide(40.0, &behind, 9), Some((MASS, 0.28)), "two that miss the others' correction follow");
        let near = reports(0.275, 0.0, 0.0);
        assert_eq!(council.decide(40.0, &near, 9), None);
    }
}
