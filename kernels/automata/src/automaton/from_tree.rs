//! Conversion of behaviour trees in the form written by [`to_tree`] back to automata.

use super::meanings::{ConversionError, Meanings};
use super::{Automaton, Kind, MAX_STATES, MAX_TRANSITIONS, Message, State, Transition, to_tree};
use xpuck_kernels::analysis::machine::StateCode;
use xpuck_kernels::tree::{self, Tree};

/// Returns the automaton for which [`to_tree`] with the same meanings gives this tree. It lacks those unreachable
/// states and hidden transitions that [`to_tree`] omitted.
///
/// # Errors
/// Returns an error if `meanings` is invalid or gives two messages the same tree. If a node does not fit the form, the
/// error contains the first such node and the expected content.
pub fn from_tree(tree: &Tree, meanings: &Meanings) -> Result<Automaton, ConversionError> {
    meanings.check()?;
    meanings.check_distinct()?;
    let automaton = Reader { tree, meanings }.automaton()?;
    // The reader does not check the codes of the states or the order of the steps. The conversion back to a tree checks
    // both.
    let right = to_tree(&automaton, meanings)?;
    if right == *tree {
        return Ok(automaton);
    }
    let pairs = tree.nodes().iter().zip(right.nodes());
    let at = pairs.take_while(|(a, b)| a == b).count().min(tree.nodes().len() - 1);
    Err(form(tree, at, "this node or the next one does not match the automaton described by the rest of the tree"))
}

fn form(tree: &Tree, at: usize, wanted: &'static str) -> ConversionError {
    ConversionError::Form { node: at + 1, text: tree.nodes()[at].to_string(), wanted }
}

struct Reader<'a> {
    tree: &'a Tree,
    meanings: &'a Meanings,
}

/// Codes of v_scr, each with its state or message.
type Codes<T> = Vec<(StateCode, T)>;

