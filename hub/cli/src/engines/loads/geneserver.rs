//! Load of many islands on a geneserver, with the server's answer times.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Barrier;
use std::time::{Duration, Instant};
use xpuck_evolve::{Id, Migrant, PrimitiveSet, Samples, Settings, Space, ramped};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::FileError;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Emigrant, ToWorker, WorkerMessage};
use xpuck_wire::socket::{Dealer, Readable, SocketError, Sockets, wait};

/// Number of sockets per thread; ZeroMQ allows 1023 per context.
const SOCKETS_A_THREAD: usize = 1000;
/// Number of emigrants per island that fill the server before the measurement: twice the number that the server
/// keeps.
const FILL: u32 = 16;
/// Maximum number of emigrants per thread that wait for an answer at the same time while the server is filled.
const FILLING: usize = 16;
/// Time without an answer after which an emigrant counts as lost.
const LOST: Duration = Duration::from_secs(10);
/// Longest wait for messages in one poll (ms).
const POLL_MS: i64 = 5;

/// Load that islands put on a geneserver.
#[derive(Clone, Debug)]
pub struct Load {
    /// Number of islands.
    pub islands: u16,
    /// Number of sockets, which the islands share; at most one socket per island.
    pub sockets: usize,
    /// Interval between two messages of an island. Each island starts at its own random phase of the interval.
    pub period: Duration,
    /// Key of the server; `None` for plain sockets.
    pub key: Option<Secret>,
    /// Duration of the measured load, which starts when the server is full.
    pub length: Duration,
}

/// Answers of the server during the measurement.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Delays of the answers (ms), ascending. A delay starts at the scheduled send time of the emigrant.
    pub ms: Vec<f64>,
    /// Number of emigrants that were not sent, or not answered in time.
    pub lost: u64,
    /// Number of rejected emigrants.
    pub refused: u64,
    /// Total number of nodes in the trees that were sent during the measurement.
    pub nodes: u64,
}

