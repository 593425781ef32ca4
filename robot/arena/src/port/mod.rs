//! A TCP port whose connections have threads of their own, a bounded number at once.

pub(crate) mod clients;
pub(crate) mod connection;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::Scope;

/// The port.
pub(crate) struct Port {
    listener: TcpListener,
    address: SocketAddr,
    most: usize,
    open: AtomicUsize,
}

impl Port {
    /// Binds a port that serves so many at once; port 0 takes a free one.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn bind(address: SocketAddr, most: usize) -> io::Result<Port> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Port { address: listener.local_addr()?, listener, most, open: AtomicUsize::new(0) })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Takes waiting connections.
    pub(crate) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        serve: impl Fn(TcpStream) + Copy + Send + 'scope,
    ) {
        while let Ok((stream, _)) = self.listener.accept() {
            self.serve(scope, stream, serve);
        }
    }

    /// Serves a connection on a thread of its own, or closes it if there are too many.
    pub(crate) fn serve<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        stream: TcpStream,
        serve: impl FnOnce(TcpStream) + Send + 'scope,
    ) {
        if self.open.load(Relaxed) >= self.most {
            return;
        }
        self.open.fetch_add(1, Relaxed);
        scope.spawn(move || {
            serve(stream);
            self.open.fetch_sub(1, Relaxed);
        });
    }
}
