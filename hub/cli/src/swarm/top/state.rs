//! State of the screen, its inputs, and the resulting actions.

use super::history::History;
use crate::swarm::follow::EventBatch;
use ratatui::crossterm::event::KeyEvent;
use std::collections::VecDeque;
use std::time::Duration;
use xpuck_wire::message::{Event, Request};
use xpuck_wire::{RobotRow, Status};

/// Display time of a message.
const MESSAGE_TIME: Duration = Duration::from_secs(8);

/// Input to the state.
#[derive(Debug)]
pub enum Input {
    /// Key press.
    Key(KeyEvent),
    /// Pasted text.
    Pasted(String),
    /// The terminal was resized.
    Resized,
    /// Status of the hub.
    Stands(Box<Status>),
    /// New events of the hub.
    Happened(EventBatch),
    /// The hub does not answer. The text is the error.
    Silent(String),
    /// Answer to a request.
    Answered {
        /// Name of the request.
        what: String,
        /// Reason why the request was refused or not answered; `None` if it succeeded.
        refused: Option<String>,
    },
}

/// Request to the hub.
#[derive(Debug, PartialEq)]
pub struct HubRequest {
    /// Name of the request.
    pub what: String,
    /// The request.
    pub request: Request,
}

/// Action that follows from an input.
#[derive(Debug, PartialEq)]
pub enum Action {
    /// Send a request to the hub.
    Ask(HubRequest),
    /// Quit the program.
    Quit,
}

/// Mode of the keyboard.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Keys are commands.
    #[default]
    Table,
    /// Keys edit the filter.
    Filter,
    /// Keys edit a note.
    Note(String),
    /// Keys are commands, and the help is shown.
    Help,
}

/// State of the screen.
#[derive(Debug, Default)]
pub struct TopState {
    /// Last status of the hub.
    pub status: Option<Status>,
    /// Recent events, newest last.
    pub events: VecDeque<Event>,
    /// History of evolved fitness.
    pub history: History,
    /// Start of the hub's silence and the error; `None` while it answers.
    pub silent: Option<(Duration, String)>,
    /// Mode of the keyboard.
    pub mode: Mode,
    /// Text that a robot's row must contain to be shown.
    pub filter: String,
    /// Index of the sort column.
    pub sort: usize,
    /// Whether the order is descending.
    pub down: bool,
    /// Id of the chosen robot.
    pub chosen: Option<String>,
    /// Whether details of the chosen robot are shown.
    pub detail: bool,
    /// Message about the last command, whether it is an error, and its expiry time.
    pub message: Option<(String, bool, Duration)>,
    /// Time since the start.
    pub now: Duration,
}

impl TopState {
    /// Sets the time, and expires the message.
    pub fn advance(&mut self, now: Duration) {
        self.now = now;
        if self.message.as_ref().is_some_and(|(.., until)| *until <= now) {
            self.message = None;
        }
    }

    /// Shows a message below the screen for a while.
    pub fn show_message(&mut self, text: String, bad: bool) {
        self.message = Some((text, bad, self.now + MESSAGE_TIME));
    }

    /// Robots in the order of the swarm file.
    pub fn robots(&self) -> &[RobotRow] {
        self.status.as_ref().map_or(&[], |status| &status.robots)
    }
}
