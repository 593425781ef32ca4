//! Background load for benchmarks. Its threads simulate worlds at idle priority, as evolution does.

use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};
use xpuck_kernels::engine::{Evaluator, Job, Simd, Team};
use xpuck_kernels::tree::Tree;
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::log;
use xpuck_wire::priority;

/// Number of worlds that a thread simulates per batch, and number of robots in each world.
const WORLDS: usize = 16;
const ROBOTS: usize = 9;
/// Number of control updates per world, equal to 30 s.
const UPDATES: u32 = 300;
/// Behaviour tree of the simulated robots, which pushes the disc.
const TREE: &str = "sel\n  seq\n    bfront\n    mulav v_goal v_zero 1 v_blue\n  explore 10\n";

#[derive(Default)]
struct Shared {
    ending: AtomicBool,
    worlds: AtomicU64,
}

/// Background load: threads that simulate worlds until [`Load::stop`] is called.
pub(super) struct Load {
    shared: Arc<Shared>,
    done: Receiver<()>,
    _pool: Option<ThreadPool>,
}

impl Load {
    /// Starts `threads` simulation threads. With 0 threads, there is no load.
    pub fn start(threads: usize) -> Result<Load, ThreadPoolBuildError> {
        let (shared, (finish, done)) = (Arc::new(Shared::default()), channel());
        let mut pool = None;
        if threads > 0 {
            let built = ThreadPoolBuilder::new().num_threads(threads).start_handler(|_| idle()).build()?;
            let theirs = shared.clone();
            built.spawn(move || {
                simulate(threads, &theirs);
                // The receiver is gone if the benchmark was aborted.
                let _ = finish.send(());
            });
            pool = Some(built);
        }
        Ok(Load { shared, done, _pool: pool })
    }

    /// Ends the load, and returns the number of simulated worlds.
    pub fn stop(self) -> u64 {
        self.shared.ending.store(true, Relaxed);
        // If there are no threads, the channel is already closed, and `recv` returns at once.
        let _ = self.done.recv();
        self.shared.worlds.load(Relaxed)
    }
}

fn idle() {
    if priority::run_last().is_err() {
        log::write_raw("xpuckd: the kernel refused idle priority; the load may disturb the measurement");
    }
}

fn simulate(threads: usize, shared: &Shared) {
    let tree = Tree::parse(TREE).expect("the load's own tree");
    let spec = WorldSpec::benchmark(ROBOTS);
    let mut evaluator = Evaluator::default();
    evaluator.prepare(&[&tree]);
    let mut world = 0;
    while !shared.ending.load(Relaxed) {
        let job = |world| Job {
            spec: &spec,
            start: world as usize % 2,
            team: Team::all(0),
            seed: 1,
            world,
            updates: UPDATES,
        };
        let jobs: Vec<Job<'_>> = (0..(WORLDS * threads) as u32).map(|i| job(world + i)).collect();
        evaluator.fitness(&Simd::default(), &jobs);
        world = world.wrapping_add(jobs.len() as u32) % (1 << 20);
        shared.worlds.fetch_add(jobs.len() as u64, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_runs_until_stopped() {
        assert_eq!(Load::start(0).unwrap().stop(), 0);
        let load = Load::start(1).unwrap();
        while load.shared.worlds.load(Relaxed) == 0 {
            std::thread::yield_now();
        }
        assert!(load.stop() >= WORLDS as u64);
    }
}
