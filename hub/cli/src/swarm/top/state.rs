//! What the screen shows, what can happen to it, and what follows from that.

use super::history::History;
use crate::swarm::follow::News;
use ratatui::crossterm::event::KeyEvent;
use std::collections::VecDeque;
use std::time::Duration;
use xpuck_wire::message::{Event, Request};
use xpuck_wire::{RobotRow, Status};

/// What was said about a key is shown for so long.
const SAID: Duration = Duration::from_secs(8);

/// Something that happened.
#[derive(Debug)]
pub enum Input {
    /// Somebody pressed a key.
    Key(KeyEvent),
    /// Somebody pasted text.
    Pasted(String),
    /// The terminal has another size.
    Resized,
    /// How the hub stands.
    Stands(Box<Status>),
    /// What happened there.
    Happened(News),
    /// The hub does not answer, and why.
    Silent(String),
    /// What became of a request.
    Answered {
        /// The request in words.
        what: String,
        /// Why it was refused or not answered.
        refused: Option<String>,
    },
}

/// What the hub is to be asked for.
#[derive(Debug, PartialEq)]
pub struct Ask {
    /// In words.
    pub what: String,
    /// The request.
    pub request: Request,
}

/// What is to be done.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Ask the hub.
    Ask(Ask),
    /// Leave.
    Quit,
}

/// What keys mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Commands.
    #[default]
    Table,
    /// Text of the filter.
    Filter,
    /// Text of a note.
    Note(String),
    /// Commands, and what they are is shown.
    Help,
}

/// The state.
#[derive(Debug, Default)]
pub struct Top {
    /// How the hub stood when it answered last.
    pub status: Option<Status>,
    /// The newest events, the last one at the end.
    pub events: VecDeque<Event>,
    /// Evolved fitness.
    pub history: History,
    /// Since when the hub does not answer, and why.
    pub silent: Option<(Duration, String)>,
    /// What keys mean.
    pub mode: Mode,
    /// Only robots are shown in whose row this stands.
    pub filter: String,
    /// Column by which robots are sorted.
    pub sort: usize,
    /// From the greatest down.
    pub down: bool,
    /// Id of the chosen robot.
    pub chosen: Option<String>,
    /// The chosen robot is shown in detail.
    pub detail: bool,
    /// What became of the last key, whether that is bad, and until when it is shown.
    pub said: Option<(String, bool, Duration)>,
    /// Time since the start.
    pub now: Duration,
}

impl Top {
    /// Time passes.
    pub fn pass(&mut self, now: Duration) {
        self.now = now;
        if self.said.as_ref().is_some_and(|(.., until)| *until <= now) {
            self.said = None;
        }
    }

    /// Says something below the screen for a while.
    pub fn say(&mut self, text: String, bad: bool) {
        self.said = Some((text, bad, self.now + SAID));
    }

    /// The robots in the order of the swarm file.
    pub fn robots(&self) -> &[RobotRow] {
        self.status.as_ref().map_or(&[], |status| &status.robots)
    }
}
