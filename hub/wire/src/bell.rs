//! How another thread of this process ends a wait for sockets.

use crate::signals::{again, send_parts};
use crate::socket::{Readable, SocketError, Sockets};

/// Rings that may wait; more say nothing new.
const RINGS: i32 = 1;

/// The other thread's end.
pub struct Bell(zmq::Socket);

impl Bell {
    /// Ends the wait, or the next one.
    pub fn ring(&self) {
        // One that has rung already is enough.
        let _ = send_parts(&self.0, &[""]);
    }
}

/// What [`crate::socket::wait`] waits for.
pub struct Alarm(zmq::Socket);

impl Alarm {
    /// Takes the rings that wait.
    pub fn hush(&self) {
        while again(|| self.0.recv_msg(zmq::DONTWAIT)).is_ok() {}
    }
}

impl Readable for Alarm {
    fn socket(&self) -> &zmq::Socket {
        &self.0
    }
}

impl Sockets {
    /// A bell and its alarm; the name is new among those of these sockets.
    ///
    /// # Errors
    /// What ZeroMQ says.
    pub fn bell(&self, name: &str) -> Result<(Bell, Alarm), SocketError> {
        let endpoint = format!("inproc://{name}");
        let alarm = self.open(zmq::PULL, &endpoint, |s| {
            s.set_rcvhwm(RINGS)?;
            s.bind(&endpoint)
        })?;
        let bell = self.open(zmq::PUSH, &endpoint, |s| {
            s.set_sndhwm(RINGS)?;
            s.connect(&endpoint)
        })?;
        Ok((Bell(bell), Alarm(alarm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::wait;
    use std::time::{Duration, Instant};

    #[test]
    fn a_ring_from_another_thread_ends_the_wait_and_many_are_one() {
        let (bell, alarm) = Sockets::new().bell("test").unwrap();
        let ringing = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            (0..1000).for_each(|_| bell.ring());
            bell
        });
        let start = Instant::now();
        wait(&[&alarm], 60_000);
        assert!(start.elapsed() < Duration::from_secs(30));
        let bell = ringing.join().unwrap();
        alarm.hush();
        let start = Instant::now();
        wait(&[&alarm], 20);
        assert!(start.elapsed() >= Duration::from_millis(19), "nothing waits any more");
        drop(bell);
    }
}
