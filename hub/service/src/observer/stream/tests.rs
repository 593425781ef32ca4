//! Tests with the subscriber sockets of libzmq, whose connections pass admission control.

use super::*;
use crate::admission::EvictionPolicy;
use std::net::TcpStream;
use std::time::{Duration, Instant};
use xpuck_wire::Security;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::keys::Public;

/// Bounds that are lower than those of a hub, so that the tests can exceed them.
const BOUNDS: Bounds =
    Bounds { silent: 8, greeting: 4, handshake: 2, established: 4, full: EvictionPolicy::Newest, said: 64 * 1024 };

fn listen(sockets: &Sockets) -> Streamer {
    Streamer::listen("tcp://127.0.0.1:*", sockets, false, BOUNDS).unwrap()
}

fn subscriber(topic: &str) -> (zmq::Context, zmq::Socket) {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::SUB).unwrap();
    socket.set_rcvtimeo(10_000).unwrap();
    // The subscriber's buffers are small: the hub has to keep or drop messages that the subscriber does not read.
    socket.set_rcvhwm(1).unwrap();
    socket.set_rcvbuf(4096).unwrap();
    // The subscriber's send buffer is unlimited, so that it can send any number of subscriptions.
    socket.set_sndhwm(0).unwrap();
    socket.set_subscribe(topic.as_bytes()).unwrap();
    (context, socket)
}

fn watch(streamer: &Streamer, topic: &str) -> (zmq::Context, zmq::Socket) {
    let (context, socket) = subscriber(topic);
    socket.connect(&format!("tcp://{}", streamer.relay.address())).unwrap();
    (context, socket)
}

fn until(streamer: &mut Streamer, mut done: impl FnMut(&mut Streamer) -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done(streamer) {
        assert!(Instant::now() < end, "not within 20 s");
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn number(socket: &zmq::Socket) -> usize {
    let parts = socket.recv_multipart(0).expect("a message arrives");
    assert_eq!(parts[0], b"poses");
    String::from_utf8_lossy(&parts[1]).split(' ').next().unwrap().parse().unwrap()
}

/// Two watchers subscribe, and one of them does not read while 20 MB are sent. The other watcher receives all
/// messages. The slow watcher then receives the contents of its queue, followed by new messages, with a gap in the
/// numbers.
#[test]
fn slow_watcher_gets_gap_and_others_miss_nothing() {
    const MESSAGES: usize = 5000;
    let mut streamer = listen(&Sockets::new());
    let (_a, slow) = watch(&streamer, "");
    let (_b, quick) = watch(&streamer, "poses");
    until(&mut streamer, |s| s.socket.subscriptions() == 2);
    let text = "x".repeat(4000);
    for message in 0..MESSAGES {
        streamer.socket.publish("poses", &format!("{message} {text}"));
        assert_eq!(number(&quick), message);
    }
    let old: Vec<usize> = (0..1000).map(|_| number(&slow)).collect();
    assert_eq!(old, (0..1000).collect::<Vec<_>>());
    // The slow watcher reads again, and eventually receives new messages.
    slow.set_rcvtimeo(20).unwrap();
    let mut sent = MESSAGES;
    let newest = std::iter::repeat_with(|| {
        sent += 1;
        streamer.socket.publish("poses", &format!("{sent} {text}"));
        while let Ok(parts) = slow.recv_multipart(0) {
            let text = String::from_utf8_lossy(&parts[1]).into_owned();
            if let Some(number) = text.split(' ').next().and_then(|n| n.parse::<usize>().ok()).filter(|n| *n > MESSAGES)
            {
                return Some(number);
            }
        }
        None
    });
    assert!(newest.take(500).flatten().next().is_some(), "the slow one gets new messages again");
}

#[test]
fn watcher_count_and_received_bytes_are_bounded() {
    let mut streamer = listen(&Sockets::new());
    // Silent connections must not prevent watchers from connecting.
    let connect = |s: &Streamer| TcpStream::connect(s.relay.address()).unwrap();
    let strangers: Vec<TcpStream> = (0..100).map(|_| connect(&streamer)).collect();
    let mut open = Vec::new();
    for n in 1..=BOUNDS.established {
        open.push(watch(&streamer, &format!("topic {n}")));
        until(&mut streamer, |s| s.socket.subscriptions() == n && s.counts().watchers == n);
    }
    let turned_away = streamer.counts().turned_away;
    let one_more = watch(&streamer, "");
    until(&mut streamer, |s| s.counts().turned_away > turned_away);
    assert_eq!(streamer.counts().watchers, BOUNDS.established);
    drop((strangers, one_more));
    open.clear();
    until(&mut streamer, |s| s.counts().watchers == 0 && s.socket.subscriptions() == 0);
    let (_context, greedy) = watch(&streamer, "");
    until(&mut streamer, |s| s.counts().watchers == 1);
    greedy.set_reconnect_ivl(-1).unwrap();
    for topic in 0..10_000 {
        greedy.set_subscribe(format!("topic {topic}").as_bytes()).unwrap();
    }
    until(&mut streamer, |s| {
        assert!(s.socket.subscriptions() <= 1000);
        s.counts().watchers == 0
    });
}

/// The relay accepts each connection. After that, ZeroMQ checks the keys as on any other socket.
#[test]
fn with_keys_observer_watches_and_plain_watcher_gets_none() {
    let dir = tempfile::tempdir().unwrap();
    keyring::create_missing_pairs(dir.path(), &["xp01".into()]).unwrap();
    keyring::create_pair(dir.path(), Some(Role::Observer), "visitor").unwrap();
    let hub = Sockets::for_hub(&Security { keys: dir.path().into(), dev_mode: false }).unwrap();
    let mut streamer = listen(&hub);
    let (_context, plain) = watch(&streamer, "");
    until(&mut streamer, |_| hub.guard().unwrap().refusals().no_curve > 0);
    let key = std::fs::read_to_string(keyring::path(dir.path(), Role::Observer, "visitor", "key")).unwrap();
    let key: toml::Table = key.parse().unwrap();
    let half = |name: &str| zmq::z85_decode(key[name]["curve"].as_str().unwrap()).unwrap();
    let (_context, socket) = subscriber("");
    socket.set_curve_serverkey(&Public::read(&dir.path().join("hub.pub")).unwrap().curve.0).unwrap();
    socket.set_curve_publickey(&half("public")).unwrap();
    socket.set_curve_secretkey(&half("secret")).unwrap();
    socket.connect(&format!("tcp://{}", streamer.relay.address())).unwrap();
    until(&mut streamer, |s| s.socket.subscriptions() == 1);
    streamer.socket.publish("poses", "1");
    assert_eq!(socket.recv_multipart(0).unwrap(), [b"poses".to_vec(), b"1".to_vec()]);
    plain.set_rcvtimeo(200).unwrap();
    assert!(plain.recv_bytes(0).is_err());
}
