//! Tests of access control with real sockets and keys.

use super::*;
use crate::keys::Secret;
use crate::message::{Reply, Request, RobotMessage, ToRobot};
use crate::socket::{AskError, OperatorsHub, Router, Sockets};
use crate::swarm::Security;
use crate::witness::LastDirectiveReport;

/// Hub with a key folder. The system chooses the ports.
struct Hub {
    dir: tempfile::TempDir,
    robots: Router,
    operators: OperatorsHub,
    guard: Arc<AccessControl>,
    endpoint: String,
    operator_endpoint: String,
}

impl Hub {
    fn start() -> Hub {
        let dir = tempfile::tempdir().unwrap();
        keyring::create_missing_pairs(dir.path(), &["xp01".into(), "xp02".into()]).unwrap();
        keyring::create_pair(dir.path(), Some(Role::Observer), "visitor").unwrap();
        let sockets = Sockets::for_hub(&security(dir.path())).unwrap();
        let robots = sockets.robots_hub("tcp://127.0.0.1:*").unwrap();
        let operators = sockets.operators_hub("tcp://127.0.0.1:*").unwrap();
        let guard = sockets.guard().unwrap().clone();
        let (endpoint, operator_endpoint) = (robots.endpoint(), operators.endpoint());
        Hub { dir, robots, operators, guard, endpoint, operator_endpoint }
    }

    fn folder(&self) -> &Path {
        self.dir.path()
    }

    fn secret(&self, role: Role, name: &str) -> Secret {
        Secret::read(&keyring::path(self.folder(), role, name, "key")).unwrap()
    }

    fn key(&self) -> Key {
        crate::keys::Public::read(&self.folder().join("hub.pub")).unwrap().curve
    }

    /// Sends a message from a DEALER socket, which `with` configures, and waits until the hub counts a rejection.
    /// `count` selects the counter. Verifies that no message is delivered.
    fn refuses(&self, endpoint: &str, with: impl Fn(&zmq::Socket), count: impl Fn(&Refusals) -> u64) {
        let before = count(&self.guard.refusals());
        let context = zmq::Context::new();
        let socket = context.socket(zmq::DEALER).unwrap();
        socket.set_linger(0).unwrap();
        with(&socket);
        socket.connect(endpoint).unwrap();
        let pong = crate::codec::encode(&RobotMessage::Pong { stamp: 1.0 });
        socket.send(&pong, 0).unwrap();
        wait_for(|| {
            assert!(self.robots.receive::<RobotMessage>().is_none(), "delivered");
            assert!(self.operators.receive::<Request>().is_none(), "delivered");
            (count(&self.guard.refusals()) > before).then_some(())
        });
    }
}

fn security(folder: &Path) -> Security {
    Security { keys: folder.into(), dev_mode: false }
}

