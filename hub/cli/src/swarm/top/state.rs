//! Types of the screen's state, its inputs, and the actions that follow from inputs.

use super::history::History;
use crate::swarm::follow::EventBatch;
use ratatui::crossterm::event::KeyEvent;
use std::collections::VecDeque;
use std::time::Duration;
use xpuck_wire::message::{Event, Request};
use xpuck_wire::{RobotRow, Status};

/// Time for which a message is shown.
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
    /// New status of the hub.
    Stands(Box<Status>),
    /// New events of the hub.
    Happened(EventBatch),
    /// The hub does not answer. The text is the error.
    Silent(String),
    /// Answer to a request, or the failure of a request.
    Answered {
        /// Name of the request, for messages to the user.
        what: String,
        /// Reason why the request was refused or not answered; `None` if it succeeded.
        refused: Option<String>,
    },
}

/// Request to the hub.
#[derive(Debug, PartialEq)]
pub struct HubRequest {
    /// Name of the request, for messages to the user.
    pub what: String,
    /// Message to the hub.
    pub request: Request,
}

/// Action of the program that follows from an input.
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
    /// Keys are commands, and the help is hidden.
    #[default]
    Table,
    /// Keys edit the filter.
    Filter,
    /// Keys edit a note. The field is the text so far.
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
    /// Start of the hub's silence, and the last error; `None` while the hub answers.
    pub silent: Option<(Duration, String)>,
    /// Mode of the keyboard.
    pub mode: Mode,
    /// Text that a robot's row must contain to be shown; empty to show all robots. Upper and lower case are equal.
    pub filter: String,
    /// Index of the column by which robots are sorted.
    pub sort: usize,
    /// Whether robots are sorted in descending order.
    pub down: bool,
    /// Id of the robot that the user has chosen; `None` for the first row.
    pub chosen: Option<String>,
    /// Whether details of the chosen robot are shown.
    pub detail: bool,
    /// Message about the last command, whether the message reports an error, and the message's expiry time.
    pub message: Option<(String, bool, Duration)>,
    /// Current time since the start of the program.
    pub now: Duration,
}

impl TopState {
    /// Sets the current time, and removes the message if it has expired.
    pub fn advance(&mut self, now: Duration) {
        self.now = now;
        if self.message.as_ref().is_some_and(|(.., until)| *until <= now) {
            self.message = None;
        }
    }

    /// Shows a message in the last line of the screen for some seconds. `bad` marks an error.
    pub fn show_message(&mut self, text: String, bad: bool) {
        self.message = Some((text, bad, self.now + MESSAGE_TIME));
    }

    /// Returns the robots in the order of the swarm file; empty before the first status.
    pub fn robots(&self) -> &[RobotRow] {
        self.status.as_ref().map_or(&[], |status| &status.robots)
    }
}
