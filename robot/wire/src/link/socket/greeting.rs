//! Greeting that a server's socket sends to each new connection.

use super::Sockets;
use std::io::{self, Read, Write};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Length of a greeting (bytes). A greeting consists of signature, version, security mechanism, server flag and
/// filler (ZMTP 3.1, RFC 37).
pub const GREETING: usize = 64;
/// First bytes of a client's greeting: the signature and version 3. After these bytes, libzmq sends the rest of the
/// server's greeting.
const BEGINNING: [u8; 11] = [0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f, 3];
/// Maximum wait for each part of libzmq's greeting.
const PATIENCE: Duration = Duration::from_secs(10);

impl Sockets {
    /// Returns the greeting of server sockets with this factory's keys, or without keys if `plain` is true. The
    /// greeting is read from a separate socket without a monitor, because a monitor would count the unfinished
    /// handshake as a rejection.
    ///
    /// # Errors
    /// The system cannot create a socket, or libzmq sends no greeting.
    pub fn greeting(&self, plain: bool) -> io::Result<[u8; GREETING]> {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let name = format!("xpuck-greeting-{}-{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed));
        let endpoint = format!("ipc://@{name}");
        let set_up = |socket: &zmq::Socket| {
            if !plain {
                self.encrypt(socket)?;
            }
            socket.bind(&endpoint)
        };
        let _speaker = self.open(zmq::ROUTER, &endpoint, set_up).map_err(io::Error::other)?;
        let mut listener = UnixStream::connect_addr(&SocketAddr::from_abstract_name(&name)?)?;
        listener.set_read_timeout(Some(PATIENCE))?;
        listener.write_all(&BEGINNING)?;
        let mut greeting = [0; GREETING];
        listener.read_exact(&mut greeting)?;
        Ok(greeting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Security, keyring};

    #[test]
    fn greeting_names_mechanism_and_counts_no_rejection() {
        let dir = tempfile::tempdir().unwrap();
        keyring::create_missing_pairs(dir.path(), &[]).unwrap();
        let hub = Sockets::for_hub(&Security { keys: dir.path().into(), dev_mode: false }).unwrap();
        for (sockets, plain, mechanism) in
            [(&hub, false, "CURVE"), (&hub, true, "NULL\0"), (&Sockets::new(), false, "NULL\0")]
        {
            let greeting = sockets.greeting(plain).unwrap();
            assert_eq!((greeting[0], greeting[9], greeting[10]), (0xff, 0x7f, 3));
            assert_eq!(&greeting[12..17], mechanism.as_bytes());
        }
        std::thread::sleep(Duration::from_millis(300));
        assert_eq!(hub.guard().unwrap().refusals().total(), 0);
    }
}
