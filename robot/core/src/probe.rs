//! Reality probe, which compares observations with the simulation and adapts the simulated world (thesis 9.2.1).

use std::collections::BTreeSet;
use std::sync::Arc;
use xpuck_kernels::estimate::{Consensus, Estimator, NeighbourState, Parameter, PoseSnapshot, Report, WorldModel};
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::{Pose, WorldSpec};
use xpuck_wire::log::Line;
use xpuck_wire::message::{Estimate, PeerEstimates, Poses};

/// Observation for the reality probe.
#[derive(Clone, Debug, PartialEq)]
pub enum Observation {
    /// Poses of the robots and the disc.
    Poses(PoseSnapshot),
    /// Time of a wheel command (s), and the commanded speeds, left and right (m/s).
    Wheels(f64, [f32; 2]),
    /// Time of reception (s), and the estimates received from other robots.
    Peers(f64, Vec<PeerEstimates>),
}

impl Observation {
    /// Returns the observation that combines motion capture poses received at `now` (s) with the proximity readings.
    /// Returns `None` if a value is invalid.
    pub fn poses(now: f64, poses: &Poses, proximity: Option<[f32; 8]>) -> Option<Observation> {
        if !poses.is_sound() || !proximity.iter().flatten().all(|reading| reading.is_finite()) {
            return None;
        }
        let pose = |[x, y, heading]: [f32; 3]| Pose { at: vec2(x, y), heading };
        let mate = |(island, at, wheels): &(u16, [f32; 3], [f32; 2])| NeighbourState {
            island: *island,
            pose: pose(*at),
            wheels: *wheels,
        };
        let mates = poses.mates.iter().map(mate).collect();
        let (me, disc) = (pose(poses.me), poses.disc.map(pose));
        Some(Observation::Poses(PoseSnapshot { time: now - poses.age, me, disc, mates, proximity }))
    }
}

/// Results of the probe at the end of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct ProbeResult {
    /// Estimates of the parameters of the world.
    pub estimates: Vec<Estimate>,
    /// Speed factors of the robot's left and right wheel.
    pub wheels: [f32; 2],
}

/// Change of the simulated world.
#[derive(Debug)]
pub struct Change {
    /// New world of the trials; `None` if the simulated world does not change.
    pub world: Option<Arc<WorldSpec>>,
    /// Line for the log.
    pub line: Line,
}

/// Probe that compares reality with the simulation.
#[derive(Debug)]
pub struct Probe {
    planned: Arc<WorldSpec>,
    estimator: Estimator,
    council: Consensus,
    robots: usize,
    now: f64,
    /// Parameters whose estimates yield an invalid world. Each of them is logged once.
    impossible: BTreeSet<Parameter>,
}

impl Probe {
    /// Creates a probe for the world that the experiment plans.
    pub fn new(planned: Arc<WorldSpec>) -> Probe {
        Probe {
            estimator: Estimator::new(&planned),
            robots: planned.robots,
            planned,
            council: Consensus::default(),
            now: 0.0,
            impossible: BTreeSet::new(),
        }
    }

    /// Records an observation.
    pub fn on_observation(&mut self, noticed: Observation) {
        match noticed {
            Observation::Poses(glimpse) => {
                self.now = self.now.max(glimpse.time);
                self.estimator.on_snapshot(glimpse);
            }
            Observation::Wheels(time, wheels) => self.estimator.command(time, wheels),
            Observation::Peers(now, told) => {
                for PeerEstimates { island, age, estimates } in told {
                    let reports = estimates.iter().filter_map(report).collect();
                    self.council.hear(now - age.max(0.0), island, reports);
                }
            }
        }
    }