/// Error that prevents the start of a load.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The key is invalid.
    #[error("{0}")]
    Key(#[from] FileError),
    /// A socket cannot be created.
    #[error("{0}")]
    Socket(#[from] SocketError),
}

impl Load {
    /// Puts the load on a server, and returns the measured answers. Calls `full` when the server is full, before the
    /// measurement.
    ///
    /// # Errors
    /// A socket cannot be created.
    pub fn run(&self, endpoint: &str, full: impl FnOnce()) -> Result<Answers, LoadError> {
        let threads = self.sockets.div_ceil(SOCKETS_A_THREAD);
        let (filled, begin) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
        let speakers: Vec<Speaker> =
            (0..threads).map(|i| Speaker::open(self, endpoint, i, threads)).collect::<Result<_, _>>()?;
        let mut all = Answers::default();
        let work = |mut speaker: Speaker| {
            speaker.fill();
            filled.wait();
            begin.wait();
            speaker.measure(self)
        };
        std::thread::scope(|scope| {
            let handles: Vec<_> = speakers.into_iter().map(|s| scope.spawn(|| work(s))).collect();
            filled.wait();
            full();
            begin.wait();
            for handle in handles {
                let one = handle.join().expect("the thread measures to its end");
                all.ms.extend(one.ms);
                all.lost += one.lost;
                all.refused += one.refused;
                all.nodes += one.nodes;
            }
        });
        all.ms.sort_by(f64::total_cmp);
        Ok(all)
    }
}

/// Islands and sockets of one thread.
struct Speaker {
    // Sockets are dropped before the context that created them.
    dealers: Vec<Dealer>,
    _sockets: Sockets,
    islands: Vec<u16>,
    primitive_set: PrimitiveSet,
    settings: Settings,
    /// Unanswered emigrants by island and generation. Each has its due time and the index of its socket.
    waiting: BTreeMap<(u16, u32), (Instant, usize)>,
    answers: Answers,
}

impl Speaker {
    fn open(load: &Load, endpoint: &str, index: usize, threads: usize) -> Result<Speaker, LoadError> {
        let sockets = Sockets::for_worker(load.key.as_ref())?;
        let dealers = (index..load.sockets)
            .step_by(threads)
            .map(|i| sockets.worker(endpoint, &format!("load-{i}")))
            .collect::<Result<_, _>>()?;
        let islands = (index as u16..load.islands).step_by(threads).collect();
        let (primitive_set, settings) = (PrimitiveSet::in_swarm(), Settings::default());
        let (waiting, answers) = (BTreeMap::new(), Answers::default());
        Ok(Speaker { dealers, _sockets: sockets, islands, primitive_set, settings, waiting, answers })
    }

    /// Sends the first [`FILL`] emigrants of each island, as fast as the server answers.
    fn fill(&mut self) {
        let mut open: VecDeque<(usize, u32)> =
            (1..=FILL).flat_map(|generation| (0..self.islands.len()).map(move |i| (i, generation))).collect();
        while !open.is_empty() || !self.waiting.is_empty() {
            while self.waiting.len() < FILLING {
                let Some((i, generation)) = open.pop_front() else { break };
                if !self.send(i, generation, Instant::now()) {
                    // The socket is not connected yet, so the emigrant is sent later.
                    open.push_back((i, generation));
                    break;
                }
            }
            self.receive(POLL_MS);
            self.give_up();
        }
        self.answers = Answers::default();
    }

    /// Sends one emigrant per island and period, regardless of the server's speed. Returns the measured answers.
    fn measure(mut self, load: &Load) -> Answers {
        let start = Instant::now();
        let phase = |island: u16| Draws::new(1, u32::from(island), 0, 0, Stream::Device).unit();
        let due = |i: usize, turn: u32| load.period.mul_f32(phase(self.islands[i])) + load.period * turn;
        let turns = (load.length.as_secs_f64() / load.period.as_secs_f64()).ceil() as u32;
        let mut schedule: Vec<(Duration, usize, u32)> = (0..turns)
            .flat_map(|turn| (0..self.islands.len()).map(move |i| (i, turn)))
            .map(|(i, turn)| (due(i, turn), i, FILL + 1 + turn))
            .filter(|(at, ..)| *at < load.length)
            .collect();
        schedule.sort_unstable();
        for (at, i, generation) in schedule {
            while start.elapsed() < at {
                let left = (at - start.elapsed().min(at)).as_millis() as i64;
                self.receive(left.min(POLL_MS));
            }
            if !self.send(i, generation, start + at) {
                self.answers.lost += 1;
            }
        }
        while !self.waiting.is_empty() {
            self.receive(POLL_MS);
            self.give_up();
        }
        self.answers
    }

    fn send(&mut self, i: usize, generation: u32, due: Instant) -> bool {
        let (island, socket) = (self.islands[i], i % self.dealers.len());
        let (gene, nodes) = self.gene(island, generation);
        let sent = self.dealers[socket].send(&WorkerMessage::Emigrant { island, generation, gene });
        if sent {
            self.answers.nodes += nodes;
            self.waiting.insert((island, generation), (due, socket));
        }
        sent
    }

    /// Returns a random tree with a random fitness as an emigrant, and the number of nodes of the tree. The depth of
    /// the tree is drawn as for the trees of the first generation.
    fn gene(&self, island: u16, generation: u32) -> (Emigrant, u64) {
        let mut draws = Draws::new(2, u32::from(island), 0, generation, Stream::Evolution);
        let space = Space { primitive_set: &self.primitive_set, settings: &self.settings };
        let how = ramped(draws.below(256) as usize, 256, 6);
        let tree = space.tree(&space.random(how, &mut draws));
        let mut samples = Samples::default();
        (0..8).for_each(|_| samples.add(samples.next_stratum(), f64::from(0.3 * draws.unit())));
        let nodes = tree.nodes().len() as u64;
        (
            Emigrant::from_values(Migrant { id: Id { island, number: generation }, tree, samples, epoch: 0 }.values()),
            nodes,
        )
    }

    /// Waits at most `timeout_ms` for answers, and receives them from the sockets that expect an answer.
    fn receive(&mut self, timeout_ms: i64) {
        let mut sockets: Vec<usize> = self.waiting.values().map(|(_, socket)| *socket).collect();
        sockets.sort_unstable();
        sockets.dedup();
        let readable: Vec<&dyn Readable> = sockets.iter().map(|i| &self.dealers[*i] as &dyn Readable).collect();
        wait(&readable, timeout_ms);
        for socket in sockets {
            while let Some(Ok(answer)) = self.dealers[socket].receive::<ToWorker>() {
                match answer {
                    ToWorker::Immigrants { island, generation, .. } => {
                        if let Some((due, _)) = self.waiting.remove(&(island, generation)) {
                            self.answers.ms.push(due.elapsed().as_secs_f64() * 1000.0);
                        }
                    }
                    ToWorker::Refused { .. } => self.answers.refused += 1,
                    ToWorker::Noted { .. } => {}
                }
            }
        }
    }

    fn give_up(&mut self) {
        let before = self.waiting.len();
        self.waiting.retain(|_, (due, _)| due.elapsed() < LOST);
        self.answers.lost += (before - self.waiting.len()) as u64;
    }
}
