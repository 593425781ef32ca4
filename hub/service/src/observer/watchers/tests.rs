//! Against ZeroMQ's own subscribers.

use super::super::backlog::QUEUE;
use super::*;
use crate::admission::Full;
use xpuck_wire::Security;
use xpuck_wire::keyring::{self, Role};
use xpuck_wire::keys::Public;

/// Bytes of a message's text.
const SIZE: usize = 2000;

/// Fewer than a hub lets in, so that they can be too many.
const BOUNDS: Bounds = Bounds { silent: 8, greeting: 4, handshake: 2, established: 4, full: Full::Newest };

fn listen() -> Watchers {
    Watchers::listen("tcp://127.0.0.1:*", &Sockets::new(), false, BOUNDS).unwrap()
}

fn watch(watchers: &Watchers, topic: &str) -> (zmq::Context, zmq::Socket) {
    let context = zmq::Context::new();
    let socket = context.socket(zmq::SUB).unwrap();
    socket.set_rcvtimeo(10_000).unwrap();
    // Little is kept on this side: what it does not read is the hub's to keep or to drop.
    socket.set_rcvhwm(1).unwrap();
    socket.set_rcvbuf(4096).unwrap();
    // Whatever it asks for leaves, even a thousand topics at once.
    socket.set_sndhwm(0).unwrap();
    socket.connect(&format!("tcp://{}", watchers.address())).unwrap();
    socket.set_subscribe(topic.as_bytes()).unwrap();
    (context, socket)
}

fn until(watchers: &mut Watchers, mut done: impl FnMut(&mut Watchers) -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done(watchers) {
        assert!(Instant::now() < end, "not within 20 s");
        watchers.turn();
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn number(socket: &zmq::Socket) -> Option<usize> {
    let parts = socket.recv_multipart(0).ok()?;
    assert_eq!(parts[0], b"poses");
    String::from_utf8_lossy(&parts[1]).split(' ').next()?.parse().ok()
}

/// The slow one sleeps while 8 MB go out. A quick one beside it gets everything; it itself gets what was under way when it
/// fell asleep, then the newest, and everything between is counted.
#[test]
fn who_is_slow_misses_the_oldest_and_nobody_else_misses_anything() {
    const MESSAGES: usize = 4000;
    let mut watchers = listen();
    let (_a, slow) = watch(&watchers, "");
    let (_b, quick) = watch(&watchers, "poses");
    until(&mut watchers, |w| w.subscriptions() == 2);
    let text = "x".repeat(SIZE);
    let mut longest = Duration::ZERO;
    let reader = std::thread::spawn(move || (0..MESSAGES).map(|_| number(&quick)).collect::<Vec<_>>());
    for message in 0..MESSAGES {
        let begun = Instant::now();
        watchers.publish("poses", format!("{message} {text}"));
        watchers.turn();
        longest = longest.max(begun.elapsed());
        // Half a megabyte a second and robot would be much; this is twenty times as much.
        std::thread::sleep(Duration::from_micros(200));
    }
    let stop = AtomicBool::new(false);
    let got = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                watchers.turn();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let mut got = Vec::new();
        while got.last() != Some(&(MESSAGES - 1)) {
            got.extend(Some(number(&slow).expect("the newest message arrives")));
        }
        stop.store(true, Ordering::Relaxed);
        got
    });
    assert_eq!(reader.join().unwrap(), (0..MESSAGES).map(Some).collect::<Vec<_>>());
    let early = got.iter().enumerate().take_while(|(i, n)| i == *n).count();
    let late = MESSAGES - got[early];
    println!("publishing took {longest:?} at most; the slow one got {early} old messages, then the newest {late}");
    assert_eq!(got[early..], (MESSAGES - late..MESSAGES).collect::<Vec<_>>());
    assert!(late >= QUEUE, "{late} of the newest");
    assert!(early * SIZE < 1 << 20, "{early} old messages were under way");
    assert_eq!(watchers.missed() as usize + got.len(), MESSAGES);
    assert!(longest < Duration::from_secs(1), "publishing waited {longest:?}");
    drop(slow);
    until(&mut watchers, |w| w.count() == 0);
}

#[test]
fn there_are_only_so_many_watchers_and_one_who_asks_for_too_much_is_turned_away() {
    let mut watchers = listen();
    // Strangers who say nothing keep nobody out.
    let connect = || std::net::TcpStream::connect(watchers.address()).unwrap();
    let strangers: Vec<std::net::TcpStream> = (0..100).map(|_| connect()).collect();
    let mut open = Vec::new();
    for n in 1..=BOUNDS.established {
        open.push(watch(&watchers, ""));
        until(&mut watchers, |w| w.subscriptions() == n && w.admission.counts().established == n);
    }
    let turned_away = watchers.turned_away();
    let one_more = watch(&watchers, "");
    until(&mut watchers, |w| w.turned_away() > turned_away);
    assert_eq!(watchers.admission.counts().established, BOUNDS.established);
    drop((strangers, one_more));
    open.clear();
    until(&mut watchers, |w| w.count() == 0);
    let turned_away = watchers.turned_away();
    let (_context, greedy) = watch(&watchers, "");
    for topic in 0..1100 {
        greedy.set_subscribe(format!("topic {topic}").as_bytes()).unwrap();
    }
    until(&mut watchers, |w| {
        assert!(w.subscriptions() <= 1000);
        w.turned_away() > turned_away
    });
}

/// Keys count as on any other socket, behind the connection that is accepted first.
#[test]
fn with_keys_an_observer_watches_and_a_plain_watcher_gets_nothing() {
    let dir = tempfile::tempdir().unwrap();
    keyring::make_all(dir.path(), &["xp01".into()]).unwrap();
    keyring::make(dir.path(), Some(Role::Observer), "visitor").unwrap();
    let hub = Sockets::for_hub(&Security { keys: dir.path().into(), dev_mode: false }).unwrap();
    let mut watchers = Watchers::listen("tcp://127.0.0.1:*", &hub, false, BOUNDS).unwrap();
    let (_context, plain) = watch(&watchers, "");
    until(&mut watchers, |_| hub.guard().unwrap().refusals().no_curve > 0);
    let key = std::fs::read_to_string(keyring::path(dir.path(), Role::Observer, "visitor", "key")).unwrap();
    let key: toml::Table = key.parse().unwrap();
    let half = |name: &str| zmq::z85_decode(key[name]["curve"].as_str().unwrap()).unwrap();
    let context = zmq::Context::new();
    let socket = context.socket(zmq::SUB).unwrap();
    socket.set_rcvtimeo(10_000).unwrap();
    socket.set_curve_serverkey(&Public::read(&dir.path().join("hub.pub")).unwrap().curve.0).unwrap();
    socket.set_curve_publickey(&half("public")).unwrap();
    socket.set_curve_secretkey(&half("secret")).unwrap();
    socket.set_subscribe(b"").unwrap();
    socket.connect(&format!("tcp://{}", watchers.address())).unwrap();
    until(&mut watchers, |w| w.subscriptions() == 1);
    watchers.publish("poses", "1".into());
    assert_eq!(socket.recv_multipart(0).unwrap(), [b"poses".to_vec(), b"1".to_vec()]);
    plain.set_rcvtimeo(200).unwrap();
    assert!(plain.recv_bytes(0).is_err());
}
