//! Conversion of automata to behaviour trees (thesis 3.1.8, figure 3.10).

use super::meanings::{ConversionError, Meanings};
use super::simplify::reachable_transitions;
use super::text::message_text;
use super::{Automaton, Message, Transition};
use std::collections::BTreeSet;
use xpuck_kernels::analysis::machine::{MAX_STATES, StateCode};
use xpuck_kernels::tree::{Kind, MAX_DEPTH, Program, Tree};

/// Converts an automaton to a behaviour tree, which is a complete robot program. In each tick:
///
/// 1. The robot tests the trigger conditions of the current state's transitions, in order. It takes the first
///    transition whose condition succeeds, changes the state, and executes the action of the message sent out. It takes
///    at most one transition per tick.
/// 2. The robot executes the action of the message last handed inward, in this tick or an earlier tick. Before the
///    first message, it executes the idle action. The memory of the action is reset if the robot executed another
///    action in the previous tick.
///
/// The result of the tick is the result of step 2. If the action of the message sent out is running, step 2 is omitted
/// and the result of the tick is running.
///
/// v_scr holds the state and the message last handed inward. Its initial value, a short vector, represents the start
/// state without a message. Each other reachable pair of a state and a message is represented by a direction. The test
/// of v_scr is exact and uses no random numbers, unlike any test of s_scr. The tree has the form:
///
/// ```text
/// seq
///   successd
///     sel                  # one child per state:
///       seq
///         sel              # tests: this state is current, with any message
///         sel              # its transitions:
///           seq
///             ...          # condition of the trigger
///             movcv v_scr  # next state and message handed inward; without a message, the previous one is kept:
///                          # "sel" over "seq" of a test for each message and its "movcv v_scr"
///             successd ... # action of the message sent out
///   sel                    # one child per message handed inward, and one for no message:
///     seq
///       sel                # tests: this message was the last
///       ...                # action of the message
/// ```
///
/// A state without transitions has `failurel`. Several conditions may hold in one tick, so the order of a state's
/// transitions matters even between different triggers. [`simplify`](super::simplify) ignores that order. Unreachable
/// states and hidden transitions are omitted.
///
/// # Errors
/// Returns an error for a message without a meaning, transitions for outgoing messages, an invalid meaning, or a tree
/// that is too large.
pub fn to_tree(automaton: &Automaton, meanings: &Meanings) -> Result<Tree, ConversionError> {
    meanings.check()?;
    let places = Places::reachable(automaton)?;
    let mut states = Vec::new();
    for state in 0..automaton.states.len() {
        let here: Vec<&(MemoryState, StateCode)> = places.0.iter().filter(|(place, _)| place.state == state).collect();
        if !here.is_empty() {
            let ways = places.transitions(automaton, state, &here, meanings)?;
            states.push(seq(vec![any_of(&here), ways]));
        }
    }
    let mut actions = Vec::new();
    let handed: BTreeSet<Option<Message>> = places.0.iter().map(|(place, _)| place.inward).collect();
    for inward in handed {
        let here: Vec<&(MemoryState, StateCode)> =
            places.0.iter().filter(|(place, _)| place.inward == inward).collect();
        let action = meanings.inward(inward);
        // All messages here have an action, because `transitions` has reported any message without a meaning.
        actions.extend(action.map(|action| seq(vec![any_of(&here), action.clone()])));
    }
    let tree = seq(vec![Tree::inner(Kind::Successd, &[], &[sel(states)]), sel(actions)]);
    if tree.depth() > MAX_DEPTH {
        return Err(ConversionError::Depth(tree.depth()));
    }
    Program::compile(&tree)?;
    Ok(tree)
}

/// Content of v_scr: a state and the message last handed inward.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct MemoryState {
    state: usize,
    inward: Option<Message>,
}

/// Reachable contents of v_scr with their codes, ordered by state.
struct Places(Vec<(MemoryState, StateCode)>);

