//! Lines of what happened: the hub's events and the robots' logs, numbered for pages that were away.

use super::{Event, brief_time};
use serde::Serialize;
use std::collections::VecDeque;
use xpuck_wire::message::Severity;

/// Lines that are kept.
const KEPT: usize = 1000;

/// One line.
#[derive(Serialize)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub seq: u64,
    /// When, s of arena time.
    pub t: f64,
    /// When, ms since 1970.
    pub unix_ms: u64,
    /// How much it matters.
    pub level: &'static str,
    /// Who did or said it.
    pub who: &'a str,
    /// What.
    pub text: &'a str,
}

/// An event of the hub.
#[derive(Clone, Debug, Serialize)]
pub struct Noted {
    /// When, s of arena time.
    pub t: f64,
    /// The operator who did or said it; empty if it is the hub's own.
    pub who: String,
    /// What.
    pub text: String,
}

/// The last lines.
#[derive(Debug, Default)]
pub struct Lines {
    kept: VecDeque<Event>,
    /// What is no robot's log.
    events: VecDeque<Noted>,
    count: u64,
}

/// As the page calls it.
pub fn level_name(level: Severity) -> &'static str {
    match level {
        Severity::Error => "error",
        Severity::Warn => "warn",
        Severity::Info => "info",
        Severity::Debug => "debug",
    }
}

impl Lines {
    /// Adds a line.
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

    /// Adds an event of the hub.
    pub fn event(&mut self, time: f64, unix_ms: u64, level: Severity, who: &str, text: &str) -> Event {
        if self.events.len() == KEPT {
            self.events.pop_front();
        }
        self.events.push_back(Noted { t: brief_time(time), who: who.into(), text: text.into() });
        self.add(time, unix_ms, level, if who.is_empty() { "hub" } else { who }, text)
    }

    /// Those with higher numbers; none if there were never so many.
    pub fn after(&self, number: u64) -> Option<Vec<Event>> {
        let later = || self.kept.iter().filter(|event| event.number > Some(number)).cloned().collect();
        (number <= self.count).then(later)
    }

    /// The last events of the hub.
    pub fn events(&self, count: usize) -> Vec<Noted> {
        self.events.iter().skip(self.events.len().saturating_sub(count)).cloned().collect()
    }

    /// The last so many.
    pub fn last(&self, count: usize) -> Vec<Event> {
        self.kept.iter().skip(self.kept.len().saturating_sub(count)).cloned().collect()
    }
}
