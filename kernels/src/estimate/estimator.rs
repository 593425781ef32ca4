//! Evidence of one robot that a parameter differs from its value in the simulator. The evidence is a cumulative sum
//! of log-likelihood ratios for each candidate value (Page 1954, "Continuous inspection schemes"; Lorden 1971 for
//! many candidates).

use super::parameter::{Parameter, WorldModel};
use super::window::{PoseSnapshot, STEPS, Shapes, WheelCommands, Window};
use crate::math::Vec2;
use crate::model::DT;
use crate::world::WorldSpec;
use std::collections::VecDeque;

/// Maximum number of windows in the evidence of a parameter.
const MEMORY: usize = 600;
/// Maximum magnitude of the evidence of one window (nats), so that no single observation is decisive.
const MAX_WINDOW_NATS: f32 = 1.0;
/// Minimum magnitude of the evidence of a window (nats). A window is ignored if no candidate reaches this magnitude.
const MIN_WINDOW_NATS: f32 = 0.02;
/// Deduction from the evidence of each window (nats), which is Page's reference value. Because predictions are
/// approximate, a candidate may gain evidence without a change, but less than this deduction per window. A change
/// yields 0.2 or more. Parameters that are known to have changed are corrected without this deduction.
const DRIFT: f32 = 0.05;
/// Maximum number of stored wheel commands, enough for 6 s.
const COMMANDS: usize = 64;
/// Minimum extent of the robot's positions in the windows with evidence about its own wheels (m). With this minimum, a
/// robot that is held in place does not report weak wheels.
const MIN_EXTENT: f32 = 0.25;
/// Maximum relative deviation of a window's duration from the nominal duration.
const DURATION_TOLERANCE: f64 = 0.3;
/// Fraction of a window after which its motion tail starts. The tail is used to measure the motion at the window's
/// end.
const MOTION_TAIL: f64 = 0.65;

/// Estimate of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Estimated parameter.
    pub parameter: Parameter,
    /// Current value in the robot's simulator.
    pub model: f32,
    /// Estimated value.
    pub value: f32,
    /// Standard deviation of the estimate. It refers to the logarithm for masses and friction, and to the value for
    /// edges (m) and wheels.
    pub sd: f32,
    /// Log-likelihood ratio of the estimate to the simulator's value (nats); 0 without evidence.
    pub evidence: f32,
    /// Number of windows (0.2 s each) in the evidence.
    pub windows: u32,
}

/// Evidence about one parameter.
#[derive(Clone, Debug)]
struct EvidenceTrack {
    parameter: Parameter,
    candidates: Vec<f32>,
    /// Deduction from the evidence of each window (nats): [`DRIFT`], or 0 after a change of the parameter.
    allowance: f32,
    /// Evidence of each stored window for each candidate (nats), and the robot's position at the start of each window.
    gains: VecDeque<Vec<f32>>,
    places: VecDeque<Vec2>,
    /// For each candidate: the cumulative sum of its evidence (nats), and the number of windows in this sum.
    sums: Vec<(f32, usize)>,
}

impl EvidenceTrack {
    fn new(parameter: Parameter, model: &WorldModel, planned: &WorldModel) -> EvidenceTrack {
        let (now, whole) = (model.get(parameter), planned.get(parameter));
        let candidates = parameter.candidates(now, whole);
        let allowance = if now == whole { DRIFT } else { 0.0 };
        let sums = vec![(0.0, 0); candidates.len()];
        EvidenceTrack { parameter, candidates, allowance, gains: VecDeque::new(), places: VecDeque::new(), sums }
    }

    /// Adds the evidence of a window. `now` contains the log-likelihoods of its motion and of its proximity readings
    /// under the current model.
    fn add_window(&mut self, shapes: &Shapes, model: &WorldModel, window: &Window, now: (f32, f32)) {
        let gain = |value: &f32| {
            if !window.tells(shapes, self.parameter, model, *value) {
                return 0.0;
            }
            let other = model.with(self.parameter, *value);
            let motion = window.motion(shapes, &other) - now.0;
            let felt = self.parameter.outward().map_or(0.0, |_| window.proximity(shapes, &other) - now.1);
            (motion + felt).clamp(-MAX_WINDOW_NATS, MAX_WINDOW_NATS)
        };
        let gains: Vec<f32> = self.candidates.iter().map(gain).collect();
        if gains.iter().all(|gain| gain.abs() < MIN_WINDOW_NATS) {
            return;
        }
        for ((sum, count), gain) in self.sums.iter_mut().zip(&gains) {
            let more = *sum + gain - self.allowance;
            (*sum, *count) = if more > 0.0 { (more, (*count + 1).min(MEMORY)) } else { (0.0, 0) };
        }
        if self.gains.len() == MEMORY {
            self.gains.pop_front();
            self.places.pop_front();
        }
        self.gains.push_back(gains);
        self.places.push_back(window.at());
    }