fn wait_for<T>(mut ready: impl FnMut() -> Option<T>) -> T {
    for _ in 0..12_000 {
        if let Some(value) = ready() {
            return value;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("nothing in 60 s");
}

fn prove(socket: &zmq::Socket, secret: &Secret, server: Key) {
    socket.set_curve_serverkey(&server.0).unwrap();
    socket.set_curve_publickey(&secret.public.curve.0).unwrap();
    socket.set_curve_secretkey(secret.curve()).unwrap();
}

#[test]
fn robot_is_identified_by_key_and_gets_answers() {
    let hub = Hub::start();
    let robot = |id: &str| Sockets::for_robot(&security(hub.folder()), id).unwrap().robot(&hub.endpoint, id).unwrap();
    let (one, two) = (robot("xp01"), robot("xp02"));
    one.send(&RobotMessage::Pong { stamp: 1.0 });
    two.send(&RobotMessage::Pong { stamp: 2.0 });
    for _ in 0..2 {
        let (id, message) = wait_for(|| hub.robots.receive::<RobotMessage>());
        let RobotMessage::Pong { stamp } = message.unwrap() else { panic!() };
        assert_eq!(id, format!("xp{stamp:02}"));
        assert!(hub.robots.send(&id, &ToRobot::Ping { stamp }));
    }
    assert_eq!(wait_for(|| two.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 2.0 });
    // A restarted robot replaces its previous connection.
    drop(one);
    let again = robot("xp01");
    again.send(&RobotMessage::Pong { stamp: 3.0 });
    wait_for(|| hub.robots.receive::<RobotMessage>()).1.unwrap();
    assert!(hub.robots.send("xp01", &ToRobot::Ping { stamp: 4.0 }));
    assert_eq!(wait_for(|| again.receive::<ToRobot>()).unwrap(), ToRobot::Ping { stamp: 4.0 });
    assert_eq!(hub.guard.refusals(), Refusals::default());
}

#[test]
fn strangers_and_plain_clients_deliver_nothing_and_are_counted() {
    let hub = Hub::start();
    let stranger = Secret::generate("xp01").unwrap();
    for endpoint in [&hub.endpoint, &hub.operator_endpoint] {
        hub.refuses(endpoint, |s| prove(s, &stranger, hub.key()), |r| r.unknown_key);
        hub.refuses(endpoint, |_| {}, |r| r.no_curve);
        hub.refuses(
            endpoint,
            |s| {
                s.set_plain_username(Some("xp01")).unwrap();
                s.set_plain_password(Some("guess")).unwrap();
            },
            |r| r.no_curve,
        );
        // The client has an enrolled key, but expects the public key of another server.
        let one = hub.secret(Role::Robot, "xp01");
        hub.refuses(endpoint, |s| prove(s, &one, stranger.public.curve), |r| r.no_curve);
    }
}

#[test]
fn each_role_has_its_socket_and_nobody_takes_anothers_name() {
    let hub = Hub::start();
    let (one, operator) = (hub.secret(Role::Robot, "xp01"), hub.secret(Role::Operator, keyring::OPERATOR));
    hub.refuses(&hub.operator_endpoint, |s| prove(s, &one, hub.key()), |r| r.wrong_role);
    hub.refuses(&hub.endpoint, |s| prove(s, &operator, hub.key()), |r| r.wrong_role);
    hub.refuses(
        &hub.endpoint,
        |s| {
            s.set_identity(b"xp02").unwrap();
            prove(s, &one, hub.key());
        },
        |r| r.wrong_name,
    );
    // Another robot cannot take over the identity `xp02`, so the real xp02 is still reachable.
    let two = Sockets::for_robot(&security(hub.folder()), "xp02").unwrap().robot(&hub.endpoint, "xp02").unwrap();
    two.send(&RobotMessage::Pong { stamp: 2.0 });
    assert_eq!(wait_for(|| hub.robots.receive::<RobotMessage>()).0, "xp02");
    assert!(hub.robots.send("xp02", &ToRobot::Ping { stamp: 2.0 }));
    wait_for(|| two.receive::<ToRobot>()).unwrap();
}

#[test]
fn revoked_robot_is_cut_off_and_enrolled_robot_admitted() {
    let hub = Hub::start();
    let robot = Sockets::for_robot(&security(hub.folder()), "xp01").unwrap().robot(&hub.endpoint, "xp01").unwrap();
    robot.send(&RobotMessage::Pong { stamp: 1.0 });
    wait_for(|| hub.robots.receive::<RobotMessage>()).1.unwrap();
    let file = keyring::path(hub.folder(), Role::Robot, "xp01", "pub");
    let public = std::fs::read(&file).unwrap();
    let edition = hub.guard.edition();
    std::fs::remove_file(&file).unwrap();
    wait_for(|| (hub.guard.edition() > edition).then_some(()));
    assert!(hub.guard.take_notes().contains(&Line::info("revoked: robot xp01")));
    robot.send(&RobotMessage::Pong { stamp: 2.0 });
    wait_for(|| {
        assert!(hub.robots.receive::<RobotMessage>().is_none(), "a revoked robot's message is delivered");
        (hub.guard.refusals().revoked > 0).then_some(())
    });
    std::fs::write(&file, public).unwrap();
    wait_for(|| (hub.guard.edition() > edition + 1).then_some(()));
    robot.send(&RobotMessage::Pong { stamp: 3.0 });
    let (id, message) = wait_for(|| hub.robots.receive::<RobotMessage>());
    assert_eq!((id.as_str(), message.unwrap()), ("xp01", RobotMessage::Pong { stamp: 3.0 }));
}

#[test]
fn observer_is_recognised_and_stranger_is_rejected_at_once() {
    let hub = Hub::start();
    let asking = |key: PathBuf| {
        let endpoint = hub.operator_endpoint.clone();
        std::thread::spawn(move || {
            let (sockets, _) = Sockets::for_operator(&key).unwrap();
            sockets.operator(&endpoint, 10_000).unwrap().ask::<Request, Reply>(&Request::Stop)
        })
    };
    for (role, name) in [(Role::Observer, "visitor"), (Role::Operator, keyring::OPERATOR)] {
        let asked = asking(keyring::path(hub.folder(), role, name, "key"));
        let (to, request) = wait_for(|| hub.operators.receive::<Request>());
        assert_eq!(to.peer, Peer { name: name.into(), role });
        assert_eq!(request.unwrap().allowed_to(to.peer.role), role == Role::Operator);
        hub.operators.answer(to, &Reply::Done);
        assert_eq!(asked.join().unwrap().unwrap(), Reply::Done);
    }
    let file = hub.folder().join("operators/mallory.key");
    Secret::generate("mallory").unwrap().write(&file).unwrap();
    let error = asking(file).join().unwrap().unwrap_err();
    assert!(matches!(&error, AskError::TurnedAway(_)), "{error}");
    assert!(Request::Status.allowed_to(Role::Observer) && !Request::Status.allowed_to(Role::Robot));
}

#[test]
fn geneserver_admits_only_workers_with_its_key() {
    let (secret, other) = (Secret::generate("genes").unwrap(), Secret::generate("genes").unwrap());
    let sockets = Sockets::for_geneserver(Some(&secret)).unwrap();
    let server = sockets.geneserver("tcp://127.0.0.1:*").unwrap();
    let worker = |secret: Option<&Secret>| {
        let sockets = Sockets::for_worker(secret).unwrap();
        (sockets.worker(&server.endpoint(), "island-3-1").unwrap(), sockets)
    };
    let (good, strange, plain) = (worker(Some(&secret)), worker(Some(&other)), worker(None));
    let stamp = |stamp| RobotMessage::Pong { stamp };
    wait_for(|| good.0.send(&stamp(1.0)).then_some(()));
    let (id, message) = wait_for(|| server.receive::<RobotMessage>());
    assert_eq!((id.as_str(), message.unwrap()), ("island-3-1", stamp(1.0)));
    wait_for(|| (sockets.guard().unwrap().refusals().no_curve > 1).then_some(()));
    assert!(!strange.0.send(&stamp(2.0)) && !plain.0.send(&stamp(2.0)), "never connected");
}

#[test]
fn secured_hub_always_has_auth_handler() {
    let dir = tempfile::tempdir().unwrap();
    keyring::create_missing_pairs(dir.path(), &[]).unwrap();
    let hub = Sockets::for_hub(&security(dir.path())).unwrap();
    assert!(hub.guard().is_some());
    assert!(Sockets::for_hub(&Security::dev_mode()).unwrap().guard().is_none());
    let missing = Sockets::for_hub(&security(&dir.path().join("nowhere"))).err().unwrap().to_string();
    assert!(missing.contains("hub.key"), "{missing}");
}

/// Measures the throughput of 1 KiB messages through the robots' link, for docs/performance.md.
#[test]
#[ignore = "measures; run with --ignored --nocapture"]
fn throughput_with_and_without_keys() {
    const MESSAGES: usize = 100_000;
    let dir = tempfile::tempdir().unwrap();
    keyring::create_missing_pairs(dir.path(), &["xp01".into()]).unwrap();
    let message = RobotMessage::Hello {
        version: "x".repeat(1000),
        session: 1,
        seen: (0, 0),
        witness: LastDirectiveReport::default(),
    };
    let bytes = crate::codec::encode(&message).len();
    for (name, security) in [("plain", Security::dev_mode()), ("CURVE", security(dir.path()))] {
        let hub = Sockets::for_hub(&security).unwrap().robots_hub("tcp://127.0.0.1:*").unwrap();
        let robot = Sockets::for_robot(&security, "xp01").unwrap().robot(&hub.endpoint(), "xp01").unwrap();
        let message = message.clone();
        robot.send(&message);
        wait_for(|| hub.receive::<RobotMessage>()).1.unwrap();
        let start = Instant::now();
        let sender = std::thread::spawn(move || {
            for _ in 0..MESSAGES {
                while !robot.send(&message) {
                    std::thread::yield_now();
                }
            }
            robot
        });
        for _ in 0..MESSAGES {
            while hub.receive::<RobotMessage>().is_none() {
                crate::socket::wait(&[&hub], 10);
            }
        }
        let rate = MESSAGES as f64 / start.elapsed().as_secs_f64();
        println!("{name}: {rate:.0} messages of {bytes} bytes a second");
        drop(sender.join());
    }
}
