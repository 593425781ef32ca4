//! Checks that trees of BehaviorTree.CPP behave identically in this crate at every tick. The trees are random, and the
//! results of their leaves come from a script. Some trees are halted between ticks.
//!
//! The results of BehaviorTree.CPP are recorded as one hash per case (`tools/btcpp/test.sh` runs BehaviorTree.CPP and
//! writes the record).

use crate::btcpp::{Record, hash};
use crate::random;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::exchange::from_xml;
use xpuck_kernels::tree::{Kind, Memory, Node, Program, Senses, Status, Tree};

/// Number of cases. A case is a tree and a script.
const CASES: usize = 1000;
/// Number of leaves with separate results in a script. It is the number of vectors in the senses.
const LEAVES: u32 = 8;
/// Number of ticks of a script.
const TICKS: usize = 12;
const RECORD: &str = "btcpp-ticks.txt";

/// A tree of BehaviorTree.CPP with a script. Each element of the script contains the results of the leaves for one
/// tick, or is `None` to halt the tree.
struct Case {
    xml: String,
    script: Vec<Option<[Status; LEAVES as usize]>>,
}

/// Writes a random subtree to `xml`. `SubTree` nodes refer to trees by index; these trees are added to `subtrees`.
fn grow(depth: u32, draws: &mut Draws, xml: &mut String, subtrees: &mut Vec<String>) {
    let kind = if depth == 0 { 0 } else { draws.below(14) };
    let (name, ports, children) = match kind {
        0..=2 => {
            let _ = match draws.below(8) {
                0 => write!(xml, "<AlwaysSuccess/>"),
                1 => write!(xml, "<AlwaysFailure/>"),
                _ => write!(xml, "<movcs d=\"s_scr\" i=\"{}\"/>", draws.below(LEAVES)),
            };
            return;
        }
        3 => ("Inverter", String::new(), 1),
        4 => ("ForceSuccess", String::new(), 1),
        5 => ("ForceFailure", String::new(), 1),
        6 => ("Repeat", format!(" num_cycles=\"{}\"", 1 + draws.below(3)), 1),
        7 => ("RetryUntilSuccessful", format!(" num_attempts=\"{}\"", 1 + draws.below(3)), 1),
        8 => {
            let mut inner = String::new();
            grow(depth - 1, draws, &mut inner, subtrees);
            subtrees.push(inner);
            let _ = write!(xml, "<SubTree ID=\"s{}\" _autoremap=\"false\"/>", subtrees.len() - 1);
            return;
        }
        9 => ("Sequence", String::new(), 1 + draws.below(4)),
        10 => ("Fallback", String::new(), 1 + draws.below(4)),
        11 | 12 => ("ReactiveSequence", String::new(), 1 + draws.below(4)),
        _ => ("ReactiveFallback", String::new(), 1 + draws.below(4)),
    };
    let _ = write!(xml, "<{name}{ports}>");
    (0..children).for_each(|_| grow(depth - 1, draws, xml, subtrees));
    let _ = write!(xml, "</{name}>");
}

fn case(draws: &mut Draws) -> Case {
    let (mut body, mut subtrees) = (String::new(), Vec::new());
    while !body.contains("movcs") {
        body.clear();
        subtrees.clear();
        grow(4, draws, &mut body, &mut subtrees);
    }
    let mut xml = String::from("<root BTCPP_format=\"4\" main_tree_to_execute=\"main\">\n");
    for (name, body) in [("main".to_string(), body)]
        .into_iter()
        .chain(subtrees.into_iter().enumerate().map(|(i, b)| (format!("s{i}"), b)))
    {
        let _ = writeln!(xml, "<BehaviorTree ID=\"{name}\">{body}</BehaviorTree>");
    }
    xml += "</root>\n";
    let result = |draws: &mut Draws| [Status::Success, Status::Failure, Status::Running][draws.below(3) as usize];
    let script = (0..TICKS).map(|_| (draws.below(8) > 0).then(|| std::array::from_fn(|_| result(draws)))).collect();
    Case { xml, script }
}

/// Returns the cases whose trees can be read and fit a robot, each with its scripted tree.
fn cases() -> impl Iterator<Item = (Case, Tree)> {
    let all = (0..).map(|i| case(&mut random::draws(31, i)));
    let read = all.filter_map(|case| match from_xml(&case.xml) {
        Ok(tree) => {
            let tree = scripted(&tree);
            Program::compile(&tree).is_ok().then_some((case, tree))
        }
        Err(refused) => {
            assert!(refused.message.contains("restarts that child"), "{refused}\n{}", case.xml);
            None
        }
    });
    read.take(CASES)
}