impl Reader<'_> {
    fn automaton(&self) -> Result<Automaton, ConversionError> {
        const ROOT: &str =
            "an automaton is a seq of two parts: a `successd` with a `sel` over its states, and a `sel` over actions";
        let root = self.children(0, tree::Kind::Seq, ROOT)?;
        let [ways, actions] = root[..] else { return Err(form(self.tree, 0, ROOT)) };
        let ways = self.children(ways, tree::Kind::Successd, ROOT)?;
        let (states, codes) = self.states(ways[0])?;
        let handed = self.actions(actions)?;
        let start = codes.iter().find(|(code, _)| *code == StateCode::Short).map_or(0, |(_, state)| *state);
        let read = |ways: usize| self.state(ways, &codes, &handed);
        Ok(Automaton { start, states: states.into_iter().map(read).collect::<Result<_, _>>()? })
    }

    /// Reads the states from the `sel` at node `at`. Returns the node of each state's transitions, and the state of
    /// each code.
    fn states(&self, at: usize) -> Result<(Vec<usize>, Codes<u8>), ConversionError> {
        const STATE: &str = "expected a state: a seq of a `sel` over `ifsect v_scr` and a `sel` over 1 to 16 transitions, as to-tree \
             writes it";
        let (mut states, mut codes) = (Vec::new(), Vec::new());
        for child in self.children(at, tree::Kind::Sel, STATE)? {
            let parts = self.children(child, tree::Kind::Seq, STATE)?;
            let [tests, ways] = parts[..] else { return Err(form(self.tree, child, STATE)) };
            if states.len() == MAX_STATES {
                return Err(form(self.tree, child, STATE));
            }
            codes.extend(self.tests(tests)?.into_iter().map(|code| (code, states.len() as u8)));
            states.push(ways);
        }
        Ok((states, codes))
    }

    /// Reads the actions from the `sel` at node `at`. Returns the message of each code; `None` for the idle meaning.
    fn actions(&self, at: usize) -> Result<Codes<Option<Message>>, ConversionError> {
        const ACTION: &str = "an action is a seq of a `sel` over `ifsect v_scr` and the meaning of a message";
        let mut codes = Vec::new();
        for child in self.children(at, tree::Kind::Sel, ACTION)? {
            let parts = self.children(child, tree::Kind::Seq, ACTION)?;
            let [tests, action] = parts[..] else { return Err(form(self.tree, child, ACTION)) };
            let meaning = self.tree.subtree(action);
            let message = if meaning == self.meanings.idle {
                None
            } else {
                Some(self.lookup(&self.meanings.inward, action, "no message handed inward has this meaning")?)
            };
            codes.extend(self.tests(tests)?.into_iter().map(|code| (code, message)));
        }
        Ok(codes)
    }

    /// Returns the codes for which a `sel` tests v_scr.
    fn tests(&self, at: usize) -> Result<Vec<StateCode>, ConversionError> {
        const TEST: &str = "v_scr is tested by a `sel` over `ifsect v_scr`";
        let read = |test| StateCode::of_test(&self.tree.nodes()[test]).ok_or_else(|| form(self.tree, test, TEST));
        self.children(at, tree::Kind::Sel, TEST)?.into_iter().map(read).collect()
    }

    /// Reads a state from the `sel` over its transitions.
    fn state(&self, at: usize, codes: &Codes<u8>, handed: &Codes<Option<Message>>) -> Result<State, ConversionError> {
        const WAYS: &str = "a state has a `sel` over at most 16 transitions, or `failurel`";
        if self.tree.nodes()[at].kind == tree::Kind::Failurel {
            return Ok(State::default());
        }
        let ways = self.children(at, tree::Kind::Sel, WAYS)?;
        if ways.len() > MAX_TRANSITIONS {
            return Err(form(self.tree, at, WAYS));
        }
        let incoming = ways.into_iter().map(|way| self.transition(way, codes, handed));
        Ok(State { incoming: incoming.collect::<Result<_, _>>()?, outgoing: vec![] })
    }

    fn transition(
        &self,
        at: usize,
        codes: &Codes<u8>,
        handed: &Codes<Option<Message>>,
    ) -> Result<Transition, ConversionError> {
        const WAY: &str = "a transition is a seq of a condition, a write to v_scr, and optionally a message sent out under \
             `successd`";
        const ENTRY: &str = "v_scr is written by `movcv v_scr` or `mulav v_scr v_zero 0 v_zero`";
        const NEXT: &str = "no state, or no action, matches the value written to v_scr";
        let steps = self.children(at, tree::Kind::Seq, WAY)?;
        let (condition, enter, out) = match steps[..] {
            [condition, enter] => (condition, enter, None),
            [condition, enter, out] => (condition, enter, Some(out)),
            _ => return Err(form(self.tree, at, WAY)),
        };
        let trigger = self.lookup::<Kind>(&self.meanings.conditions, condition, "no message has this condition")?;
        // The node is a `sel` if the transition hands no message inward. The next code of v_scr then depends on the
        // message last handed inward, and the `sel` has a child for each such message.
        let keeps = self.tree.nodes()[enter].kind == tree::Kind::Sel;
        let entry = if keeps {
            let first = self.children(enter, tree::Kind::Sel, WAY)?[0];
            *self.children(first, tree::Kind::Seq, ENTRY)?.last().unwrap_or(&first)
        } else {
            enter
        };
        let code = StateCode::of_entry(&self.tree.nodes()[entry]).ok_or_else(|| form(self.tree, entry, ENTRY))?;
        let to = find(codes, code).ok_or_else(|| form(self.tree, entry, NEXT))?;
        let message = find(handed, code).ok_or_else(|| form(self.tree, entry, NEXT))?;
        let out = match out {
            Some(out) => {
                let action = self.children(out, tree::Kind::Successd, WAY)?[0];
                Some(self.lookup(&self.meanings.out, action, "no message sent out has this meaning")?)
            }
            None => None,
        };
        Ok(Transition { trigger, to, out, inward: if keeps { None } else { message } })
    }

    /// Returns the key whose tree equals the subtree at node `at`. Returns an error with the text `wanted` if there is
    /// no such key.
    fn lookup<K: Copy>(&self, list: &[(K, Tree)], at: usize, wanted: &'static str) -> Result<K, ConversionError> {
        let here = self.tree.subtree(at);
        let found = list.iter().find(|(_, tree)| *tree == here);
        found.map(|(key, _)| *key).ok_or_else(|| form(self.tree, at, wanted))
    }

    /// Returns the children of node `at`. Returns an error with the text `wanted` if the node has another kind or no
    /// children.
    fn children(&self, at: usize, kind: tree::Kind, wanted: &'static str) -> Result<Vec<usize>, ConversionError> {
        let node = &self.tree.nodes()[at];
        if node.kind != kind || node.children == 0 {
            return Err(form(self.tree, at, wanted));
        }
        let mut children = vec![at + 1];
        for _ in 1..node.children {
            children.push(self.tree.end(children[children.len() - 1]));
        }
        Ok(children)
    }
}

