//! One robot's evidence that a parameter is not what its simulator has: a cumulative sum of log-likelihood ratios for each
//! candidate value (Page 1954, "Continuous inspection schemes"; Lorden 1971 for many candidates).

use super::parameter::{Parameter, WorldModel};
use super::window::{Glimpse, STEPS, Shapes, Told, Window};
use crate::math::Vec2;
use crate::model::DT;
use crate::world::WorldSpec;
use std::collections::VecDeque;

/// Windows that evidence reaches back at most.
const MEMORY: usize = 600;
/// Most that one window may say for or against a candidate, nats: no single moment convinces.
const LOUDEST: f32 = 1.0;
/// A window in which no candidate differs by more than this from the present value says nothing.
const SILENT: f32 = 0.02;
/// Taken from what each window says, nats: predictions are approximate, and in a world that is as simulated they favour
/// some candidate by a little less than this (Page's reference value). A change says 0.2 and more; what is known to have
/// changed is corrected without it.
const ALLOWANCE: f32 = 0.05;
/// Commands to the wheels that are kept: 6 s.
const COMMANDS: usize = 64;
/// Evidence about the robot's own wheels must come from places this far apart, m: a robot that is held is not one that slips.
const SPREAD: f32 = 0.25;
/// A window may be longer or shorter than it should by this part.
const UNEVEN: f64 = 0.3;
/// How everything moves at the end of a window is told by the last part of it: so much is left out, as a part of the window.
const MOVED_FOR: f64 = 0.65;

/// What a robot has to say of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// Which.
    pub parameter: Parameter,
    /// Its value in the robot's simulator.
    pub model: f32,
    /// What it seems to be.
    pub value: f32,
    /// Standard deviation of that: of its logarithm for masses and friction, of itself for edges (m) and wheels.
    pub sd: f32,
    /// How much more likely it makes what was seen than the simulator's, nats; 0 if there is nothing to say.
    pub evidence: f32,
    /// Windows of 0.2 s behind it.
    pub windows: u32,
}

/// Evidence about one parameter.
#[derive(Clone, Debug)]
struct Track {
    parameter: Parameter,
    candidates: Vec<f32>,
    /// Taken from what each window says, nats.
    allowance: f32,
    /// For each window that said something, what it said for each candidate, nats.
    gains: VecDeque<Vec<f32>>,
    places: VecDeque<Vec2>,
    /// For each candidate the greatest sum that ends now, and over how many windows.
    sums: Vec<(f32, usize)>,
}

impl Track {
    fn new(parameter: Parameter, model: &WorldModel, planned: &WorldModel) -> Track {
        let (now, whole) = (model.get(parameter), planned.get(parameter));
        let candidates = parameter.candidates(now, whole);
        let allowance = if now == whole { ALLOWANCE } else { 0.0 };
        let sums = vec![(0.0, 0); candidates.len()];
        Track { parameter, candidates, allowance, gains: VecDeque::new(), places: VecDeque::new(), sums }
    }

