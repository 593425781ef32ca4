//! Processor load of the robots' boards. The arena's devices cannot observe this load, but during evolution it is the
//! main load on the battery.
//!
//! The program at the other end of a robot's I2C socket represents the robot's board. The kernel provides the
//! program's process id (SO_PEERCRED), and `/proc/PID/stat` contains its processor time. This time replaces a
//! measurement of the board's current. Each robot has an equal share of this machine's processors. A board is fully
//! loaded when its program uses that share. Boards connected over the network run on other machines and count as idle.

use crate::arena::Arena;
use std::fs;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Minimum interval between load measurements, in wall time.
const INTERVAL: Duration = Duration::from_secs(1);
/// Clock ticks per second in `/proc` (USER_HZ), which Linux fixes for user programs.
const TICKS: f64 = 100.0;

/// A program that represents a robot's board.
#[derive(Clone, Copy, Debug)]
struct Board {
    process: i32,
    /// Processor time at the last measurement (ticks), and the time of that measurement; `None` before the first
    /// measurement.
    seen: Option<(u64, Instant)>,
    busy: f64,
}

#[derive(Debug)]
struct State {
    boards: Vec<Option<Board>>,
    cameras: Vec<u32>,
    measured: Instant,
}

/// Boards of all robots.
#[derive(Debug)]
pub(super) struct Boards {
    /// Number of this machine's processors per board, possibly a fraction.
    cores: f64,
    state: Mutex<State>,
}

impl Boards {
    /// Creates the boards of `robots` robots, each without a program.
    pub fn new(robots: usize) -> Boards {
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        let state = State { boards: vec![None; robots], cameras: vec![0; robots], measured: Instant::now() };
        Boards { cores: cores / robots.max(1) as f64, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers the program at the other end of a connection as the board of a robot.
    pub fn connected(&self, robot: usize, stream: &UnixStream) {
        let Ok(peer) = rustix::net::sockopt::socket_peercred(stream) else { return };
        let process = peer.pid.as_raw_nonzero().get();
        let board = &mut self.state().boards[robot];
        if board.is_none_or(|board| board.process != process) {
            *board = Some(Board { process, seen: None, busy: 0.0 });
        }
    }

    /// Records that a camera stream of a robot begins or ends.
    pub fn streams(&self, robot: usize, begins: bool) {
        let count = &mut self.state().cameras[robot];
        *count = if begins { count.saturating_add(1) } else { count.saturating_sub(1) };
    }

    /// Measures the load of each board if `INTERVAL` has passed, and passes the loads to the arena.
    pub fn look(&self, arena: &Mutex<Arena>) {
        let mut state = self.state();
        if state.measured.elapsed() < INTERVAL {
            return;
        }
        state.measured = Instant::now();
        for robot in 0..state.boards.len() {
            let busy = state.boards[robot].as_mut().map_or(0.0, |board| board.look(self.cores));
            let camera = state.cameras[robot] > 0;
            arena.lock().unwrap_or_else(PoisonError::into_inner).board_draws(robot, busy, camera);
        }
    }
}

impl Board {
    /// Returns the processor load since the previous measurement (0..=1). Returns 0 at the first measurement and after
    /// the program has ended.
    fn look(&mut self, cores: f64) -> f64 {
        let now = Instant::now();
        let Some(ticks) = ticks(self.process) else {
            (self.seen, self.busy) = (None, 0.0);
            return 0.0;
        };
        if let Some((before, at)) = self.seen.replace((ticks, now)) {
            let seconds = (now - at).as_secs_f64().max(1e-3);
            self.busy = (ticks.saturating_sub(before) as f64 / TICKS / seconds / cores).clamp(0.0, 1.0);
        }
        self.busy
    }
}

/// Returns the processor time of a process with all its threads (ticks); `None` if the process does not exist.
fn ticks(process: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    // The second field is the program's name in round brackets, which may contain any character. Fields 14 and 15 are
    // utime and stime.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(11);
    let mut field = || fields.next()?.parse::<u64>().ok();
    Some(field()? + field()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::for_tests;

    #[test]
    fn busy_board_draws_more_power() {
        let arena = Mutex::new(Arena::new(&for_tests(2)).unwrap());
        let boards = Boards::new(2);
        let (_board, socket) = UnixStream::pair().unwrap();
        boards.connected(0, &socket);
        let mut idle = 0.0;
        let until = Instant::now() + Duration::from_millis(2300);
        let mut sum = 0u64;
        while Instant::now() < until {
            // The test's own process represents the board, so this loop loads the board.
            (0..200_000u64).for_each(|i| sum = std::hint::black_box(sum.wrapping_mul(31).wrapping_add(i)));
            boards.look(&arena);
        }
        let mut arena = arena.lock().unwrap();
        arena.step();
        let watts: Vec<f64> = (0..2).map(|robot| arena.battery(robot).watts()).collect();
        idle += watts[1];
        assert!(watts[0] > idle + 0.5, "{watts:?} W");
    }

    #[test]
    fn missing_process_has_zero_load() {
        assert!(ticks(std::process::id() as i32).is_some());
        assert_eq!(ticks(i32::MAX), None);
        let mut board = Board { process: i32::MAX, seen: None, busy: 0.7 };
        assert_eq!(board.look(1.0), 0.0);
    }
}
