//! Tests of controllers at a real socket. The tests process requests in the same way as the robot's control loop.

use super::*;
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::time::{Duration, Instant};
use xpuck_robot_core::external::{Command, External, Ring};
use xpuck_robot_core::readings::Readings;
use xpuck_wire::message::State;
use xpuck_wire::signed::Trust;
use xpuck_wire::socket::Sockets;

const SOON: Duration = Duration::from_secs(20);

struct Program(BufReader<UnixStream>);

impl Program {
    fn connect(path: &Path) -> Program {
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(SOON)).unwrap();
        Program(BufReader::new(stream))
    }

    fn say(&mut self, value: Value) {
        self.write(format!("{value}\n").as_bytes());
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.get_mut().write_all(bytes).unwrap();
    }

    /// Returns the next line; `None` at the end of the connection.
    fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        let read = self.0.read_line(&mut line).ok()?;
        (read > 0).then(|| serde_json::from_str(&line).unwrap())
    }

    fn refused(&mut self) -> String {
        let value = self.next().unwrap();
        assert_eq!(value["is"], "refused", "{value}");
        value["why"].as_str().unwrap().into()
    }

    fn hello(path: &Path, name: &str) -> Program {
        let mut program = Program::connect(path);
        program.say(json!({"do": "hello", "protocol": 1, "name": name}));
        assert_eq!(program.next().unwrap()["is"], "hello");
        program
    }
}

