//! The shell around the core: runs arena time at a multiple of wall time and serves the devices and the poses.

mod devices;

use crate::arena::Arena;
use crate::settings::{ArenaError, Settings};
use crate::vicon::{self, serve::Server};
use crate::vrpn;
use devices::Devices;
use std::io::{ErrorKind, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How long a thread waits for its peer before it looks whether the arena stops.
pub(crate) const POLL: Duration = Duration::from_millis(200);
/// How often new connections are taken.
const ADMIT: Duration = Duration::from_millis(10);
/// One physics step and one motion-capture frame in microseconds of arena time.
const STEP_US: u64 = 25_000;
const FRAME_US: u64 = 1_000_000 / vicon::HERTZ as u64;

/// Where a running arena can be reached; its devices are in the settings' directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listening {
    /// Address of the motion-capture server.
    pub mocap: SocketAddr,
    /// Address of the VRPN server, if there is one.
    pub vrpn: Option<SocketAddr>,
}

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

/// Serves an arena until `stop`; calls `ready` once everything can be reached.
pub fn run(settings: &Settings, stop: &AtomicBool, ready: impl FnOnce(&Listening)) -> Result<Summary, ArenaError> {
    let arena = Mutex::new(Arena::new(settings)?);
    let mocap_error = |source| ArenaError::Mocap { address: settings.mocap, source };
    let mut subjects = settings.robots.clone();
    subjects.push(vicon::FRISBEE.into());
    let listener = TcpListener::bind(settings.mocap).map_err(mocap_error)?;
    listener.set_nonblocking(true).map_err(mocap_error)?;
    let vrpn = settings.vrpn.map(|address| vrpn_server(address, &subjects)).transpose()?;
    let listening = Listening {
        mocap: listener.local_addr().map_err(mocap_error)?,
        vrpn: vrpn.as_ref().map(|(_, address)| *address),
    };
    let devices = Devices::bind(settings)?;
    let server = Server::new(subjects);
    Ok(thread::scope(|scope| {
        let (arena, server, devices, listener) = (&arena, &server, &devices, &listener);
        let vrpn = vrpn.as_ref().map(|(server, _)| server);
        scope.spawn(move || {
            while !stop.load(Relaxed) {
                server.admit(scope, listener, stop);
                if let Some(vrpn) = vrpn {
                    vrpn.admit(scope, stop);
                }
                devices.admit(scope, arena, stop);
                thread::sleep(ADMIT);
            }
        });
        ready(&listening);
        advance(arena, server, vrpn, settings.speed, stop)
    }))
}

/// The VRPN server and where it can be reached.
fn vrpn_server(address: SocketAddr, subjects: &[String]) -> Result<(vrpn::serve::Server, SocketAddr), ArenaError> {
    let server = vrpn::serve::Server::bind(address, subjects.to_vec());
    server
        .and_then(|server| server.address().map(|bound| (server, bound)))
        .map_err(|source| ArenaError::Mocap { address, source })
}

/// Makes steps and frames when they are due. What is late is made up for: no step and no frame is skipped.
fn advance(
    arena: &Mutex<Arena>,
    server: &Server,
    vrpn: Option<&vrpn::serve::Server>,
    speed: f64,
    stop: &AtomicBool,
) -> Summary {
    let start = Instant::now();
    let (mut steps, mut frames) = (0u64, 0u32);
    loop {
        let next_step = (steps + 1) * STEP_US;
        // A frame needs the poses on both sides of its moment, so it leaves one step later.
        let moment = u64::from(frames) * FRAME_US;
        let due = next_step.min(moment + STEP_US);
        if !sleep_until(start + Duration::from_secs_f64(due as f64 * 1e-6 / speed), stop) {
            break;
        }
        let mut arena = arena.lock().unwrap_or_else(PoisonError::into_inner);
        if due == next_step {
            arena.step();
            steps += 1;
        } else {
            let part = (moment - (steps - 1) * STEP_US) as f32 / STEP_US as f32;
            let poses = arena.poses(part);
            drop(arena);
            server.publish(vicon::frame(frames, &poses));
            if let Some(vrpn) = vrpn {
                vrpn.publish(Duration::from_micros(moment), vrpn::poses(&poses));
            }
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

/// True if a socket's time-out passed, which only means that its peer is quiet.
pub(crate) fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Writes all bytes to a socket with a time-out, however slowly its peer reads; gives up when the arena stops.
pub(crate) fn write_all(stream: &mut impl Write, mut bytes: &[u8], stop: &AtomicBool) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if is_timeout(&error) && !stop.load(Relaxed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}