impl Places {
    fn reachable(automaton: &Automaton) -> Result<Places, ConversionError> {
        let start = MemoryState { state: usize::from(automaton.start), inward: None };
        let mut reached = BTreeSet::from([start]);
        let mut open = vec![start];
        while let Some(place) = open.pop() {
            let state = &automaton.states[place.state];
            if !state.outgoing.is_empty() {
                return Err(ConversionError::Outgoing(place.state + 1));
            }
            let next = reachable_transitions(&state.incoming).into_iter().map(|transition| place.after(&transition));
            open.extend(next.filter(|next| reached.insert(*next)));
        }
        if reached.len() > MAX_STATES {
            return Err(ConversionError::Pairs(reached.len(), MAX_STATES));
        }
        let initial = reached.iter().position(|place| *place == start).unwrap_or(0);
        let codes = StateCode::of_states(reached.len(), initial);
        Ok(Places(reached.into_iter().zip(codes).collect()))
    }

    /// Returns the tree for the transitions of a state.
    fn transitions(
        &self,
        automaton: &Automaton,
        state: usize,
        here: &[&(MemoryState, StateCode)],
        meanings: &Meanings,
    ) -> Result<Tree, ConversionError> {
        let mut ways = Vec::new();
        for transition in reachable_transitions(&automaton.states[state].incoming) {
            let Transition { trigger, inward, out, .. } = transition;
            let unknown =
                |message, way| ConversionError::Message { state: state + 1, message: message_text(message), way };
            let condition = meanings.condition(trigger);
            let condition = condition.ok_or(ConversionError::Trigger { state: state + 1, trigger })?;
            meanings.inward(inward).ok_or_else(|| unknown(inward, "handed inward"))?;
            let enter = |place: &MemoryState| self.code(place.after(&transition)).map(StateCode::enter);
            let enter = if inward.is_some() {
                here.first().and_then(|(place, _)| enter(place))
            } else {
                let each = here.iter().filter_map(|(place, code)| Some(seq(vec![code.test(), enter(place)?])));
                Some(sel(each.collect()))
            };
            let mut steps = vec![condition.clone()];
            steps.extend(enter);
            if let Some(message) = out {
                let action = meanings.out(message).ok_or_else(|| unknown(out, "sent out"))?;
                steps.push(Tree::inner(Kind::Successd, &[], std::slice::from_ref(action)));
            }
            ways.push(seq(steps));
        }
        Ok(if ways.is_empty() { Tree::leaf(Kind::Failurel, &[]) } else { sel(ways) })
    }

    fn code(&self, wanted: MemoryState) -> Option<StateCode> {
        self.0.iter().find(|(place, _)| *place == wanted).map(|(_, code)| *code)
    }
}

impl MemoryState {
    fn after(self, transition: &Transition) -> MemoryState {
        MemoryState { state: usize::from(transition.to), inward: transition.inward.or(self.inward) }
    }
}

/// Returns a tree that succeeds if v_scr holds one of these codes.
fn any_of(places: &[&(MemoryState, StateCode)]) -> Tree {
    sel(places.iter().map(|(_, code)| code.test()).collect())
}

fn seq(children: Vec<Tree>) -> Tree {
    Tree::inner(Kind::Seq, &[], &children)
}

