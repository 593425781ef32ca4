//! Fuzzes the readers of messages from viewers, trainers, agents and third-party servers, including scenes and
//! commands. Reading a written scene must return the same scene, and every scene must be drawable.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_gateway::client::{Client, Protocol};
use xpuck_gateway::frame::Frames;
use xpuck_gateway::scene::{Graph, rsmp, simspark};
use xpuck_gateway::{agent, sexpr, trainer};

/// Maximum length of a message (bytes).
const LONGEST: usize = 1 << 16;

fuzz_target!(|bytes: &[u8]| {
    message(bytes);
    // The input is read a second time, as a stream that arrives in pieces of 7 bytes.
    let mut frames = Frames::new(LONGEST);
    let mut clients = [None, Some(Protocol::SimSpark), Some(Protocol::Rsmp)].map(Client::new);
    for piece in bytes.chunks(7) {
        frames.push(piece);
        while let Ok(Some(one)) = frames.next_message() {
            message(one);
            clients.iter_mut().for_each(|client| drop(client.apply(one)));
        }
    }
    for client in &clients {
        drop((client.above(), client.play_mode(), client.score(), client.field()));
    }
});

fn message(bytes: &[u8]) {
    if let Err(error) = sexpr::parse(bytes) {
        assert!(!error.to_string().is_empty());
    }
    drop(trainer::read(bytes));
    drop(agent::read(bytes));
    if let Ok(read) = simspark::read(bytes)
        && let Graph::Full(nodes) = read.graph
    {
        let text = simspark::full(&read.fields, &nodes);
        let again = simspark::read(text.as_bytes()).expect("what is written is read");
        assert!(matches!(again.graph, Graph::Full(_)) && again.fields == read.fields);
    }
    if let Ok(read) = rsmp::read(bytes)
        && let Graph::Full(nodes) = read.graph
    {
        let text = rsmp::full(read.time, &read.state, &read.environment, &nodes);
        let again = rsmp::read(text.as_bytes()).expect("what is written is read");
        assert!(matches!(again.graph, Graph::Full(_)) && again.state == read.state);
    }
}
