//! Monitoring of a socket's connections. libzmq reports the events through a separate socket.

use crate::signals::receive_parts;
use std::sync::atomic::{AtomicU64, Ordering};
use zmq::SocketEvent;

/// Starts to monitor a socket for `events`; returns the socket that delivers these events.
pub(crate) fn start(context: &zmq::Context, socket: &zmq::Socket, events: &[SocketEvent]) -> zmq::Result<zmq::Socket> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let here = format!("inproc://monitor-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    socket.monitor(&here, events.iter().map(|event| i32::from(event.to_raw())).sum())?;
    let monitor = context.socket(zmq::PAIR)?;
    monitor.connect(&here)?;
    Ok(monitor)
}

/// Returns the next event, or `None` if no event waits.
pub(crate) fn next(monitor: &zmq::Socket) -> Option<SocketEvent> {
    let parts = receive_parts(monitor)?;
    // The first part has the event's number (two bytes) and value (four bytes). The second part is the address.
    let event = parts.first()?.first_chunk()?;
    Some(SocketEvent::from_raw(u16::from_ne_bytes(*event)))
}
