//! Round trips of recorded streams of real servers. Each message is read, written again and compared.

use xpuck_gateway::frame::{Frames, LONGEST};
use xpuck_gateway::scene::{Field, Graph, Node, apply, rsmp, simspark};
use xpuck_gateway::sexpr::parse;

fn messages(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Frames::new(LONGEST);
    let mut found = Vec::new();
    for piece in stream.chunks(1000) {
        frames.push(piece);
        while let Some(message) = frames.next_message().unwrap() {
            found.push(message.to_vec());
        }
    }
    found
}

fn same(real: &[u8], written: &str) {
    let (one, two) = (parse(real).unwrap(), parse(written.as_bytes()).unwrap());
    assert_eq!(one.iter().count(), two.iter().count(), "{written}");
    for (one, two) in one.iter().zip(two.iter()) {
        assert!(one.same(&two), "{}\n{written}", String::from_utf8_lossy(real));
    }
}

/// Reads each message of a stream, and compares it with its rewritten form. Returns the numbers of full messages and
/// of messages with changes.
fn again(
    stream: &[u8],
    read: impl Fn(&[u8]) -> (Vec<Field>, Graph, f64, Vec<Field>),
    write: impl Fn(&[Field], &[Node], Option<&[xpuck_gateway::scene::Change]>, f64, &[Field]) -> String,
) -> (usize, usize) {
    let mut scene: Vec<Node> = Vec::new();
    let (mut full, mut changed) = (0, 0);
    for message in messages(stream) {
        let (fields, graph, time, environment) = read(&message);
        let written = match graph {
            Graph::Full(nodes) => {
                full += 1;
                scene = nodes;
                write(&fields, &scene, None, time, &environment)
            }
            Graph::Changes(changes) => {
                changed += 1;
                assert!(apply(&mut scene, &changes), "changes fit the scene before them");
                write(&fields, &scene, Some(&changes), time, &environment)
            }
        };
        same(&message, &written);
    }
    (full, changed)
}

#[test]
fn rcssserver3d_monitor_stream_round_trips() {
    let read = |message: &[u8]| {
        let simspark::Message { fields, graph } = simspark::read(message).unwrap();
        (fields, graph, 0.0, Vec::new())
    };
    let write = |fields: &[Field], scene: &[Node], changes: Option<&[_]>, _: f64, _: &[Field]| match changes {
        None => simspark::full(fields, scene),
        Some(changes) => simspark::changed(fields, scene, changes),
    };
    let (full, changed) = again(include_bytes!("captures/simspark_capture.bin"), read, write);
    assert!(full >= 3 && full + changed == 67, "{full} {changed}");
}

#[test]
fn rcssservermj_stream_round_trips() {
    let read = |message: &[u8]| {
        let rsmp::Message { time, graph, state, environment } = rsmp::read(message).unwrap();
        (state, graph, time, environment)
    };
    let write = |state: &[Field], scene: &[Node], changes: Option<&[_]>, time: f64, environment: &[Field]| match changes
    {
        None => rsmp::full(time, state, environment, scene),
        Some(changes) => rsmp::changed(time, state, scene, changes),
    };
    let (full, changed) = again(include_bytes!("captures/rsmp_capture.bin"), read, write);
    assert!(full >= 2 && full + changed == 21, "{full} {changed}");
}

#[test]
fn captured_agent_stream_is_parsed() {
    let all = messages(include_bytes!("captures/simspark_agent_capture.bin"));
    assert_eq!(all.len(), 237);
    for message in all {
        let text = parse(&message).unwrap();
        let time = text.iter().next().unwrap();
        assert!(time.name() == Some("time") && time.values().next().unwrap().numbers::<1>().is_some());
    }
}
