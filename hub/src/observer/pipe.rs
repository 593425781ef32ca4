//! Bytes between a watcher's connection and its ZeroMQ socket, both ways, without a look at what they are.

use super::watchers::Line;
use std::future::poll_fn;
use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::time::timeout;

/// Bytes taken at a time.
const PIECE: usize = 16 * 1024;
/// A watcher who takes nothing for so long has to connect again, which ZeroMQ does by itself.
const STUCK: Duration = Duration::from_secs(60);

/// Passes bytes until either side ends, or the watcher is stuck.
pub(super) async fn pass(watcher: std::net::TcpStream, hub: std::os::unix::net::UnixStream, line: Arc<Line>) {
    let both = watcher.set_nodelay(true).and_then(|()| TcpStream::from_std(watcher));
    if let (Ok(watcher), Ok(hub)) = (both, UnixStream::from_std(hub)) {
        let (mut from_watcher, mut to_watcher) = watcher.into_split();
        let (mut from_hub, mut to_hub) = hub.into_split();
        // However one of them ends, it ends both.
        tokio::select! {
            _ = copy(&mut from_hub, &mut to_watcher, || line.empty.store(true, Ordering::Relaxed)) => {}
            _ = copy(&mut from_watcher, &mut to_hub, || {}) => {}
        }
    }
    line.over.store(true, Ordering::Relaxed);
}

/// Copies until the end; calls `drained` whenever all that there was has been taken on.
async fn copy(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    drained: impl Fn(),
) -> io::Result<()> {
    let mut piece = vec![0; PIECE];
    loop {
        let mut told = false;
        let read = poll_fn(|context| {
            let mut buffer = ReadBuf::new(&mut piece);
            let ready = Pin::new(&mut *from).poll_read(context, &mut buffer);
            if ready.is_pending() && !std::mem::replace(&mut told, true) {
                drained();
            }
            ready.map_ok(|()| buffer.filled().len())
        });
        let mut rest = match read.await? {
            0 => return Ok(()),
            length => &piece[..length],
        };
        while !rest.is_empty() {
            let write = poll_fn(|context| Pin::new(&mut *to).poll_write(context, rest));
            let taken = timeout(STUCK, write).await.map_err(|_| ErrorKind::TimedOut)??;
            rest = &rest[taken..];
        }
    }
}
