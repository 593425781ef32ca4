//! TCP port with one thread per connection and a connection limit.

pub(crate) mod clients;
pub(crate) mod connection;

use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::thread::Scope;

/// A listening TCP port.
pub(crate) struct Port {
    listener: TcpListener,
    address: SocketAddr,
    most: usize,
    open: AtomicUsize,
}

impl Port {
    /// Binds a port that serves up to `most` connections at once. Port 0 selects a free port.
    ///
    /// # Errors
    /// If the address cannot be bound.
    pub(crate) fn bind(address: SocketAddr, most: usize) -> io::Result<Port> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        Ok(Port { address: listener.local_addr()?, listener, most, open: AtomicUsize::new(0) })
    }

    /// Returns the address of the port.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Accepts all waiting connections, and serves each on its own thread.
    pub(crate) fn admit<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        serve: impl Fn(TcpStream) + Copy + Send + 'scope,
    ) {
        while let Ok((stream, _)) = self.listener.accept() {
            self.serve(scope, stream, serve);
        }
    }

    /// Serves a connection on its own thread, or closes the connection if the limit is reached.
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