fn sel(children: Vec<Tree>) -> Tree {
    Tree::inner(Kind::Sel, &[], &children)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::test_support::random;
    use crate::automaton::{Kind as Word, Module, PostOffice, parse};
    use xpuck_kernels::math::{Vec2, vec2};
    use xpuck_kernels::random::{Draws, Stream};
    use xpuck_kernels::tree::lanes::{DrawLanes, DrawPlace, LANES, MemoryLanes};
    use xpuck_kernels::tree::registers::{CELLS, GOAL, SCRATCH};
    use xpuck_kernels::tree::{Memory, Senses, Status};

    /// Returns the meanings for an e-puck, plus a meaning with memory and a meaning with random numbers.
    fn meanings() -> Meanings {
        let mut meanings = Meanings::epuck();
        meanings.conditions.push((Word::TargetMark, Tree::parse("fixedprob 2").unwrap()));
        meanings.inward.insert(0, (Word::NavigateAroundRight.into(), Tree::parse("explore 6").unwrap()));
        meanings
    }

    fn program(tree: &Tree) -> Program {
        Program::compile(tree).unwrap()
    }

    fn tick(tree: &Tree, senses: &Senses, draws: &mut Draws) -> (Status, Memory) {
        let program = program(tree);
        let mut memory = Memory::new(&program);
        (memory.tick(&program, senses, draws).0, memory)
    }

    /// Direct execution of an automaton by its post-office, with the robot's current action. The converted tree must
    /// give the same results.
    struct Direct<'a> {
        meanings: &'a Meanings,
        automaton: &'a Automaton,
        office: PostOffice<'a>,
        inward: Option<Message>,
        action: (Program, Memory),
    }

    impl<'a> Direct<'a> {
        fn new(automaton: &'a Automaton, meanings: &'a Meanings) -> Direct<'a> {
            let program = program(&meanings.idle);
            let memory = Memory::new(&program);
            let office = PostOffice::new(automaton);
            Direct { meanings, automaton, office, inward: None, action: (program, memory) }
        }

        /// Executes one tick. Returns the result of the action, the bits of v_goal, and the signal.
        fn tick(&mut self, senses: &Senses, draws: &mut Draws) -> (Status, [u32; 2], u8) {
            let mut signal = 0;
            let mut asked = Vec::new();
            for transition in &self.automaton.states[usize::from(self.office.state())].incoming {
                let trigger = transition.trigger;
                if asked.contains(&trigger) {
                    continue;
                }
                asked.push(trigger);
                if tick(self.meanings.condition(trigger).unwrap(), senses, draws).0 != Status::Success {
                    continue;
                }
                let passed = self.office.incoming(trigger.into());
                if let Some(message) = passed.out {
                    signal = tick(self.meanings.out(message).unwrap(), senses, draws).1.board.signal();
                }
                if passed.inward.is_some() && passed.inward != self.inward {
                    self.inward = passed.inward;
                    let program = program(self.meanings.inward(self.inward).unwrap());
                    let memory = Memory::new(&program);
                    self.action = (program, memory);
                }
                break;
            }
            let (program, memory) = &mut self.action;
            let (status, _) = memory.tick(program, senses, draws);
            (status, goal(memory), signal)
        }

        fn place(&self) -> MemoryState {
            MemoryState { state: usize::from(self.office.state()), inward: self.inward }
        }
    }

    fn goal(memory: &Memory) -> [u32; 2] {
        let cells = memory.board.cells();
        [cells[GOAL].to_bits(), cells[GOAL + 1].to_bits()]
    }

    fn senses(draws: &mut Draws) -> Senses {
        let mut vector = || if draws.below(2) == 0 { Vec2::ZERO } else { Vec2::unit(draws.range(-3.0, 3.0)) };
        Senses { prox: vector(), colours: [vector(), vector(), vector()], ..Senses::default() }
    }

    /// Returns the state and message held in `scratch`, the value of v_scr. Asserts that exactly one test succeeds.
    fn place_in(places: &Places, scratch: [f32; 3]) -> MemoryState {
        let now = vec2(scratch[1], scratch[2]);
        let mut found = places.0.iter().filter(|(_, code)| code.holds(now));
        let (place, _) = found.next().unwrap();
        assert!(found.next().is_none(), "two places at once");
        *place
    }

    #[test]
    fn trees_do_what_post_offices_do() {
        let meanings = meanings();
        let mut draws = Draws::new(4, 0, 0, 0, Stream::Evolution);
        let mut visited = BTreeSet::new();
        for number in 0..100 {
            let automaton = random(1 + draws.below(16) as usize, &mut draws);
            let places = Places::reachable(&automaton).unwrap();
            let program = program(&to_tree(&automaton, &meanings).unwrap());
            let mut memory = Memory::new(&program);
            let mut direct = Direct::new(&automaton, &meanings);
            for update in 0..300 {
                let sensed = senses(&mut draws);
                let luck = || Draws::new(7, number, 0, update, Stream::Controller);
                let (status, _) = memory.tick(&program, &sensed, &mut luck());
                let told = (status, goal(&memory), memory.board.signal());
                assert_eq!(told, direct.tick(&sensed, &mut luck()), "automaton {number}, update {update}");
                assert_eq!(place_in(&places, memory.board.scratch()), direct.place());
                visited.insert((number, direct.place()));
            }
        }
        assert!(visited.len() > 400, "only {} places were visited", visited.len());
    }

    #[test]
    fn sixteen_robots_side_by_side_do_the_same() {
        let meanings = meanings();
        let mut draws = Draws::new(5, 0, 0, 0, Stream::Evolution);
        for number in 0..20 {
            let automaton = random(1 + draws.below(16) as usize, &mut draws);
            let program = program(&to_tree(&automaton, &meanings).unwrap());
            let mut memories: Vec<Memory> = (0..LANES).map(|_| Memory::new(&program)).collect();
            let mut lanes = MemoryLanes::new(&program);
            let place = |robot| DrawPlace { seed: 9, world: number, robot: robot as u32 };
            let mut luck = DrawLanes::new(&std::array::from_fn(place));
            let mut cells = [[0.0; LANES]; CELLS];
            for update in 0..200 {
                luck.begin(update);
                for (robot, memory) in memories.iter_mut().enumerate() {
                    let sensed = senses(&mut draws);
                    let own = &mut Draws::new(9, number, robot as u32, update, Stream::Controller);
                    memory.tick(&program, &sensed, own);
                    let board = memory.board.cells();
                    (0..CELLS).filter(|&c| c != GOAL && c & !1 != SCRATCH).for_each(|c| cells[c][robot] = board[c]);
                }
                lanes.tick(&program, 0xffff, &mut cells, &mut luck);
                for (robot, memory) in memories.iter().enumerate() {
                    let bits = |values: [f32; 4]| values.map(f32::to_bits);
                    let of = |at: &dyn Fn(usize) -> f32| bits([GOAL, GOAL + 1, SCRATCH, SCRATCH + 1].map(at));
                    let board = memory.board.cells();
                    assert_eq!(of(&|c| cells[c][robot]), of(&|c| board[c]), "update {update}, robot {robot}");
                }
            }
        }
    }

    #[test]
    fn small_automaton_converts_to_expected_tree() {
        let text = "1 -> 2: (SENSORS_LIGHT_ENTER), in:NAVIGATE_FORWARD 0, out:BEEP_BEEP 7\n\
                    2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n";
        let tree = to_tree(&parse("test", Module::Navigate, text).unwrap(), &Meanings::epuck()).unwrap();
        let expected = "\
seq
  successd
    sel
      seq
        sel
          ifsect v_scr 0deg 0deg
          ifsect v_scr 0deg 3deg
        sel
          seq
            invert
              ifquad v_blue 0
            movcv v_scr 90deg
            successd
              signal 7
      seq
        sel
          ifsect v_scr 90deg 3deg
        sel
          seq
            ifquad v_blue 0
            sel
              seq
                ifsect v_scr 90deg 3deg
                movcv v_scr 0deg
  sel
    seq
      sel
        ifsect v_scr 0deg 0deg
      successl
    seq
      sel
        ifsect v_scr 0deg 3deg
        ifsect v_scr 90deg 3deg
      movcv v_goal 0deg
";
        assert_eq!(tree.to_string(), expected);
    }

    #[test]
    fn running_output_ends_the_tick() {
        let text = "1 -> 2: (SENSORS_LIGHT_LEAVE), in:NAVIGATE_FORWARD 0, out:BEEP_BEEP 1\n";
        let automaton = parse("test", Module::Navigate, text).unwrap();
        let mut meanings = Meanings::epuck();
        let goal_after = |meanings: &Meanings| {
            let program = program(&to_tree(&automaton, meanings).unwrap());
            let mut memory = Memory::new(&program);
            let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
            [0, 1].map(|_| memory.tick(&program, &Senses::default(), &mut draws))
        };
        let ahead = (Status::Success, vec2(1.0, 0.0));
        assert_eq!(goal_after(&meanings), [ahead, ahead]);
        meanings.out[0].1 = Tree::parse("repeati 2\n  movcv v_goal 90deg").unwrap();
        let [first, second] = goal_after(&meanings);
        assert_eq!((first.0, first.1.y, second), (Status::Running, 1.0, ahead));
    }

    #[test]
    fn messages_without_meaning_are_rejected_by_name() {
        let error = |text: &str| {
            to_tree(&parse("test", Module::Navigate, text).unwrap(), &Meanings::epuck()).unwrap_err().to_string()
        };
        let line = error("2 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\nstart 2");
        assert!(line.starts_with("state 2: SENSORS_LINE_ENTER has no condition on this robot"), "{line}");
        let timed = error("1 -> 1: (SENSORS_LIGHT_ENTER), in:NAVIGATE_FORWARD 200, out:-");
        assert!(timed.starts_with("state 1: NAVIGATE_FORWARD 200, handed inward, has no meaning"), "{timed}");
        let out = error("1 -> 1: (SENSORS_LIGHT_ENTER), in:-, out:SENSORS_TARGET_MARK");
        assert!(out.starts_with("state 1: SENSORS_TARGET_MARK, sent out, has no meaning"), "{out}");
        let outgoing = error("1 -> 1: outgoing (NAVIGATE_BUSY), in:-, out:-");
        assert!(outgoing.starts_with("state 1 has transitions for outgoing messages"), "{outgoing}");
    }

    #[test]
    fn meanings_must_leave_v_scr_alone_and_conditions_must_ask() {
        let automaton = Automaton::forwarding(&[]);
        let with = |condition: &str, idle: &str| {
            let condition = Tree::parse(condition).unwrap();
            let conditions = vec![(Word::LineEnter, condition)];
            let idle = Tree::parse(idle).unwrap();
            to_tree(&automaton, &Meanings { conditions, idle, ..Meanings::epuck() }).unwrap_err().to_string()
        };
        assert!(with("movcs s_scr 1", "successl").starts_with("the condition of SENSORS_LINE_ENTER: `movcs s_scr 1`"));
        assert!(with("signal 1", "successl").contains("is not a query"));
        assert!(with("successl", "bsearch 90deg").starts_with("the meaning of idling: `bsearch 90deg` uses v_scr"));
    }

    #[test]
    fn too_much_to_remember_is_refused() {
        let messages: Vec<Message> =
            (0..16).map(|i| Message { kind: Word::NavigateForward, arguments: [i, 0] }).collect();
        let ring = |i: usize| {
            let triggers = Word::ALL.iter().zip(&messages);
            let to = ((i + 1) % 16) as u8;
            let transition = |(&trigger, &inward)| Transition { trigger, to, out: None, inward: Some(inward) };
            crate::automaton::State { incoming: triggers.map(transition).collect(), outgoing: vec![] }
        };
        let automaton = Automaton { start: 0, states: (0..16).map(ring).collect() };
        let error = to_tree(&automaton, &Meanings::epuck()).unwrap_err().to_string();
        assert!(error.contains("257 pairs of a state"), "{error}");
    }
}
