//! Wake-ups, with which one thread ends the wait of another thread of the same process.

use crate::signals::{retry_zmq, send_parts};
use crate::socket::{Readable, SocketError, Sockets};

/// Maximum number of queued wake-ups. One is enough, because it ends the wait.
const WAKEUPS: i32 = 1;

/// Sender of wake-ups, for the thread that ends another thread's wait.
pub struct Waker(zmq::Socket);

impl Waker {
    /// Ends the current wait of the receiving thread. If this thread is not waiting now, its next wait ends at once.
    pub fn wake(&self) {
        // Errors are ignored: if the queue is full, a wake-up is already pending.
        let _ = send_parts(&self.0, &[""]);
    }
}

/// Receiver of wake-ups. A thread passes it to [`crate::socket::wait`] together with its sockets.
pub struct Wakeups(zmq::Socket);

impl Wakeups {
    /// Removes the pending wake-ups.
    pub fn drain(&self) {
        while retry_zmq(|| self.0.recv_msg(zmq::DONTWAIT)).is_ok() {}
    }
}

impl Readable for Wakeups {
    fn socket(&self) -> &zmq::Socket {
        &self.0
    }
}

impl Sockets {
    /// Creates a waker with its receiver; `name` must be unique in this factory.
    ///
    /// # Errors
    /// The name is in use, or ZeroMQ cannot create the sockets.
    pub fn waker(&self, name: &str) -> Result<(Waker, Wakeups), SocketError> {
        let endpoint = format!("inproc://{name}");
        let wakeups = self.open(zmq::PULL, &endpoint, |s| {
            s.set_rcvhwm(WAKEUPS)?;
            s.bind(&endpoint)
        })?;
        let waker = self.open(zmq::PUSH, &endpoint, |s| {
            s.set_sndhwm(WAKEUPS)?;
            s.connect(&endpoint)
        })?;
        Ok((Waker(waker), Wakeups(wakeups)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::wait;
    use std::time::{Duration, Instant};

    #[test]
    fn wakeups_from_other_thread_end_wait_and_coalesce() {
        let (waker, wakeups) = Sockets::new().waker("test").unwrap();
        let waking = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            (0..1000).for_each(|_| waker.wake());
            waker
        });
        let start = Instant::now();
        wait(&[&wakeups], 60_000);
        assert!(start.elapsed() < Duration::from_secs(30));
        let waker = waking.join().unwrap();
        wakeups.drain();
        let start = Instant::now();
        wait(&[&wakeups], 20);
        assert!(start.elapsed() >= Duration::from_millis(19), "nothing waits any more");
        drop(waker);
    }
}