    /// Enters another phase with the world `planned`. Returns this world with all changes that the probe has made so
    /// far.
    pub fn replan(&mut self, planned: Arc<WorldSpec>) -> Arc<WorldSpec> {
        let before = WorldModel::from_spec(&self.planned);
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

    /// Changes one parameter of the simulated world if there is enough evidence. Returns the change, or a warning if
    /// the changed world would be invalid.
    pub fn decide(&mut self) -> Option<Change> {
        let (parameter, value) = self.council.decide(self.now, &self.estimator.reports(), self.robots)?;
        let before = self.estimator.model().get(parameter);
        let name = parameter.name();
        let mut model = *self.estimator.model();
        model.set(parameter, value);
        match model.apply(&self.planned) {
            Ok(world) => {
                self.estimator.adopt(parameter, value);
                self.council.change(self.now, parameter);
                let whose = if parameter.is_own_body() { "this robot's own" } else { "the world's" };
                let line =
                    Line::info(format!("simulated world updated: {whose} {name} is {value:.3}, was {before:.3}"));
                Some(Change { world: (!parameter.is_own_body()).then(|| Arc::new(world)), line })
            }
            Err(why) => self.impossible.insert(parameter).then(|| Change {
                world: None,
                line: Line::warn(format!(
                    "the estimate of {name} is {value:.3}, but a world with this value cannot be simulated: {why}"
                )),
            }),
        }
    }

    /// Returns the current results.
    pub fn found(&self) -> ProbeResult {
        let estimates = self.estimator.reports().iter().map(estimate).collect();
        ProbeResult { estimates, wheels: self.estimator.model().wheels() }
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

/// Converts another robot's estimate to evidence. Returns `None` for an unknown parameter and for invalid values.
fn report(estimate: &Estimate) -> Option<Report> {
    let parameter = Parameter::from_name(&estimate.parameter).filter(|_| estimate.is_sound())?;
    let Estimate { simulated, value, sd, evidence, windows, .. } = *estimate;
    // A standard deviation of 0 would outweigh all other reports.
    let sd = sd.max(parameter.least_sd());
    let possible = parameter.is_plausible(simulated) && parameter.is_plausible(value);
    possible.then_some(Report { parameter, model: simulated, value, sd, evidence: evidence.min(MAX_EVIDENCE), windows })
}

/// Maximum evidence of another robot's report (nats). It prevents a single robot from outvoting all others.
const MAX_EVIDENCE: f32 = 40.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn peer_estimates(island: u16, parameter: &str, value: f32) -> PeerEstimates {
        let estimate =
            Estimate { parameter: parameter.into(), simulated: 0.07, value, sd: 0.05, evidence: 20.0, windows: 50 };
        PeerEstimates { island, age: 1.0, estimates: vec![estimate] }
    }

    fn probe() -> Probe {
        Probe::new(Arc::new(WorldSpec::benchmark(9)))
    }

    #[test]
    fn estimates_of_three_robots_change_world_of_fourth() {
        let mut probe = probe();
        probe.on_observation(Observation::Peers(
            5.0,
            vec![peer_estimates(2, "frisbee-mass", 0.27), peer_estimates(3, "frisbee-mass", 0.29)],
        ));
        assert!(probe.decide().is_none(), "two are not enough");
        probe.on_observation(Observation::Peers(6.0, vec![peer_estimates(4, "frisbee-mass", 0.28)]));
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
        let mut lie = peer_estimates(2, "frisbee-mass", 9.0);
        (lie.estimates[0].evidence, lie.estimates[0].sd) = (1e6, 0.0);
        let strange = peer_estimates(3, "gravity", 0.3);
        let nan = peer_estimates(4, "frisbee-mass", f32::NAN);
        let wheel = peer_estimates(5, "left-wheel", 0.5);
        let negative = peer_estimates(6, "left-edge", -3.0);
        probe.on_observation(Observation::Peers(5.0, vec![lie, strange, nan, wheel, negative]));
        assert!(probe.decide().is_none());
        assert_eq!(probe.found().wheels, [1.0; 2]);
        assert!(Observation::poses(1.0, &Poses { me: [f32::NAN; 3], ..Poses::default() }, None).is_none());
        assert!(Observation::poses(1.0, &Poses::default(), Some([f32::NAN; 8])).is_none());
        assert!(Observation::poses(1.0, &Poses::default(), Some([0.5; 8])).is_some());
    }
}
