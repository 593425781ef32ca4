//! What the keys do: pure.

use super::state::{Action, Ask, Mode, Top};
use super::table::{self, COLUMNS};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use xpuck_wire::message::{Order, Request};

/// Longest text that is taken, characters; the hub takes no longer note.
const TEXT: usize = 500;

/// The keys with what they do, for the help.
pub const HELP: [(&str, &str); 13] = [
    ("space, S", "STOP: all wheels stand and the run is over, at once"),
    ("p", "pause: wheels and evolution stand"),
    ("r", "resume"),
    ("n", "note: a line for the log and the record"),
    ("up, down", "choose a robot"),
    ("enter", "the chosen robot in detail, or no longer"),
    ("i", "identify: the chosen robot blinks"),
    ("h", "hold the chosen robot, or release it"),
    ("o, O", "sort by the next column; the other way round"),
    ("/", "filter: only robots in whose row this text stands"),
    ("esc", "leave the text, the filter, the help"),
    ("?", "this help, or no longer"),
    ("q", "quit"),
];

/// A key was pressed.
pub fn press(top: &mut Top, key: KeyEvent) -> Vec<Action> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (&top.mode, key.code) {
        (_, KeyCode::Char('c' | 'd')) if control => vec![Action::Quit],
        // Such keys of a terminal mean something else everywhere.
        (_, KeyCode::Char(_)) if control || key.modifiers.contains(KeyModifiers::ALT) => Vec::new(),
        (Mode::Note(_) | Mode::Filter, code) => write(top, code),
        (Mode::Table | Mode::Help, code) => command(top, code),
    }
}

/// Text was pasted: it is no row of keys.
pub fn paste(top: &mut Top, text: &str) {
    if let Some(written) = written(top) {
        let room = TEXT.saturating_sub(written.chars().count());
        written.extend(text.chars().filter(|c| !c.is_control()).take(room));
    }
}

/// The text that is being written.
fn written(top: &mut Top) -> Option<&mut String> {
    match &mut top.mode {
        Mode::Note(text) => Some(text),
        Mode::Filter => Some(&mut top.filter),
        Mode::Table | Mode::Help => None,
    }
}

fn write(top: &mut Top, code: KeyCode) -> Vec<Action> {
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

fn command(top: &mut Top, code: KeyCode) -> Vec<Action> {
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

/// Chooses the robot so many rows further down.
fn choose(top: &mut Top, by: isize) {
    let (place, ids) = {
        let rows = table::shown(top);
        (table::place(top, &rows), rows.iter().map(|robot| robot.id.clone()).collect::<Vec<_>>())
    };
    let next = place.saturating_add_signed(by).min(ids.len().saturating_sub(1));
    top.chosen = ids.into_iter().nth(next);
}

fn order(top: &mut Top, what: &str, order: Order) -> Vec<Action> {
    let Some(robot) = table::chosen(top).map(|robot| robot.id.clone()) else { return Vec::new() };
    // The robot stays the one that is meant, wherever its row goes.
    top.chosen = Some(robot.clone());
    ask(top, &format!("{what} {}", xpuck_wire::plain(&robot)), Request::Order { robot, order })
}

/// A hub that is silent is told nothing that it might do later, but for STOP.
fn ask(top: &mut Top, what: &str, request: Request) -> Vec<Action> {
    if top.silent.is_some() && request != Request::Stop {
        top.say(format!("{what}: not sent, the hub does not answer"), true);
        return Vec::new();
    }
    top.say(format!("{what}: sent"), false);
    vec![Action::Ask(Ask { what: what.into(), request })]
}
