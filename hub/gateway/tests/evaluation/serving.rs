//! Servers that run in threads, and clients that exchange lines with them.

use std::io::{BufRead, BufReader, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;
use xpuck_gateway::evaluation::robot::task::Task;
use xpuck_gateway::evaluation::robot_server::RobotServer;
use xpuck_gateway::evaluation::robot_server::world_link::WorldLink;
use xpuck_gateway::evaluation::server::WorldServer;
use xpuck_gateway::evaluation::world::World;
use xpuck_gateway::evaluation::world::description::Description;

/// Maximum time for which a test waits for a line.
pub const LONGEST: Duration = Duration::from_secs(60);
const LONG: Duration = Duration::from_secs(3600);
const LOOK: Duration = Duration::from_millis(5);

/// Server that runs in a thread until it is stopped or dropped.
pub struct Serving {
    pub at: SocketAddr,
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<Vec<String>>>,
}

impl Serving {
    fn new(at: SocketAddr, mut turn: impl FnMut() -> Vec<String> + Send + 'static) -> Serving {
        let stop = Arc::new(AtomicBool::new(false));
        let flag = stop.clone();
        let thread = std::thread::spawn(move || {
            let mut told = Vec::new();
            while !flag.load(Ordering::Relaxed) {
                told.extend(turn());
            }
            told
        });
        Serving { at, stop, thread: Some(thread) }
    }

    /// Stops the server and closes its connections. Returns the server's log lines.
    pub fn stop(mut self) -> Vec<String> {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
    }
}

pub fn anywhere() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 0))
}

/// Starts a server for an empty world.
pub fn world_at(at: SocketAddr) -> Serving {
    let world = World::new(&Description::empty(), 1).unwrap();
    let mut server = WorldServer::listen(world, &[at], LONG).unwrap();
    let at = server.addresses().unwrap()[0];
    Serving::new(at, move || server.turn(LOOK).unwrap())
}

/// Starts a robot simulator that uses a world.
pub fn robots(task: &Task, world: SocketAddr) -> Serving {
    task.check().unwrap();
    let link = WorldLink::new(task.clone(), world, Duration::from_millis(500));
    let mut server = RobotServer::listen(link, anywhere(), LONG).unwrap();
    let at = server.address().unwrap();
    Serving::new(at, move || server.turn(LOOK).unwrap().into_iter().map(|line| line.text).collect())
}

/// Returns the example of the specification. The robot has two sonars and two wheels. Its network has weights, but no
/// hidden neurons and no biases.
pub fn example() -> Task {
    Task {
        sonars: vec![0.3, -0.3],
        sonar_range: 3000.0,
        hidden: [0, 0],
        neuron_values: 0,
        steps: 40,
        starts: vec![[500.0, 600.0, 0.4]],
        ..Task::default()
    }
}

/// Client that sends and reads lines.
pub struct Client(BufReader<TcpStream>);

impl Client {
    pub fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client(BufReader::new(stream))
    }

    pub fn say(&mut self, bytes: &str) {
        self.0.get_mut().write_all(bytes.as_bytes()).unwrap();
    }

    /// Reads a line and removes its line ending. Returns an empty line if the connection is closed.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(_) => line.trim_end_matches("\r\n").to_string(),
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionReset => String::new(),
            Err(error) => panic!("{error}"),
        }
    }

    pub fn ask(&mut self, line: &str) -> String {
        self.say(&format!("{line}\r\n"));
        self.line()
    }

    /// Sends a line and returns the fitness from the answer. The answer must have the given generation and number.
    pub fn fitness(&mut self, line: &str, generation: u32, number: u32) -> f64 {
        let answer = self.ask(line);
        let start = format!("Fitness {generation} {number} ");
        answer.strip_prefix(&start).unwrap_or_else(|| panic!("{answer:?} for {line}")).parse().unwrap()
    }
}
