//! Text format for automata, with one line per transition. A line has the form of figure 13 of Petrovic's report:
//!
//! ```text
//! states 2
//! start 1
//! 1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-
//! 2 -> 1: outgoing (CARGOLOADER_OK), in:-, out:BEEP_BEEP 3
//! ```
//!
//! The line `states` may be omitted if a transition or the line `start` contains the number of the last state. The line
//! `start` may be omitted if the start state is 1. `#` begins a comment.

use super::{Automaton, Kind, MAX_STATES, MAX_TRANSITIONS, Message, Module, State, Transition};
use std::fmt::Write;
use xpuck_kernels::tree::suggest;

/// Maximum length of an automaton's text (bytes).
const MAX_TEXT: usize = 64 * 1024;

/// Error in the text of an automaton, with the file, the line and a remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: line {line}: {message}")]
pub struct AutomatonError {
    /// Name of the file or text.
    pub file: String,
    /// Number of the line, from 1.
    pub line: usize,
    /// Problem and remedy.
    pub message: String,
}

/// Prints an automaton in the format of [`parse`].
pub fn print(automaton: &Automaton) -> String {
    let mut text = format!("states {}\nstart {}\n", automaton.states.len(), automaton.start + 1);
    for (from, state) in automaton.states.iter().enumerate() {
        for (outgoing, transitions) in [(false, &state.incoming), (true, &state.outgoing)] {
            for transition in transitions {
                let _ = writeln!(text, "{}", transition_text(from, outgoing, transition));
            }
        }
    }
    text
}

/// Returns the line of a transition that leaves state `from` (from 0).
pub(super) fn transition_text(from: usize, outgoing: bool, transition: &Transition) -> String {
    let Transition { trigger, to, out, inward } = *transition;
    let direction = if outgoing { "outgoing " } else { "" };
    let (from, to, trigger) = (from + 1, to + 1, trigger.name());
    format!("{from} -> {to}: {direction}({trigger}), in:{}, out:{}", message_text(inward), message_text(out))
}

/// Returns the name and the arguments of a message; `-` for `None`.
pub(super) fn message_text(message: Option<Message>) -> String {
    let Some(Message { kind, arguments }) = message else { return "-".into() };
    let mut text = kind.name().to_string();
    for argument in &arguments[..kind.arguments()] {
        let _ = write!(text, " {argument}");
    }
    text
}

