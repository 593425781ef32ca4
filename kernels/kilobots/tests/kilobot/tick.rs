//! Comparison of the tick with an interpreter that implements section 4.3 and Table 4.2 of the thesis node by node.

use crate::random;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Kind, RegisterMap, Status, Tree};
use xpuck_kilobots::{ControllerState, Motors, Program};

/// State of a node. A running node has a current child, and the number of successes that it still requires.
#[derive(Clone, Copy, Default)]
struct State {
    running: bool,
    child: usize,
    left: u32,
}

struct ReferenceTick<'a> {
    tree: &'a Tree,
    motors: Motors,
    states: Vec<State>,
    board: [f32; 10],
}

impl ReferenceTick<'_> {
    fn tick(&mut self, draws: &mut Draws) -> Status {
        self.board[0] = 0.0;
        self.node(0, draws)
    }

    fn node(&mut self, at: usize, draws: &mut Draws) -> Status {
        let before = self.states[at];
        let status = self.update(at, before, draws);
        self.states[at].running = status == Status::Running;
        status
    }

    fn update(&mut self, at: usize, before: State, draws: &mut Draws) -> Status {
        let node = self.tree.nodes()[at];
        let [a, b, c, _] = node.operands;
        let test = |holds: bool| if holds { Status::Success } else { Status::Failure };
        let mut children = vec![at + 1];
        for _ in 1..node.children {
            children.push(self.tree.end(*children.last().unwrap()));
        }
        match node.kind {
            Kind::Seqm | Kind::Selm => {
                let go_on = if node.kind == Kind::Seqm { Status::Success } else { Status::Failure };
                let first = if before.running { before.child } else { 0 };
                for (number, child) in children.iter().enumerate().skip(first) {
                    self.states[at].child = number;
                    let status = self.node(*child, draws);
                    if status != go_on {
                        return status;
                    }
                }
                go_on
            }
            Kind::Probm2 | Kind::Probm3 | Kind::Probm4 => {
                if !before.running {
                    let drawn = draws.unit();
                    let mut parts = [a, b, c];
                    parts[children.len() - 1..].fill(f32::INFINITY);
                    let mut sum = 0.0;
                    let ends = parts.map(|part| {
                        sum += part;
                        sum
                    });
                    self.states[at].child = ends.iter().position(|end| drawn < *end).unwrap_or(children.len() - 1);
                }
                self.node(children[self.states[at].child], draws)
            }
            Kind::Repeati => {
                if !before.running {
                    self.states[at].left = a as u32;
                }
                match self.node(at + 1, draws) {
                    Status::Success => {
                        self.states[at].left -= 1;
                        if self.states[at].left == 0 { Status::Success } else { Status::Running }
                    }
                    other => other,
                }
            }
            Kind::Successd | Kind::Failed => match self.node(at + 1, draws) {
                Status::Running => Status::Running,
                _ => test(node.kind == Kind::Successd),
            },
            Kind::Mf | Kind::Ml | Kind::Mr => {
                let on = if node.kind == Kind::Mf { 3.0 } else { [1.0, 2.0][usize::from(node.kind == Kind::Mr)] };
                match self.motors {
                    Motors::RunThenSucceed if before.running => Status::Success,
                    Motors::SucceedAtOnce if self.board[0] > 0.0 => Status::Running,
                    how => {
                        self.board[0] = on;
                        if how == Motors::SucceedAtOnce { Status::Success } else { Status::Running }
                    }
                }
            }
            Kind::Ifltvar => test(self.board[a as usize] < self.board[b as usize]),
            Kind::Ifgevar => test(self.board[a as usize] >= self.board[b as usize]),
            Kind::Ifltcon => test(self.board[a as usize] < b),
            Kind::Ifgecon => test(self.board[a as usize] >= b),
            Kind::Set => {
                self.board[a as usize] = b;
                Status::Success
            }
            other => test(other == Kind::Successl),
        }
    }
}

#[test]
fn ticks_match_plain_node_semantics() {
    let (mut compared, mut seen) = (0, [0; 3]);
    for number in 0..600 {
        let tree = random::tree(1 + number % 5, &mut Draws::new(3, 0, number, 0, Stream::Evolution));
        let Ok(program) = Program::compile(&tree) else { continue };
        for motors in [Motors::RunThenSucceed, Motors::SucceedAtOnce] {
            let mut mind = ControllerState::new(&program);
            let states = vec![State::default(); tree.nodes().len()];
            let mut plain = ReferenceTick { tree: &tree, motors, states, board: [0.0; 10] };
            for tick in 0..80 {
                let mut senses = Draws::new(4, number, 0, tick, Stream::Device);
                for entry in 3..10 {
                    let sense = if entry < 6 { senses.below(2) as f32 } else { senses.range(-0.1, 0.1) };
                    (mind.board[entry], plain.board[entry]) = (sense, sense);
                }
                let draws = || Draws::new(5, number, 0, tick, Stream::Controller);
                let status = mind.tick(&program, motors, &mut draws());
                assert_eq!(status, plain.tick(&mut draws()), "tick {tick} of\n{tree}");
                assert_eq!(mind.board, plain.board, "tick {tick} of\n{tree}");
                seen[status as usize] += 1;
                compared += 1;
            }
        }
    }
    assert!(compared > 50_000 && seen.iter().all(|count| *count > 5000), "{compared} ticks, {seen:?}");
}

#[test]
fn motor_node_runs_one_update_then_succeeds() {
    let tree = Tree::parse_with("seqm\n  ml\n  mf\n", RegisterMap::Kilobot, false).unwrap();
    let program = Program::compile(&tree).unwrap();
    let ticks = |motors| {
        let mut mind = ControllerState::new(&program);
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
        [(); 4].map(|()| (mind.tick(&program, motors, &mut draws), mind.board[0]))
    };
    use Status::{Running, Success};
    assert_eq!(ticks(Motors::RunThenSucceed), [(Running, 1.0), (Running, 3.0), (Success, 0.0), (Running, 1.0)]);
    assert_eq!(ticks(Motors::SucceedAtOnce), [(Running, 1.0), (Success, 3.0), (Running, 1.0), (Success, 3.0)]);
}
