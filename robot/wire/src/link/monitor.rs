//! What libzmq tells of a socket's connections, through a socket of its own.

use crate::signals::receive_parts;
use std::sync::atomic::{AtomicU64, Ordering};
use zmq::SocketEvent;

/// Starts to watch a socket for some events; they come out of the socket that is returned.
pub(crate) fn start(context: &zmq::Context, socket: &zmq::Socket, events: &[SocketEvent]) -> zmq::Result<zmq::Socket> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let here = format!("inproc://monitor-{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    socket.monitor(&here, events.iter().map(|event| i32::from(event.to_raw())).sum())?;
    let monitor = context.socket(zmq::PAIR)?;
    monitor.connect(&here)?;
    Ok(monitor)
}

/// The next event, or `None` if nothing happened.
pub(crate) fn next(monitor: &zmq::Socket) -> Option<SocketEvent> {
    let parts = receive_parts(monitor)?;
    // Two bytes of the event and four of its value, then the address.
    let event = parts.first()?.first_chunk()?;
    Some(SocketEvent::from_raw(u16::from_ne_bytes(*event)))
}
