//! Watches a demo over ZeroMQ in the same way as Groot2 (docs/exchange.md, "Watching a robot live").

use crate::rig::{Demo, free_ports, xpuck};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use xpuck_testing::patience;

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/806768.bt");

/// A viewer that is connected to one robot.
struct Viewer {
    socket: zmq::Socket,
    number: u32,
}

impl Viewer {
    fn new(port: u16) -> Viewer {
        let socket = zmq::Context::new().socket(zmq::REQ).unwrap();
        socket.set_rcvtimeo(patience().as_millis() as i32).unwrap();
        socket.set_linger(0).unwrap();
        socket.connect(&format!("tcp://127.0.0.1:{port}")).unwrap();
        Viewer { socket, number: 0 }
    }

    fn send(&self, parts: &[&[u8]]) -> Vec<Vec<u8>> {
        self.socket.send_multipart(parts, 0).unwrap();
        self.socket.recv_multipart(0).expect("every request is answered")
    }

    /// Sends a request. Returns the tree's id and the answer.
    fn ask(&mut self, what: u8, more: &[&[u8]]) -> (Vec<u8>, Vec<u8>) {
        self.number += 1;
        let header = [&[2, what], &self.number.to_le_bytes()[..]].concat();
        let parts: Vec<&[u8]> = [&header[..]].into_iter().chain(more.iter().copied()).collect();
        let reply = self.send(&parts);
        assert_eq!(reply.len(), 2, "{reply:?}");
        assert_eq!(reply[0][..6], header, "{}", String::from_utf8_lossy(&reply[1]));
        assert_eq!(reply[0].len(), 22);
        (reply[0][6..].to_vec(), reply[1].clone())
    }

    /// Requests the state of each node, by the node's number.
    fn states(&mut self) -> BTreeMap<u16, u8> {
        let (_, bytes) = self.ask(b'S', &[]);
        assert_eq!(bytes.len() % 3, 0);
        bytes.chunks(3).map(|c| (u16::from_le_bytes([c[0], c[1]]), c[2])).collect()
    }
}

#[test]
fn demo_is_watched_as_by_groot2() {
    let port = free_ports();
    let demo = Demo::start("5", &["--tree", TREE, "--groot", &port.to_string()]);
    demo.wait_for_run();
    let (mut first, mut second) = (Viewer::new(port), Viewer::new(port + 2));

    let (id, xml) = first.ask(b'T', &[]);
    let xml = String::from_utf8(xml).unwrap();
    let document = roxmltree::Document::parse(&xml).unwrap();
    let nodes: BTreeMap<u16, String> = document
        .descendants()
        .filter_map(|n| Some((n.attribute("_uid")?.parse().unwrap(), n.attribute("_fullpath")?.into())))
        .collect();
    assert_eq!(nodes[&2], "avoiding::2", "{xml}");
    assert!(xml.contains("<TreeNodesModel>"));
    let tree = xpuck_kernels::tree::exchange::from_xml(&xml).unwrap();
    assert_eq!(
        tree.to_string(),
        xpuck_kernels::tree::Tree::parse(&std::fs::read_to_string(TREE).unwrap()).unwrap().to_string()
    );
    assert_eq!(second.ask(b'T', &[]), (id.clone(), xml.into_bytes()), "the same tree on the other robot");

    let mut seen = Vec::new();
    let deadline = Instant::now() + patience();
    while seen.len() < 3 {
        assert!(Instant::now() < deadline, "states do not change: {seen:?}");
        let states = first.states();
        assert!(states.keys().eq(nodes.keys()), "{states:?}");
        assert!(states.values().all(|s| matches!(s, 0..=3 | 11..=13)), "{states:?}");
        if !seen.contains(&states) {
            seen.push(states);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(seen.iter().any(|states| matches!(states[&1], 1..=3)), "the root was ticked: {seen:?}");

    let (again, board) = first.ask(b'B', &[b"xpuck"]);
    assert_eq!(again, id);
    let board: BTreeMap<String, BTreeMap<String, Option<f32>>> = rmp_serde::from_slice(&board).unwrap();
    let registers = &board["xpuck"];
    assert_eq!(registers["v_zero.x"], Some(0.0));
    let up = registers["v_up.x"].unwrap().hypot(registers["v_up.y"].unwrap());
    assert!((up - 1.0).abs() < 1e-3, "a unit vector: {registers:?}");
    assert!(registers.contains_key("v_goal.y"));

    let bad: [&[&[u8]]; 5] = [
        &[b""],
        &[b"tree, please"],
        &[&[2, b'U', 0, 0, 0, 0], b"{}"],
        &[&[2, b'I', 0, 0, 0, 0], b"{}"],
        &[&[2, b'T', 0, 0, 0, 0], &[0; 50_000], b""],
    ];
    for request in bad {
        let reply = first.send(request);
        assert_eq!((reply.len(), &reply[0][..]), (2, &b"error"[..]), "{reply:?}");
        assert_eq!(first.ask(b'T', &[]).0, id, "and the next request is answered");
    }
    // After `start`, the robot records the state changes of the tree's nodes. It sends them on request, as nine bytes
    // per change.
    let (_, time) = first.ask(b'r', &[b"start"]);
    assert!(String::from_utf8(time).unwrap().parse::<u64>().is_ok());
    let deadline = Instant::now() + patience();
    loop {
        let (_, changes) = first.ask(b't', &[]);
        assert_eq!(changes.len() % 9, 0);
        if !changes.is_empty() {
            break;
        }
        assert!(Instant::now() < deadline, "nothing is recorded");
        std::thread::sleep(Duration::from_millis(20));
    }
    std::net::TcpStream::connect(("127.0.0.1", port + 1)).expect("the port of subscribers");
    // The robot closes a connection whose message is larger than any valid request, and continues to serve others.
    let flood = Viewer::new(port);
    flood.socket.set_rcvtimeo(300).unwrap();
    flood.socket.send(vec![0; 1 << 20], 0).unwrap();
    assert!(flood.socket.recv_bytes(0).is_err());
    assert_eq!(first.ask(b'T', &[]).0, id);
}

#[test]
fn used_port_of_groot2_is_one_clear_line() {
    let (ports, groot) = (free_ports(), free_ports());
    let taken = std::net::TcpListener::bind(("127.0.0.1", groot + 2)).unwrap();
    let out = tempfile::tempdir().unwrap();
    let refused = |first: u16| {
        let arguments =
            ["demo", "--count", "2", "--ports", &ports.to_string(), "--groot", &first.to_string(), "--output"];
        let output = xpuck().args(arguments).arg(out.path()).output().unwrap();
        assert!(!output.status.success());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    let error = refused(groot);
    assert!(error.contains(&format!("port {} is in use", groot + 2)), "{error}");
    assert!(refused(ports + 2).contains("used by the demo itself"));
    assert!(refused(65_532).contains("must be 1 to 65531"));
    drop(taken);
}
