//! The shell around the core: runs arena time at a multiple of wall time and serves the devices and the poses.

mod boards;
mod devices;
mod lamps;
mod network;
mod overhead;
mod standstill;
mod streams;

use crate::arena::Arena;
use crate::mocap::vicon;
use crate::port::connection::POLL;
use crate::settings::{ArenaError, Settings};
use crate::unkind::ChangeKeys;
use devices::Devices;
use lamps::LampsLog;
use network::Network;
use overhead::Overhead;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use streams::Streams;

/// How often new connections are taken.
const ADMIT: Duration = Duration::from_millis(10);
/// One physics step and one motion-capture frame in microseconds of arena time.
const STEP_US: u64 = 25_000;
const FRAME_US: u64 = 1_000_000 / vicon::HERTZ as u64;
/// A frame needs the poses on both sides of its moment, so it leaves one step later.
const LATE_US: u64 = STEP_US;

/// Where a running arena can be reached; its devices are in the settings' directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Address of the motion-capture server.
    pub mocap: SocketAddr,
    /// Address of the devices on the network, if there is one.
    pub devices: Option<SocketAddr>,
    /// Address of the VRPN server, if there is one.
    pub vrpn: Option<SocketAddr>,
    /// Address at which the NatNet server answers, if there is one.
    pub natnet: Option<SocketAddr>,
    /// Address of the camera above the arena, if there is one.
    pub overhead: Option<SocketAddr>,
}

/// What else goes on in a running arena, beside its devices and streams. The arena's thread calls it at each step and waits for it:
/// what takes long belongs on a thread of its own, and whoever holds the arena has its devices wait.
pub trait Beside {
    /// A step is due.
    fn before_step(&mut self, _: &Mutex<Arena>) {}
    /// A step was made.
    fn after_step(&mut self, _: &Mutex<Arena>) {}
}

/// Nothing.
impl Beside for () {}

/// Takes what changes in an arena, with the arena time, s.
type Changed<'a> = &'a mut dyn FnMut(f64, &ChangeKeys);

/// How a run went.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Arena time that passed, s.
    pub arena_seconds: f64,
    /// Wall time that passed, s.
    pub wall_seconds: f64,
    /// Arena time over what the speed asked for; below 1 the machine was too slow.
    pub ratio: f64,
}

/// Serves an arena until `stop`; calls `ready` once everything can be reached, `changed` when something changes in it, with
/// the arena time, s, and `beside` at each step.
pub fn run(
    settings: &Settings,
    stop: &AtomicBool,
    ready: impl FnOnce(&Listening),
    mut changed: impl FnMut(f64, &ChangeKeys),
    beside: &mut dyn Beside,
) -> Result<Summary, ArenaError> {
    let arena = Mutex::new(Arena::new(settings)?);
    let streams = Streams::bind(settings)?;
    let devices = Devices::bind(settings)?;
    let lamps = settings.lamps_log.as_ref().map(|path| {
        LampsLog::create(path, &settings.robots).map_err(|source| ArenaError::LampsLog { path: path.clone(), source })
    });
    let mut lamps = lamps.transpose()?;
    let network = settings.device_address.map(Network::bind).transpose()?;
    let overhead = settings.fittings.overhead.map(Overhead::bind).transpose()?;
    Ok(thread::scope(|scope| {
        let (arena, streams, devices, network) = (&arena, &streams, &devices, network.as_ref());
        let overhead = overhead.as_ref();
        scope.spawn(move || {
            while !stop.load(Relaxed) {
                streams.admit(scope, stop);
                devices.admit(scope, arena, stop);
                devices.boards().look(arena);
                if let Some(network) = network {
                    network.admit(scope, devices, arena, stop);
                }
                if let Some(overhead) = overhead {
                    overhead.admit(scope, arena, stop);
                }
                thread::sleep(ADMIT);
            }
        });
        ready(&Listening {
            devices: network.map(Network::address),
            overhead: overhead.map(Overhead::address),
            ..streams.listening()
        });
        advance(arena, streams, (&mut lamps, &mut changed, beside), settings.speed, stop)
    }))
}

/// Makes steps and frames when they are due. What is late is made up for: no step and no frame is skipped.
fn advance(
    arena: &Mutex<Arena>,
    streams: &Streams,
    (lamps, changed, beside): (&mut Option<LampsLog>, Changed<'_>, &mut dyn Beside),
    speed: f64,
    stop: &AtomicBool,
) -> Summary {
    let start = Instant::now();
    let (mut steps, mut frames) = (0u64, 0u32);
    loop {
        let next_step = (steps + 1) * STEP_US;
        let moment = u64::from(frames) * FRAME_US;
        let due = next_step.min(moment + LATE_US);
        if !sleep_until(start + Duration::from_secs_f64(due as f64 * 1e-6 / speed), stop) {
            break;
        }
        if due == next_step {
            beside.before_step(arena);
        }
        let mut held = arena.lock().unwrap_or_else(PoisonError::into_inner);
        if due == next_step {
            held.step();
            steps += 1;
            lamps.iter_mut().for_each(|log| log.note(&held));
            let seconds = (steps * STEP_US) as f64 * 1e-6;
            held.take_changed().iter().for_each(|change| changed(seconds, change));
            drop(held);
            beside.after_step(arena);
        } else {
            let part = (moment - (steps - 1) * STEP_US) as f32 / STEP_US as f32;
            let poses = held.poses(part);
            drop(held);
            streams.publish(frames, Duration::from_micros(moment), &poses);
            frames = frames.wrapping_add(1);
        }
    }
    let (arena_seconds, wall_seconds) = (steps as f64 * STEP_US as f64 * 1e-6, start.elapsed().as_secs_f64());
    Summary { arena_seconds, wall_seconds, ratio: arena_seconds / (wall_seconds * speed) }
}

/// Sleeps until a moment; false as soon as the arena stops.
fn sleep_until(moment: Instant, stop: &AtomicBool) -> bool {
    while !stop.load(Relaxed) {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return true;
        }
        thread::sleep(left.min(POLL));
    }
    false
}
