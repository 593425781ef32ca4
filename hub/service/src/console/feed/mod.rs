//! Events for the console's pages. The feed converts entries of the record and statuses of the hub into events.
//! During a run, the hub supplies the entries. In a replay, the entries come from the record. Pages therefore show a
//! run and its replay in the same way. The feed is a plain state machine without input or output.

mod clock;
mod history;
mod lines;
mod migration;
mod robots;
mod series;
mod status;
mod trees;

pub use clock::Clock;
pub use history::History;
pub use lines::{HubEvent, level_name};
pub use robots::RobotHistory;
pub use status::{StatusContext, status};
pub use trees::TreeView;

use lines::Lines;
use robots::Robots;
use serde::Serialize;
use std::sync::Arc;
use trees::Trees;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::TagSeen;
use xpuck_wire::{Body, Status};

/// Event for pages.
#[derive(Clone, Debug)]
pub struct Event {
    /// Kind of the event.
    pub name: &'static str,
    /// Robot whose watchers receive the event; `None` if all pages receive it.
    pub robot: Option<Arc<str>>,
    /// Number of the log line in this event; `None` for other events. A reconnecting page sends the number of the
    /// last line that it received.
    pub number: Option<u64>,
    /// Arena time (s).
    pub time: f64,
    /// Data of the event as JSON, in one line.
    pub json: String,
}

impl Event {
    fn new(name: &'static str, time: f64, data: &impl Serialize) -> Event {
        // Serialisation cannot fail, because all keys of serialised maps are text.
        let json = serde_json::to_string(data).unwrap_or_default();
        Event { name, robot: None, number: None, time, json }
    }

    fn about(self, robot: &str) -> Event {
        Event { robot: Some(robot.into()), ..self }
    }

    /// Returns whether a later event of the same kind replaces this event. Slow pages may miss such events.
    pub fn is_passing(&self) -> bool {
        matches!(self.name, "poses" | "status" | "robot" | "tags")
    }
}

/// Poses of all bodies. The page's store defines the meaning of the fields.
#[derive(Serialize)]
struct Poses<'a> {
    t: f64,
    age: f64,
    n: Vec<&'a str>,
    p: Vec<f32>,
}

/// Tags that a robot's camera detects.
#[derive(Serialize)]
struct Tags<'a> {
    t: f64,
    age: f32,
    doubled: u32,
    tags: &'a [TagSeen],
}

/// State from which events for pages are created.
pub struct Feed {
    clock: Clock,
    lines: Lines,
    robots: Robots,
    trees: Trees,
    /// History of the run's evolution.
    pub history: History,
    /// Latest events, which a new page receives first.
    pub latest: Latest,
}

/// Latest events, which a new page receives first; `None` before the first event of a kind.
#[derive(Clone, Debug, Default)]
pub struct Latest {
    /// Latest event with the world.
    pub world: Option<Event>,
    /// Latest event with the hub's status.
    pub status: Option<Event>,
    /// Latest event with the poses.
    pub poses: Option<Event>,
}

impl Feed {
    /// Creates an empty feed. `robots` are the ids of the robots in the order of the swarm file.
    pub fn new(robots: &[String], clock: Clock) -> Feed {
        Feed {
            clock,
            lines: Lines::default(),
            robots: Robots::new(robots),
            trees: Trees::default(),
            history: History::new(robots),
            latest: Latest::default(),
        }
    }

    /// Adds robots. `ids` are the ids of all robots, including those added before.
    pub fn set_robots(&mut self, ids: &[String]) {
        self.robots.set(ids);
        self.history.set_robots(ids);
    }

    /// Returns the ids of the robots in the order of the swarm file.
    pub fn robots(&self) -> &[String] {
        self.robots.ids()
    }

    /// Sets the clock that converts arena time to wall time.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// Starts a run. Clears the evolution and the trees of the previous run.
    pub fn run_begins(&mut self) {
        self.history.begin();
        self.robots.begin_run();
        self.trees.begin_run();
    }

    /// Processes an entry, and returns its events. `watched` returns whether any page shows the robot with this id in
    /// detail.
    pub fn on_entry(&mut self, entry: &Entry, watched: impl Fn(&str) -> bool) -> Vec<Event> {
        match entry {
            Entry::Poses { time, bodies } => vec![self.poses(*time, bodies)],
            Entry::Telemetry { time, robot, round_trip_ms, telemetry } => {
                let mut events = Vec::new();
                if let Some(done) = self.history.telemetry(*time, robot, telemetry) {
                    events.push(Event::new("generation", *time, &done));
                }
                self.robots.telemetry(*time, robot, *round_trip_ms, telemetry);
                if watched(robot) {
                    events.extend(
                        self.robots.at_rest(*time, robot).map(|seen| Event::new("robot", *time, &seen).about(robot)),
                    );
                }
                events
            }
            Entry::Updates { time, robot, updates } => self.updates(*time, robot, updates, watched(robot)),
            Entry::Loaded { robot, segment, gene, .. } => {
                self.trees.loaded(robot, *segment, gene);
                Vec::new()
            }
            Entry::Genes { robot, emigrant, .. } => {
                self.history.fittest(robot, emigrant);
                Vec::new()
            }
            Entry::Population { time, robot, population, from } => {
                self.history.population(*time, robot, population, from);
                Vec::new()
            }
            Entry::Run { time, phase, run_seconds, segments, evolved, .. } => {
                self.history.run(*time, *phase, *run_seconds, *evolved, segments);
                Vec::new()
            }
            Entry::Event { time, text, level, who } => {
                vec![self.lines.event(*time, self.clock.unix_ms(*time), *level, who, text)]
            }
            Entry::Log { time, robot, line } => {
                self.robots.log(robot, line);
                vec![self.lines.add(*time, self.clock.unix_ms(*time), line.level, robot, &line.text)]
            }
            Entry::Tags { time, robot, age, doubled, tags, .. } if watched(robot) => {
                let seen = Tags { t: brief_time(*time), age: *age, doubled: *doubled, tags };
                vec![Event::new("tags", *time, &seen).about(robot)]
            }
            Entry::Estimates { time, robot, estimates } => {
                let found = self.history.estimates(*time, robot, estimates);
                found.iter().map(|found| Event::new("estimates", *time, found).about(robot)).collect()
            }
            Entry::Samples { .. } | Entry::Sensors { .. } | Entry::Tags { .. } => Vec::new(),
        }
    }

