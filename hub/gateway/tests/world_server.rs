//! Tests of the world server with messages of a robot simulator. They cover the conformance cases that need sockets.

use std::f64::consts::{PI, TAU};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_gateway::evaluation::server::{MOST_CONNECTIONS, WorldServer};
use xpuck_gateway::evaluation::world::World;
use xpuck_gateway::evaluation::world::description::Description;

/// Maximum time for which a test waits for an event.
const LONGEST: Duration = Duration::from_secs(20);

/// Time for which the server keeps a silent connection even if it has reached the maximum number of connections. The
/// limit of the server itself is 1 s longer.
const GIVES_WAY: Duration = Duration::from_secs(4);

/// Serves an empty world on `ports` ports while `client` runs. Returns the server's log lines and the server.
fn served(ports: usize, client: impl FnOnce(&[SocketAddr])) -> (Vec<String>, WorldServer) {
    let world = World::new(&Description::empty(), 1).unwrap();
    let any = vec![SocketAddr::from((Ipv4Addr::LOCALHOST, 0)); ports];
    let mut server = WorldServer::listen(world, &any, Duration::from_secs(3600)).unwrap();
    let addresses = server.addresses().unwrap();
    let stop = AtomicBool::new(false);
    let told = std::thread::scope(|scope| {
        let serving = scope.spawn(|| {
            let mut told = Vec::new();
            while !stop.load(Ordering::Relaxed) {
                told.extend(server.turn(Duration::from_millis(10)).unwrap());
            }
            told
        });
        // The server must also stop after a failure of the client, because the scope waits for the server's thread.
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| client(&addresses)));
        stop.store(true, Ordering::Relaxed);
        let told = serving.join().unwrap();
        ended.unwrap_or_else(|failure| std::panic::resume_unwind(failure));
        told
    });
    (told, server)
}

struct Client(BufReader<TcpStream>);

impl Client {
    fn new(address: SocketAddr) -> Client {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(LONGEST)).unwrap();
        stream.set_nodelay(true).unwrap();
        Client(BufReader::new(stream))
    }

    fn say(&mut self, bytes: &str) {
        self.0.get_mut().write_all(bytes.as_bytes()).unwrap();
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.0.read_line(&mut line).unwrap();
        line
    }

    fn ask(&mut self, line: &str) -> Vec<f64> {
        self.say(&format!("{line}\r\n"));
        self.line().split_whitespace().skip(1).map(|number| number.parse().unwrap()).collect()
    }

    /// Creates a robot of 60 by 80 mm at a position (mm). Returns the robot's identifier.
    fn robot(&mut self, x: f64, y: f64) -> f64 {
        let id = self.ask("CreateRobot")[0];
        self.ask(&format!("BodyShape {id} 1 20 1 4 -30 40 30 40 30 -40 -30 -40"));
        assert_eq!(self.ask(&format!("JumpTo {id} {x} {y} 0"))[1..3], [x, y]);
        id
    }
}

#[test]
fn requests_are_split_at_any_line_ending() {
    served(1, |at| {
        let mut client = Client::new(at[0]);
        client.say("Creat");
        std::thread::sleep(Duration::from_millis(300));
        client.say("eRobot\n");
        assert_eq!(client.line(), "YourIdentifier 1\r\n");
        client.say(&"CreateRobot\r\n".repeat(100));
        let last = (0..100).map(|_| client.line()).last();
        assert_eq!(last.unwrap(), "YourIdentifier 101\r\n");
    });
}

#[test]
fn malformed_line_closes_only_its_connection_and_robots() {
    let (told, server) = served(1, |at| {
        let (mut one, mut two) = (Client::new(at[0]), Client::new(at[0]));
        one.robot(500.0, 1000.0);
        let watcher = two.robot(800.0, 1000.0);
        // Conformance case 27 on one port: the sonar detects the robot of the other client.
        let sonar = format!("SonicSensor {watcher} 760 1000 10 3.1415926 0 0 0");
        assert!((two.ask(&sonar)[1] - 220.0).abs() < 0.1);
        one.say("CreateRobot 1\r\n");
        assert_eq!(one.line(), "", "closed");
        let began = Instant::now();
        while (two.ask(&sonar)[1] - 760.0).abs() > 0.1 {
            assert!(began.elapsed() < LONGEST);
        }
    });
    assert!(told.iter().any(|line| line.contains("disconnected, lost 1 robots: CreateRobot")), "{told:?}");
    assert!(server.counts().messages > 6);
}

#[test]
fn client_on_other_port_sees_robot_of_first_client() {
    served(2, |at| {
        let (mut one, mut two) = (Client::new(at[0]), Client::new(at[1]));
        one.robot(1000.0, 1000.0);
        let id = two.ask("CreateRobot")[0];
        let seen = two.ask(&format!("SonicSensor {id} 500 1000 10 0 0 0 0"))[1];
        assert!((seen - 460.0).abs() < 0.1, "{seen}");
    });
}

