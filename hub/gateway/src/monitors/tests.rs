//! Tests of the monitor server over real sockets.

use super::*;
use crate::frame::Frames;
use crate::scene::arena::{Arena, Robot, scene};
use crate::scene::{Graph, apply};
use std::io::{Read, Write};
use std::net::Ipv4Addr;
use std::net::TcpStream;
use std::time::{Duration, Instant};

fn arena(x: f64) -> Vec<Node> {
    let robot = |i: u32| Robot {
        number: i + 1,
        at: [x, f64::from(i) * 0.1],
        heading: x,
        radius: 0.0375,
        colour: [1.0; 4],
        seen: true,
    };
    scene(&Arena { half: [1.0, 0.75], robots: (0..16).map(robot).collect(), ..Arena::default() })
}

fn server(protocol: Protocol) -> Monitors {
    Monitors::listen((Ipv4Addr::LOCALHOST, 0).into(), protocol).unwrap()
}

fn cycle(server: &mut Monitors, x: f64) -> Events {
    let state = [("time".to_string(), vec![format!("{x}")]), ("half".to_string(), vec!["1".to_string()])];
    let environment = [("FieldLength".to_string(), vec!["2".to_string()])];
    server.cycle(&Frame { time: x, environment: &environment, state: &state, scene: &arena(x) }, 1000)
}

/// Runs cycles until a client has received `wanted` messages.
fn messages(server: &mut Monitors, client: &mut TcpStream, wanted: usize) -> Vec<Vec<u8>> {
    client.set_nonblocking(true).unwrap();
    let (mut frames, mut found, mut buffer) = (Frames::new(1 << 20), Vec::new(), vec![0; 1 << 16]);
    let began = Instant::now();
    while found.len() < wanted {
        assert!(began.elapsed() < Duration::from_secs(20), "{} of {wanted} messages", found.len());
        let x = 0.01 * found.len() as f64;
        cycle(server, x);
        while let Ok(count) = client.read(&mut buffer) {
            frames.push(&buffer[..count]);
            while let Some(message) = frames.next_message().unwrap() {
                found.push(message.to_vec());
            }
        }
    }
    found
}

#[test]
fn viewers_that_come_late_see_what_the_others_see() {
    let mut server = server(Protocol::SimSpark);
    let mut early = TcpStream::connect(server.address().unwrap()).unwrap();
    messages(&mut server, &mut early, 5);
    let mut late = TcpStream::connect(server.address().unwrap()).unwrap();
    let all = messages(&mut server, &mut late, 20);
    let first = simspark::read(&all[0]).unwrap();
    assert_eq!(first.fields[0].0, "FieldLength");
    let Graph::Full(mut nodes) = first.graph else { panic!("the whole scene comes first") };
    for message in &all[1..] {
        let Graph::Changes(changes) = simspark::read(message).unwrap().graph else { panic!("then changes") };
        assert!(apply(&mut nodes, &changes));
    }
    // The scenes are not compared, because transmitted numbers have only six digits.
    assert_eq!(server.viewers(), 2);
    assert!(simspark::full(&[], &nodes).len() > 1000);
}

#[test]
fn unchanged_scene_is_sent_only_to_new_viewers() {
    let mut server = server(Protocol::SimSpark);
    let scene = arena(0.5);
    let now = Frame { time: 0.5, environment: &[], state: &[], scene: &scene };
    let mut clients = Vec::new();
    for told in [1, 2] {
        clients.push(TcpStream::connect(server.address().unwrap()).unwrap());
        let began = Instant::now();
        while server.viewers() < told {
            assert!(began.elapsed() < Duration::from_secs(20));
            server.cycle_unchanged(&now, 1000);
        }
    }
    (0..10).for_each(|_| drop(server.cycle_unchanged(&now, 1000)));
    server.cycle(&now, 1000);
    drop(server);
    for mut client in clients {
        let (mut frames, mut all) = (Frames::new(1 << 20), Vec::new());
        client.read_to_end(&mut all).unwrap();
        frames.push(&all);
        let messages = std::iter::from_fn(|| frames.next_message().unwrap().map(<[u8]>::to_vec)).count();
        assert_eq!(messages, 2, "the scene, and one moment");
    }
}

#[test]
fn commands_are_parsed_and_wrong_ones_reported() {
    let mut server = server(Protocol::Rsmp);
    let mut client = TcpStream::connect(server.address().unwrap()).unwrap();
    client.write_all(&frame("(dropBall)(nonsense)(getAck c)")).unwrap();
    let began = Instant::now();
    let mut events = Events::default();
    while events.commands.len() < 2 && began.elapsed() < Duration::from_secs(10) {
        let now = cycle(&mut server, 0.0);
        events.commands.extend(now.commands);
        events.told.extend(now.told);
    }
    assert_eq!(events.commands, [(1, Command::DropBall), (1, Command::Acknowledge("c".into()))]);
    assert!(events.told.iter().any(|line| line.contains("unknown command `nonsense`")), "{events:?}");
    client.write_all(&u32::MAX.to_be_bytes()).unwrap();
    while server.viewers() > 0 && began.elapsed() < Duration::from_secs(10) {
        events = cycle(&mut server, 0.0);
    }
    assert!(events.told[0].contains("4294967295 bytes"), "{events:?}");
}

#[test]
fn non_reading_viewer_is_dropped_and_excess_rejected() {
    let mut server = server(Protocol::SimSpark);
    let address = server.address().unwrap();
    let deaf = TcpStream::connect(address).unwrap();
    let began = Instant::now();
    cycle(&mut server, 0.0);
    while server.viewers() == 1 && began.elapsed() < Duration::from_secs(30) {
        server.resend_all();
        cycle(&mut server, 0.0);
    }
    assert_eq!(server.viewers(), 0);
    drop(deaf);
    let mut clients = Vec::new();
    for _ in 0..MOST_VIEWERS + 40 {
        clients.push(TcpStream::connect(address).unwrap());
        cycle(&mut server, 0.0);
    }
    for _ in 0..10 {
        cycle(&mut server, 0.0);
    }
    assert_eq!((server.viewers(), server.refused()), (MOST_VIEWERS, 40));
}
