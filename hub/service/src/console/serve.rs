//! Connections of the console: sequential requests, each with a time limit, and a limited number of connections.

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

/// Time limit for reading, answering and delivering a request, and for an idle connection.
const REQUEST: Duration = Duration::from_secs(10);
/// Time limit for the delivery of the last answer.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Size of the buffer for an answer in this process (bytes).
const BUFFER: usize = 16 * 1024;

/// Connection of a request.
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

    /// Marks the answer as an endless stream, so that the connection counts as a watcher. Returns false if there are
    /// too many watchers.
    pub fn watch(&self) -> bool {
        let admitted = self.ticket.advance(Stage::Established);
        self.watches.store(admitted, Ordering::Relaxed);
        admitted
    }

    /// Sets the time limit of the current request.
    pub fn may_take(&self, time: Duration) {
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    /// Resolves when the time of the current request is over.
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

/// Accepts connections indefinitely. In `bounds`, `silent` limits ordinary connections, and `established` limits
/// watchers.
///
/// # Errors
/// The listener cannot be used.
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
            // A failed TLS handshake gets no answer.
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
    // A broken connection gets no answer.
    if let Ok(parts) = served {
        let _ = timeout(CLOSE_TIMEOUT, linger(parts.io.into_inner())).await;
    }
}

/// Ends a connection such that the last answer is delivered. If the peer is still sending unread data, for example a
/// file that is too long, closing at once would discard the answer.
async fn linger(mut socket: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    socket.shutdown().await?;
    let mut unread = [0; 4096];
    while socket.read(&mut unread).await? > 0 {}
    Ok(())
}
