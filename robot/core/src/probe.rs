//! The reality probe: what the robot notices while it works, and the world that it simulates because of it (thesis 9.2.1).

use std::collections::BTreeSet;
use std::sync::Arc;
use xpuck_kernels::estimate::{Council, Estimator, Glimpse, Mate, Parameter, Report, WorldModel};
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::{Pose, WorldSpec};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Estimate, Poses, Told};

/// What the robot notices.
#[derive(Clone, Debug, PartialEq)]
pub enum Noticed {
    /// Where everybody was.
    Poses(Glimpse),
    /// What its wheels are told, left and right, m/s, from a time on, s.
    Wheels(f64, [f32; 2]),
    /// What others found out, and when that came, s.
    Told(f64, Vec<Told>),
}

impl Noticed {
    /// What motion capture told at `now`, with what the proximity sensors read; none if it makes no sense.
    pub fn poses(now: f64, poses: &Poses, proximity: Option<[f32; 8]>) -> Option<Noticed> {
        if !poses.is_sound() || !proximity.iter().flatten().all(|reading| reading.is_finite()) {
            return None;
        }
        let pose = |[x, y, heading]: [f32; 3]| Pose { at: vec2(x, y), heading };
        let mate = |(island, at, wheels): &(u16, [f32; 3], [f32; 2])| Mate {
            island: *island,
            pose: pose(*at),
            wheels: *wheels,
        };
        let mates = poses.mates.iter().map(mate).collect();
        let (me, disc) = (pose(poses.me), poses.disc.map(pose));
        Some(Noticed::Poses(Glimpse { time: now - poses.age, me, disc, mates, proximity }))
    }
}

/// What a robot found out by the end of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// What there is to say of each parameter.
    pub estimates: Vec<Estimate>,
    /// Part of its speed that each of the robot's own wheels drives, left and right.
    pub wheels: [f32; 2],
}

/// What the robot changes because of what it found out.
#[derive(Debug)]
pub struct Change {
    /// The world of its trials from now on; none if only its own body is another than it thought.
    pub world: Option<Arc<WorldSpec>>,
    /// For the log.
    pub line: Line,
}

/// Compares what happens with what the simulator has happen.
#[derive(Debug)]
pub struct Probe {
    planned: Arc<WorldSpec>,
    estimator: Estimator,
    council: Council,
    robots: usize,
    now: f64,
    /// Parameters whose estimates make no world that can be run; said once.
    impossible: BTreeSet<Parameter>,
}

impl Probe {
    /// In a world as it was planned.
    pub fn new(planned: Arc<WorldSpec>) -> Probe {
        Probe {
            estimator: Estimator::new(&planned),
            robots: planned.robots,
            planned,
            council: Council::default(),
            now: 0.0,
            impossible: BTreeSet::new(),
        }
    }

    /// Takes what the robot noticed.
    pub fn take(&mut self, noticed: Noticed) {
        match noticed {
            Noticed::Poses(glimpse) => {
                self.now = self.now.max(glimpse.time);
                self.estimator.see(glimpse);
            }
            Noticed::Wheels(time, wheels) => self.estimator.command(time, wheels),
            Noticed::Told(now, told) => {
                for Told { island, age, estimates } in told {
                    let reports = estimates.iter().filter_map(report).collect();
                    self.council.hear(now - age.max(0.0), island, reports);
                }
            }
        }
    }

    /// Another phase: what was found out about the world holds in the phase's world too.
    pub fn replan(&mut self, planned: Arc<WorldSpec>) -> Arc<WorldSpec> {
        let before = WorldModel::of(&self.planned);
        let changed: Vec<(Parameter, f32)> = Parameter::ALL
            .into_iter()
            .map(|parameter| (parameter, self.estimator.model().get(parameter)))
            .filter(|(parameter, value)| before.get(*parameter) != *value)
            .collect();
        self.planned = planned;
        self.estimator = Estimator::new(&self.planned);
        changed.into_iter().for_each(|(parameter, value)| self.estimator.adopt(parameter, value));
        match self.estimator.model().apply(&self.planned) {
            Ok(world) => Arc::new(world),
            Err(_) => {
                self.estimator = Estimator::new(&self.planned);
                self.planned.clone()
            }
        }
    }