fn find<T: Copy>(codes: &Codes<T>, wanted: StateCode) -> Option<T> {
    codes.iter().find(|(code, _)| *code == wanted).map(|(_, value)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::simplify::reachable_transitions;
    use crate::automaton::test_support::random;
    use crate::automaton::{Module, diff, parse, simplify};
    use xpuck_kernels::random::{Draws, Stream};

    fn meanings() -> Meanings {
        let mut meanings = Meanings::epuck();
        meanings.conditions.push((Kind::TargetMark, Tree::parse("ifquad v_red 1").unwrap()));
        meanings
    }

    /// Sorts the transitions of an automaton and simplifies it. The result does not depend on the order of transitions,
    /// which `simplify` alone keeps.
    fn simplest(automaton: &Automaton) -> Automaton {
        let mut sorted = automaton.clone();
        for state in &mut sorted.states {
            state.incoming = reachable_transitions(&state.incoming);
            state.incoming.sort_by_key(|transition| transition.trigger);
        }
        simplify(&sorted)
    }

    #[test]
    fn automata_come_back_from_their_trees() {
        let meanings = meanings();
        let mut draws = Draws::new(6, 0, 0, 0, Stream::Evolution);
        for _ in 0..200 {
            let one = random(1 + draws.below(16) as usize, &mut draws);
            let tree = to_tree(&one, &meanings).unwrap();
            let back = from_tree(&tree, &meanings).unwrap();
            assert_eq!(diff(&simplest(&one), &simplest(&back)), "");
            assert_eq!(to_tree(&back, &meanings).unwrap(), tree);
            assert_eq!(from_tree(&Tree::parse(&tree.to_string()).unwrap(), &meanings).unwrap(), back);
            let gone = diff(&one, &back);
            assert!(gone.lines().all(|line| line.starts_with('-')), "{gone}");
        }
    }

    #[test]
    fn mismatched_trees_are_rejected_with_expected_form() {
        let text = "1 -> 2: (SENSORS_LIGHT_ENTER), in:NAVIGATE_FORWARD 0, out:BEEP_BEEP 7\n\
                    2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n";
        let automaton = parse("test", Module::Navigate, text).unwrap();
        let tree = to_tree(&automaton, &meanings()).unwrap();
        let error = |tree: &Tree| from_tree(tree, &meanings()).unwrap_err().to_string();
        let root = error(&Tree::parse("avoiding").unwrap());
        assert!(root.starts_with("node 1 (`avoiding`): an automaton is a seq of"), "{root}");
        for (right, wrong, wanted) in [
            ("signal 7", "successl", "no message sent out has this meaning"),
            ("v_goal 0deg", "v_goal 13deg", "no message handed inward has this meaning"),
            ("invert\n              ifquad v_blue 0", "successl", "no message has this condition"),
            ("movcv v_scr 90deg", "movcv v_scr 91deg", "no state, or no action"),
            ("            successd\n", "            failed\n", "a transition is a seq of"),
            ("ifsect v_scr 90deg 3deg\n        sel", "successl\n        sel", "v_scr is tested by"),
            (
                "        ifsect v_scr 90deg 3deg\n      movcv",
                "        ifsect v_scr 91deg 3deg\n      movcv",
                "no action",
            ),
            (
                "ifsect v_scr 90deg 3deg\n                movcv",
                "ifsect v_scr 0deg 3deg\n                movcv",
                "the rest",
            ),
        ] {
            let text = tree.to_string();
            assert!(text.contains(right), "{right}");
            let error = error(&Tree::parse(&text.replace(right, wrong)).unwrap());
            assert!(error.contains(wanted), "{error}");
        }
    }

    #[test]
    fn ambiguous_meanings_are_rejected() {
        let mut meanings = meanings();
        let tree = to_tree(&Automaton::forwarding(&[]), &meanings).unwrap();
        meanings.inward.push((Kind::NavigateBackward.into(), Tree::parse("movcv v_goal 0deg").unwrap()));
        let error = from_tree(&tree, &meanings).unwrap_err().to_string();
        assert!(error.starts_with("NAVIGATE_BACKWARD 0 and NAVIGATE_FORWARD 0 mean the same tree"), "{error}");
    }
}
