//! Serves frames to DataStream clients over TCP. Each client has a bounded queue; one that does not keep up is
//! dropped, so that no client can slow the arena or another client.

use super::HERTZ;
use super::encode::{self, Frame, HEADER, MAGIC, SUPPORTED};
use super::request::{self, MAX_PACKET, Request, RequestError};
use crate::connection::{POLL, is_timeout, prepare, write_all};
use std::collections::BTreeSet;
use std::io::Read;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;

/// Most clients at once; further ones are turned away.
const MAX_CLIENTS: usize = 16;
/// Packets that may wait for a client: ten seconds of arena time.
const QUEUE: usize = 512;

/// What is sent to a client.
enum Outgoing {
    Frame(Arc<Frame>),
    Bytes(Vec<u8>),
}

/// What a client asked for.
#[derive(Default)]
struct Wishes {
    objects: Mutex<BTreeSet<u32>>,
    all: AtomicBool,
    next: AtomicBool,
}

struct Client {
    number: u64,
    stream: TcpStream,
    queue: SyncSender<Outgoing>,
    wishes: Arc<Wishes>,
}

#[derive(Default)]
struct Clients {
    list: Vec<Client>,
    admitted: u64,
    latest: Option<Arc<Frame>>,
}

/// The server: its socket and clients.
pub struct Server {
    subjects: Vec<String>,
    listener: TcpListener,
    clients: Mutex<Clients>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Server {
    /// A server for these subjects, in the order of the frames' poses; port 0 takes a free one.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub fn bind(address: SocketAddr, subjects: Vec<String>) -> std::io::Result<Server> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Server { subjects, listener, clients: Mutex::default() })
    }

    /// Where it can be reached.
    ///
    /// # Errors
    /// What the system says.
    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Queues a new frame for every client that wants it.
    pub fn publish(&self, frame: Frame) {
        let frame = Arc::new(frame);
        let mut clients = lock(&self.clients);
        clients.list.retain(|client| {
            let wanted = client.wishes.next.swap(false, Relaxed) || client.wishes.all.load(Relaxed);
            let kept = !wanted || client.queue.try_send(Outgoing::Frame(frame.clone())).is_ok();
            if !kept {
                // Wakes the client's threads, which then end; an error means that it is gone already.
                let _ = client.stream.shutdown(Shutdown::Both);
            }
            kept
        });
        clients.latest = Some(frame);
    }

    /// Takes waiting connections.
    pub fn admit<'scope>(&'scope self, scope: &'scope Scope<'scope, '_>, stop: &'scope AtomicBool) {
        while let Ok((stream, _)) = self.listener.accept() {
            let mut clients = lock(&self.clients);
            // A connection that breaks while it is set up is as good as none.
            let Ok((reading, writing)) = prepare(&stream) else { continue };
            if clients.list.len() >= MAX_CLIENTS {
                continue;
            }
            let (queue, waiting) = sync_channel(QUEUE);
            let wishes = Arc::new(Wishes::default());
            let number = clients.admitted;
            clients.admitted += 1;
            // The server speaks first; an empty queue has room.
            let _ = queue.try_send(Outgoing::Bytes(encode::hello(&SUPPORTED)));
            clients.list.push(Client { number, stream, queue: queue.clone(), wishes: wishes.clone() });
            let seen = wishes.clone();
            scope.spawn(move || self.write(writing, &waiting, &seen, stop));
            scope.spawn(move || {
                // Whatever ends the conversation ends the connection; there is nobody here to tell.
                let _ = self.listen(reading, &queue, &wishes, stop);
                self.forget(number);
            });
        }
    }

    fn forget(&self, number: u64) {
        lock(&self.clients).list.retain(|client| {
            if client.number == number {
                let _ = client.stream.shutdown(Shutdown::Both);
            }
            client.number != number
        });
    }

    fn write(&self, mut stream: TcpStream, waiting: &Receiver<Outgoing>, wishes: &Wishes, stop: &AtomicBool) {
        while !stop.load(Relaxed) {
            let bytes = match waiting.recv_timeout(POLL) {
                Ok(Outgoing::Bytes(bytes)) => bytes,
                Ok(Outgoing::Frame(frame)) => encode::frame(&self.subjects, HERTZ, &frame, &lock(&wishes.objects)),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return,
            };
            if write_all(&mut stream, &bytes, stop).is_err() {
                return;
            }
        }
    }

    /// Reads and obeys requests until the client leaves, misbehaves or the arena stops.
    fn listen(
        &self,
        mut stream: TcpStream,
        queue: &SyncSender<Outgoing>,
        wishes: &Wishes,
        stop: &AtomicBool,
    ) -> Result<(), RequestError> {
        let mut received = Vec::new();
        let mut chunk = [0; 1024];
        while !stop.load(Relaxed) {
            match stream.read(&mut chunk) {
                Ok(0) => return Ok(()),
                Ok(n) => received.extend_from_slice(&chunk[..n]),
                Err(error) if is_timeout(&error) => continue,
                Err(_) => return Ok(()),
            }
            while let Some(objects) = next_packet(&mut received)? {
                for request in request::parse(&objects)? {
                    let answer = self.obey(request, wishes);
                    if answer.is_some_and(|answer| queue.try_send(answer).is_err()) {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    fn obey(&self, request: Request, wishes: &Wishes) -> Option<Outgoing> {
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
                let latest = lock(&self.clients).latest.clone();
                // Before the first frame, "now" is when there is one.
                wishes.next.store(latest.is_none(), Relaxed);
                latest.map(Outgoing::Frame)
            }
            Request::Ping(number) => Some(Outgoing::Bytes(encode::ping(number))),
        }
    }
}

/// Takes the objects of a whole packet off the front of what was received.
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