    /// Changes what the robot simulates, if enough speaks for it.
    pub fn decide(&mut self) -> Option<Change> {
        let (parameter, value) = self.council.verdict(self.now, &self.estimator.reports(), self.robots)?;
        let before = self.estimator.model().get(parameter);
        let name = parameter.name();
        let mut model = *self.estimator.model();
        model.set(parameter, value);
        match model.apply(&self.planned) {
            Ok(world) => {
                self.estimator.adopt(parameter, value);
                self.council.change(self.now, parameter);
                let whose = if parameter.own() { "this robot's own" } else { "the world's" };
                let line = Line::info(format!(
                    "the world is not as it is simulated: {whose} {name} is {value:.3}, not {before:.3}; it is simulated so \
                     from now on"
                ));
                Some(Change { world: (!parameter.own()).then(|| Arc::new(world)), line })
            }
            Err(why) => self.impossible.insert(parameter).then(|| Change {
                world: None,
                line: Line::warn(format!("{name} seems to be {value:.3}, and such a world cannot be simulated: {why}")),
            }),
        }
    }

    /// What there is to tell.
    pub fn found(&self) -> Found {
        let estimates = self.estimator.reports().iter().map(estimate).collect();
        Found { estimates, wheels: self.estimator.model().wheels() }
    }
}

fn estimate(report: &Report) -> Estimate {
    Estimate {
        parameter: report.parameter.name().into(),
        simulated: report.model,
        value: report.value,
        sd: report.sd,
        evidence: report.evidence,
        windows: report.windows,
    }
}

/// What another robot said, as evidence; none of what is not known here or makes no sense.
fn report(estimate: &Estimate) -> Option<Report> {
    let parameter = Parameter::named(&estimate.parameter).filter(|_| estimate.is_sound())?;
    let Estimate { simulated, value, sd, evidence, windows, .. } = *estimate;
    // A deviation of nothing would outweigh everybody else's.
    let sd = sd.max(parameter.least_sd());
    let possible = parameter.possible(simulated) && parameter.possible(value);
    possible.then_some(Report { parameter, model: simulated, value, sd, evidence: evidence.min(LOUDEST), windows })
}

/// Most evidence that another robot's report counts for, nats: no robot outvotes the others alone.
const LOUDEST: f32 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(island: u16, parameter: &str, value: f32) -> Told {
        let estimate =
            Estimate { parameter: parameter.into(), simulated: 0.07, value, sd: 0.05, evidence: 20.0, windows: 50 };
        Told { island, age: 1.0, estimates: vec![estimate] }
    }

    fn probe() -> Probe {
        Probe::new(Arc::new(WorldSpec::benchmark(9)))
    }

    #[test]
    fn what_three_robots_found_changes_what_a_fourth_simulates() {
        let mut probe = probe();
        probe.take(Noticed::Told(5.0, vec![told(2, "frisbee-mass", 0.27), told(3, "frisbee-mass", 0.29)]));
        assert!(probe.decide().is_none(), "two are not enough");
        probe.take(Noticed::Told(6.0, vec![told(4, "frisbee-mass", 0.28)]));
        let change = probe.decide().unwrap();
        let mass = change.world.unwrap().discs[0].shape.mass;
        assert!((mass - 0.28).abs() < 0.01, "{mass}");
        assert!(change.line.text.contains("frisbee-mass is 0.28"), "{}", change.line.text);
        assert!(probe.decide().is_none());
        let next = probe.replan(Arc::new(WorldSpec::benchmark(4)));
        assert!((next.discs[0].shape.mass - mass).abs() < 1e-6 && next.robots == 4);
    }

    #[test]
    fn liars_and_nonsense_change_nothing() {
        let mut probe = probe();
        let mut lie = told(2, "frisbee-mass", 9.0);
        (lie.estimates[0].evidence, lie.estimates[0].sd) = (1e6, 0.0);
        let strange = told(3, "gravity", 0.3);
        let nan = told(4, "frisbee-mass", f32::NAN);
        let wheel = told(5, "left-wheel", 0.5);
        let negative = told(6, "left-edge", -3.0);
        probe.take(Noticed::Told(5.0, vec![lie, strange, nan, wheel, negative]));
        assert!(probe.decide().is_none());
        assert_eq!(probe.found().wheels, [1.0; 2]);
        assert!(Noticed::poses(1.0, &Poses { me: [f32::NAN; 3], ..Poses::default() }, None).is_none());
        assert!(Noticed::poses(1.0, &Poses::default(), Some([f32::NAN; 8])).is_none());
        assert!(Noticed::poses(1.0, &Poses::default(), Some([0.5; 8])).is_some());
    }
}
