//! Tests with real ZeroMQ sockets on loopback.

use super::super::EvictionPolicy;
use super::super::greeting::SILENT;
use super::*;
use std::io::{Read, Write};
use std::net::TcpStream as Plain;
use std::time::Instant;
use xpuck_wire::Security;
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::{OperatorsHub, Sockets, wait};

const BOUNDS: Bounds =
    Bounds { silent: 16, greeting: 8, handshake: 4, established: 4, full: EvictionPolicy::Silent, said: usize::MAX };

fn plain() -> Greeting {
    Greeting::from_sockets(&Sockets::new(), true).unwrap()
}

fn until(mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !done() {
        assert!(Instant::now() < end, "not within 20 s");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Runs `during` with the endpoint and the relay of an operator port. Meanwhile, the port's hub answers every request
/// with `Done`.
fn serve<T>(sockets: &Sockets, during: impl FnOnce(&str, &Relay) -> T) -> T {
    let hub: OperatorsHub = sockets.operators_hub(INSIDE).unwrap();
    let greeting = Greeting::from_sockets(sockets, false).unwrap();
    let relay = Relay::start("relay", "tcp://127.0.0.1:*", &hub.endpoint(), greeting, BOUNDS).unwrap();
    let endpoint = format!("tcp://{}", relay.address());
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                wait(&[&hub], 5);
                while let Some((to, _)) = hub.receive::<Request>() {
                    hub.answer(to, &Reply::Done);
                }
            }
        });
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| during(&endpoint, &relay)));
        stop.store(true, Ordering::Relaxed);
        result.unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

fn ask(sockets: &Sockets, endpoint: &str) -> Reply {
    sockets.operator(endpoint, 10_000).unwrap().ask(&Request::Stop).unwrap()
}

#[test]
fn client_connects_despite_silent_crowd() {
    serve(&Sockets::new(), |endpoint, relay| {
        let strangers: Vec<Plain> = (0..500).map(|_| Plain::connect(relay.address()).unwrap()).collect();
        until(|| relay.counts().evicted >= 484);
        assert_eq!(ask(&Sockets::new(), endpoint), Reply::Done);
        assert!(relay.counts().pending <= BOUNDS.silent + BOUNDS.greeting);
        drop(strangers);
        until(|| relay.counts().pending == 0);
        assert_eq!(ask(&Sockets::new(), endpoint), Reply::Done);
        until(|| relay.counts().established == 0);
    });
}

/// Checks that a connection with half a greeting occupies a slot only in the greeting stage. Also checks that a peer is
/// disconnected if it is silent or uses another protocol.
#[test]
fn stalled_greetings_are_evicted() {
    serve(&Sockets::new(), |endpoint, relay| {
        let begin = |bytes: &[u8]| {
            let mut stranger = Plain::connect(relay.address()).unwrap();
            stranger.write_all(bytes).unwrap();
            stranger
        };
        let half: Vec<Plain> = (0..50).map(|_| begin(&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f])).collect();
        until(|| relay.counts().evicted >= 42);
        assert_eq!(ask(&Sockets::new(), endpoint), Reply::Done);
        // The operator has disconnected. The connections with half a greeting are not established.
        until(|| relay.counts().established == 0);
        let mut browser = begin(b"GET / HTTP/1.1\r\n\r\n");
        browser.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        assert!(!matches!(browser.read(&mut [0; 64]), Ok(n) if n > 0), "ZeroMQ is not shown to it");
        let silent = begin(b"");
        silent.set_read_timeout(Some(4 * SILENT)).unwrap();
        assert_eq!((&silent).read(&mut [0]).unwrap(), 0, "closed");
        drop(half);
    });
}

