//! What the console's pages are told, made of what happens: entries of the record and the hub's status go in, events come
//! out. The hub feeds it while a run goes on and a replay feeds it from the record, so both look the same. A plain state
//! machine.

mod clock;
mod history;
mod lines;
mod migration;
mod robots;
mod series;
mod status;
mod trees;
mod world;

pub use clock::Clock;
pub use history::History;
pub use lines::{Noted, level_name};
pub use robots::RobotHistory;
pub use status::{Around, status};
pub use trees::TreeView;
pub use world::world;

use lines::Lines;
use robots::Robots;
use serde::Serialize;
use std::sync::Arc;
use trees::Trees;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::TagSeen;
use xpuck_wire::{Body, Status};

/// Something that pages are told.
#[derive(Clone, Debug)]
pub struct Event {
    /// What kind it is.
    pub name: &'static str,
    /// The robot that it is about, if only those who watch that robot are told.
    pub robot: Option<Arc<str>>,
    /// Number of a line, by which a page that was away says what it has seen.
    pub number: Option<u64>,
    /// When, s of arena time.
    pub time: f64,
    /// Its JSON, of one line.
    pub json: String,
}

impl Event {
    fn new(name: &'static str, time: f64, data: &impl Serialize) -> Event {
        // What is serialised here has no maps with keys that are no text.
        let json = serde_json::to_string(data).unwrap_or_default();
        Event { name, robot: None, number: None, time, json }
    }

    fn about(self, robot: &str) -> Event {
        Event { robot: Some(robot.into()), ..self }
    }

    /// True if a later one of the same kind replaces it: who is slow may miss it.
    pub fn is_passing(&self) -> bool {
        matches!(self.name, "poses" | "status" | "robot" | "tags")
    }
}

/// Where bodies are; see the page's store.
#[derive(Serialize)]
struct Poses<'a> {
    t: f64,
    age: f64,
    n: Vec<&'a str>,
    p: Vec<f32>,
}

/// The tags that a robot's camera sees.
#[derive(Serialize)]
struct Tags<'a> {
    t: f64,
    age: f32,
    doubled: u32,
    tags: &'a [TagSeen],
}

/// What is remembered of what was told.
pub struct Feed {
    clock: Clock,
    lines: Lines,
    robots: Robots,
    trees: Trees,
    /// The run's evolution.
    pub history: History,
    /// The last of each kind that a page begins with.
    pub latest: Latest,
}

/// What a page begins with.
#[derive(Clone, Debug, Default)]
pub struct Latest {
    /// The world.
    pub world: Option<Event>,
    /// How things stand.
    pub status: Option<Event>,
    /// Where everybody is.
    pub poses: Option<Event>,
}

impl Feed {
    /// Nothing happened yet. `robots` are the ids in the order of the swarm file.
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

    /// More robots, at the end: these are all.
    pub fn set_robots(&mut self, ids: &[String]) {
        self.robots.set(ids);
        self.history.set_robots(ids);
    }

    /// The robots in the order of the swarm file.
    pub fn robots(&self) -> &[String] {
        self.robots.ids()
    }

    /// From now on arena time is told as wall time by this clock.
    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = clock;
    }

    /// A run begins: what is known of the evolution of an earlier one is forgotten.
    pub fn run_begins(&mut self) {
        self.history.begin();
        self.robots.begin_run();
        self.trees.begin_run();
    }

    /// Takes what happened. `watched` says whether anybody looks at a robot.
    pub fn take(&mut self, entry: &Entry, watched: impl Fn(&str) -> bool) -> Vec<Event> {
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
        // In a replay several come at once; each has its own time.
        let last = unpacked.last().map_or(0, |update| update.after_us);
        for update in &unpacked {
            let at = time - f64::from(last.saturating_sub(update.after_us)) / 1e6;
            let seen = self.robots.updated(at, robot, &updates.tree, update);
            events.push(Event::new("robot", at, &seen).about(robot));
        }
        events
    }

    /// How things stand. The caller says what is around the run.
    pub fn status(&mut self, told: &Status, around: &Around) -> Event {
        self.history.status(told);
        let event = Event::new("status", told.time, &status(told, around));
        self.latest.status = Some(event.clone());
        event
    }

    /// The world is this one now.
    pub fn world(&mut self, time: f64, world: &impl Serialize) -> Event {
        let event = Event::new("world", time, world);
        self.latest.world = Some(event.clone());
        event
    }

    /// Lines with higher numbers; none if an earlier hub counted that far, as numbers begin anew with each.
    pub fn lines_after(&self, number: u64) -> Option<Vec<Event>> {
        self.lines.after(number)
    }

    /// The last events of the hub.
    pub fn events(&self, count: usize) -> Vec<Noted> {
        self.lines.events(count)
    }

    /// One that knows the same trees and nothing else, for a stretch of the same record.
    pub fn again(&self) -> Feed {
        Feed { trees: self.trees.clone(), ..Feed::new(self.robots.ids(), self.clock) }
    }

    /// The tree that drives a robot, as those who look at it are told.
    pub fn tree_event(&mut self, time: f64, robot: &str) -> Option<Event> {
        let tree = self.tree(robot)?;
        Some(Event::new("tree", time, &*tree).about(robot))
    }

    /// The last so many lines.
    pub fn last_lines(&self, count: usize) -> Vec<Event> {
        self.lines.last(count)
    }

    /// The tree that drives a robot, drawn and explained.
    pub fn tree(&mut self, robot: &str) -> Option<Arc<TreeView>> {
        let hash = self.robots.tree_of(robot)?;
        self.trees.view(robot, &hash)
    }

    /// The last ten minutes of a robot; none if there is no such robot.
    pub fn robot_history(&self, robot: &str) -> Option<&RobotHistory> {
        self.robots.history(robot)
    }

    /// The last lines of a robot's log.
    pub fn robot_log(&self, robot: &str) -> Option<Vec<&xpuck_wire::message::LogLine>> {
        self.robots.log_of(robot)
    }
}

/// Times to a tenth of a millisecond.
pub(super) fn brief_time(time: f64) -> f64 {
    (time * 1e4).round() / 1e4 + 0.0
}
