//! Log lines for pages: the hub's events and the robots' logs. Lines are numbered, so that reconnecting pages can
//! resume.

use super::{Event, brief_time};
use serde::Serialize;
use std::collections::VecDeque;
use xpuck_wire::message::Severity;

/// Maximum number of stored lines.
const KEPT: usize = 1000;

/// Log line in the format for pages.
#[derive(Serialize)]
pub struct Line<'a> {
    /// Number of the line, from 1.
    pub seq: u64,
    /// Arena time (s).
    pub t: f64,
    /// Wall time (ms since 1970).
    pub unix_ms: u64,
    /// Severity.
    pub level: &'static str,
    /// Source of the line: a robot, an operator, or the hub.
    pub who: &'a str,
    /// Text.
    pub text: &'a str,
}

/// Event of the hub.
#[derive(Clone, Debug, Serialize)]
pub struct HubEvent {
    /// Arena time (s).
    pub t: f64,
    /// Operator who caused the event; empty for events of the hub itself.
    pub who: String,
    /// Text.
    pub text: String,
}

/// Store of the most recent lines.
#[derive(Debug, Default)]
pub struct Lines {
    kept: VecDeque<Event>,
    /// Most recent events of the hub, which do not include lines of robots' logs.
    events: VecDeque<HubEvent>,
    count: u64,
}

/// Returns the name of a severity, as used by the page.
pub fn level_name(level: Severity) -> &'static str {
    match level {
        Severity::Error => "error",
        Severity::Warn => "warn",
        Severity::Info => "info",
        Severity::Debug => "debug",
    }
}

impl Lines {
    /// Adds a line, and returns it as an event for pages.
    pub fn add(&mut self, time: f64, unix_ms: u64, level: Severity, who: &str, text: &str) -> Event {
        self.count += 1;
        let line = Line { seq: self.count, t: brief_time(time), unix_ms, level: level_name(level), who, text };
        let event = Event { number: Some(self.count), ..Event::new("line", time, &line) };
        if self.kept.len() == KEPT {
            self.kept.pop_front();
        }
        self.kept.push_back(event.clone());
        event
    }

    /// Adds an event of the hub, and returns its line as an event for pages.
    pub fn event(&mut self, time: f64, unix_ms: u64, level: Severity, who: &str, text: &str) -> Event {
        if self.events.len() == KEPT {
            self.events.pop_front();
        }
        self.events.push_back(HubEvent { t: brief_time(time), who: who.into(), text: text.into() });
        self.add(time, unix_ms, level, if who.is_empty() { "hub" } else { who }, text)
    }

    /// Returns the stored lines with numbers above `number`. Returns `None` if no line has had this number yet.
    pub fn after(&self, number: u64) -> Option<Vec<Event>> {
        let later = || self.kept.iter().filter(|event| event.number > Some(number)).cloned().collect();
        (number <= self.count).then(later)
    }

    /// Returns the last `count` events of the hub, the oldest first.
    pub fn events(&self, count: usize) -> Vec<HubEvent> {
        self.events.iter().skip(self.events.len().saturating_sub(count)).cloned().collect()
    }

    /// Returns the last `count` lines, the oldest first.
    pub fn last(&self, count: usize) -> Vec<Event> {
        self.kept.iter().skip(self.kept.len().saturating_sub(count)).cloned().collect()
    }
}
