//! How another thread of this process ends a wait for sockets.

use crate::signals::{again, send_parts};
use crate::socket::{Readable, SocketError, Sockets};

/// Wake-ups that may wait; more say nothing new.
const WAKEUPS: i32 = 1;

/// The other thread's end.
pub struct Waker(zmq::Socket);

impl Waker {
    /// Ends the wait, or the next one.
    pub fn wake(&self) {
        // One that waits already is enough.
        let _ = send_parts(&self.0, &[""]);
    }
}

/// What [`crate::socket::wait`] waits for.
pub struct Wakeups(zmq::Socket);

impl Wakeups {
    /// Takes the wake-ups that wait.
    pub fn drain(&self) {
        while again(|| self.0.recv_msg(zmq::DONTWAIT)).is_ok() {}
    }
}

impl Readable for Wakeups {
    fn socket(&self) -> &zmq::Socket {
        &self.0
    }
}

impl Sockets {
    /// A waker and the wake-ups that come of it; the name is new among those of these sockets.
    ///
    /// # Errors
    /// What ZeroMQ says.
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
    fn a_wake_up_from_another_thread_ends_the_wait_and_many_are_one() {
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