    /// Takes a window; `now` is how likely the present model makes its motion and its proximity readings.
    fn take(&mut self, shapes: &Shapes, model: &WorldModel, window: &Window, now: (f32, f32)) {
        let gain = |value: &f32| {
            if !window.tells(shapes, self.parameter, model, *value) {
                return 0.0;
            }
            let other = model.with(self.parameter, *value);
            let motion = window.motion(shapes, &other) - now.0;
            let felt = self.parameter.outward().map_or(0.0, |_| window.proximity(shapes, &other) - now.1);
            (motion + felt).clamp(-LOUDEST, LOUDEST)
        };
        let gains: Vec<f32> = self.candidates.iter().map(gain).collect();
        if gains.iter().all(|gain| gain.abs() < SILENT) {
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
        if self.parameter.own() && self.spread(since) < SPREAD {
            return nothing;
        }
        // The posterior since the change, on a flat prior over the candidates.
        let mut sums = vec![0.0f32; self.candidates.len()];
        for gains in self.gains.range(since..) {
            sums.iter_mut().zip(gains).for_each(|(sum, gain)| *sum += gain);
        }
        let most = sums.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        let weights: Vec<f32> = sums.iter().map(|sum| (sum - most).exp()).collect();
        let total: f32 = weights.iter().sum();
        let even = |value: &f32| self.parameter.even(*value);
        let mean = self.candidates.iter().zip(&weights).map(|(v, w)| even(v) * w).sum::<f32>() / total;
        let square = self.candidates.iter().zip(&weights).map(|(v, w)| (even(v) - mean).powi(2) * w).sum::<f32>();
        // Candidates lie on a grid: no estimate is better than its spacing over root 12.
        let sd = (square / total).sqrt().max(self.parameter.least_sd());
        let value = self.parameter.uneven(mean);
        Report { value, sd, evidence, windows: count as u32, ..nothing }
    }

    /// How far apart the places are that were seen since then, m.
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

/// A robot that compares what its wheels were told with where it went, and what it pushes.
#[derive(Clone, Debug)]
pub struct Estimator {
    shapes: Shapes,
    planned: WorldModel,
    model: WorldModel,
    told: Vec<(f64, [f32; 2])>,
    /// A moment before the last window ended, the moment when it did, and the latest from which the next one can tell
    /// how everything moved.
    seen: Option<(Glimpse, Glimpse, Glimpse)>,
    tracks: Vec<Track>,
}

impl Estimator {
    /// In a world as it was planned; nothing is known to be otherwise.
    pub fn new(planned: &WorldSpec) -> Estimator {
        let model = WorldModel::of(planned);
        let mut estimator = Estimator {
            shapes: Shapes::of(planned),
            planned: model,
            model,
            told: Vec::new(),
            seen: None,
            tracks: Vec::new(),
        };
        estimator.forget(!planned.discs.is_empty());
        estimator
    }

    fn forget(&mut self, discs: bool) {
        let of_disc = |p: &Parameter| matches!(p, Parameter::FrisbeeMass | Parameter::FrisbeeFriction);
        let all = Parameter::ALL.into_iter().filter(|parameter| discs || !of_disc(parameter));
        self.tracks = all.map(|parameter| Track::new(parameter, &self.model, &self.planned)).collect();
    }

    /// The world as it is simulated now.
    pub fn model(&self) -> &WorldModel {
        &self.model
    }

    /// The simulator has another value from now on; evidence against the one before is void, also about other parameters.
    pub fn adopt(&mut self, parameter: Parameter, value: f32) {
        self.model.set(parameter, value);
        self.forget(self.tracks.iter().any(|track| track.parameter == Parameter::FrisbeeMass));
    }

    /// The wheels are told these speeds from `time` on, s and m/s.
    pub fn command(&mut self, time: f64, wheels: [f32; 2]) {
        if self.told.last().is_some_and(|(_, last)| *last == wheels) {
            return;
        }
        if self.told.len() == COMMANDS {
            self.told.remove(0);
        }
        self.told.push((time, wheels));
    }

    /// Poses were so at a moment. Windows begin where the last one ended; what comes within one only tells how everything
    /// moved at its end.
    pub fn see(&mut self, glimpse: Glimpse) {
        let whole = STEPS as f64 * f64::from(DT);
        let Some((before, from, mid)) = &mut self.seen else {
            self.seen = Some((glimpse.clone(), glimpse.clone(), glimpse));
            return;
        };
        let seconds = glimpse.time - from.time;
        if (0.0..whole * (1.0 - UNEVEN / 4.0)).contains(&seconds) {
            if seconds <= whole * MOVED_FOR {
                *mid = glimpse;
            }
            return;
        }
        if seconds < 0.0 || seconds > whole * (1.0 + UNEVEN) {
            self.seen = None;
            return;
        }
        let moved = (0.5 * MOVED_FOR * whole..whole * (1.0 + UNEVEN)).contains(&(from.time - before.time));
        if moved && let Some(window) = Window::new(&self.shapes, [before, from, mid, &glimpse], Told(&self.told)) {
            let (shapes, model) = (&self.shapes, &self.model);
            let now = (window.motion(shapes, model), window.proximity(shapes, model));
            self.tracks.iter_mut().for_each(|track| track.take(shapes, model, &window, now));
        }
        let before = if mid.time > from.time { mid.clone() } else { from.clone() };
        self.seen = Some((before, glimpse.clone(), glimpse));
    }

    /// What there is to say of each parameter.
    pub fn reports(&self) -> Vec<Report> {
        self.tracks.iter().map(|track| track.report(&self.model)).collect()
    }
}