/// Server of the socket, and the arbiter of controllers, which the robot's control loop owns.
struct Robot {
    programs: ProgramServer,
    external: External,
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Robot {
    fn new() -> Robot {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run/xp01.sock");
        let (waker, _wakeups) = Sockets::new().waker("programs").unwrap();
        let programs = ProgramServer::listen(&path, "xp01", 1.0, waker).unwrap();
        Robot { programs, external: External::default(), path, _folder: folder }
    }

    /// Waits for the next request, processes it, and returns it.
    fn turn(&mut self) -> ProgramRequest {
        let until = Instant::now() + SOON;
        loop {
            if let Some((connection, said)) = self.programs.next_request() {
                let result = self.external.on_request(0.0, State::Run, connection, said.clone()).map(drop);
                self.programs.reply(result);
                return said;
            }
            assert!(Instant::now() < until, "nothing was said");
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn show(&self, now: f64) {
        let until = Instant::now() + SOON;
        while self.programs.due().is_none() && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
        let core = Core::new(1, 7, Trust::Anybody);
        self.programs.send_senses(now, &core, &SenseMessage::new(&core, now, &Readings::default()));
    }

    /// Waits until this number of controllers is connected.
    fn connected(&self, count: usize) {
        let until = Instant::now() + SOON;
        while lock(&self.programs.shared.connections).len() != count {
            assert!(Instant::now() < until, "{} are connected", lock(&self.programs.shared.connections).len());
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn program_reads_senses_drives_and_gets_stats() {
    let mut robot = Robot::new();
    let mut program = Program::hello(&robot.path, "wander");
    robot.show(1.0);
    let senses = program.next().unwrap();
    assert_eq!((&senses["is"], &senses["n"], &senses["time"]), (&json!("senses"), &json!(1), &json!(1.0)));
    program.say(json!({"do": "take"}));
    assert_eq!(robot.turn(), ProgramRequest::Take("wander".into()));
    assert_eq!(program.next().unwrap()["is"], "taken");
    program.say(json!({"do": "drive", "wheels": [0.1, 0.05], "lamps": [1, 2, 3], "of": 1}));
    assert_eq!(robot.turn(), ProgramRequest::Drive(Command { wheels: [0.1, 0.05], lamps: Some(Ring::All([1, 2, 3])) }));
    program.say(json!({"do": "stats"}));
    let stats = program.next().unwrap();
    assert_eq!((&stats["is"], &stats["trips"]), (&json!("stats"), &json!(1)));
    program.say(json!({"do": "release"}));
    robot.turn();
    assert_eq!(program.next().unwrap()["is"], "released");
    drop(program);
    assert_eq!(robot.turn(), ProgramRequest::Gone);
    robot.connected(0);
}

#[test]
fn invalid_requests_are_rejected_in_one_line() {
    let mut robot = Robot::new();
    let mut program = Program::hello(&robot.path, "a");
    program.say(json!({"do": "take"}));
    robot.turn();
    program.next();
    for wrong in [r#"{"do":"drive","wheels":[NaN,0]}"#, "rubbish", "\u{0}\u{1}", r#"{"do":"drive","wheels":[1e999,0]}"#]
    {
        program.write(format!("{wrong}\n").as_bytes());
        assert_eq!(robot.turn(), ProgramRequest::Unreadable);
        assert!(program.refused().starts_with("invalid request: "));
    }
    program.say(json!({"do": "drive", "wheels": [0.5, 0.0]}));
    robot.turn();
    assert!(program.refused().contains("0.5 m/s"));
    program.say(json!({"do": "hello", "protocol": 1, "name": "b"}));
    assert_eq!(program.refused(), "hello must be sent only once");
    assert!(program.next().is_none());
    for (first, why) in [
        (json!({"do": "hello", "protocol": 0, "name": "old"}), "protocol 0 is not supported; this robot supports 1"),
        (json!({"do": "hello", "protocol": 1, "name": "x", "rate": 51}), "rate = 51 is outside 0.1 to 50"),
        (json!({"do": "hello", "protocol": 1, "name": ""}), "the name has 0 characters; 1 to 32 are allowed"),
        (json!({"do": "take"}), "send hello first"),
        (json!("x".repeat(5000)), "the line has more than 4096 bytes"),
    ] {
        // The server frees the slot of a closed connection with a delay, so the test retries.
        let refused = xpuck_testing::patience::wait_for("a free place", || {
            let mut other = Program::connect(&robot.path);
            other.say(first.clone());
            let refused = other.refused();
            assert!(other.next().is_none(), "{why}: the connection ends");
            (!refused.starts_with("4 programs are connected")).then_some(refused)
        });
        assert_eq!(refused, why);
    }
}

#[test]
fn flooding_and_fifth_programs_are_rejected() {
    let mut robot = Robot::new();
    let mut flood = Program::hello(&robot.path, "flood");
    flood.say(json!({"do": "take"}));
    robot.turn();
    flood.next();
    let line = format!("{}\n", json!({"do": "drive", "wheels": [0.1, 0.1]}));
    for _ in 0..5000 {
        if flood.0.get_mut().write_all(line.as_bytes()).is_err() {
            break;
        }
    }
    while robot.turn() != ProgramRequest::Gone {}
    assert_eq!(robot.external.command(0.0, State::Run), Some(Command::default()), "its wheels stand");
    robot.connected(0);
    let four: Vec<Program> = (0..MAX_PROGRAMS).map(|i| Program::hello(&robot.path, &format!("p{i}"))).collect();
    let mut fifth = Program::connect(&robot.path);
    assert!(fifth.refused().starts_with("4 programs are connected"));
    drop(four);
    robot.connected(0);
    Program::hello(&robot.path, "again");
}

#[test]
fn bind_replaces_stale_socket_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("xp01.sock");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let waker = || Sockets::new().waker("programs").unwrap().0;
    drop(ProgramServer::listen(&path, "xp01", 1.0, waker()).unwrap());
    assert!(!path.exists(), "it is gone with its robot");
    std::fs::write(&path, "precious").unwrap();
    let error = ProgramServer::listen(&path, "xp01", 1.0, waker()).err().unwrap().to_string();
    assert!(error.contains("is not a socket") && std::fs::read(&path).unwrap() == b"precious", "{error}");
    let long = folder.path().join("x".repeat(120));
    let error = ProgramServer::listen(&long, "xp01", 1.0, waker()).err().unwrap().to_string();
    assert!(error.contains("107 bytes"), "{error}");
}
