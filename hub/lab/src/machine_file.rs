//! State machines as TOML files: names, actions and transitions of states, with trees as text.

use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::analysis::machine::{State, StateMachine, Transition};
use xpuck_kernels::tree::{MAX_TEXT, Tree};
use xpuck_wire::file::{self, FileError};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MachineFile {
    /// Name of the initial state.
    initial: String,
    /// States of the machine.
    #[serde(default)]
    state: Vec<StateEntry>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StateEntry {
    /// Name of the state.
    name: String,
    /// Action of the robot in this state: a tree in text form.
    action: String,
    /// Transitions, in the order in which they are checked.
    #[serde(default)]
    transition: Vec<TransitionEntry>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TransitionEntry {
    /// Condition of the transition: a tree in text form (default: always true).
    condition: Option<String>,
    /// Probability of the transition if the condition holds, above 0 and at most 1 (default: 1).
    probability: Option<f64>,
    /// Name of the next state.
    to: String,
}

/// Parses a state machine. Errors contain `name` as the name of the text. [`StateMachine::to_tree`] checks whether the
/// machine can be expressed as a tree.
pub fn parse(name: &str, text: &str) -> Result<StateMachine, FileError> {
    if text.len() > MAX_TEXT {
        return Err(FileError::value(name, format!("the file has more than {MAX_TEXT} bytes")));
    }
    let MachineFile { initial, state } = file::parse(name, text)?;
    let states = state.into_iter().map(|entry| read_state(name, entry)).collect::<Result<_, _>>()?;
    Ok(StateMachine { initial, states })
}

fn read_state(file: &str, entry: StateEntry) -> Result<State, FileError> {
    let StateEntry { name, action, transition } = entry;
    let tree = |place: &str, text: &str| {
        Tree::parse(text).map_err(|e| FileError::value(file, format!("state `{}`, {place}: {e}", name.escape_debug())))
    };
    let action = tree("action", &action)?;
    let mut transitions = Vec::new();
    for (i, TransitionEntry { condition, probability, to }) in (1..).zip(transition) {
        let condition = condition.map(|text| tree(&format!("condition of transition {i}"), &text)).transpose()?;
        transitions.push(Transition { condition, probability, to });
    }
    Ok(State { name, action, transitions })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::math::Vec2;
    use xpuck_kernels::random::{Draws, Stream};
    use xpuck_kernels::tree::{Memory, Program, Senses};

    #[test]
    fn shipped_machine_rests_near_others_and_leaves_alone() {
        let machine = parse("rest.toml", include_str!("../../../docs/trees/machines/rest.toml")).unwrap();
        let program = Program::compile(&machine.to_tree().unwrap().tree).unwrap();
        let mut memory = Memory::new(&program);
        let mut goals = |neighbours: f32, ticks: std::ops::Range<u32>| -> Vec<Vec2> {
            let senses = Senses { neighbours, ..Senses::default() };
            let mut goal = |t| memory.tick(&program, &senses, &mut Draws::new(1, 0, 0, t, Stream::Controller)).1;
            ticks.map(&mut goal).collect()
        };
        assert!(goals(0.0, 0..300).iter().all(|goal| goal.x > 0.9), "it never rests alone");
        let near = goals(3.0, 300..2300);
        let resting = near.iter().filter(|goal| **goal == Vec2::ZERO).count();
        // On average, the robot rests for 100 updates, then leaves for 10 and explores for 10. It rests in about 1670
        // of 2000 updates.
        assert!((1300..1900).contains(&resting), "{resting} of 2000");
        assert!(goals(0.0, 2300..2400).iter().all(|goal| goal.x > 0.9), "it leaves at once");
    }

    const GOOD: &str = "initial = \"a\"\n[[state]]\nname = \"a\"\naction = \"successl\"\n";

    #[test]
    fn errors_name_the_place() {
        let error = |text: &str| parse("m.toml", text).unwrap_err().to_string();
        let unknown = error(&format!("{GOOD}color = 3\n"));
        assert!(unknown.starts_with("m.toml: line 5: unknown field `color`"), "{unknown}");
        let action = error(&GOOD.replace("successl", "sucessl"));
        assert!(action.starts_with("m.toml: state `a`, action: line 1, column 1: unknown node `sucessl`"), "{action}");
        let condition = error(&format!("{GOOD}[[state.transition]]\ncondition = \"ifquad v_up\"\nto = \"a\"\n"));
        assert!(
            condition.contains("state `a`, condition of transition 1: line 1, column 13: ifquad needs"),
            "{condition}"
        );
        assert!(error("state = []").contains("missing field `initial`"));
        assert_eq!(error(&"#".repeat(MAX_TEXT + 1)), "m.toml: the file has more than 1048576 bytes");
        assert!(parse("m.toml", GOOD).unwrap().to_tree().is_ok());
    }
}
