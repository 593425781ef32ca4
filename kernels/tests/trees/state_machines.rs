//! Tests that compare state machines, encoded as trees, with a direct interpreter.

use crate::random;
use xpuck_kernels::analysis::machine::{Guard, MAX_STATES, MachineError, State, StateMachine, Transition};
use xpuck_kernels::math::{Vec2, exp};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Blackboard, Memory, Program, Senses, Status, Tree};

fn state(name: &str, action: &str, transitions: Vec<Transition>) -> State {
    State { name: name.into(), action: Tree::parse(action).unwrap(), transitions }
}

fn transition(condition: &str, to: &str) -> Transition {
    Transition { condition: Some(Tree::parse(condition).unwrap()), probability: None, to: to.into() }
}

/// Returns a machine with the given states. The first state is the initial state.
fn machine(states: Vec<State>) -> StateMachine {
    StateMachine { initial: states[0].name.clone(), states }
}

/// Returns a random tree that is valid in the machine that `put` builds with the tree.
fn usable(draws: &mut Draws, put: impl Fn(Tree) -> StateMachine) -> Tree {
    loop {
        let tree = random::small_tree(2, draws);
        if put(tree.clone()).to_tree().is_ok() {
            return tree;
        }
    }
}

fn random_machine(draws: &mut Draws) -> StateMachine {
    let alone = |action| machine(vec![State { name: "a".into(), action, transitions: vec![] }]);
    let looped = |condition| {
        let transition = Transition { condition: Some(condition), probability: None, to: "a".into() };
        machine(vec![state("a", "successl", vec![transition])])
    };
    let n = 1 + draws.below(6);
    let name = |i: u32| format!("state-{i}");
    let states = (0..n)
        .map(|i| State {
            name: name(i),
            action: usable(draws, alone),
            transitions: (0..draws.below(4))
                .map(|_| Transition {
                    condition: (draws.below(4) > 0).then(|| usable(draws, looped)),
                    probability: (draws.below(2) > 0).then(|| f64::from(draws.below(100) + 1) / 100.0),
                    to: name(draws.below(n)),
                })
                .collect(),
        })
        .collect();
    StateMachine { initial: name(draws.below(n)), states }
}

/// Direct interpreter of state machines. A tick first follows a transition, and then ticks the action of the current
/// state.
struct Direct<'a> {
    machine: &'a StateMachine,
    current: usize,
    /// Compiled action of the current state, and its memory.
    action: (Program, Memory),
    board: Blackboard,
}

