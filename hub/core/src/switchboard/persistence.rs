//! State that the next hub needs: the run's state and the count of STOPs. The reply to STOP, PAUSE or HOLD reports
//! whether a restarted hub would know the order.

use super::Switchboard;
use xpuck_wire::message::{Order, Request};

/// Result of writing state to the disk, or the reason why it failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorageResult {
    /// Result for the run's state: number of the last directive in the stored state. The number is `u64::MAX` if the
    /// disk contains no state of the run, so that no state is outdated.
    State(Result<u64, String>),
    /// Result for the count of STOPs: the stored count.
    Stops(Result<u64, String>),
}

/// State that is known to be stored on the disk.
#[derive(Clone, Debug, Default)]
pub(super) struct DurableState {
    /// Number of a directive. Every state on the disk includes this directive or a later one.
    directive: u64,
    stops: u64,
    state_refused: Option<String>,
    stops_refused: Option<String>,
    /// Whether a record is open. Only an open record stores states and reports the results.
    recording: bool,
    /// Time at which the first state after the last result was passed to the disk (s); `None` if there is no such
    /// state.
    asked: Option<f64>,
}

/// Time without a result after which the disk counts as hanging (s of wall time).
const HANGS: f64 = 3.0;

impl DurableState {
    /// Returns the reason why the run's state is not stored, or otherwise the reason why the count of STOPs is not
    /// stored. Returns `None` if both are stored.
    pub(super) fn refused(&self) -> Option<String> {
        self.state_refused.as_ref().or(self.stops_refused.as_ref()).cloned()
    }
}

/// Order to stand still, which a restarted hub must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StopOrder {
    directive: u64,
    /// For a STOP: count of STOPs, including this one. Otherwise `None`.
    stops: Option<u64>,
    /// Index of the robot that received the order; `None` for all robots.
    robot: Option<usize>,
}

impl StopOrder {
    /// Returns the command that ends the wait of a restarted hub if only the robots have stored this order.
    pub fn continued_by(&self) -> &'static str {
        if self.stops.is_some() { "START" } else { "RESUME" }
    }
}

/// Durability of an order to stand still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The order is stored on the hub's disk.
    Disk,
    /// Only robots have stored the order. The text is the reason why the disk failed, or `None` if it has not
    /// answered yet.
    Robots(Option<String>),
    /// The order is not stored yet. The text is the reason why the disk failed, or `None` if it has not answered yet.
    Nowhere(Option<String>),
}

/// Robots that must stand still because of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// All robots, at the end of the run.
    Stop,
    /// All robots, during a pause of the run.
    Pause,
    /// The robot with this id.
    One(String),
}

impl Target {
    /// Returns the robots that must stand still, or `None` if the request does not order robots to stand still.
    pub fn from_request(request: &Request) -> Option<Target> {
        match request {
            Request::Stop => Some(Target::Stop),
            Request::Pause => Some(Target::Pause),
            Request::Order { robot, order: Order::Hold | Order::Pause } => Some(Target::One(robot.clone())),
            _ => None,
        }
    }
}

impl Switchboard {
    /// Returns the order to stand still that was just given to `whom`. Returns `None` for an order to a single robot if
    /// there is no run, because robots then do not drive without a later order.
    pub fn stand_of(&self, whom: &Target) -> Option<StopOrder> {
        let directive = self.directive.0;
        match whom {
            Target::Stop => Some(StopOrder { directive, stops: Some(self.stops), robot: None }),
            Target::Pause => Some(StopOrder { directive, stops: None, robot: None }),
            Target::One(id) => {
                self.run.as_ref().map(|_| StopOrder { directive, stops: None, robot: self.roster.place(id) })
            }
        }
    }

    /// Returns the current durability of an order.
    pub fn memory_of(&self, stand: &StopOrder) -> Durability {
        let DurableState { directive, stops, state_refused, stops_refused, .. } = &self.keeping;
        if *directive >= stand.directive || stand.stops.is_some_and(|count| *stops >= count) {
            return Durability::Disk;
        }
        let concerned = |place: usize| stand.robot.is_none_or(|robot| robot == place);
        let mut there = self.roster.robots.iter().enumerate().filter(|(place, r)| r.alive() && concerned(*place));
        let robots = there.clone().next().is_some() && there.all(|(_, r)| r.kept >= stand.directive);
        // A STOP is stored both in the run's state and in the count of STOPs. It is lost only if both writes fail.
        // Without a run, only the count is written.
        let refused = match (stand.stops, state_refused, stops_refused) {
            (Some(_), state, Some(why)) if state.is_some() || self.run.is_none() => Some(why),
            (None, Some(why), _) => Some(why),
            _ => None,
        };
        if robots { Durability::Robots(refused.cloned()) } else { Durability::Nowhere(refused.cloned()) }
    }

    /// Records that a state was passed to the disk at `now` (s).
    pub(super) fn state_handed_over(&mut self, now: f64) {
        self.keeping.asked = self.keeping.asked.or(self.keeping.recording.then_some(now));
    }

    /// Returns the reason why the run's state or the count of STOPs is not stored. The text is empty if no failure is
    /// known.
    pub(super) fn not_kept(&self, now: f64) -> String {
        let waits = self.keeping.asked.map_or(0.0, |at| (now - at) / self.config.swarm.speed);
        let hangs = waits > HANGS && !self.record.starts_with("NOT RECORDING");
        let hangs = hangs.then(|| format!("the disk has not answered for {waits:.0} s"));
        self.keeping.refused().or(hangs).unwrap_or_default()
    }

    /// Handles a result from the disk, and reports failures and recoveries.
    pub fn on_kept(&mut self, now: f64, kept: StorageResult) {
        let keeping = &mut self.keeping;
        if matches!(kept, StorageResult::State(_)) {
            keeping.asked = None;
        }
        let (known, news, what) = match kept {
            StorageResult::State(Ok(directive)) => {
                keeping.directive = directive;
                (&mut keeping.state_refused, None, "")
            }
            StorageResult::Stops(Ok(stops)) => {
                keeping.stops = stops;
                (&mut keeping.stops_refused, None, "")
            }
            StorageResult::State(Err(why)) => {
                (&mut keeping.state_refused, Some(why), "a restarted hub cannot resume this run")
            }
            StorageResult::Stops(Err(why)) => {
                (&mut keeping.stops_refused, Some(why), "the count of STOPs is not stored")
            }
        };
        let before = std::mem::replace(known, news.clone());
        match (before, news) {
            (before, Some(why)) if before.as_ref() != Some(&why) => self.warn(now, format!("{what}: {why}")),
            (Some(_), None) => self.note(now, "the disk stores the state of this hub again".into()),
            _ => {}
        }
    }

    /// Raises the count of STOPs to `stops`, which is the count stored by an earlier hub.
    pub fn set_stops(&mut self, stops: u64) {
        self.stops = self.stops.max(stops);
        self.keeping.stops = self.keeping.stops.max(stops);
    }

    /// Prepares for a new record, for which the disk contains no state yet. If `recording` is false, every order counts
    /// as stored, because the disk cannot contain an outdated state of a run that is not recorded.
    pub fn record_begins(&mut self, recording: bool) {
        self.keeping.directive = if recording { 0 } else { u64::MAX };
        (self.keeping.state_refused, self.keeping.asked, self.keeping.recording) = (None, None, recording);
    }

    /// Stops waiting for results, because a closed record does not report results.
    pub fn record_closes(&mut self) {
        (self.keeping.recording, self.keeping.asked) = (false, None);
    }
}
