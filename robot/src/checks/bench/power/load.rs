//! The work that is measured: worlds of the thesis's Table 5.3 (16 robots and a disc, 30 s, all senses), on a thread of its own.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_kernels::engine::{Engine, Job, Team};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Scenario, WorldSpec};

const ROBOTS: usize = 16;
/// Control updates of a world: 30 s.
const UPDATES: u32 = 300;
const TREE: &str = "explore 20";
/// It works so long before it is measured: clock, power and the monitor's average settle.
const SETTLE: Duration = Duration::from_millis(500);

/// How far the work is.
pub(super) enum Progress {
    /// What is measured has begun.
    Begun,
    /// It is over: robot-seconds simulated in a second, and what the engine has to say, such as that its device is lost.
    Done(f64, Option<String>),
}

/// The thread that works.
pub(super) struct Load {
    work: Option<Sender<Duration>>,
    progress: Receiver<Progress>,
    cut: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Load {
    /// A load of `worlds` at once on an engine with so many threads; it rests until told to work.
    ///
    /// # Errors
    /// If the system gives no threads.
    pub fn start(engine: Box<dyn Engine + Send>, worlds: u32, threads: usize) -> io::Result<Load> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().map_err(io::Error::other)?;
        let ((work, orders), (told, progress)) = (channel(), channel());
        let cut = Arc::new(AtomicBool::new(false));
        let theirs = cut.clone();
        let thread = std::thread::Builder::new().name("load".into()).spawn(move || {
            run(engine.as_ref(), worlds, &pool, &orders, &told, &theirs);
        })?;
        Ok(Load { work: Some(work), progress, cut, thread: Some(thread) })
    }

    /// Works for so long and settles before it; batches in hand are finished.
    pub fn work(&self, time: Duration) {
        self.cut.store(false, Relaxed);
        if let Some(work) = &self.work {
            // A thread that has gone tells nothing, which is seen by who waits for it.
            let _ = work.send(time);
        }
    }

    /// Waits for news of the work.
    ///
    /// # Errors
    /// Nothing came in time, or the thread has gone.
    pub fn wait(&self, timeout: Duration) -> Result<Progress, RecvTimeoutError> {
        self.progress.recv_timeout(timeout)
    }

    /// Ends the work after the batch in hand.
    pub fn cut(&self) {
        self.cut.store(true, Relaxed);
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.cut();
        self.work = None;
        if let Some(thread) = self.thread.take() {
            // A panic there has ended the program.
            let _ = thread.join();
        }
    }
}

fn run(
    engine: &dyn Engine,
    worlds: u32,
    pool: &ThreadPool,
    orders: &Receiver<Duration>,
    told: &Sender<Progress>,
    cut: &AtomicBool,
) {
    let programs = [Program::compile(&Tree::parse(TREE).expect("the load's own tree")).expect("it fits a robot")];
    let spec = WorldSpec::scenario(ROBOTS, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 1, world, updates: UPDATES };
    let jobs: Vec<Job<'_>> = (0..worlds).map(job).collect();
    let robot_seconds = f64::from(worlds) * ROBOTS as f64 * f64::from(UPDATES) / 10.0;
    // The same worlds at each clock, so that what differs is the clock.
    let batches = |time: Duration| {
        let (start, mut batches) = (Instant::now(), 0u32);
        while batches == 0 || start.elapsed() < time && !cut.load(Relaxed) {
            pool.install(|| engine.run(&programs, &jobs));
            batches += 1;
        }
        f64::from(batches) * robot_seconds / start.elapsed().as_secs_f64()
    };
    for time in orders {
        batches(SETTLE);
        let begun = told.send(Progress::Begun);
        let r_acc = batches(time);
        if begun.is_err() || told.send(Progress::Done(r_acc, engine.notice())).is_err() {
            return;
        }
    }
}
