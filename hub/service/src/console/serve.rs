//! The console's connections: one request after another, each within a time, and only so many connections at once.

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

/// A request is read, answered and the answer taken within this time; a connection on which none comes ends after it.
const REQUEST: Duration = Duration::from_secs(10);
/// The last answer has so long to arrive.
const LINGER: Duration = Duration::from_secs(2);
/// Bytes of an answer that wait in this process.
const BUFFER: usize = 16 * 1024;

/// A request's connection.
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

    /// The answer has no end: the connection counts as one who watches. False if there are too many of those.
    pub fn watch(&self) -> bool {
        let admitted = self.ticket.advance(Stage::Established);
        self.watches.store(admitted, Ordering::Relaxed);
        admitted
    }

    /// What is asked for now may take so long.
    pub fn may_take(&self, time: Duration) {
        *self.ends.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now() + time;
    }

    /// Resolves when the last request's time is over.
    async fn late(&self) {
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

/// Accepts connections for ever. Of `bounds` the silent ones are those that do not watch, and the established ones those
/// that do.
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
                () = connection.late() => {}
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
            // Whoever does not get through the handshake has nobody to tell.
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
    // A connection that broke has nobody to tell.
    if let Ok(parts) = served {
        let _ = timeout(LINGER, linger(parts.io.into_inner())).await;
    }
}

/// Ends a connection so that the last answer arrives: while the peer still sends what nobody reads, as a file that is too
/// long, closing at once would take the answer away from it.
async fn linger(mut socket: impl AsyncRead + AsyncWrite + Unpin) -> std::io::Result<()> {
    socket.shutdown().await?;
    let mut unread = [0; 4096];
    while socket.read(&mut unread).await? > 0 {}
    Ok(())
}
