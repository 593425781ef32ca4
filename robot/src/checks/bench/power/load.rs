//! Load that `xpuckd bench power` measures. A separate thread simulates worlds as in Table 5.3 of the thesis: 16 robots
//! and a disc, 30 s, all senses.

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
/// Number of control updates per world, equal to 30 s.
const UPDATES: u32 = 300;
const TREE: &str = "explore 20";
/// Time for which the load runs before a measurement, so that clock, power and the monitor's average settle.
const SETTLE: Duration = Duration::from_millis(500);

/// Message of the load's thread about its progress.
pub(super) enum Progress {
    /// The settling time has passed, and the measured interval has begun.
    Begun,
    /// The measured interval has ended. The fields are the robot-seconds simulated per second, and a notice of the
    /// engine, such as the loss of its device.
    Done(f64, Option<String>),
}

/// Handle of the load thread.
pub(super) struct Load {
    work: Option<Sender<Duration>>,
    progress: Receiver<Progress>,
    cut: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Load {
    /// Starts the load's thread, which is idle until [`Load::work`] is called. It simulates `worlds` worlds per batch
    /// on `engine` with `threads` threads.
    ///
    /// # Errors
    /// If the system cannot create the threads.
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

    /// Runs the load for the settling time and then for `time`. The last batch is always finished.
    pub fn work(&self, time: Duration) {
        self.cut.store(false, Relaxed);
        if let Some(work) = &self.work {
            // If the thread has ended, `wait` reports it.
            let _ = work.send(time);
        }
    }

    /// Waits for the next progress message of the load.
    ///
    /// # Errors
    /// If no message arrived within `timeout`, or the thread has ended.
    pub fn wait(&self, timeout: Duration) -> Result<Progress, RecvTimeoutError> {
        self.progress.recv_timeout(timeout)
    }

    /// Ends the measurement early. The current batch is finished, and at least one batch is measured.
    pub fn cut(&self) {
        self.cut.store(true, Relaxed);
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        self.cut();
        self.work = None;
        if let Some(thread) = self.thread.take() {
            // A panic in the thread has already ended the program.
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
    // Every batch simulates the same worlds, so that results differ only by the clocks.
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
