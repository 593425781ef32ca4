//! Process of the guard, which stops the wheels when the robot's program fails. A thread reads the pipe from that
//! program, and a loop stops the wheels.

use super::{Event, Kind, Stop, StopTimer};
use crate::device::DeviceError;
use crate::device::body::{Body, Drive};
use crate::device::lamps::Lamps;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::{ErrorKind, Read};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Instant;
use tracing::warn;
use xpuck_registers::spi::Pixel;

/// Number of successful stops after which the process ends, counted from the closing of the pipe.
const STOPS_AT_END: u32 = 3;
/// Maximum number of stop attempts after the pipe is closed. This number of attempts takes about 10 s.
const TRIES_AT_END: u32 = 100;
/// Lamps of a robot whose wheels the guard has stopped.
const STOPPED: Lamps = Lamps::all(Pixel { red: 16, green: 0, blue: 0 });

/// Guards the robot on the bus at `i2c` until standard input is closed. Then stops the wheels and returns.
pub fn run(kind: Kind, i2c: &Path) -> anyhow::Result<()> {
    // A service manager signals all processes of a service. The guard ignores these signals and ends after the
    // guarded program.
    let ignored = std::sync::Arc::default();
    for signal in [SIGTERM, SIGINT] {
        signal_hook::flag::register(signal, std::sync::Arc::clone(&ignored))?;
    }
    // The error text already includes its cause.
    let mut body = Some(kind.body(i2c).map_err(|error| anyhow::Error::msg(error.to_string()))?);
    let (events, heard) = sync_channel(1);
    std::thread::Builder::new().name("pipe".into()).spawn(move || listen(std::io::stdin().lock(), &events))?;
    let mut stop = || stop(&mut body, || kind.body(i2c));
    watch(&heard, &mut stop);
    Ok(())
}

/// Sends an event when bytes arrive, and an event when the pipe is closed. The values of the bytes are irrelevant, and
/// several bytes may cause a single event.
fn listen(mut pipe: impl Read, events: &SyncSender<Event>) {
    let mut bytes = [0; 64];
    loop {
        match pipe.read(&mut bytes) {
            Ok(0) => break,
            Ok(_) => match events.try_send(Event::Exchange) {
                // The channel is full while the previous event has not been processed.
                Ok(()) | Err(TrySendError::Full(_)) => {}
                Err(TrySendError::Disconnected(_)) => return,
            },
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => break,
        }
    }
    // An error means that the receiver has ended.
    let _ = events.send(Event::Closed);
}

/// Runs the stop timer until the pipe is closed and the wheels are stopped.
fn watch(events: &Receiver<Event>, stop: &mut dyn FnMut() -> Result<(), DeviceError>) {
    let start = Instant::now();
    let mut core = StopTimer::new(start.elapsed());
    let (mut closed, mut tries, mut stops) = (false, 0, 0);
    while stops < STOPS_AT_END && tries < TRIES_AT_END {
        let wait = core.due().saturating_sub(start.elapsed());
        let event = if closed {
            std::thread::sleep(wait);
            Event::Tick
        } else {
            events.recv_timeout(wait).unwrap_or(Event::Tick)
        };
        closed |= event == Event::Closed;
        let Some(Stop { silent, first }) = core.step(start.elapsed(), event) else { continue };
        let result = stop();
        if first {
            let why = if closed { "gone" } else { "silent" };
            let done = result.as_ref().map_or_else(ToString::to_string, |()| "the wheels are stopped".into());
            warn!(target: "guard", "xpuckd is {why}, last exchange {} ms ago: {done}", silent.as_millis());
        }
        if closed {
            tries += 1;
            stops += u32::from(result.is_ok());
        }
    }
}

/// Sends zero speeds to the body. After an error, the next call reopens the bus.
fn stop(
    body: &mut Option<Box<dyn Body>>,
    open: impl FnOnce() -> Result<Box<dyn Body>, DeviceError>,
) -> Result<(), DeviceError> {
    let mut bus = match body.take() {
        Some(bus) => bus,
        None => open()?,
    };
    bus.exchange(&Drive { lamps: STOPPED, ..Drive::default() })?;
    *body = Some(bus);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::os::unix::net::UnixStream;

    /// Runs `listen` and `watch` on a pipe whose other end is passed to `parent`. Returns the times of the stops.
    fn stops(parent: impl FnOnce(UnixStream)) -> Vec<Instant> {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (events, heard) = sync_channel(1);
        std::thread::scope(|scope| {
            scope.spawn(move || listen(theirs, &events));
            let watcher = scope.spawn(move || {
                let mut times = Vec::new();
                watch(&heard, &mut || {
                    times.push(Instant::now());
                    Ok(())
                });
                times
            });
            parent(ours);
            watcher.join().unwrap()
        })
    }

    #[test]
    fn parent_exit_sends_three_stops() {
        let mut left = Instant::now();
        let times = stops(|mut pipe| {
            (0..5).for_each(|_| pipe.write_all(&[0]).unwrap());
            left = Instant::now();
        });
        assert_eq!(times.len(), 3);
        assert!(times.iter().all(|t| *t >= left));
        assert!(times[2] - times[0] >= 2 * super::super::REPEAT);
    }

    #[test]
    fn hung_parent_triggers_stops() {
        let times = stops(|mut pipe| {
            pipe.write_all(&[0]).unwrap();
            std::thread::sleep(super::super::SILENCE * 2);
        });
        assert!(times.len() > 3, "{} stops: those while it hung, and three at its end", times.len());
    }

    #[test]
    fn broken_bus_is_reopened() {
        struct Broken;
        impl Body for Broken {
            fn exchange(&mut self, _: &Drive) -> Result<crate::device::body::BodyReadings, DeviceError> {
                Err(DeviceError::Nak { path: "bench".into(), address: 0x1f })
            }
            fn period(&self) -> std::time::Duration {
                std::time::Duration::ZERO
            }
            fn counts(&self) -> crate::device::body::Counts {
                crate::device::body::Counts::default()
            }
        }
        let mut body: Option<Box<dyn Body>> = Some(Box::new(Broken));
        assert!(stop(&mut body, || panic!("it is open")).is_err());
        let mut opened = false;
        let open = || {
            opened = true;
            Ok(Box::new(Broken) as Box<dyn Body>)
        };
        assert!(stop(&mut body, open).is_err() && opened);
    }
}
