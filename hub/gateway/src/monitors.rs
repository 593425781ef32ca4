//! The server of monitors: 3D viewers connect and are told a scene, in SimSpark's protocol or in RSMP, and may send trainers'
//! commands.
//!
//! One thread serves all: each message is written once, viewers that do not take it in time are dropped, and nobody waits for
//! anybody.

use crate::frame::{Frames, frame};
use crate::scene::sender::{Sender, Update};
use crate::scene::{Change, Field, Node, rsmp, simspark};
use crate::trainer::{self, Command};
use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Result, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

/// Viewers that are served at once; more are closed as soon as they come.
pub const MOST_VIEWERS: usize = 256;
/// Bytes that wait for a viewer, at most: it is dropped when there would be more.
const MOST_WAITING: usize = 4 << 20;
/// Longest message of a viewer, bytes.
const LONGEST_COMMAND: usize = 64 << 10;
/// Bytes that are read of a viewer in a cycle: one that floods does not keep the others waiting.
const READ_AT_ONCE: usize = 64 << 10;
/// New viewers that are taken in a cycle.
const NEW_AT_ONCE: usize = 64;

/// A protocol of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// SimSpark's, port 3200 by default.
    SimSpark,
    /// RSMP 1.0, port 60001 by default.
    Rsmp,
}

/// What viewers are told.
#[derive(Clone, Debug, Default)]
pub struct Moment<'a> {
    /// Time of the game, s; `fields` have it, too.
    pub time: f64,
    /// The environment, which full messages have.
    pub environment: &'a [Field],
    /// The state of the game, `time` first.
    pub state: &'a [Field],
    /// The scene.
    pub scene: &'a [Node],
}

/// What viewers sent and what became of them in a cycle.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Events {
    /// Commands, with the number of the viewer that sent them.
    pub commands: Vec<(u64, Command)>,
    /// Lines for the log.
    pub told: Vec<String>,
}

struct Viewer {
    number: u64,
    at: SocketAddr,
    stream: TcpStream,
    frames: Frames,
    waiting: VecDeque<Arc<[u8]>>,
    /// Bytes of the first that waits which are sent.
    sent: usize,
    bytes: usize,
    /// It was told the whole scene.
    begun: bool,
}

/// A server of one protocol.
pub struct Monitors {
    listener: TcpListener,
    protocol: Protocol,
    viewers: Vec<Viewer>,
    sender: Sender,
    count: u64,
    refused: u64,
}

impl Monitors {
    /// Listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn listen(at: SocketAddr, protocol: Protocol) -> Result<Monitors> {
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        Ok(Monitors { listener, protocol, viewers: Vec::new(), sender: Sender::default(), count: 0, refused: 0 })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Number of viewers.
    pub fn viewers(&self) -> usize {
        self.viewers.len()
    }

    /// Connections that were closed because there were too many.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Everything is sent anew to everybody in the next cycle.
    pub fn send_all_anew(&mut self) {
        self.sender = Sender::default();
    }

    /// A cycle: takes new viewers, tells everybody what has changed, and reads what they sent. Never waits.
    pub fn cycle(&mut self, now: &Moment<'_>) -> Events {
        let mut events = Events::default();
        self.take_new(&mut events);
        self.tell(now);
        self.viewers.retain_mut(|viewer| match viewer.exchange(&mut events) {
            Ok(()) => true,
            Err(why) => {
                events.told.push(format!("viewer {} at {} is gone: {why}", viewer.number, viewer.at));
                false
            }
        });
        events
    }

    /// Answers a viewer.
    pub fn answer(&mut self, viewer: u64, message: &str) {
        if let Some(viewer) = self.viewers.iter_mut().find(|one| one.number == viewer) {
            viewer.queue(&frame(message).into());
        }
    }

    fn take_new(&mut self, events: &mut Events) {
        for _ in 0..NEW_AT_ONCE {
            let Ok((stream, at)) = self.listener.accept() else { return };
            if self.viewers.len() >= MOST_VIEWERS {
                self.refused += 1;
                continue;
            }
            // Small messages that wait for more are late.
            if stream.set_nonblocking(true).and_then(|()| stream.set_nodelay(true)).is_err() {
                continue;
            }
            self.count += 1;
            events.told.push(format!("viewer {} at {at} watches", self.count));
            self.viewers.push(Viewer {
                number: self.count,
                at,
                stream,
                frames: Frames::new(LONGEST_COMMAND),
                waiting: VecDeque::new(),
                sent: 0,
                bytes: 0,
                begun: false,
            });
        }
    }

    fn tell(&mut self, now: &Moment<'_>) {
        if self.viewers.is_empty() {
            // Whoever comes next is the first.
            self.sender = Sender::default();
            return;
        }
        let update = self.sender.update(now.scene);
        let changed = self.sender.changed_fields(now.state, "time");
        let scene = self.sender.told().unwrap_or_default();
        let full = || Arc::from(frame(&self.protocol.full(now, scene)));
        let (all, mut first): (Arc<[u8]>, Option<Arc<[u8]>>) = match update {
            Update::Full => {
                let message: Arc<[u8]> = full();
                (message.clone(), Some(message))
            }
            Update::Changes(changes) => (frame(&self.protocol.changed(now, &changed, scene, &changes)).into(), None),
        };
        for viewer in &mut self.viewers {
            match std::mem::replace(&mut viewer.begun, true) {
                true => viewer.queue(&all),
                // As it was told to the others, so that their next changes are right for it.
                false => viewer.queue(first.get_or_insert_with(full)),
            }
        }
    }
}