    fn report(&self, model: &WorldModel) -> Report {
        let now = model.get(self.parameter);
        let nothing = Report { parameter: self.parameter, model: now, value: now, sd: 0.0, evidence: 0.0, windows: 0 };
        let best = self.sums.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        let Some((evidence, count)) = best.copied().filter(|(sum, _)| *sum > 0.0) else { return nothing };
        let since = self.gains.len() - count.min(self.gains.len());
        if self.parameter.is_own_body() && self.spread(since) < MIN_EXTENT {
            return nothing;
        }
        // Each candidate is weighted with its posterior probability. The prior is flat, and only windows from the
        // assumed time of the change on are used.
        let mut sums = vec![0.0f32; self.candidates.len()];
        for gains in self.gains.range(since..) {
            sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
        }
        let most = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let total: f32 = weights.iter().sum();
        let even = |value: &f32| self.parameter.scaled(*value);
        let mean = self.candidates.iter().zip(&weights).map(|(v, w)| even(v) * w).sum::<f32>() / total;
        let square = self.candidates.iter().zip(&weights).map(|(v, w)| (even(v) - mean).powi(2) * w).sum::<f32>();
        // Candidates are on a grid. The standard deviation is therefore at least the grid spacing divided by the root
        // of 12.
        let sd = (square / total).sqrt().max(self.parameter.least_sd());
        let value = self.parameter.unscaled(mean);
        Report { value, sd, evidence, windows: count as u32, ..nothing }
    }

    /// Returns the extent of the positions since the given window (m): the larger of the extents along x and y.
    fn spread(&self, since: usize) -> f32 {
        let x = self.places.range(since..).map(|at| at.x);
        let y = self.places.range(since..).map(|at| at.y);
        let range = |values: &mut dyn Iterator<Item = f32>| {
            let (low, high) = values.fold((f32::INFINITY, f32::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            high - low
        };
        range(&mut { x }).max(range(&mut { y }))
    }
}

/// Estimator of all parameters. It compares the commands to a robot's wheels with the observed motion of the robot and
/// of the objects that the robot pushes.
#[derive(Clone, Debug)]
pub struct Estimator {
    shapes: Shapes,
    planned: WorldModel,
    model: WorldModel,
    commands: Vec<(f64, [f32; 2])>,
    /// Three snapshots. The first is shortly before the end of the last window, and the second is at this end. The
    /// third is the latest one before the motion tail of the current window.
    seen: Option<(PoseSnapshot, PoseSnapshot, PoseSnapshot)>,
    tracks: Vec<EvidenceTrack>,
}

impl Estimator {
    /// Creates an estimator for a planned world, without evidence.
    pub fn new(planned: &WorldSpec) -> Estimator {
        let model = WorldModel::from_spec(planned);
        let mut estimator = Estimator {
            shapes: Shapes::from_spec(planned),
            planned: model,
            model,
            commands: Vec::new(),
            seen: None,
            tracks: Vec::new(),
        };
        estimator.forget(!planned.discs.is_empty());
        estimator
    }

    fn forget(&mut self, discs: bool) {
        let of_disc = |p: &Parameter| matches!(p, Parameter::FrisbeeMass | Parameter::FrisbeeFriction);
        let all = Parameter::ALL.into_iter().filter(|parameter| discs || !of_disc(parameter));
        self.tracks = all.map(|parameter| EvidenceTrack::new(parameter, &self.model, &self.planned)).collect();
    }

    /// Returns the world model that the simulator currently uses.
    pub fn model(&self) -> &WorldModel {
        &self.model
    }

    /// Sets a new value in the world model. All evidence is discarded, including the evidence about other parameters.
    pub fn adopt(&mut self, parameter: Parameter, value: f32) {
        self.model.set(parameter, value);
        self.forget(self.tracks.iter().any(|track| track.parameter == Parameter::FrisbeeMass));
    }

    /// Records the commanded speeds of the wheels (m/s) from `time` (s) on.
    pub fn command(&mut self, time: f64, wheels: [f32; 2]) {
        if self.commands.last().is_some_and(|(_, last)| *last == wheels) {
            return;
        }
        if self.commands.len() == COMMANDS {
            self.commands.remove(0);
        }
        self.commands.push((time, wheels));
    }

    /// Processes a snapshot. Each window starts at the end of the previous window. Snapshots within a window only
    /// serve to measure the motion at its end.
    pub fn on_snapshot(&mut self, glimpse: PoseSnapshot) {
        let whole = STEPS as f64 * f64::from(DT);
        let Some((before, from, mid)) = &mut self.seen else {
            self.seen = Some((glimpse.clone(), glimpse.clone(), glimpse));
            return;
        };
        let seconds = glimpse.time - from.time;
        if (0.0..whole * (1.0 - DURATION_TOLERANCE / 4.0)).contains(&seconds) {
            if seconds <= whole * MOTION_TAIL {
                *mid = glimpse;
            }
            return;
        }
        if seconds < 0.0 || seconds > whole * (1.0 + DURATION_TOLERANCE) {
            self.seen = None;
            return;
        }
        let moved =
            (0.5 * MOTION_TAIL * whole..whole * (1.0 + DURATION_TOLERANCE)).contains(&(from.time - before.time));
        if moved
            && let Some(window) =
                Window::new(&self.shapes, [before, from, mid, &glimpse], WheelCommands(&self.commands))
        {
            let (shapes, model) = (&self.shapes, &self.model);
            let now = (window.motion(shapes, model), window.proximity(shapes, model));
            self.tracks.iter_mut().for_each(|track| track.add_window(shapes, model, &window, now));
        }
        let before = if mid.time > from.time { mid.clone() } else { from.clone() };
        self.seen = Some((before, glimpse.clone(), glimpse));
    }

    /// Returns the estimates of all parameters.
    pub fn reports(&self) -> Vec<Report> {
        self.tracks.iter().map(|track| track.report(&self.model)).collect()
    }
}
