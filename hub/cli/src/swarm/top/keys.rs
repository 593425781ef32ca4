//! Converts keys to changes of the state and actions. Does no I/O.

use super::state::{Action, HubRequest, Mode, TopState};
use super::table::{self, COLUMNS};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use xpuck_wire::message::{Order, Request};

/// Maximum length of an entered text (characters). It equals the hub's limit for notes.
const TEXT: usize = 500;

/// Keys and descriptions of their actions, for the help.
pub const HELP: [(&str, &str); 13] = [
    ("space, S", "STOP: all wheels stop and the run ends, immediately"),
    ("p", "pause: wheels and evolution stop"),
    ("r", "resume"),
    ("n", "note: a line for the log and the record"),
    ("up, down", "choose a robot"),
    ("enter", "show or hide details of the chosen robot"),
    ("i", "identify: the chosen robot blinks"),
    ("h", "hold the chosen robot, or release it"),
    ("o, O", "sort by the next column; reverse the order"),
    ("/", "filter: only robots whose row contains a text"),
    ("esc", "cancel the text or the filter; close the help"),
    ("?", "show or hide this help"),
    ("q", "quit"),
];

/// Handles a key press: changes the state, and returns the resulting actions.
pub fn press(top: &mut TopState, key: KeyEvent) -> Vec<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (&top.mode, key.code) {
        (_, KeyCode::Char('c' | 'd')) if control => vec![Action::Quit],
        // Other combinations with Ctrl or Alt have no effect.
        (_, KeyCode::Char(_)) if control || key.modifiers.contains(KeyModifiers::ALT) => Vec::new(),
        (Mode::Note(_) | Mode::Filter, code) => write(top, code),
        (Mode::Table | Mode::Help, code) => command(top, code),
    }
}

/// Handles pasted text. The text is appended to the text that is being entered, and is never executed as keys.
pub fn paste(top: &mut TopState, text: &str) {
    if let Some(written) = written(top) {
        let room = TEXT.saturating_sub(written.chars().count());
        written.extend(text.chars().filter(|c| !c.is_control()).take(room));
    }
}

/// Returns the text that is being entered; `None` if keys are commands.
fn written(top: &mut TopState) -> Option<&mut String> {
    match &mut top.mode {
        Mode::Note(text) => Some(text),
        Mode::Filter => Some(&mut top.filter),
        Mode::Table | Mode::Help => None,
    }
}

fn write(top: &mut TopState, code: KeyCode) -> Vec<Action> {
    match code {
        KeyCode::Esc => {
            if top.mode == Mode::Filter {
                top.filter.clear();
            }
            top.mode = Mode::Table;
        }
        KeyCode::Enter => {
            if let Mode::Note(text) = std::mem::take(&mut top.mode)
                && !text.trim().is_empty()
            {
                return ask(top, "note", Request::Note { text });
            }
        }
        KeyCode::Backspace => {
            written(top).map(String::pop);
        }
        KeyCode::Char(c) => paste(top, c.encode_utf8(&mut [0; 4])),
        _ => {}
    }
    Vec::new()
}

fn command(top: &mut TopState, code: KeyCode) -> Vec<Action> {
    match code {
        KeyCode::Char('q') => return vec![Action::Quit],
        KeyCode::Char(' ' | 'S') => return ask(top, "STOP", Request::Stop),
        KeyCode::Char('p') => return ask(top, "pause", Request::Pause),
        KeyCode::Char('r') => return ask(top, "resume", Request::Resume),
        KeyCode::Char('i') => return order(top, "identify", Order::Identify),
        KeyCode::Char('h') => {
            let held = table::chosen(top).is_some_and(|robot| robot.held);
            let (what, what_order) = if held { ("release", Order::Release) } else { ("hold", Order::Hold) };
            return order(top, what, what_order);
        }
        KeyCode::Char('n') => top.mode = Mode::Note(String::new()),
        KeyCode::Char('/') => top.mode = Mode::Filter,
        KeyCode::Char('?') => top.mode = if top.mode == Mode::Help { Mode::Table } else { Mode::Help },
        KeyCode::Char('o') => top.sort = (top.sort + 1) % COLUMNS.len(),
        KeyCode::Char('O') => top.down = !top.down,
        KeyCode::Up | KeyCode::Char('k') => choose(top, -1),
        KeyCode::Down | KeyCode::Char('j') => choose(top, 1),
        KeyCode::Enter => top.detail = !top.detail,
        KeyCode::Esc if top.mode == Mode::Help => top.mode = Mode::Table,
        KeyCode::Esc => top.filter.clear(),
        _ => {}
    }
    Vec::new()
}

/// Moves the selection down by `by` rows, or up if `by` is negative.
fn choose(top: &mut TopState, by: isize) {
    let (place, ids) = {
        let rows = table::shown(top);
        (table::place(top, &rows), rows.iter().map(|robot| robot.id.clone()).collect::<Vec<_>>())
    };
    let next = place.saturating_add_signed(by).min(ids.len().saturating_sub(1));
    top.chosen = ids.into_iter().nth(next);
}

fn order(top: &mut TopState, what: &str, order: Order) -> Vec<Action> {
    let Some(robot) = table::chosen(top).map(|robot| robot.id.clone()) else { return Vec::new() };
    // The robot stays chosen by its id, even if its row moves.
    top.chosen = Some(robot.clone());
    ask(top, &format!("{what} {}", xpuck_wire::escape(&robot)), Request::Order { robot, order })
}

/// Returns the action that sends a request. While the hub does not answer, only STOP is sent, because other requests
/// might be executed much later.
fn ask(top: &mut TopState, what: &str, request: Request) -> Vec<Action> {
    if top.silent.is_some() && request != Request::Stop {
        top.show_message(format!("{what}: not sent, because the hub does not answer"), true);
        return Vec::new();
    }
    top.show_message(format!("{what}: sent"), false);
    vec![Action::Ask(HubRequest { what: what.into(), request })]
}