/// Replaces each leaf `movcs` with number K by a small tree. The small tree returns success if vector K of the senses
/// is in the first quadrant, running if the vector is in the second quadrant, and failure otherwise. To return running,
/// the small tree writes to v_goal twice.
fn scripted(tree: &Tree) -> Tree {
    let mut nodes: Vec<Node> = Vec::new();
    for node in tree.nodes() {
        if node.kind != Kind::Movcs {
            nodes.push(*node);
            continue;
        }
        let [_, number, ..] = node.operands;
        let vector = VECTORS[number as usize];
        let goal = || Node::new(Kind::Movcv, 0, &[2.0, 0.0]);
        nodes.extend([
            Node::new(Kind::Sel, 2, &[]),
            Node::new(Kind::Ifquad, 0, &[vector, 1.0]),
            Node::new(Kind::Seq, 3, &[]),
            Node::new(Kind::Ifquad, 0, &[vector, 2.0]),
            goal(),
            goal(),
        ]);
    }
    Tree::from_preorder(nodes)
}

/// Cells of the vectors in the senses: v_prox, v_up, v_attr, three colours, v_light and v_tag.
const VECTORS: [f32; LEAVES as usize] = [4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 20.0, 22.0];

fn answer(case: &Case, tree: &Tree) -> String {
    let program = Program::compile(tree).unwrap();
    let mut memory = Memory::new(&program);
    // For each node in preorder: number of the scripted leaf whose small tree starts there.
    let leaves: Vec<Option<u32>> = tree
        .nodes()
        .windows(2)
        .map(|pair| (pair[0].kind == Kind::Sel && pair[1].kind == Kind::Ifquad).then(|| leaf_of(&pair[1])))
        .chain([None])
        .collect();
    let mut text = String::new();
    for results in &case.script {
        let Some(results) = results else {
            memory = Memory::new(&program);
            continue;
        };
        let vector = |k: usize| match results[k] {
            Status::Success => Vec2::unit(0.8),
            Status::Running => Vec2::unit(2.4),
            Status::Failure => Vec2::unit(-2.4),
        };
        let senses = Senses {
            prox: vector(0),
            up: vector(1),
            attr: vector(2),
            colours: [vector(3), vector(4), vector(5)],
            neighbours: 0.0,
            light: vector(6),
            tag: vector(7),
            ground: 0.0,
        };
        let mut ticked = String::new();
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Controller);
        let (status, _) = memory.tick_observed(&program, &senses, &mut draws, &mut |place, _| {
            if let Some(leaf) = leaves[place] {
                let _ = write!(ticked, "{leaf}");
            }
        });
        let status = match status {
            Status::Success => 'S',
            Status::Failure => 'F',
            Status::Running => 'R',
        };
        let ticked: BTreeSet<char> = ticked.chars().collect();
        let ticked: String = ticked.into_iter().collect();
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{status}{ticked}");
    }
    text
}

fn leaf_of(node: &Node) -> u32 {
    (0..LEAVES).find(|k| VECTORS[*k as usize] == node.operands[0]).unwrap()
}

#[test]
fn imported_trees_tick_as_in_behaviortree_cpp() {
    let record = Record::read(RECORD);
    assert_eq!(record.hashes.len(), CASES, "tools/btcpp/test.sh writes {RECORD}");
    for (i, (case, tree)) in cases().enumerate() {
        let answer = answer(&case, &tree);
        assert_eq!(record.hashes[i], hash(&format!("{}{answer}", case.xml)), "case {i}: {answer}\n{}", case.xml);
    }
}

#[test]
#[ignore = "needs BehaviorTree.CPP; tools/btcpp/test.sh builds it"]
fn behaviortree_cpp_ticks_what_we_read() {
    let program = std::env::var("XPUCK_BTCPP_TICKS").expect("the program of tools/btcpp/test.sh");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (mut asked, mut ours) = (String::new(), Vec::new());
    for (i, (case, tree)) in cases().enumerate() {
        let path = folder.join(format!("ticks-{i}.xml"));
        std::fs::write(&path, &case.xml).unwrap();
        let letter = |status: &Status| match status {
            Status::Success => 'S',
            Status::Failure => 'F',
            Status::Running => 'R',
        };
        let tick = |results: &Option<[Status; 8]>| {
            results.as_ref().map_or("halt".to_string(), |results| results.iter().map(letter).collect())
        };
        let script: Vec<String> = case.script.iter().map(tick).collect();
        let _ = writeln!(asked, "{}\n{}", path.display(), script.join(" "));
        ours.push((answer(&case, &tree), case));
    }
    let mut child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut input = child.stdin.take().unwrap();
    let writer = std::thread::spawn(move || input.write_all(asked.as_bytes()));
    let said = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let theirs: Vec<&str> = std::str::from_utf8(&said.stdout).unwrap().lines().collect();
    assert_eq!(theirs.len(), CASES);
    let mut hashes = Vec::new();
    for (i, (theirs, (ours, case))) in theirs.iter().zip(&ours).enumerate() {
        let script: Vec<bool> = case.script.iter().map(Option::is_some).collect();
        assert_eq!(ours, theirs, "case {i}, {script:?}\n{}", case.xml);
        hashes.push(hash(&format!("{}{theirs}", case.xml)));
    }
    Record { hashes }.write(RECORD, "Answers of BehaviorTree.CPP to the scripts of btcpp_ticks.rs, a hash of each");
}
