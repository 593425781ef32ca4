//! Plain English description of an automaton.

use super::text::message_text;
use super::{Automaton, Kind, Message, Module, Transition};
use std::fmt::Write;

/// Returns a description of the automaton as the post-office of `module`, with a paragraph for each state.
pub fn account(module: Module, automaton: &Automaton) -> String {
    let mut text = format!(
        "The post-office of {} has {} and starts in state {}.\n",
        module.name(),
        plural(automaton.states.len(), "state"),
        automaton.start + 1
    );
    for (i, state) in automaton.states.iter().enumerate() {
        let _ = write!(text, "\nState {}:", i + 1);
        if state.incoming.is_empty() && state.outgoing.is_empty() {
            text.push_str(" it discards all messages and never leaves this state.\n");
            continue;
        }
        text.push('\n');
        for transition in &state.incoming {
            let _ = writeln!(text, "- {}, {}.", when(transition.trigger), consequence(module, i, transition));
        }
        for transition in &state.outgoing {
            let name = transition.trigger.name();
            let _ = writeln!(text, "- when it sends {name}, {}.", consequence(module, i, transition));
        }
    }
    text
}

fn plural(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}

fn when(kind: Kind) -> String {
    let words = match kind {
        Kind::AvoidanceStart | Kind::ExploreStart => "when the controller starts",
        Kind::BumpersPressed => "when the bumper is pressed",
        Kind::BumpersReleased => "when the bumper is released",
        Kind::LightEnter => "when the robot comes under a lamp",
        Kind::LightLeave => "when the robot leaves the light",
        Kind::LightIncrease => "when the light is brighter than before",
        Kind::LightDecrease => "when the light is darker than before",
        Kind::LightNoChange => "when the light is as bright as before",
        Kind::LineEnter => "when the robot comes onto a line",
        Kind::LineLeave => "when the robot leaves a line",
        Kind::TargetMark => "when a station calls",
        other => return format!("when {} arrives", other.name()),
    };
    words.into()
}

fn order(module: Module, message: Message) -> String {
    match message.kind {
        Kind::CargoloaderLoad => "the fork performs the loading motion".into(),
        Kind::CargoloaderUnload => "the fork performs the unloading motion".into(),
        Kind::LineFollowerFollow => "it begins to follow the line".into(),
        Kind::LineFollowerStop => "it stops following".into(),
        _ => format!("{} receives {}", module.name(), message_text(Some(message))),
    }
}

fn consequence(module: Module, from: usize, transition: &Transition) -> String {
    let mut parts = Vec::new();
    if let Some(message) = transition.inward {
        parts.push(order(module, message));
    }
    if let Some(message) = transition.out {
        parts.push(format!("all other modules receive {}", message_text(Some(message))));
    }
    if usize::from(transition.to) != from {
        parts.push(format!("the next state is {}", transition.to + 1));
    }
    if parts.is_empty() { "nothing happens".into() } else { parts.join(" and ") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::parse;

    #[test]
    fn message_numbers_are_described() {
        let text = "1 -> 1: (SENSORS_LIGHT_ENTER), in:NAVIGATE_LEFT 200, out:BEEP_BEEP 3";
        let automaton = parse("test", Module::Navigate, text).unwrap();
        let text = account(Module::Navigate, &automaton);
        assert!(
            text.contains("navigate receives NAVIGATE_LEFT 200 and all other modules receive BEEP_BEEP 3."),
            "{text}"
        );
    }

    #[test]
    fn accounts_say_what_happens() {
        let text = "states 2\n1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-";
        let automaton = parse("test", Module::Cargoloader, text).unwrap();
        assert_eq!(
            account(Module::Cargoloader, &automaton),
            "The post-office of cargoloader has 2 states and starts in state 1.\n\nState 1:\n\
             - when a station calls, the fork performs the loading motion and the next state is 2.\n\n\
             State 2: it discards all messages and never leaves this state.\n"
        );
    }
}