#[test]
fn non_reading_client_is_paused_and_others_continue() {
    served(1, |at| {
        let mut deaf = Client::new(at[0]);
        let stream = deaf.0.get_mut();
        stream.set_write_timeout(Some(Duration::from_millis(500))).unwrap();
        let flood = "SonicSensor 1 1000 1000 10 0 0 0 0\r\n".repeat(10_000);
        // The client sends until the socket accepts no more bytes.
        let mut sent = 0;
        while sent < 64 << 20 && stream.write(flood.as_bytes()).is_ok_and(|count| count > 0) {
            sent += flood.len();
        }
        let mut other = Client::new(at[0]);
        let began = Instant::now();
        assert!(other.ask("SonicSensor 1 1000 1000 10 0 0 0 0")[1] > 0.0);
        assert!(began.elapsed() < Duration::from_secs(5));
    });
}

#[test]
fn too_many_connections_are_closed_and_harm_nobody() {
    let (_, server) = served(1, |at| {
        let mut first = Client::new(at[0]);
        first.ask("CreateRobot");
        let connecting = Instant::now();
        let flood: Vec<TcpStream> = (0..2000).filter_map(|_| TcpStream::connect(at[0]).ok()).collect();
        let began = Instant::now();
        // The server closes the last connections at once. If connecting has taken longer than `GIVES_WAY`, the server
        // may have closed older silent connections instead, and may answer the last connection.
        let quick = connecting.elapsed() < GIVES_WAY;
        let mut last = flood.last().unwrap();
        last.set_read_timeout(Some(LONGEST)).unwrap();
        let _ = last.write_all(b"CreateRobot\r\n");
        let told = last.read(&mut [0; 8]).unwrap_or(0);
        assert!(began.elapsed() < LONGEST, "it was left waiting");
        assert!(told == 0 || !quick, "it was let in");
        assert!(first.ask("CreateRobot")[0] > 1.0);
    });
    assert!(server.counts().refused >= 1000 && MOST_CONNECTIONS < 1000, "{:?}", server.counts());
}

#[test]
fn clients_that_send_half_a_line_give_way() {
    served(1, |at| {
        let mut half: Vec<TcpStream> = Vec::new();
        for _ in 0..2 * MOST_CONNECTIONS {
            let mut stream = TcpStream::connect(at[0]).unwrap();
            // The write fails if the server has already rejected and closed the connection.
            let _ = stream.write_all(b"CreateRo");
            half.push(stream);
        }
        let answered = || {
            let mut stream = TcpStream::connect(at[0]).unwrap();
            stream.set_read_timeout(Some(LONGEST)).unwrap();
            let _ = stream.write_all(b"CreateRobot\r\n");
            stream.read(&mut [0; 8]).is_ok_and(|count| count > 0)
        };
        let began = Instant::now();
        while !answered() {
            assert!(began.elapsed() < LONGEST, "honest clients are shut out");
            std::thread::sleep(Duration::from_millis(200));
        }
    });
}

/// Prints the number of requests per second over loopback. One simulator has sixteen robots, which alternately send a
/// move and a sonar reading.
#[test]
#[ignore = "a measurement"]
fn requests_a_second() {
    const TURNS: usize = 20_000;
    served(1, |at| {
        let mut client = Client::new(at[0]);
        let robots: Vec<f64> =
            (0..16).map(|i| client.robot(200.0 + 400.0 * f64::from(i % 4), 200.0 + 400.0 * f64::from(i / 4))).collect();
        let mut requests = String::new();
        for turn in 0..TURNS {
            let angle = 0.3 * turn as f64;
            for (i, id) in robots.iter().enumerate() {
                let (x, y) = (200.0 + 400.0 * (i % 4) as f64, 200.0 + 400.0 * (i / 4) as f64);
                let (dx, dy) = (20.0 * angle.cos(), 20.0 * angle.sin());
                requests += &format!("MoveTo {id} {:.2} {:.2} {:.3}\r\n", x + dx, y + dy, angle % TAU - PI);
                requests += &format!("SonicSensor {id} {x:.2} {y:.2} 10 {:.3} 0 0.2 0.2\r\n", angle % TAU);
            }
        }
        let wanted = 2 * TURNS * robots.len();
        let mut writer = client.0.get_ref().try_clone().unwrap();
        let began = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(move || writer.write_all(requests.as_bytes()).unwrap());
            let (mut got, mut buffer) = (0, vec![0; 1 << 20]);
            while got < wanted {
                let count = client.0.read(&mut buffer).unwrap();
                assert!(count > 0);
                got += buffer[..count].iter().filter(|byte| **byte == b'\n').count();
            }
        });
        println!("{:.0} requests a second", wanted as f64 / began.elapsed().as_secs_f64());
    });
}
