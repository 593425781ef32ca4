//! Tests of the agent server over real connections.

use super::*;
use crate::agent::{Proprioception, Wheel};
use crate::frame::{Frames, frame};
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

fn server() -> (Agents, SocketAddr) {
    let server = Agents::listen((Ipv4Addr::LOCALHOST, 0).into()).unwrap();
    let at = server.address().unwrap();
    (server, at)
}

/// Polls the server until the condition holds, and returns all received input.
fn until(server: &mut Agents, free: &[bool], so: impl Fn(&AgentInput) -> bool) -> AgentInput {
    let (began, mut all) = (Instant::now(), AgentInput::default());
    while !so(&all) {
        assert!(began.elapsed() < Duration::from_secs(20), "{all:?}");
        let said = server.poll(free);
        all.joined.extend(said.joined);
        all.effectors.extend(said.effectors);
        all.left.extend(said.left);
        all.told.extend(said.told);
    }
    all
}

fn send(client: &mut TcpStream, text: &str) {
    client.write_all(&frame(text)).unwrap();
}

fn next(client: &mut TcpStream) -> String {
    client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let (mut frames, mut byte) = (Frames::new(1 << 16), [0]);
    loop {
        if let Some(message) = frames.next_message().unwrap() {
            return String::from_utf8(message.to_vec()).unwrap();
        }
        client.read_exact(&mut byte).unwrap();
        frames.push(&byte);
    }
}

fn perceive(robot: Option<usize>) -> Perception {
    let body = robot.map(|_| Proprioception::default());
    let joined = robot.map(|robot| (robot as u32 + 1, "left"));
    Perception { joined, body, play_mode: "PlayOn".into(), ..Perception::default() }
}

#[test]
fn agent_is_greeted_and_drives_assigned_robot() {
    let (mut server, at) = server();
    let mut agent = TcpStream::connect(at).unwrap();
    send(&mut agent, "(scene rsg/agent/nao/nao.rsg)");
    // Perceptors are sent after the scene request, before the agent identifies itself.
    let began = Instant::now();
    while server.connections.first().is_none_or(|one| one.progress == Handshake::Nothing) {
        assert!(began.elapsed() < Duration::from_secs(20));
        server.poll(&[true, true]);
    }
    server.send_perceptions(perceive);
    let first = next(&mut agent);
    assert!(first.starts_with("(time (now") && !first.contains("GYR") && !first.contains("unum"), "{first}");
    send(&mut agent, "(init (unum 0)(teamname Foo))");
    let said = until(&mut server, &[false, true], |said| !said.joined.is_empty());
    assert_eq!((said.joined, server.team(1)), (vec![1], Some("Foo")));
    server.send_perceptions(perceive);
    assert!(next(&mut agent).contains("(GS (unum 2) (team left)"));
    server.send_perceptions(perceive);
    assert!(!next(&mut agent).contains("unum"), "it is told once");
    send(&mut agent, "(he1 2.5)(he2 -1)(syn)");
    let said = until(&mut server, &[true, true], |said| said.effectors.len() == 2);
    let wheel = |wheel, speed| (1, Effector::Wheel(wheel, speed));
    assert_eq!(said.effectors, [wheel(Wheel::Left, 2.5), wheel(Wheel::Right, -1.0)]);
    drop(agent);
    assert_eq!(until(&mut server, &[true, true], |said| !said.left.is_empty()).left, [1]);
}

#[test]
fn second_driver_and_unknown_robot_are_rejected() {
    let (mut server, at) = server();
    let mut agents: Vec<TcpStream> = (0..3).map(|_| TcpStream::connect(at).unwrap()).collect();
    for (agent, unum) in agents.iter_mut().zip([1, 1, 9]) {
        send(agent, &format!("(create)(init (unum {unum})(teamname T))"));
    }
    let said = until(&mut server, &[true, true], |said| said.told.len() == 3);
    assert_eq!(said.joined, [0]);
    let told = said.told.join("; ");
    assert!(
        told.contains("robot 1 already has an agent") && told.contains("robot 9 does not exist; choose 1 to 2"),
        "{told}"
    );
    assert_eq!(server.robots().collect::<Vec<_>>(), [0]);
    server.close(0);
    assert_eq!(server.robots().count(), 0);
}

#[test]
fn wait_ends_at_limit_for_silent_agent() {
    let (mut server, at) = server();
    let mut agent = TcpStream::connect(at).unwrap();
    send(&mut agent, "(create)(init (unum 1)(teamname T))");
    until(&mut server, &[true], |said| !said.joined.is_empty());
    let began = Instant::now();
    server.send_perceptions(perceive);
    let slow = std::thread::spawn(move || {
        next(&mut agent);
        std::thread::sleep(Duration::from_millis(100));
        send(&mut agent, "(he1 1)(syn)");
        agent
    });
    let mut said = AgentInput::default();
    server.wait(Duration::from_secs(20), &[true], &mut said);
    assert!(began.elapsed() >= Duration::from_millis(100) && said.effectors.len() == 1, "{said:?}");
    let _agent = slow.join().unwrap();
    server.send_perceptions(perceive);
    let began = Instant::now();
    server.wait(Duration::from_millis(50), &[true], &mut said);
    assert!(began.elapsed() >= Duration::from_millis(50) && said.told.len() == 1, "{said:?}");
    server.send_perceptions(perceive);
    server.wait(Duration::from_secs(20), &[true], &mut said);
    assert!(began.elapsed() < Duration::from_secs(10), "it is not waited for any more");
}

#[test]
fn floods_and_partial_messages_are_bounded() {
    let (mut server, at) = server();
    let mut crowd: Vec<TcpStream> = Vec::new();
    for _ in 0..60 {
        crowd.push(TcpStream::connect(at).unwrap());
        server.poll(&[true]);
    }
    (0..10).for_each(|_| drop(server.poll(&[true])));
    assert_eq!((server.connections.len(), server.refused), (MOST_WAITING, 60 - MOST_WAITING as u64));
    // An incomplete message is kept until it is complete. A message that is too long and an invalid message are
    // rejected.
    crowd[0].write_all(&[0, 0]).unwrap();
    crowd[1].write_all(&u32::MAX.to_be_bytes()).unwrap();
    send(&mut crowd[2], &"(".repeat(1000));
    let said = until(&mut server, &[true], |said| said.told.len() == 2);
    let told = said.told.join("; ");
    assert!(told.contains("4294967295 bytes") && told.contains("nested more than"), "{told}");
    // A connection that never reads is closed when its send queue is full.
    send(&mut crowd[3], "(create)(init (unum 1)(teamname T))");
    until(&mut server, &[true], |said| !said.joined.is_empty());
    let began = Instant::now();
    while server.robots().count() == 1 {
        assert!(began.elapsed() < Duration::from_secs(60));
        server.send_perceptions(perceive);
        server.poll(&[true]);
    }
}
