//! Connections of the viewers. All viewers share a ring buffer of messages. Apart from the ring, the backlog of a
//! viewer is limited to the kernel's buffer and one message. If a viewer falls behind by more than the length of the
//! ring, it misses the oldest messages, and receives a warning with their number.

use super::feed::{Data, Feed};
use super::origin::Origins;
use super::protocol::{
    CHANNELS, ClientRequest, SUBPROTOCOLS, SUBSCRIPTIONS, advertise, data, read, server_info, warning,
};
use super::{Shared, ViewMessage};
use crate::admission::watchers::{self, STUCK};
use crate::admission::{Admission, Bounds, Stage, Ticket};
use crate::console::{Names, called};
use futures_util::SinkExt;
use futures_util::stream::{SplitSink, StreamExt};
use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{broadcast, mpsc};
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::handshake::server::{ErrorResponse, Request, Response};
use tokio_tungstenite::tungstenite::http::{HeaderValue, StatusCode, header};
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, accept_hdr_async_with_config};

/// Time limit for receiving and answering the request that opens a connection.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Maximum number of messages that wait for a viewer.
const MAX_BACKLOG: usize = 1024;
/// Maximum length of a message from a viewer, and maximum total length of a viewer's messages per connection (bytes).
/// The limits are low, because viewers only send subscriptions.
const LONGEST: usize = 64 * 1024;
const MAX_RECEIVED: usize = 1 << 20;
/// Minimum interval between warnings about missed messages to the same viewer.
const WARNING_INTERVAL: Duration = Duration::from_secs(10);

/// State shared by all viewers.
#[derive(Clone)]
pub(super) struct Live(Arc<Inside>);

struct Inside {
    feed: Mutex<Feed>,
    shared: Arc<Shared>,
    messages: broadcast::Sender<Data>,
    origins: Origins,
    /// Names of the hub that requests may use.
    names: Names,
    /// Session id that identifies this hub to viewers.
    session: String,
}

impl Live {
    pub fn new(feed: Feed, shared: Arc<Shared>, origins: Origins, names: Names) -> Live {
        let session = xpuck_wire::clock::unix_ms().to_string();
        Live(Arc::new(Inside {
            feed: Mutex::new(feed),
            shared,
            messages: broadcast::channel(MAX_BACKLOG).0,
            origins,
            names,
            session,
        }))
    }

    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.0.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Converts messages from the hub's loop until the sending end of the queue is dropped.
    pub async fn run(self, mut told: mpsc::Receiver<ViewMessage>) {
        while let Some(told) = told.recv().await {
            let messages = self.feed().on_message(told, &self.0.shared);
            for message in messages {
                // Sending fails only if no viewer is connected.
                let _ = self.0.messages.send(message);
            }
        }
    }

    /// Accepts viewers indefinitely.
    ///
    /// # Errors
    /// If the listener cannot be used.
    pub async fn serve(self, listener: TcpListener, bounds: Bounds) -> std::io::Result<()> {
        let listener = watchers::listener(listener)?;
        let admission = Admission::new(bounds);
        loop {
            let (socket, ticket, eviction) = admission.accept(&listener).await;
            let live = self.clone();
            tokio::spawn(async move {
                tokio::select! {
                    () = eviction.wait() => {}
                    // An error means that the connection is broken, so it is ignored.
                    _ = live.viewer(socket, ticket) => {}
                }
            });
        }
    }

    async fn viewer(self, socket: TcpStream, ticket: Ticket) -> Result<(), Error> {
        watchers::set_up(&socket);
        let config = WebSocketConfig::default()
            .read_buffer_size(16 * 1024)
            .write_buffer_size(0)
            .max_message_size(Some(LONGEST))
            .max_frame_size(Some(LONGEST));
        #[expect(clippy::result_large_err, reason = "the library's own type, once a connection")]
        let answer =
            |request: &Request, mut response: Response| match negotiate(&self.0.names, &self.0.origins, request) {
                Ok(dialect) => {
                    response.headers_mut().insert(header::SEC_WEBSOCKET_PROTOCOL, dialect);
                    Ok(response)
                }
                Err((status, why)) => {
                    let mut refusal = ErrorResponse::new(Some(why));
                    *refusal.status_mut() = status;
                    Err(refusal)
                }
            };
        let greeted = accept_hdr_async_with_config(socket, answer, Some(config));
        let Ok(socket) = timeout(HANDSHAKE, greeted).await else { return Ok(()) };
        let socket = socket?;
        if !ticket.advance(Stage::Established) {
            return Ok(());
        }
        self.0.shared.viewers.fetch_add(1, Ordering::Relaxed);
        let (sink, mut said) = socket.split();
        let mut viewer = Viewer { live: self.clone(), sink, subscriptions: BTreeMap::new() };
        let mut messages = self.0.messages.subscribe();
        viewer.say(server_info(&self.0.session)).await?;
        viewer.say(advertise()).await?;
        let (mut bytes, mut told) = (0, None::<Instant>);
        loop {
            tokio::select! {
                message = said.next() => {
                    let Some(message) = message else { return Ok(()) };
                    let message = message?;
                    bytes += message.len();
                    if bytes > MAX_RECEIVED {
                        return Ok(());
                    }
                    match message {
                        Message::Text(text) => viewer.asked(&text).await?,
                        Message::Binary(_) => viewer.say(warning("this server accepts no data from viewers")).await?,
                        Message::Close(_) => return Ok(()),
                        _ => {}
                    }
                }
                message = messages.recv() => match message {
                    Ok(message) => viewer.show(&message).await?,
                    Err(RecvError::Lagged(count)) => {
                        self.0.shared.left_out.fetch_add(count, Ordering::Relaxed);
                        if told.is_none_or(|at| at.elapsed() >= WARNING_INTERVAL) {
                            told = Some(Instant::now());
                            let text = format!("{count} messages were dropped, because this viewer is too slow");
                            viewer.say(warning(&text)).await?;
                        }
                        // The missed messages may include the latest message of a latched channel.
                        viewer.renew().await?;
                    }
                    Err(RecvError::Closed) => return Ok(()),
                }
            }
        }
    }
}

