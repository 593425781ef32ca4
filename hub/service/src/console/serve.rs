//! The console's connections: one request each, within a time, and only so many at once.

use crate::admission::{Admission, Bounds, Stage, Ticket};
use axum::Router;
use hyper::service::{Service, service_fn};
use hyper_util::rt::TokioIo;
use hyper_util::service::TowerToHyperService;
use socket2::SockRef;
use std::future::pending;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::sleep;

/// A request is read, answered and the answer taken within this time.
const REQUEST: Duration = Duration::from_secs(10);
/// Whoever watches and takes nothing for so long is disconnected.
const STUCK: Duration = Duration::from_secs(10);
/// Bytes that the kernel holds for one who watches: some seconds of status.
const SEND_BUFFER: usize = 128 * 1024;
/// Bytes of an answer that wait in this process.
const BUFFER: usize = 16 * 1024;

/// A request's connection.
pub struct Connection {
    ticket: Ticket,
    watches: AtomicBool,
}

impl Connection {
    /// The answer has no end: the connection counts as one who watches. False if there are too many of those.
    pub fn watch(&self) -> bool {
        let admitted = self.ticket.advance(Stage::Established);
        self.watches.store(admitted, Ordering::Relaxed);
        admitted
    }
}

/// Accepts connections for ever. Of `bounds` the silent ones are those whose request is not answered yet, and the
/// established ones those that watch.
///
/// # Errors
/// If the listener cannot be used.
pub async fn serve(listener: TcpListener, bounds: Bounds, router: Router) -> std::io::Result<()> {
    SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER)?;
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let admission = Admission::new(bounds);
    let answers = TowerToHyperService::new(router);
    loop {
        let (socket, ticket, eviction) = admission.accept(&listener).await;
        let connection = Arc::new(Connection { ticket, watches: AtomicBool::new(false) });
        let answers = answers.clone();
        tokio::spawn(async move {
            let late = async {
                sleep(REQUEST).await;
                if connection.watches.load(Ordering::Relaxed) {
                    pending::<()>().await;
                }
            };
            tokio::select! {
                () = eviction.wait() => {}
                () = late => {}
                () = answer(socket, connection.clone(), answers) => {}
            }
        });
    }
}

async fn answer(socket: TcpStream, connection: Arc<Connection>, answers: TowerToHyperService<Router>) {
    // The kernel gives up on who takes nothing, however little there is to send.
    let _ = SockRef::from(&socket).set_tcp_user_timeout(Some(STUCK));
    let _ = socket.set_nodelay(true);
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(connection.clone());
        answers.call(request)
    });
    // A connection that broke has nobody to tell.
    let _ = hyper::server::conn::http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(BUFFER)
        .serve_connection(TokioIo::new(socket), service)
        .await;
}