impl Protocol {
    fn full(self, now: &Moment<'_>, scene: &[Node]) -> String {
        match self {
            Protocol::SimSpark => simspark::full(&[now.environment, now.state].concat(), scene),
            Protocol::Rsmp => rsmp::full(now.time, now.state, now.environment, scene),
        }
    }

    fn changed(self, now: &Moment<'_>, changed: &[Field], scene: &[Node], changes: &[Change]) -> String {
        match self {
            Protocol::SimSpark => simspark::changed(changed, scene, changes),
            // This protocol has the whole state in each message.
            Protocol::Rsmp => rsmp::changed(now.time, now.state, scene, changes),
        }
    }
}

impl Viewer {
    fn queue(&mut self, message: &Arc<[u8]>) {
        self.bytes += message.len();
        self.waiting.push_back(message.clone());
    }

    /// Sends what waits and reads what came.
    fn exchange(&mut self, events: &mut Events) -> std::result::Result<(), String> {
        self.send().map_err(|error| error.to_string())?;
        if self.bytes > MOST_WAITING {
            return Err(format!("it does not read; {} bytes wait for it", self.bytes));
        }
        let mut buffer = [0; 16 << 10];
        for _ in 0..READ_AT_ONCE / buffer.len() {
            match self.stream.read(&mut buffer) {
                Ok(0) => return Err("it closed the connection".into()),
                Ok(count) => self.read(&buffer[..count], events)?,
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error.to_string()),
            }
        }
        Ok(())
    }

    fn send(&mut self) -> Result<()> {
        while let Some(message) = self.waiting.front() {
            match self.stream.write(&message[self.sent..]) {
                Ok(0) => return Err(ErrorKind::WriteZero.into()),
                Ok(count) => {
                    self.sent += count;
                    self.bytes -= count;
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => return Ok(()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if self.sent == message.len() {
                self.waiting.pop_front();
                self.sent = 0;
            }
        }
        Ok(())
    }

    fn read(&mut self, bytes: &[u8], events: &mut Events) -> std::result::Result<(), String> {
        self.frames.push(bytes);
        while let Some(message) = self.frames.next_message().map_err(|error| error.to_string())? {
            let (commands, errors) = trainer::read(message).map_err(|error| error.to_string())?;
            events.commands.extend(commands.into_iter().map(|command| (self.number, command)));
            events.told.extend(errors.into_iter().map(|error| format!("viewer {}: {error}", self.number)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::arena::{Arena, Robot, scene};
    use crate::scene::{Graph, apply};
    use std::net::Ipv4Addr;
    use std::time::{Duration, Instant};

    fn arena(x: f64) -> Vec<Node> {
        let robot =
            |i: u32| Robot { at: [x, f64::from(i) * 0.1], heading: x, radius: 0.0375, colour: [1.0; 4], seen: true };
        scene(&Arena { half: [1.0, 0.75], robots: (0..16).map(robot).collect(), ..Arena::default() })
    }

    fn server(protocol: Protocol) -> Monitors {
        Monitors::listen((Ipv4Addr::LOCALHOST, 0).into(), protocol).unwrap()
    }

    fn cycle(server: &mut Monitors, x: f64) -> Events {
        let state = [("time".to_string(), vec![format!("{x}")]), ("half".to_string(), vec!["1".to_string()])];
        let environment = [("FieldLength".to_string(), vec!["2".to_string()])];
        server.cycle(&Moment { time: x, environment: &environment, state: &state, scene: &arena(x) })
    }

    /// Cycles until a client has so many messages.
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
        // What is on the wire has six digits.
        assert_eq!(server.viewers(), 2);
        assert!(simspark::full(&[], &nodes).len() > 1000);
    }

    #[test]
    fn commands_are_read_and_wrong_ones_told() {
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
        assert!(events.told.iter().any(|line| line.contains("`nonsense` is no command")), "{events:?}");
        client.write_all(&u32::MAX.to_be_bytes()).unwrap();
        while server.viewers() > 0 && began.elapsed() < Duration::from_secs(10) {
            events = cycle(&mut server, 0.0);
        }
        assert!(events.told[0].contains("4294967295 bytes"), "{events:?}");
    }

    #[test]
    fn who_never_reads_is_dropped_and_too_many_are_refused() {
        let mut server = server(Protocol::SimSpark);
        let address = server.address().unwrap();
        let deaf = TcpStream::connect(address).unwrap();
        let began = Instant::now();
        cycle(&mut server, 0.0);
        while server.viewers() == 1 && began.elapsed() < Duration::from_secs(30) {
            server.send_all_anew();
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
}
