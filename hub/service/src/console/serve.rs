//! Connections of the console. Their number is limited. A connection carries requests one after the other, each with
//! a time limit.

use super::tls::{self, Tls};
use crate::admission::{Admission, Bounds, Stage, Ticket, watchers};
use axum::Router;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use std::future::pending;
use std::net::TcpListener;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until, timeout};

/// Time limit for reading, answering and delivering one request. It also limits the idle time of a connection.
const REQUEST: Duration = Duration::from_secs(10);
/// Time limit for delivering the last answer of a connection.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum size of the buffer of a connection in this process (bytes).
const BUFFER: usize = 16 * 1024;

/// Connection to which a request belongs.
pub struct Connection {
    ticket: Ticket,
    watches: AtomicBool,
    ends: Mutex<Instant>,
}

impl Connection {
    fn new(ticket: Ticket) -> Arc<Connection> {
        let ends = Mutex::new(Instant::now() + REQUEST);
        Arc::new(Connection { ticket, watches: AtomicBool::new(false), ends })
    }

    /// Declares that the answer is an endless stream, so that the connection counts as a watcher. Returns false if
    /// there are too many watchers.
    pub fn watch(&self) -> bool {
        let admitted = self.ticket.advance(Stage::Established);
        self.watches.store(admitted, Ordering::Relaxed);
        admitted
    }

    /// Sets the time limit of the current request, counted from now.
    pub fn may_take(&self, time: Duration) {
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    /// Waits until the time limit of the current request has passed. Never returns for a watcher.
    async fn expired(&self) {
        loop {
            let ends = *self.ends.lock().unwrap_or_else(PoisonError::into_inner);
            if self.watches.load(Ordering::Relaxed) {
                pending::<()>().await;
            }
            if Instant::now() >= ends {
                return;
            }
            sleep_until(ends).await;
        }
    }
}

/// Accepts connections indefinitely. In `bounds`, `silent` limits the connections of ordinary requests, and
/// `established` limits watchers.
///
/// # Errors
/// If the listener cannot be used.
pub async fn serve(listener: TcpListener, bounds: Bounds, tls: Option<Tls>, router: Router) -> std::io::Result<()> {
    let listener = watchers::listener(listener)?;
    let admission = Admission::new(bounds);
    let answers = TowerToHyperService::new(router);
    loop {
        let (socket, ticket, eviction) = admission.accept(&listener).await;
        let connection = Connection::new(ticket);
        let (answers, tls) = (answers.clone(), tls.clone());
        tokio::spawn(async move {
            tokio::select! {
                () = eviction.wait() => {}
                () = connection.expired() => {}
                () = begin(socket, &connection, tls, answers) => {}
            }
        });
    }
}

async fn begin(
    socket: TcpStream,
    connection: &Arc<Connection>,
    tls: Option<Tls>,
    answers: TowerToHyperService<Router>,
) {
    watchers::set_up(&socket);
    match tls {
        None => answer(socket, connection, answers).await,
        Some(tls) if tls::begins(&socket).await => {
            // If the TLS handshake fails, the connection is closed without an answer.
            if let Ok(socket) = tls.accept(socket).await {
                answer(socket, connection, answers).await;
            }
        }
        Some(_) => tls::refuse(socket).await,
    }
}

async fn answer(
    socket: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    connection: &Arc<Connection>,
    answers: TowerToHyperService<Router>,
) {
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        connection.may_take(REQUEST);
        request.extensions_mut().insert(connection.clone());
        answers.call(request)
    });
    let served = hyper::server::conn::http1::Builder::new()
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(socket), service)
        .without_shutdown()
        .await;
    // If the connection is broken, it is dropped at once.
    if let Ok(parts) = served {
        let _ = timeout(CLOSE_TIMEOUT, linger(parts.io.into_inner())).await;
    }
}

/// Closes a connection so that the last answer is still delivered. The peer may still be sending data, for example a
/// file that is too long. If the connection were closed at once, the answer would be lost.
async fn linger(mut socket: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    socket.shutdown().await?;
    let mut unread = [0; 4096];
    while socket.read(&mut unread).await? > 0 {}
    Ok(())
}
