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
        let mut found: Option<(f32, Parameter, f32)> = None;
        for report in own {
            let parameter = report.parameter;
            let reason = if parameter.own() {
                (report.evidence >= ALONE).then_some((report.evidence, report.value))
            } else {
                self.caught_up(now, report).or_else(|| self.voted(now, report, robots))
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

    fn others(&self, now: f64, parameter: Parameter) -> impl Iterator<Item = &Report> {
        let fresh = self.heard.values().filter(move |(at, _)| now - at <= FRESH_S);
        fresh.flat_map(move |(_, reports)| reports.iter().filter(move |report| report.parameter == parameter))
    }

    /// Most others simulate another world than this robot: theirs.
    fn caught_up(&self, now: f64, own: &Report) -> Option<(f32, f32)> {
        let parameter = own.parameter;
        if self.changed.get(&parameter).is_some_and(|at| now - at <= FRESH_S) {
            return None;
        }
        let mut models: Vec<f32> = self.others(now, parameter).map(|report| report.model).collect();
        models.sort_by(f32::total_cmp);
        let other = models.iter().filter(|model| !parameter.alike(**model, own.model)).count();
        let middle = *models.get(models.len() / 2)?;
        (other * 2 > models.len() + 1 && !parameter.alike(middle, own.model)).then_some((f32::INFINITY, middle))
    }

    /// Enough robots have seen alike that the world is another.
    fn voted(&self, now: f64, own: &Report, robots: usize) -> Option<(f32, f32)> {
        let parameter = own.parameter;
        let others = self.others(now, parameter).filter(|report| parameter.alike(report.model, own.model));
        let mut votes: Vec<&Report> = others.chain([own]).filter(|report| report.evidence >= VOTE).collect();
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