    fn poses(&mut self, time: f64, bodies: &[Body]) -> Event {
        let n = bodies.iter().map(|body| body.name.as_str()).collect();
        let places = [4, 4, 3];
        let brief = |body: &Body| {
            let value = |i: usize| xpuck_wire::telemetry::rounded(body.pose[i], places[i]);
            [value(0), value(1), value(2)]
        };
        let p = bodies.iter().flat_map(brief).collect();
        let event = Event::new("poses", time, &Poses { t: brief_time(time), age: 0.0, n, p });
        self.latest.poses = Some(event.clone());
        event
    }

    fn updates(&mut self, time: f64, robot: &str, updates: &xpuck_wire::updates::Updates, watched: bool) -> Vec<Event> {
        self.trees.learn(updates);
        self.robots.tree(robot, &updates.tree);
        if !watched {
            return Vec::new();
        }
        let Ok(unpacked) = updates.unpack() else { return Vec::new() };
        let mut events = Vec::new();
        if self.robots.shows_new_tree(robot) {
            events.extend(self.tree_event(time, robot));
        }
        // In a replay, the updates of a batch arrive together, but each event gets the time of its update.
        let last = unpacked.last().map_or(0, |update| update.after_us);
        for update in &unpacked {
            let at = time - f64::from(last.saturating_sub(update.after_us)) / 1e6;
            let seen = self.robots.updated(at, robot, &updates.tree, update);
            events.push(Event::new("robot", at, &seen).about(robot));
        }
        events
    }

    /// Processes a status of the hub, and returns the event with the status. `around` contains values that the status
    /// lacks.
    pub fn status(&mut self, told: &Status, around: &StatusContext) -> Event {
        self.history.status(told);
        let event = Event::new("status", told.time, &status(told, around));
        self.latest.status = Some(event.clone());
        event
    }

    /// Stores the current world, and returns its event.
    pub fn world(&mut self, time: f64, world: &impl Serialize) -> Event {
        let event = Event::new("world", time, world);
        self.latest.world = Some(event.clone());
        event
    }

    /// Returns the stored lines with numbers above `number`. Returns `None` if this hub has not used the number yet.
    /// The number then comes from an earlier hub, because each hub numbers its lines from 1.
    pub fn lines_after(&self, number: u64) -> Option<Vec<Event>> {
        self.lines.after(number)
    }

    /// Returns the last `count` events of the hub, the oldest first.
    pub fn events(&self, count: usize) -> Vec<HubEvent> {
        self.lines.events(count)
    }

    /// Creates a feed that has the same trees but is otherwise empty. It is used for an interval of the same record.
    pub fn with_same_trees(&self) -> Feed {
        Feed { trees: self.trees.clone(), ..Feed::new(self.robots.ids(), self.clock) }
    }

    /// Returns the tree that drives a robot as an event for the robot's watchers. Returns `None` if the tree is
    /// unknown.
    pub fn tree_event(&mut self, time: f64, robot: &str) -> Option<Event> {
        let tree = self.tree(robot)?;
        Some(Event::new("tree", time, &*tree).about(robot))
    }

    /// Returns the last `count` lines, the oldest first.
    pub fn last_lines(&self, count: usize) -> Vec<Event> {
        self.lines.last(count)
    }

    /// Returns the tree that drives a robot, with its drawing and explanation. Returns `None` if the tree is unknown.
    pub fn tree(&mut self, robot: &str) -> Option<Arc<TreeView>> {
        let hash = self.robots.tree_of(robot)?;
        self.trees.view(robot, &hash)
    }

    /// Returns the history of a robot, which covers the last ten minutes; `None` for an unknown robot.
    pub fn robot_history(&self, robot: &str) -> Option<&RobotHistory> {
        self.robots.history(robot)
    }

    /// Returns the most recent lines of a robot's log; `None` for an unknown robot.
    pub fn robot_log(&self, robot: &str) -> Option<Vec<&xpuck_wire::message::LogLine>> {
        self.robots.log_of(robot)
    }
}

/// Rounds a time to a tenth of a millisecond.
pub(super) fn brief_time(time: f64) -> f64 {
    (time * 1e4).round() / 1e4 + 0.0
}