impl<'a> Direct<'a> {
    fn new(machine: &'a StateMachine) -> Direct<'a> {
        let current = Direct::place(machine, &machine.initial);
        Direct { machine, current, action: Direct::action(machine, current), board: Blackboard::default() }
    }

    fn place(machine: &StateMachine, name: &str) -> usize {
        machine.states.iter().position(|s| s.name == name).unwrap()
    }

    fn action(machine: &StateMachine, at: usize) -> (Program, Memory) {
        let program = Program::compile(&machine.states[at].action).unwrap();
        let memory = Memory::new(&program);
        (program, memory)
    }

    fn tick(&mut self, senses: &Senses, draws: &mut Draws) -> (Status, Vec2) {
        let open = self.machine.states[self.current].transitions.iter().find(|transition| {
            let holds = transition.condition.as_ref().is_none_or(|condition| {
                let program = Program::compile(condition).unwrap();
                let mut memory = Memory::new(&program);
                memory.board = self.board.clone();
                memory.tick(&program, senses, draws).0 == Status::Success
            });
            holds
                && transition.probability.is_none_or(|wanted| {
                    let guard = Guard::nearest(wanted).unwrap();
                    assert!((f64::from(guard.achieved) - wanted).abs() < 0.01);
                    draws.unit() < 1.0 / (1.0 + exp(guard.k * guard.l))
                })
        });
        if let Some(transition) = open {
            let next = Direct::place(self.machine, &transition.to);
            if next != self.current {
                self.current = next;
                self.action = Direct::action(self.machine, next);
            }
        }
        let (program, memory) = &mut self.action;
        memory.board = self.board.clone();
        let result = memory.tick(program, senses, draws);
        self.board = memory.board.clone();
        result
    }
}

/// Returns the bits of all registers before v_scr. An encoded machine stores its state in v_scr.
fn cells(board: &Blackboard) -> Vec<u32> {
    board.cells()[..18].iter().map(|x| if x.is_nan() { f32::NAN } else { *x }.to_bits()).collect()
}

/// Ticks a machine and its tree with the same senses, and checks that the results are equal. Returns the number of
/// state changes.
fn compare(machine: &StateMachine, seed: u64, ticks: u32) -> u32 {
    let encoded = machine.to_tree().unwrap();
    assert_eq!(Tree::parse(&encoded.to_string()).unwrap(), encoded.tree, "what is printed is the tree");
    let program = Program::compile(&encoded.tree).unwrap();
    let mut memory = Memory::new(&program);
    let mut direct = Direct::new(machine);
    let mut senses = Senses::default();
    let mut changes = 0;
    for t in 0..ticks {
        let choice = &mut random::draws(seed, t);
        if choice.below(3) == 0 {
            senses = random::senses(choice);
        }
        let before = direct.current;
        let draws = || Draws::new(seed, 0, 0, t, Stream::Controller);
        let (mut left, mut right) = (draws(), draws());
        let expected = direct.tick(&senses, &mut left);
        let got = memory.tick(&program, &senses, &mut right);
        assert_eq!(got, expected, "tick {t} of\n{encoded}");
        assert_eq!(cells(&memory.board), cells(&direct.board), "tick {t} of\n{encoded}");
        assert_eq!(left.word(), right.word(), "as many draws, tick {t} of\n{encoded}");
        changes += u32::from(direct.current != before);
    }
    changes
}

#[test]
fn random_machines_do_the_same_as_trees() {
    let mut changes = 0;
    for seed in 0..1000 {
        changes += compare(&random_machine(&mut random::draws(seed, u32::MAX)), seed, 100);
    }
    assert!(changes > 5_000, "only {changes} transitions between states");
}

#[test]
fn largest_machine_cycles_through_all_states() {
    let name = |i: usize| format!("s{}", i % MAX_STATES);
    // Each state writes its number to s_scr.
    let states = (0..MAX_STATES)
        .map(|i| state(&name(i), &format!("movcs s_scr {}", i as i32 - 64), vec![transition("successl", &name(i + 1))]))
        .collect();
    let ring = machine(states);
    assert_eq!(compare(&ring, 1, 300), 300);
    let program = Program::compile(&ring.to_tree().unwrap().tree).unwrap();
    let mut memory = Memory::new(&program);
    for t in 1..300 {
        memory.tick(&program, &Senses::default(), &mut Draws::new(1, 0, 0, t, Stream::Controller));
        assert_eq!(memory.board.cells()[17], (t as usize % MAX_STATES) as f32 - 64.0);
    }
}

#[test]
fn floor_changes_the_state_of_a_machine() {
    let machine = machine(vec![
        state("seek", "movcv v_goal 0deg", vec![transition("ifsect s_ground 180deg 40deg", "stay")]),
        state("stay", "movcv v_goal 180deg", vec![transition("ifsect s_ground 0deg 40deg", "seek")]),
    ]);
    let printed = machine.to_tree().unwrap().to_string();
    assert_eq!(printed.matches("s_ground").count(), 2, "{printed}");
    let program = Program::compile(&Tree::parse(&printed).unwrap()).unwrap();
    let mut memory = Memory::new(&program);
    let shades = [0.0, 1.0, -1.0, 0.0, -1.0, 1.0, 0.0];
    let goals = shades.map(|ground| {
        let senses = Senses { ground, ..Senses::default() };
        memory.tick(&program, &senses, &mut Draws::new(1, 0, 0, 0, Stream::Controller)).1.x.round()
    });
    assert_eq!(goals, [1.0, 1.0, -1.0, -1.0, -1.0, 1.0, 1.0]);
}

#[test]
fn first_enabled_transition_is_taken_alone() {
    let machine = machine(vec![
        state(
            "a",
            "movcs s_scr 1",
            vec![transition("failurel", "a"), transition("successl", "b"), transition("successl", "c")],
        ),
        state("b", "movcs s_scr 2", vec![transition("successl", "c")]),
        state("c", "movcs s_scr 3", vec![]),
    ]);
    let tree = machine.to_tree().unwrap().tree;
    let expected = "\
seq
  successd
    sel
      seq
        ifsect v_scr 0deg 0deg
        sel
          seq
            failurel
            mulav v_scr v_zero 0 v_zero
          seq
            successl
            movcv v_scr 0deg
          seq
            successl
            movcv v_scr 90deg
      seq
        ifsect v_scr 0deg 3deg
        seq
          successl
          movcv v_scr 90deg
  sel
    seq
      ifsect v_scr 0deg 0deg
      movcs s_scr 1
    seq
      ifsect v_scr 0deg 3deg
      movcs s_scr 2
    seq
      ifsect v_scr 90deg 3deg
      movcs s_scr 3
";
    assert_eq!(tree.to_string(), expected);
    let program = Program::compile(&tree).unwrap();
    let mut memory = Memory::new(&program);
    let seen: Vec<f32> = (0..4)
        .map(|t| {
            memory.tick(&program, &Senses::default(), &mut random::draws(1, t));
            memory.board.cells()[17]
        })
        .collect();
    assert_eq!(seen, [2.0, 3.0, 3.0, 3.0]);
}

#[test]
fn invalid_machine_is_rejected_with_location() {
    let refusal = |machine: StateMachine| machine.to_tree().unwrap_err().to_string();
    let action = |text: &str| refusal(machine(vec![state("a", text, vec![])]));
    let way = |t: Transition| refusal(machine(vec![state("a", "successl", vec![t])]));
    let scratch = "uses v_scr, which holds the machine's state; use s_scr";
    assert_eq!(action("seq\n  movcv v_scr 0deg\n"), format!("state `a`, action: `movcv v_scr 0deg` {scratch}"));
    assert_eq!(
        action("mulas s_scr v_scr.y 1 s_scr"),
        format!("state `a`, action: `mulas s_scr v_scr.y 1 s_scr` {scratch}")
    );
    assert_eq!(action("bsearch 90deg"), format!("state `a`, action: `bsearch 90deg` {scratch}"));
    assert_eq!(
        way(transition("ifquad v_scr 1", "a")),
        format!("state `a`, transition 1 to `a`: `ifquad v_scr 1` {scratch}")
    );
    for node in ["movcv v_goal 0deg", "avoiding", "explore 3", "repeati 2"] {
        let text = if node == "repeati 2" { "repeati 2\n  successl" } else { node };
        let expected = format!(
            "state `a`, transition 1 to `a`: `{node}` is not allowed in a condition; use queries, optionally under seq, \
             sel, par, successd, failed, invert"
        );
        assert_eq!(way(transition(text, "a")), expected);
    }
    assert_eq!(way(transition("successl", "b")), "state `a`, transition 1 to `b`: state `b` does not exist");
    let unlikely = Transition { probability: Some(0.0), ..transition("successl", "a") };
    assert_eq!(way(unlikely), "state `a`, transition 1 to `a`: the probability is 0; it must be above 0 and at most 1");
    let mut lost = machine(vec![state("explore", "successl", vec![])]);
    lost.initial = "explor".into();
    assert_eq!(refusal(lost), "initial: state `explor` does not exist; did you mean `explore`?");
    let named = |name: &str| refusal(machine(vec![state(name, "successl", vec![])]));
    assert_eq!(named("a\nb"), "state `a\\nb`: a name must have 1 to 32 letters, digits, `-` or `_`");
    assert!(named("").starts_with("state ``: a name must have"));
    let twins = machine(vec![state("a", "successl", vec![]), state("a", "failurel", vec![])]);
    assert_eq!(refusal(twins), "duplicate state name `a`; rename one");
    let none = StateMachine { initial: "a".into(), states: vec![] };
    assert_eq!(refusal(none), "the machine has 0 states; 1 to 129 are allowed");
    let many = machine(vec![state("a", "successl", vec![transition("successl", "a"); 65])]);
    assert_eq!(refusal(many), "state `a` has 65 transitions; at most 64 are allowed");
    let wide = format!("seq\n{}", "  successl\n".repeat(2000));
    let two = machine(vec![state("a", &wide, vec![]), state("b", &wide, vec![])]);
    assert!(matches!(two.to_tree(), Err(MachineError::Compile(_))));
    let deep: String = (0..64).map(|d| format!("{}seq\n", "  ".repeat(d))).collect();
    let deep = format!("{deep}{}successl", "  ".repeat(64));
    let two = machine(vec![state("a", &deep, vec![]), state("b", &deep, vec![])]);
    assert_eq!(
        refusal(two),
        "the tree is 66 levels deep; at most 64 are allowed; make the deepest action or condition flatter"
    );
}
