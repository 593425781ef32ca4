//! Shell around the arena's core: it runs arena time at a multiple of wall time, and serves the devices and the poses.

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

/// Interval for accepting new connections.
const ACCEPT_INTERVAL: Duration = Duration::from_millis(10);
/// Duration of a physics step, and interval of motion-capture frames, in arena time (us).
const STEP_US: u64 = 25_000;
const FRAME_US: u64 = 1_000_000 / vicon::HERTZ as u64;
/// Delay of a motion-capture frame, in arena time (us). Interpolation needs the poses before and after the frame's
/// time, so the frame is sent one step later.
const FRAME_DELAY_US: u64 = STEP_US;

/// Addresses of a running arena; its device sockets are in the settings' directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Address of the motion-capture server.
    pub mocap: SocketAddr,
    /// Address of the devices on the network, if enabled.
    pub devices: Option<SocketAddr>,
    /// Address of the VRPN server, if enabled.
    pub vrpn: Option<SocketAddr>,
    /// Address of the NatNet server, if enabled.
    pub natnet: Option<SocketAddr>,
    /// Address of the overhead camera, if enabled.
    pub overhead: Option<SocketAddr>,
}

/// Callbacks at each step of a running arena. The arena's thread waits for each callback, so a long operation needs a
/// separate thread. While a callback holds the arena's lock, all devices wait.
pub trait StepHooks {
    /// Runs before each step.
    fn before_step(&mut self, _: &Mutex<Arena>) {}
    /// Runs after each step.
    fn after_step(&mut self, _: &Mutex<Arena>) {}
}

/// Callbacks that do nothing.
impl StepHooks for () {}

/// Callback for a change in an arena. The arguments are the arena time (s) and the change.
type Changed<'a> = &'a mut dyn FnMut(f64, &ChangeKeys);

/// Result of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// Elapsed arena time (s).
    pub arena_seconds: f64,
    /// Elapsed wall time (s).
    pub wall_seconds: f64,
    /// Elapsed arena time divided by the arena time expected for the requested speed. A value below 1 means that the
    /// machine was too slow.
    pub ratio: f64,
}

/// Serves an arena until `stop` is set. Calls `ready` when all servers are listening. Calls the methods of `beside`
/// before and after each step. Calls `changed` at each change in the arena, with the arena time (s).
pub fn run(
    settings: &Settings,
    stop: &AtomicBool,
    ready: impl FnOnce(&Listening),
    mut changed: impl FnMut(f64, &ChangeKeys),
    beside: &mut dyn StepHooks,
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
                thread::sleep(ACCEPT_INTERVAL);
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

/// Computes physics steps and sends motion-capture frames when they are due, until `stop` is set. Late steps and
/// frames are not skipped.
fn advance(
    arena: &Mutex<Arena>,
    streams: &Streams,
    (lamps, changed, beside): (&mut Option<LampsLog>, Changed<'_>, &mut dyn StepHooks),
    speed: f64,
    stop: &AtomicBool,
) -> Summary {
    let start = Instant::now();
    let (mut steps, mut frames) = (0u64, 0u32);
    loop {
        let next_step = (steps + 1) * STEP_US;
        let moment = u64::from(frames) * FRAME_US;
        let due = next_step.min(moment + FRAME_DELAY_US);
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

/// Sleeps until `moment`. Returns false as soon as the arena stops.
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
