//! Transitions of the state: each input changes the state and returns actions. Does no I/O.

use super::keys;
use super::state::{Action, Input, TopState};
use crate::swarm::follow::EventBatch;
use std::time::Duration;
use xpuck_wire::escape;

/// Maximum number of events in the state.
const EVENTS: usize = 100;

/// Changes the state according to an input, and returns the resulting actions. `now` is the time since the start of
/// the program.
pub fn update(top: &mut TopState, input: Input, now: Duration) -> Vec<Action> {
    top.advance(now);
    match input {
        Input::Key(key) => return keys::press(top, key),
        Input::Pasted(text) => keys::paste(top, &text),
        Input::Resized => {}
        Input::Stands(status) => {
            top.history.record(&status);
            (top.status, top.silent) = (Some(*status), None);
        }
        Input::Happened(EventBatch::Events(events, _)) => {
            top.events.extend(events);
            let beyond = top.events.len().saturating_sub(EVENTS);
            top.events.drain(..beyond);
        }
        Input::Happened(EventBatch::Anew) => top.events.clear(),
        Input::Silent(why) => {
            let since = top.silent.take().map_or(now, |(since, _)| since);
            top.silent = Some((since, why));
        }
        Input::Answered { what, refused: None } => top.show_message(format!("{what}: accepted"), false),
        Input::Answered { what, refused: Some(why) } => {
            top.show_message(format!("{what}: refused: {}", escape(&why)), true)
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::swarm::top::state::{HubRequest, Mode};
    use crate::swarm::top::table;
    use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use xpuck_wire::message::{Event, Order, Request, Severity};
    use xpuck_wire::{RobotRow, Status};

    fn swarm() -> TopState {
        let robot = |id: &str, battery, held| RobotRow {
            id: id.into(),
            version: "1".into(),
            alive: true,
            battery_v: battery,
            held,
            ..RobotRow::default()
        };
        let robots = vec![robot("xp01", Some(3.9), false), robot("xp02", None, false), robot("xp03", Some(3.4), true)];
        let mut top = TopState::default();
        update(&mut top, Input::Stands(Box::new(Status { robots, ..Status::default() })), Duration::ZERO);
        top
    }

    fn press(top: &mut TopState, code: KeyCode) -> Vec<Action> {
        update(top, Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), Duration::ZERO)
    }

    fn letters(top: &mut TopState, text: &str) -> Vec<Action> {
        text.chars().flat_map(|c| press(top, KeyCode::Char(c))).collect()
    }

    fn ask(what: &str, request: Request) -> Action {
        Action::Ask(HubRequest { what: what.into(), request })
    }

    #[test]
    fn stop_is_one_key_whether_the_hub_answers_or_not() {
        let mut top = swarm();
        assert_eq!(letters(&mut top, " "), [ask("STOP", Request::Stop)]);
        update(&mut top, Input::Silent("no answer".into()), Duration::ZERO);
        assert_eq!(letters(&mut top, "S"), [ask("STOP", Request::Stop)]);
        assert_eq!(letters(&mut top, "r"), [], "it might be obeyed when nobody thinks of it any more");
        assert!(top.message.as_ref().is_some_and(|(said, bad, _)| *bad && said.contains("does not answer")));
        press(&mut top, KeyCode::Char('?'));
        assert_eq!(letters(&mut top, " "), [ask("STOP", Request::Stop)], "with the help before it, too");
    }

    #[test]
    fn entered_and_pasted_text_is_not_executed() {
        let mut top = swarm();
        update(&mut top, Input::Pasted("r S\n".into()), Duration::ZERO);
        assert_eq!((&top.mode, top.filter.as_str()), (&Mode::Table, ""));
        assert_eq!(letters(&mut top, "nthe lamp S"), []);
        update(&mut top, Input::Pasted(" is\u{1b}[2J off".into()), Duration::ZERO);
        let noted = press(&mut top, KeyCode::Enter);
        assert_eq!(noted, [ask("note", Request::Note { text: "the lamp S is[2J off".into() })]);
        assert_eq!(letters(&mut top, "nx"), []);
        press(&mut top, KeyCode::Esc);
        assert_eq!(letters(&mut top, "n"), []);
        assert_eq!(press(&mut top, KeyCode::Enter), [], "an empty note says nothing");
        assert_eq!(letters(&mut top, "p"), [ask("pause", Request::Pause)]);
    }

    #[test]
    fn orders_are_for_the_chosen_robot() {
        let mut top = swarm();
        let order = |what: &str, robot: &str, order| ask(what, Request::Order { robot: robot.into(), order });
        assert_eq!(letters(&mut top, "i"), [order("identify xp01", "xp01", Order::Identify)]);
        press(&mut top, KeyCode::Down);
        assert_eq!(letters(&mut top, "h"), [order("hold xp02", "xp02", Order::Hold)]);
        letters(&mut top, "jjjjj");
        assert_eq!(letters(&mut top, "h"), [order("release xp03", "xp03", Order::Release)]);
        letters(&mut top, "kkkkk");
        assert_eq!(letters(&mut top, "h"), [order("hold xp01", "xp01", Order::Hold)]);
        assert_eq!(letters(&mut TopState::default(), "hi"), [], "of none there is none");
    }

    #[test]
    fn robots_are_sorted_and_filtered_and_the_chosen_one_stays() {
        let mut top = swarm();
        letters(&mut top, "jj");
        let ids = |top: &TopState| table::shown(top).iter().map(|robot| robot.id.clone()).collect::<Vec<_>>().join(" ");
        letters(&mut top, "oo");
        assert_eq!(ids(&top), "xp03 xp01 xp02", "by battery, and who has none is last");
        letters(&mut top, "O");
        assert_eq!(ids(&top), "xp01 xp03 xp02", "also the other way round");
        assert_eq!(table::chosen(&top).unwrap().id, "xp03");
        letters(&mut top, "/held");
        assert_eq!(ids(&top), "xp03");
        press(&mut top, KeyCode::Esc);
        assert_eq!((ids(&top).as_str(), &top.mode), ("xp01 xp03 xp02", &Mode::Table));
    }

    #[test]
    fn refusal_is_shown_and_quit_keys_work() {
        let mut top = swarm();
        let refused = Some("`guest` is an observer, who may look and change nothing".into());
        update(&mut top, Input::Answered { what: "pause".into(), refused }, Duration::ZERO);
        let said = top.message.clone().unwrap();
        assert!(said.1 && said.0.starts_with("pause: refused: `guest` is an observer"), "{said:?}");
        top.advance(Duration::from_secs(60));
        assert_eq!(top.message, None);
        assert_eq!(letters(&mut top, "q"), [Action::Quit]);
        letters(&mut top, "n");
        let control = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
        assert_eq!(update(&mut top, Input::Key(control), Duration::ZERO), [Action::Quit], "also while writing");
    }

    #[test]
    fn silence_lasts_from_first_failure_to_next_answer() {
        let mut top = swarm();
        let at = Duration::from_secs;
        update(&mut top, Input::Silent("a".into()), at(5));
        update(&mut top, Input::Silent("b".into()), at(8));
        assert_eq!(top.silent, Some((at(5), "b".into())));
        update(&mut top, Input::Stands(Box::default()), at(9));
        assert_eq!(top.silent, None);
        let event = |number| Event { number, time: 0.0, level: Severity::Info, who: String::new(), text: "x".into() };
        let many = EventBatch::Events((1..=150).map(event).collect(), 0);
        update(&mut top, Input::Happened(many), at(9));
        assert_eq!((top.events.len(), top.events[0].number), (EVENTS, 51));
    }
}
