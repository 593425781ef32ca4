//! Invariants of every tree that a reader accepts, and of every pose that the hub accepts.

use xpuck_hub_core::config::Gates as Limits;
use xpuck_hub_core::mocap::RawFrame;
use xpuck_hub_core::mocap::gates::PoseFilter;
use xpuck_hub_service::mocap::source::Codec;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::exchange::{
    Direction, from_binary, from_json, from_xml, to_binary, to_dot, to_json, to_svg, to_xml, to_xml_live,
};
use xpuck_kernels::tree::{CompileError, Memory, ParseError, Program, Senses, Tree};

/// Number of ticks for which a compiled tree is tested.
const TICKS: u32 = 4;

/// Checks the result of a text reader. An error must have a position and a message, and a tree must satisfy
/// [`check`].
///
/// # Panics
/// If a check fails; libFuzzer then keeps the input.
pub fn check_read(read: Result<Tree, ParseError>) {
    match read {
        Ok(tree) => check(&tree),
        Err(error) => assert!(!error.message.is_empty() && !error.to_string().is_empty() && error.column >= 1),
    }
}

/// Checks that a tree is preserved by all exchange formats. Also checks that it either compiles and can be ticked, or
/// is rejected for its size.
///
/// # Panics
/// If a check fails; libFuzzer then keeps the input.
pub fn check(tree: &Tree) {
    same("XML", from_xml(&to_xml(tree)).unwrap(), tree);
    same("XML for viewers", from_xml(&to_xml_live(tree)).unwrap(), tree);
    same("JSON", from_json(&to_json(tree)).unwrap(), tree);
    if let Ok(bytes) = to_binary(tree) {
        // A tree can have a binary form only if its angles are multiples of a step. The text form preserves such
        // angles.
        same("binary", from_binary(&bytes).unwrap(), tree);
        same("text", Tree::parse(&tree.to_string()).unwrap(), tree);
    } else {
        let read = Tree::parse(&tree.to_string()).unwrap();
        assert_eq!(read.nodes().len(), tree.nodes().len());
    }
    assert!(to_dot(tree).starts_with("digraph") && to_svg(tree, Direction::Down).contains("<svg"));
    match Program::compile(tree) {
        Ok(program) => tick(tree, &program),
        Err(CompileError::Nodes(_) | CompileError::Bytes(_)) => {}
        // No other error is possible, because readers reject parts of neural networks that are outside a network.
        Err(error) => panic!("{error}"),
    }
}

fn same(format: &str, read: Tree, tree: &Tree) {
    assert!(read.key() == tree.key(), "{format} changed the tree\n{tree}\n{read}");
}

fn tick(tree: &Tree, program: &Program) {
    let mut memory = Memory::new(program);
    for number in 0..TICKS {
        let mut visited = 0;
        let mut observe = |_, _| visited += 1;
        let mut draws = Draws::new(1, 0, 0, number, Stream::Controller);
        let (_, goal) = memory.tick_observed(program, &Senses::default(), &mut draws, &mut observe);
        assert!(goal.x.is_finite() && goal.y.is_finite());
        assert!((1..=tree.nodes().len()).contains(&visited));
    }
}

/// Feeds a stream to a motion capture client, and the client's frames to the pose filter. The first byte gives the
/// length of the pieces into which the stream is divided.
///
/// # Panics
/// If an error has no message, or a pose is not finite; libFuzzer then keeps the input.
pub fn feed_chunks(client: &mut dyn Codec, bytes: &[u8]) {
    let Some((cut, stream)) = bytes.split_first() else { return };
    let mut frames = Vec::new();
    for piece in stream.chunks(1 + usize::from(*cut)) {
        match client.feed(piece) {
            Ok(more) => frames.extend(more),
            Err(error) => {
                assert!(!error.to_string().is_empty());
                break;
            }
        }
        client.take_outgoing();
    }
    check_gates(&frames);
}

/// Checks that all poses that pass the pose filter are finite.
///
/// # Panics
/// If a check fails; libFuzzer then keeps the input.
pub fn check_gates(frames: &[RawFrame]) {
    let mut gates = PoseFilter::new(Limits::default(), &["xp01".to_string()]);
    for body in frames.iter().filter_map(|raw| gates.filter(raw)).flat_map(|frame| frame.bodies) {
        assert!(body.pose.at.x.is_finite() && body.pose.at.y.is_finite() && body.pose.heading.is_finite());
    }
}