/// Parses an automaton for a post-office of `module`. The module limits the messages that may be handed inward. Errors
/// refer to the text by the name `file`.
pub fn parse(file: &str, module: Module, text: &str) -> Result<Automaton, AutomatonError> {
    let fail = |line: usize, message: String| AutomatonError { file: file.into(), line, message };
    if text.len() > MAX_TEXT {
        return Err(fail(1, format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
    }
    let (mut declared, mut start) = (None, (1, 1));
    let mut states: Vec<State> = Vec::new();
    let mut last = (1, 1);
    for (number, line) in (1..).zip(text.lines()) {
        let line = line.split('#').next().unwrap_or("").trim();
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            [] => {}
            ["states", count] => {
                let count = state_number(count).map_err(|message| fail(number, message))?;
                declared = Some((number, count));
            }
            ["start", state] => start = (number, state_number(state).map_err(|message| fail(number, message))?),
            _ => {
                let (from, outgoing, transition) = transition(module, line).map_err(|message| fail(number, message))?;
                let highest = from.max(usize::from(transition.to) + 1);
                if highest > last.1 {
                    last = (number, highest);
                }
                if states.len() < from {
                    states.resize(from, State::default());
                }
                let state = &mut states[from - 1];
                let list = if outgoing { &mut state.outgoing } else { &mut state.incoming };
                if list.len() == MAX_TRANSITIONS {
                    let message = format!("state {from} has more than {MAX_TRANSITIONS} transitions; remove one");
                    return Err(fail(number, message));
                }
                list.push(transition);
            }
        }
    }
    let count = declared.map_or(last.1.max(start.1), |(_, count)| count);
    for (line, state) in [last, start] {
        if state > count {
            let message = format!("state {state} does not exist; declare it with \"states {state}\"");
            return Err(fail(line, message));
        }
    }
    states.resize(count, State::default());
    Ok(Automaton { start: (start.1 - 1) as u8, states })
}

fn state_number(word: &str) -> Result<usize, String> {
    match word.parse() {
        Ok(number) if (1..=MAX_STATES).contains(&number) => Ok(number),
        _ => Err(format!("{word:?} is not a state number; use 1 to {MAX_STATES}")),
    }
}

/// Parses one transition. Returns the state that the transition leaves, whether the transition is for outgoing
/// messages, and the transition itself.
fn transition(module: Module, line: &str) -> Result<(usize, bool, Transition), String> {
    const FORM: &str = "expected a transition such as \"1 -> 2: (TRIGGER), in:MESSAGE, out:-\"";
    let form = || FORM.to_string();
    let (from, rest) = line.split_once("->").ok_or_else(form)?;
    let (to, rest) = rest.split_once(':').ok_or_else(form)?;
    let rest = rest.trim();
    let (outgoing, rest) = match rest.strip_prefix("outgoing") {
        Some(rest) => (true, rest.trim_start()),
        None => (false, rest),
    };
    let (trigger, rest) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')).ok_or_else(form)?;
    let (inward, out) = rest.split_once("out:").ok_or_else(form)?;
    let inward = inward.trim_start_matches([',', ' ']).strip_prefix("in:").ok_or_else(form)?;
    let transition = Transition {
        trigger: kind(trigger.trim(), Kind::ALL)?,
        to: (state_number(to.trim())? - 1) as u8,
        out: message(out, Kind::ALL)?,
        inward: message(inward, module.inputs())?,
    };
    Ok((state_number(from.trim())?, outgoing, transition))
}

fn kind(word: &str, allowed: &[Kind]) -> Result<Kind, String> {
    let found = Kind::of_name(word).filter(|kind| allowed.contains(kind));
    found.ok_or_else(|| {
        let near = suggest(word, allowed.iter().map(|kind| kind.name().into()));
        match near.as_str() {
            "" => {
                let names: Vec<&str> = allowed.iter().map(|kind| kind.name()).collect();
                format!("{word:?} is not a valid message here; choose one of {}", names.join(", "))
            }
            near => format!("{word:?} is not a valid message here{near}"),
        }
    })
}

fn message(text: &str, allowed: &[Kind]) -> Result<Option<Message>, String> {
    let words: Vec<&str> = text.split_whitespace().map(|word| word.trim_matches(',')).collect();
    let (&name, numbers) = words.split_first().ok_or("the message is missing; write - for none")?;
    if name == "-" {
        return Ok(None);
    }
    let kind = kind(name, allowed)?;
    if numbers.len() != kind.arguments() {
        return Err(format!("{name} has {} numbers; expected {}", numbers.len(), kind.arguments()));
    }
    let mut arguments = [0; 2];
    for (argument, word) in arguments.iter_mut().zip(numbers) {
        *argument = word.parse().map_err(|_| format!("{word:?} is not an integer from -32768 to 32767"))?;
    }
    Ok(Some(Message { kind, arguments }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_automaton_are_each_others() {
        let text = "states 3\nstart 2\n1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n\
                    2 -> 1: (SENSORS_LINE_LEAVE), in:-, out:BEEP_BEEP 3\n\
                    2 -> 2: outgoing (LINEFOLLOWER_LINELOST), in:LNFLWER_STOP, out:MOTORDRIVER_POWER 0 -7\n";
        let automaton = parse("a", Module::LineFollower, text).unwrap();
        assert_eq!(print(&automaton), text);
        assert_eq!(automaton.states.len(), 3);
        assert_eq!(automaton.transitions(), 3);
    }

    #[test]
    fn errors_name_line_and_remedy() {
        let error = |text: &str| parse("f", Module::Cargoloader, text).unwrap_err().to_string();
        assert_eq!(
            error("\n1 -> 2: (SENSORS_TARGET_MARC), in:-, out:-"),
            "f: line 2: \"SENSORS_TARGET_MARC\" is not a valid message here; did you mean `SENSORS_TARGET_MARK`?"
        );
        assert!(error("1 -> 17: (SENSORS_TARGET_MARK), in:-, out:-").contains("use 1 to 16"));
        assert!(error("states 2\n1 -> 3: (SENSORS_TARGET_MARK), in:-, out:-").starts_with("f: line 2: state 3"));
        assert!(error("start 3\nstates 2").starts_with("f: line 1: state 3"));
        assert!(error("1 -> 1: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-").contains("CARGOLOADER_LOAD"));
        assert!(error("go").contains("expected a transition such as"));
        assert!(error("1 -> 1: (SENSORS_TARGET_MARK), in:-, out:BEEP_BEEP").contains("expected 1"));
    }
}
