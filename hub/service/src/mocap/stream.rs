//! Runs a codec over TCP. Either this program connects to the server, or it asks the server by UDP to connect.

use super::error::MocapError;
use super::source::{Codec, PoseSource};
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_hub_core::mocap::RawFrame;
use xpuck_wire::retry_on_interrupt;

/// Duration of silence after which the connection to a server is closed.
pub(super) const DEAD_AFTER: Duration = Duration::from_secs(2);
/// Maximum wait for data before a silent server gets a request. A VRPN server sends nothing while nothing moves.
pub(super) const POLL_TIMEOUT: Duration = Duration::from_millis(500);

/// TCP connection whose bytes are decoded by a codec.
pub(super) struct Tcp {
    socket: TcpStream,
    codec: Box<dyn Codec>,
    heard: Instant,
    bytes: Box<[u8]>,
}

impl Tcp {
    /// Connects to the server at `address`.
    pub fn connect(address: &str, codec: Box<dyn Codec>) -> Result<Tcp, MocapError> {
        Tcp::over(retry_on_interrupt(|| TcpStream::connect(address))?, codec)
    }

    fn over(socket: TcpStream, codec: Box<dyn Codec>) -> Result<Tcp, MocapError> {
        socket.set_nodelay(true)?;
        socket.set_read_timeout(Some(POLL_TIMEOUT))?;
        Ok(Tcp { socket, codec, heard: Instant::now(), bytes: vec![0; 16384].into() })
    }

    /// Asks a VRPN server to connect to a local TCP port, and waits for the connection for at most `patience`. The
    /// request is sent by UDP every [`POLL_TIMEOUT`].
    pub fn accept_from(
        address: &str,
        codec: Box<dyn Codec>,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Tcp, MocapError> {
        let server: SocketAddr = address.to_socket_addrs()?.find(SocketAddr::is_ipv4).ok_or(MocapError::NoIpv4)?;
        let request = UdpSocket::bind("0.0.0.0:0")?;
        request.connect(server)?;
        // The listener is bound to the local address on the server's network.
        let listener = TcpListener::bind((request.local_addr()?.ip(), 0))?;
        listener.set_nonblocking(true)?;
        let ours = listener.local_addr()?;
        let began = Instant::now();
        while began.elapsed() < patience && !stop.load(Ordering::Relaxed) {
            let call = format!("{} {}\0", ours.ip(), ours.port());
            retry_on_interrupt(|| request.send(call.as_bytes()))?;
            let until = Instant::now() + POLL_TIMEOUT;
            while Instant::now() < until && !stop.load(Ordering::Relaxed) {
                match retry_on_interrupt(|| listener.accept()) {
                    Ok((socket, from)) if from.ip() == server.ip() => {
                        socket.set_nonblocking(false)?;
                        return Tcp::over(socket, codec);
                    }
                    Ok((_, from)) => return Err(MocapError::AnotherPeer(from.ip())),
                    Err(e) if e.kind() == ErrorKind::WouldBlock => std::thread::sleep(Duration::from_millis(5)),
                    Err(e) => return Err(e.into()),
                }
            }
        }
        Err(MocapError::NotCalledBack(ours))
    }
}

impl PoseSource for Tcp {
    fn frames(&mut self) -> Result<Vec<RawFrame>, MocapError> {
        let outgoing = self.codec.take_outgoing();
        if !outgoing.is_empty() {
            std::thread::sleep(self.codec.pace());
            self.socket.write_all(&outgoing)?;
        }
        match retry_on_interrupt(|| self.socket.read(&mut self.bytes)) {
            Ok(0) => Err(MocapError::Closed),
            Ok(n) => {
                self.heard = Instant::now();
                self.codec.feed(&self.bytes[..n])
            }
            Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                if self.heard.elapsed() >= DEAD_AFTER {
                    return Err(MocapError::Silent(DEAD_AFTER.as_secs()));
                }
                self.codec.quiet();
                Ok(Vec::new())
            }
            Err(e) => Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::thread::JoinHandleExt;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    /// Codec that decodes each byte as one frame.
    struct Bytes;

    impl Codec for Bytes {
        fn feed(&mut self, bytes: &[u8]) -> Result<Vec<RawFrame>, MocapError> {
            Ok(vec![RawFrame::default(); bytes.len()])
        }

        fn take_outgoing(&mut self) -> Vec<u8> {
            Vec::new()
        }
    }

    /// A signal interrupts a read with a timeout, even if the signal's handler was installed with SA_RESTART.
    #[test]
    fn signal_storm_does_not_end_connection() {
        use nix::sys::pthread::pthread_kill;
        use nix::sys::signal::Signal::SIGUSR1;
        signal_hook::flag::register(SIGUSR1 as i32, Arc::new(AtomicBool::new(false))).unwrap();
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = server.local_addr().unwrap().to_string();
        let (begun, begins) = channel();
        let reader = std::thread::spawn(move || {
            let mut tcp = Tcp::connect(&address, Box::new(Bytes)).unwrap();
            begun.send(()).unwrap();
            let mut frames = 0;
            while frames < 3 {
                frames += tcp.frames()?.len();
            }
            Ok::<_, MocapError>(frames)
        });
        let (mut client, _) = server.accept().unwrap();
        begins.recv().unwrap();
        for _ in 0..3 {
            for _ in 0..200 {
                if !reader.is_finished() {
                    pthread_kill(reader.as_pthread_t(), SIGUSR1).unwrap();
                }
                std::thread::sleep(Duration::from_micros(500));
            }
            client.write_all(&[0]).unwrap();
        }
        assert_eq!(reader.join().unwrap().unwrap(), 3);
    }
}