/// Selects the subprotocol for a viewer. The error contains the HTTP status and the reason for the rejection.
fn negotiate(names: &Names, origins: &Origins, request: &Request) -> Result<HeaderValue, (StatusCode, String)> {
    called(names, request.uri(), request.headers())?;
    let text =
        |name: header::HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let told = request.headers().get_all(header::ORIGIN).iter().map(|value| value.to_str().unwrap_or("unreadable"));
    // Clients other than browsers send no Origin.
    for origin in told {
        origins.check(origin).map_err(|why| (StatusCode::FORBIDDEN, why))?;
    }
    let offered = text(header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let offered: Vec<&str> = offered.split(',').map(str::trim).collect();
    let agreed = SUBPROTOCOLS.into_iter().find(|known| offered.contains(known));
    let refusal = || (StatusCode::BAD_REQUEST, format!("the subprotocol must be {}\n", SUBPROTOCOLS[0]));
    agreed.map(HeaderValue::from_static).ok_or_else(refusal)
}

struct Viewer {
    live: Live,
    sink: SplitSink<WebSocketStream<TcpStream>, Message>,
    /// Index of the subscribed channel, by the id of the subscription.
    subscriptions: BTreeMap<u32, usize>,
}

impl Viewer {
    /// Sends a message. Returns an error, which ends the connection, if the viewer accepts no data for [`STUCK`].
    async fn send(&mut self, message: Message) -> Result<(), Error> {
        timeout(STUCK, self.sink.send(message)).await.map_err(|_| Error::ConnectionClosed)?
    }

    async fn say(&mut self, text: String) -> Result<(), Error> {
        self.send(Message::text(text)).await
    }

    async fn asked(&mut self, text: &str) -> Result<(), Error> {
        match read(text) {
            Err(why) => self.say(warning(&why)).await?,
            Ok(ClientRequest::Unsubscribe { subscription_ids }) => {
                subscription_ids.iter().for_each(|id| self.leave(*id))
            }
            Ok(ClientRequest::Subscribe { subscriptions }) => {
                for asked in subscriptions {
                    let (id, channel) = (asked.id, asked.channel_id.wrapping_sub(1));
                    let why = if channel >= CHANNELS {
                        format!("channel {} does not exist", asked.channel_id)
                    } else if self.subscriptions.contains_key(&id) {
                        format!("subscription {id} already exists")
                    } else if self.subscriptions.len() >= SUBSCRIPTIONS {
                        format!("at most {SUBSCRIPTIONS} subscriptions are allowed")
                    } else {
                        self.subscriptions.insert(id, channel);
                        self.live.0.shared.subscriptions[channel].fetch_add(1, Ordering::Relaxed);
                        let newest = self.live.feed().newest(channel);
                        if let Some(newest) = newest {
                            self.send(Message::binary(data(id, newest.stamp, &newest.payload))).await?;
                        }
                        continue;
                    };
                    self.say(warning(&why)).await?;
                }
            }
        }
        Ok(())
    }

    /// Sends a message to all subscriptions of its channel.
    async fn show(&mut self, message: &Data) -> Result<(), Error> {
        let ids: Vec<u32> =
            self.subscriptions.iter().filter(|(_, c)| **c == message.channel).map(|(id, _)| *id).collect();
        for id in ids {
            self.send(Message::binary(data(id, message.stamp, &message.payload))).await?;
        }
        Ok(())
    }

    /// Sends the latest message of each latched channel again.
    async fn renew(&mut self) -> Result<(), Error> {
        for channel in 0..CHANNELS {
            let newest = self.live.feed().newest(channel);
            if let Some(newest) = newest {
                self.show(&newest).await?;
            }
        }
        Ok(())
    }

    fn leave(&mut self, id: u32) {
        if let Some(channel) = self.subscriptions.remove(&id) {
            self.live.0.shared.subscriptions[channel].fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Viewer {
    fn drop(&mut self) {
        for channel in std::mem::take(&mut self.subscriptions).into_values() {
            self.live.0.shared.subscriptions[channel].fetch_sub(1, Ordering::Relaxed);
        }
        self.live.0.shared.viewers.fetch_sub(1, Ordering::Relaxed);
    }
}
