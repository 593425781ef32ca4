//! State that outlives this hub: the run's state and the count of STOPs. The answer to STOP, PAUSE or HOLD reports whether a hub
//! that restarts knows of the order.

use super::Switchboard;
use xpuck_wire::message::{Order, Request};

/// Result of a write to the disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kept {
    /// How the run stands: number of the last directive in it, or the greatest number if no state is left.
    State(Result<u64, String>),
    /// Count of STOPs.
    Stops(Result<u64, String>),
}

/// State that is known to be on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct Keeping {
    /// No state on the disk knows less than this directive.
    directive: u64,
    stops: u64,
    state_refused: Option<String>,
    stops_refused: Option<String>,
    /// A record is there that takes states and says what becomes of them.
    recording: bool,
    /// When a state was handed over of which nothing is known yet, s.
    asked: Option<f64>,
}

/// A disk that has not answered for so long hangs, s of wall time.
const HANGS: f64 = 3.0;

impl Keeping {
    /// Why something is not kept, if something is not.
    pub(super) fn refused(&self) -> Option<String> {
        self.state_refused.as_ref().or(self.stops_refused.as_ref()).cloned()
    }
}

/// An order to stand, of which a hub that restarts is to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stand {
    directive: u64,
    /// The count of STOPs with it, if it is one.
    stops: Option<u64>,
    /// The robot that it is for; none for all.
    robot: Option<usize>,
}

impl Stand {
    /// Name of the command for which a hub that restarts waits, if robots alone remember this order.
    pub fn continued_by(&self) -> &'static str {
        if self.stops.is_some() { "START" } else { "RESUME" }
    }
}

/// How well an order to stand is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Memory {
    /// On the hub's disk.
    Disk,
    /// Only by robots; the disk refuses, and why, or is not ready.
    Robots(Option<String>),
    /// Nowhere, so far; the disk refuses, and why, or is not ready.
    Nowhere(Option<String>),
}

/// Robots that a request orders to stand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whom {
    /// All, and the run is over.
    Stop,
    /// All.
    Pause,
    /// The robot of this id.
    One(String),
}

impl Whom {
    /// Nobody for requests that have nobody stand.
    pub fn of(request: &Request) -> Option<Whom> {
        match request {
            Request::Stop => Some(Whom::Stop),
            Request::Pause => Some(Whom::Pause),
            Request::Order { robot, order: Order::Hold | Order::Pause } => Some(Whom::One(robot.clone())),
            _ => None,
        }
    }
}

impl Switchboard {
    /// The order to stand that was just given. None for one robot without a run: nobody drives then who is not told to later.
    pub fn stand_of(&self, whom: &Whom) -> Option<Stand> {
        let directive = self.directive.0;
        match whom {
            Whom::Stop => Some(Stand { directive, stops: Some(self.stops), robot: None }),
            Whom::Pause => Some(Stand { directive, stops: None, robot: None }),
            Whom::One(id) => self.run.as_ref().map(|_| Stand { directive, stops: None, robot: self.roster.place(id) }),
        }
    }

    /// How well it is kept now.
    pub fn memory_of(&self, stand: &Stand) -> Memory {
        let Keeping { directive, stops, state_refused, stops_refused, .. } = &self.keeping;
        if *directive >= stand.directive || stand.stops.is_some_and(|count| *stops >= count) {
            return Memory::Disk;
        }
        let concerned = |place: usize| stand.robot.is_none_or(|robot| robot == place);
        let mut there = self.roster.robots.iter().enumerate().filter(|(place, r)| r.alive() && concerned(*place));
        let robots = there.clone().next().is_some() && there.all(|(_, r)| r.kept >= stand.directive);
        // A STOP has two ways to the disk.
        let refused = match (stand.stops, state_refused, stops_refused) {
            (Some(_), state, Some(why)) if state.is_some() || self.run.is_none() => Some(why),
            (None, Some(why), _) => Some(why),
            _ => None,
        };
        if robots { Memory::Robots(refused.cloned()) } else { Memory::Nowhere(refused.cloned()) }
    }

    /// A state is handed to the disk.
    pub(super) fn state_handed_over(&mut self, now: f64) {
        self.keeping.asked = self.keeping.asked.or(self.keeping.recording.then_some(now));
    }

    /// Why something is not kept that a hub that restarts has to know; empty if all is.
    pub(super) fn not_kept(&self, now: f64) -> String {
        let waits = self.keeping.asked.map_or(0.0, |at| (now - at) / self.config.swarm.speed);
        let hangs = waits > HANGS && !self.record.starts_with("NOT RECORDING");
        let hangs = hangs.then(|| format!("the disk has not answered for {waits:.0} s"));
        self.keeping.refused().or(hangs).unwrap_or_default()
    }

    /// Takes what the disk said.
    pub fn on_kept(&mut self, now: f64, kept: Kept) {
        let keeping = &mut self.keeping;
        if matches!(kept, Kept::State(_)) {
            keeping.asked = None;
        }
        let (known, news, what) = match kept {
            Kept::State(Ok(directive)) => {
                keeping.directive = directive;
                (&mut keeping.state_refused, None, "")
            }
            Kept::Stops(Ok(stops)) => {
                keeping.stops = stops;
                (&mut keeping.stops_refused, None, "")
            }
            Kept::State(Err(why)) => {
                (&mut keeping.state_refused, Some(why), "a hub that returns cannot go on with this run")
            }
            Kept::Stops(Err(why)) => (&mut keeping.stops_refused, Some(why), "the count of STOPs is not kept"),
        };
        let before = std::mem::replace(known, news.clone());
        match (before, news) {
            (before, Some(why)) if before.as_ref() != Some(&why) => self.warn(now, format!("{what}: {why}")),
            (Some(_), None) => self.note(now, "the disk keeps what this hub has to remember again".into()),
            _ => {}
        }
    }

    /// Raises the count of STOPs to one that is known from earlier.
    pub fn set_stops(&mut self, stops: u64) {
        self.stops = self.stops.max(stops);
        self.keeping.stops = self.keeping.stops.max(stops);
    }

    /// A record begins, on whose disk nothing is yet; without one there is no state that could be too old.
    pub fn record_begins(&mut self, recording: bool) {
        self.keeping.directive = if recording { 0 } else { u64::MAX };
        (self.keeping.state_refused, self.keeping.asked, self.keeping.recording) = (None, None, recording);
    }

    /// The record of a run that is over is closed: nobody says any more what became of its last state.
    pub fn record_closes(&mut self) {
        (self.keeping.recording, self.keeping.asked) = (false, None);
    }
}
