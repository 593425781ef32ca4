//! Serves frames to DataStream clients over TCP.

use super::HERTZ;
use super::encode::{self, Frame, HEADER, MAGIC, SUPPORTED};
use super::request::{self, MAX_PACKET, Request, RequestError};
use crate::port::Port;
use crate::port::clients::{self, Clients, MAX_CLIENTS};
use std::collections::BTreeSet;
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Message to a client.
enum Outgoing {
    Frame(Arc<Frame>),
    Bytes(Vec<u8>),
}

/// Subscriptions of a client.
#[derive(Default)]
struct Subscriptions {
    any: AtomicBool,
    objects: Mutex<BTreeSet<u32>>,
    all: AtomicBool,
    next: AtomicBool,
}

impl clients::Wishes for Subscriptions {
    fn has_any(&self) -> bool {
        self.any.load(Relaxed)
    }
}

/// DataStream server with its port and clients.
pub struct Server {
    subjects: Vec<String>,
    port: Port,
    clients: Clients<Outgoing, Subscriptions>,
    latest: Mutex<Option<Arc<Frame>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// Binds a server for the subjects with these names, in the order of the frames' poses. Port 0 selects a free port.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn bind(address: SocketAddr, subjects: Vec<String>) -> std::io::Result<Server> {
        let port = Port::bind(address, MAX_CLIENTS)?;
        Ok(Server { subjects, port, clients: Clients::default(), latest: Mutex::default() })
    }

    /// Returns the address at which the server accepts connections.
    pub fn address(&self) -> SocketAddr {
        self.port.address()
    }

    /// Queues a new frame for every client that requested it.
    pub fn publish(&self, frame: Frame) {
        let frame = Arc::new(frame);
        // `latest` stays locked while the frame is queued. A client that requests one frame therefore either finds this
        // frame in `latest`, or is already registered to receive it.
        let mut latest = lock(&self.latest);
        self.clients.publish(|wishes| {
            let is_wanted = wishes.next.swap(false, Relaxed) || wishes.all.load(Relaxed);
            is_wanted.then(|| Outgoing::Frame(frame.clone()))
        });
        *latest = Some(frame);
    }

    /// Accepts waiting connections, and serves each client on a thread of its own.
    pub fn accept<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stop: &'scope AtomicBool) {
        self.port.admit(scope, move |stream| self.serve_client(scope, stream, stop));
    }

    fn serve_client<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        stream: TcpStream,
        stop: &'scope AtomicBool,
    ) {
        let encode = |message, wishes: &Subscriptions| match message {
            Outgoing::Bytes(bytes) => bytes,
            Outgoing::Frame(frame) => encode::frame(&self.subjects, HERTZ, &frame, &lock(&wishes.objects)),
        };
        let mut received = Vec::new();
        let hear = |bytes: &[u8], queue: &SyncSender<Outgoing>, wishes: &Subscriptions| {
            received.extend_from_slice(bytes);
            self.listen(&mut received, queue, wishes).is_ok_and(|keeps_up| keeps_up)
        };
        // In this protocol, the server sends the first packet.
        let hello = Outgoing::Bytes(encode::hello(&SUPPORTED));
        self.clients.converse(scope, stream, stop, hello, encode, hear);
    }

    /// Executes the requests in all complete packets of `received`, and removes these packets. Returns false if the
    /// client's queue is full, because the client does not read its replies. Returns an error if a packet is invalid.
    fn listen(
        &self,
        received: &mut Vec<u8>,
        queue: &SyncSender<Outgoing>,
        wishes: &Subscriptions,
    ) -> Result<bool, RequestError> {
        while let Some(objects) = next_packet(received)? {
            for request in request::parse(&objects)? {
                let answer = self.obey(request, wishes);
                if answer.is_some_and(|answer| queue.try_send(answer).is_err()) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    fn obey(&self, request: Request, wishes: &Subscriptions) -> Option<Outgoing> {
        wishes.any.store(true, Relaxed);
        match request {
            Request::Objects(mut ids) => {
                ids.retain(|id| SUPPORTED.contains(id));
                *lock(&wishes.objects) = ids;
                None
            }
            Request::AllFrames => {
                wishes.all.store(true, Relaxed);
                None
            }
            Request::NextFrame => {
                wishes.next.store(true, Relaxed);
                None
            }
            Request::OneFrame => {
                wishes.all.store(false, Relaxed);
                let latest = lock(&self.latest);
                // If there is no frame yet, the client receives the first frame.
                wishes.next.store(latest.is_none(), Relaxed);
                latest.clone().map(Outgoing::Frame)
            }
            Request::Ping(number) => Some(Outgoing::Bytes(encode::ping(number))),
        }
    }
}

/// Removes the first packet from the received bytes, and returns the bytes of its objects. Returns `None` if the packet
/// is incomplete, and an error if its header is invalid.
fn next_packet(received: &mut Vec<u8>) -> Result<Option<Vec<u8>>, RequestError> {
    let word = |at: usize| received.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let Some((magic, length)) = word(0).zip(word(4)) else { return Ok(None) };
    if magic != MAGIC {
        return Err(RequestError::Magic(magic));
    }
    let end = HEADER + length as usize;
    if end > HEADER + MAX_PACKET {
        return Err(RequestError::TooLong(length));
    }
    if received.len() < end {
        return Ok(None);
    }
    let rest = received.split_off(end);
    let packet = std::mem::replace(received, rest);
    Ok(Some(packet[HEADER..].to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packets_are_cut_out_of_the_stream_wherever_it_breaks() {
        let stream = [encode::ping(1), encode::ping(2)].concat();
        let mut received = Vec::new();
        let mut found = Vec::new();
        for byte in stream {
            received.push(byte);
            while let Some(packet) = next_packet(&mut received).unwrap() {
                found.extend(request::parse(&packet).unwrap());
            }
        }
        assert_eq!(found, [Request::Ping(1), Request::Ping(2)]);
    }

    #[test]
    fn foreign_and_oversized_packets_are_refused() {
        assert_eq!(next_packet(&mut b"GET / HTTP/1.1".to_vec()), Err(RequestError::Magic(0x2054_4547)));
        let mut huge = MAGIC.to_le_bytes().to_vec();
        huge.extend(u32::MAX.to_le_bytes());
        assert_eq!(next_packet(&mut huge), Err(RequestError::TooLong(u32::MAX)));
        assert_eq!(next_packet(&mut vec![1, 0]), Ok(None));
    }
}
