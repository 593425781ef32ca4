//! Formats `tracing` events as lines. A line consists of source, fields, a colon and the message, as in
//! `xpuckd xp01: no poses`.

use std::fmt::{Debug, Write};
use tracing::field::{Field, Visit};
use tracing::level_filters::LevelFilter;
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Subscriber that writes all events with at least a minimum severity. Spans are ignored.
pub(super) struct Events {
    /// Minimum severity of the events that are written.
    pub most: Level,
    /// Function that receives each line.
    pub write: fn(Level, &str),
}

/// Parses the name of a level. An empty name stands for info. `None` for an unknown name.
pub(super) fn level(name: &str) -> Option<Level> {
    match name {
        "error" => Some(Level::ERROR),
        "warn" => Some(Level::WARN),
        "" | "info" => Some(Level::INFO),
        "debug" => Some(Level::DEBUG),
        _ => None,
    }
}

impl Subscriber for Events {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= self.most
    }

    fn max_level_hint(&self) -> Option<LevelFilter> {
        Some(self.most.into())
    }

    fn event(&self, event: &Event<'_>) {
        let mut words = Words { who: event.metadata().target().into(), said: String::new() };
        event.record(&mut words);
        (self.write)(*event.metadata().level(), &format!("{}: {}", words.who, words.said));
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

struct Words {
    who: String,
    said: String,
}

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.said, "{value:?}"),
            _ => write!(self.who, " {value:?}"),
        };
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    static LINES: Mutex<Vec<(Level, String)>> = Mutex::new(Vec::new());

    #[test]
    fn event_line_has_source_and_message() {
        let events =
            Events { most: Level::INFO, write: |level, line| LINES.lock().unwrap().push((level, line.into())) };
        let id = String::from("xp01");
        tracing::subscriber::with_default(events, || {
            tracing::warn!(target: "xpuckd", robot = id, "no {}", "poses");
            tracing::info!(target: "island", number = 3u16, "joined");
            tracing::error!(target: "hub", "full");
            tracing::debug!(target: "hub", "a detail");
            crate::event_at!(Level::WARN, target: "hub", "{id}");
        });
        let expected = [
            (Level::WARN, "xpuckd xp01: no poses"),
            (Level::INFO, "island 3: joined"),
            (Level::ERROR, "hub: full"),
            (Level::WARN, "hub: xp01"),
        ];
        assert_eq!(*LINES.lock().unwrap(), expected.map(|(level, line)| (level, line.to_string())));
    }

    #[test]
    fn levels_have_names() {
        assert_eq!(
            ["", "info", "error", "debug", "loud"].map(level),
            [Some(Level::INFO), Some(Level::INFO), Some(Level::ERROR), Some(Level::DEBUG), None]
        );
    }
}
