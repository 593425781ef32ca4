//! Clients of a port that broadcasts messages. Each client has a bounded queue. A client whose queue is full is
//! disconnected, so that a slow client cannot delay the arena or other clients.

use super::connection::{POLL, is_timeout, prepare, write_all};
use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Maximum number of clients of a port. Further clients are rejected.
pub(crate) const MAX_CLIENTS: usize = 16;
/// Queue capacity of a client (messages). It is sufficient for ten seconds of arena time.
const QUEUE: usize = 512;

/// Time limit for a client's first request. A client that exceeds this limit is disconnected, to free its slot.
const ASKING: Duration = Duration::from_secs(10);

/// Subscriptions of a client.
pub(crate) trait Wishes: Default + Send + Sync {
    /// Returns whether the client has made any request.
    fn has_any(&self) -> bool;
}

/// A client with its subscriptions.
struct Client<M, W> {
    stream: TcpStream,
    queue: SyncSender<M>,
    wishes: Arc<W>,
}

/// Clients of a port. `M` is the type of a message, and `W` is the type of a client's subscriptions.
pub(crate) struct Clients<M, W> {
    list: Mutex<Vec<Client<M, W>>>,
}

impl<M, W> Default for Clients<M, W> {
    fn default() -> Self {
        Clients { list: Mutex::default() }
    }
}

impl<M: Send, W: Wishes> Clients<M, W> {
    fn list(&self) -> MutexGuard<'_, Vec<Client<M, W>>> {
        self.list.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues messages. `message` returns the message for a client with the given subscriptions, or `None`. Clients
    /// with a full queue are disconnected.
    pub(crate) fn publish(&self, message: impl Fn(&W) -> Option<M>) {
        self.list().retain(|client| {
            let keeps_up = message(&client.wishes).is_none_or(|message| client.queue.try_send(message).is_ok());
            if !keeps_up {
                // The shutdown wakes the client's threads, which then end. An error means that the client has already
                // disconnected.
                let _ = client.stream.shutdown(Shutdown::Both);
            }
            keeps_up
        });
    }

    /// Serves a client until the client disconnects, violates the protocol or makes no request in time, or until the
    /// arena stops. The client first receives the message `first`. `encode` converts messages to bytes. `hear`
    /// processes received bytes and queues replies. `hear` returns false to disconnect the client.
    pub(crate) fn converse<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        stream: TcpStream,
        stop: &'scope AtomicBool,
        first: M,
        mut encode: impl FnMut(M, &W) -> Vec<u8> + Send + 'scope,
        mut hear: impl FnMut(&[u8], &SyncSender<M>, &W) -> bool,
    ) where
        M: 'scope,
        W: 'scope,
    {
        // A connection that fails during setup is ignored.
        let Ok((mut reading, writing)) = prepare(&stream) else { return };
        let (queue, waiting) = sync_channel(QUEUE);
        let wishes = Arc::new(W::default());
        // The send cannot fail, because the queue is empty.
        let _ = queue.try_send(first);
        self.list().push(Client { stream, queue: queue.clone(), wishes: wishes.clone() });
        let seen = wishes.clone();
        scope.spawn(move || write(writing, &waiting, stop, |message| encode(message, &seen)));
        let (mut chunk, began) = ([0; 1024], Instant::now());
        while !stop.load(Relaxed) && (wishes.has_any() || began.elapsed() < ASKING) {
            match reading.read(&mut chunk) {
                Ok(0) => break,
                // The reason for the disconnection is not reported, because the arena has no log for client errors.
                Ok(n) if !hear(&chunk[..n], &queue, &wishes) => break,
                Ok(_) => {}
                Err(error) if is_timeout(&error) => {}
                Err(_) => break,
            }
        }
        let _ = reading.shutdown(Shutdown::Both);
        self.list().retain(|client| !Arc::ptr_eq(&client.wishes, &wishes));
    }
}

/// Sends queued messages to a client until the client disconnects or the arena stops.
fn write<M>(mut stream: TcpStream, waiting: &Receiver<M>, stop: &AtomicBool, mut encode: impl FnMut(M) -> Vec<u8>) {
    while !stop.load(Relaxed) {
        match waiting.recv_timeout(POLL) {
            Ok(message) => {
                if write_all(&mut stream, &encode(message), stop).is_err() {
                    return;
                }
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}