#[test]
fn with_keys_only_a_proved_key_makes_an_established_connection() {
    let dir = tempfile::tempdir().unwrap();
    keyring::create_missing_pairs(dir.path(), &["xp01".into()]).unwrap();
    let sockets = Sockets::for_hub(&Security { keys: dir.path().into(), dev_mode: false }).unwrap();
    let key = keyring::path(dir.path(), Role::Operator, OPERATOR, "key");
    serve(&sockets, |endpoint, relay| {
        let (operator, _) = Sockets::for_operator(&key).unwrap();
        let link = operator.operator(endpoint, 10_000).unwrap();
        assert_eq!(link.ask::<Request, Reply>(&Request::Stop).unwrap(), Reply::Done);
        assert_eq!(relay.counts().established, 1);
        // A peer without a key, or with a key that is not enrolled, is rejected, and the reason is recorded.
        let plain = Sockets::new().operator(endpoint, 300).unwrap();
        assert!(plain.ask::<Request, Reply>(&Request::Stop).is_err());
        let here = std::net::IpAddr::from([127, 0, 0, 1]);
        let told = |mistake| relay.counts().last_turned_away == Some((here, mistake));
        xpuck_testing::patience::wait_until("no key is told", || told(KeyError::NoKey));
        let other = tempfile::tempdir().unwrap();
        keyring::create_missing_pairs(other.path(), &[]).unwrap();
        std::fs::copy(dir.path().join("hub.pub"), other.path().join("hub.pub")).unwrap();
        let stranger = Sockets::for_operator(&keyring::path(other.path(), Role::Operator, OPERATOR, "key")).unwrap().0;
        let refused = stranger.operator(endpoint, 10_000).unwrap().ask::<Request, Reply>(&Request::Stop).unwrap_err();
        assert!(refused.to_string().contains("rejects this key"), "{refused}");
        xpuck_testing::patience::wait_until("a key that nobody enrolled is told", || told(KeyError::NotEnrolled));
        let third = tempfile::tempdir().unwrap();
        keyring::create_missing_pairs(third.path(), &[]).unwrap();
        let lost = Sockets::for_operator(&keyring::path(third.path(), Role::Operator, OPERATOR, "key")).unwrap().0;
        assert!(lost.operator(endpoint, 1000).unwrap().ask::<Request, Reply>(&Request::Stop).is_err());
        xpuck_testing::patience::wait_until("another hub's key is told", || told(KeyError::OtherHub));
        assert_eq!(relay.counts().established, 1);
        let refusals = sockets.guard().unwrap().refusals();
        assert!(refusals.unknown_key > 0 && refusals.no_curve > 0, "{refusals:?}");
    });
}

/// Checks that a message larger than the socket buffers passes completely in both directions.
#[test]
fn long_messages_pass_and_socket_name_is_removed() {
    let context = zmq::Context::new();
    let inside = context.socket(zmq::DEALER).unwrap();
    inside.bind(INSIDE).unwrap();
    let endpoint = inside.get_last_endpoint().unwrap().unwrap();
    let path = Path::new(endpoint.strip_prefix("ipc://").unwrap()).to_path_buf();
    assert!(path.exists());
    let relay = Relay::start("relay", "tcp://127.0.0.1:*", &endpoint, plain(), BOUNDS).unwrap();
    assert!(!path.exists() && !path.parent().unwrap().exists());
    let outside = context.socket(zmq::DEALER).unwrap();
    outside.connect(&format!("tcp://{}", relay.address())).unwrap();
    for (from, to) in [(&outside, &inside), (&inside, &outside)] {
        let text: Vec<u8> = (0..5_000_000u32).map(|i| i.wrapping_mul(2_654_435_761) as u8).collect();
        to.set_rcvtimeo(20_000).unwrap();
        from.send(&text, 0).unwrap();
        assert!(to.recv_bytes(0).unwrap() == text);
    }
}

#[test]
fn port_in_use_returns_error() {
    let context = zmq::Context::new();
    let inside = context.socket(zmq::DEALER).unwrap();
    inside.bind(INSIDE).unwrap();
    let endpoint = inside.get_last_endpoint().unwrap().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let outside = format!("tcp://{}", taken.local_addr().unwrap());
    let error = Relay::start("relay", &outside, &endpoint, plain(), BOUNDS).map(|_| ()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::AddrInUse);
}
