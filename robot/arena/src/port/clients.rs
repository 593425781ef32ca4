//! Clients of a port that are all told the same: each has a bounded queue, and one that does not keep up is dropped, so that none
//! can slow the arena or another client.

use super::connection::{POLL, is_timeout, prepare, write_all};
use std::io::Read;
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// Most clients at once; further ones are turned away.
pub(crate) const MAX_CLIENTS: usize = 16;
/// Messages that may wait for a client: ten seconds of arena time.
const QUEUE: usize = 512;

/// A client that has not asked for anything by then is closed, so that its place is another's.
const ASKING: Duration = Duration::from_secs(10);

/// Wishes of a client.
pub(crate) trait Wishes: Default + Send + Sync {
    /// True once it asked for anything.
    fn has_any(&self) -> bool;
}

/// A client, with what it asked for.
struct Client<M, W> {
    stream: TcpStream,
    queue: SyncSender<M>,
    wishes: Arc<W>,
}

/// The clients of a port. `M` is what is sent to them, `W` what one asked for.
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

    /// Queues for every client what is for it, if anything is.
    pub(crate) fn publish(&self, message: impl Fn(&W) -> Option<M>) {
        self.list().retain(|client| {
            let keeps_up = message(&client.wishes).is_none_or(|message| client.queue.try_send(message).is_ok());
            if !keeps_up {
                // Wakes the client's threads, which then end; an error means that it is gone already.
                let _ = client.stream.shutdown(Shutdown::Both);
            }
            keeps_up
        });
    }

    /// Talks with a client until it leaves, misbehaves, asks for nothing for too long or the arena stops. The `first` message greets it; `encode` makes bytes of
    /// what is sent; `hear` takes what it says, queues answers, and is false if it is to be sent away.
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
        // A connection that breaks while it is set up is as good as none.
        let Ok((mut reading, writing)) = prepare(&stream) else { return };
        let (queue, waiting) = sync_channel(QUEUE);
        let wishes = Arc::new(W::default());
        // An empty queue has room.
        let _ = queue.try_send(first);
        self.list().push(Client { stream, queue: queue.clone(), wishes: wishes.clone() });
        let seen = wishes.clone();
        scope.spawn(move || write(writing, &waiting, stop, |message| encode(message, &seen)));
        let (mut chunk, began) = ([0; 1024], Instant::now());
        while !stop.load(Relaxed) && (wishes.has_any() || began.elapsed() < ASKING) {
            match reading.read(&mut chunk) {
                Ok(0) => break,
                // There is nobody here to tell why a client is sent away.
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

/// Sends what waits for a client, until it leaves or the arena stops.
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
