//! Checks the results of nodes against the node table: excluded results never occur, and all allowed results occur.

use crate::random;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Group, Kind, Memory, Node, Program, Senses, Status, Tree, reference_page};

const TRIES: u32 = 3000;
/// Tree that returns running in its first tick.
const BUSY: &str = "seq\n  movcv v_goal 0deg\n  movcv v_goal 0deg\n";

fn child(draws: &mut Draws) -> Tree {
    let texts = ["successl", "failurel", BUSY];
    Tree::parse(texts[draws.below(3) as usize]).unwrap()
}

fn subject(kind: Kind, draws: &mut Draws) -> Tree {
    let children = match kind.spec().group {
        Group::Composite => 1 + draws.below(3),
        Group::Decorator => 1,
        _ => 0,
    };
    let mut node = random::node(kind, children as u16, draws);
    random::shrink(&mut node, draws);
    let below: Vec<Tree> = (0..children).map(|_| child(draws)).collect();
    Tree::inner(kind, &node.operands[..kind.spec().operands.len()], &below)
}

/// Returns the bits of the registers that nodes may write: v_goal, s_scr and v_scr.
fn written(memory: &Memory) -> Vec<u32> {
    [2, 3, 17, 18, 19].map(|i| memory.board.cells()[i].to_bits()).to_vec()
}

fn tick(tree: &Tree, senses: &Senses, ticks: u32) -> (Status, Vec<u32>) {
    let program = Program::compile(tree).unwrap();
    let mut memory = Memory::new(&program);
    let step = |t: u32| memory.tick(&program, senses, &mut Draws::new(t.into(), 0, 0, t, Stream::Controller)).0;
    let status = (0..ticks).map(step).last().unwrap();
    (status, written(&memory))
}

#[test]
fn node_results_match_table() {
    for kind in Kind::outside_networks() {
        let spec = kind.spec();
        let mut seen = [false; 3];
        for i in 0..TRIES {
            let draws = &mut random::draws(kind as u64, i);
            let (subject, senses) = (subject(kind, draws), random::senses(draws));
            let free = Tree::leaf(Kind::Successl, &[]);
            let taken = Tree::leaf(Kind::Movcv, &[2.0, 0.0]);
            let before = if draws.below(2) == 0 { free } else { taken };
            let tree = Tree::inner(Kind::Seq, &[], &[before, subject]);
            let status = tick(&tree, &senses, 1 + draws.below(4)).0;
            assert!(spec.results.allow(status), "{tree} gave {status:?}");
            seen[status as usize] = true;
        }
        let allowed = [Status::Success, Status::Failure, Status::Running].map(|s| spec.results.allow(s));
        assert_eq!(seen, allowed, "{} never gave what the table allows", spec.name);
    }
}

#[test]
fn node_writes_match_table() {
    for kind in Kind::outside_networks() {
        let spec = kind.spec();
        let quiet = [Tree::leaf(Kind::Successl, &[]), Tree::leaf(Kind::Failurel, &[])];
        let idle = written(&memory_after_idling());
        let wrote = (0..TRIES).any(|i| {
            let draws = &mut random::draws(100 + kind as u64, i);
            let tree = match spec.group {
                Group::Composite | Group::Decorator => {
                    let node: Node = random::node(kind, 1, draws);
                    Tree::inner(kind, &node.operands[..spec.operands.len()], &quiet[draws.below(2) as usize..][..1])
                }
                _ => subject(kind, draws),
            };
            tick(&tree, &random::senses(draws), 1).1 != idle
        });
        assert_eq!(wrote, spec.writes, "{}", spec.name);
    }
}

fn memory_after_idling() -> Memory {
    let program = Program::compile(&Tree::leaf(Kind::Successl, &[])).unwrap();
    let mut memory = Memory::new(&program);
    memory.tick(&program, &Senses::default(), &mut random::draws(0, 0));
    memory
}

#[test]
fn nodes_page_matches_node_table() {
    let file = include_str!("../../../docs/nodes.md");
    assert_eq!(file, reference_page(), "docs/nodes.md is old; `xpuck tree nodes > docs/nodes.md` renews it");
}
