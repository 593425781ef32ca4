//! The viewers' connections. Each has what it did not take yet bounded: the kernel's buffer, one message here, and its place in
//! a ring of messages that all viewers share. Who falls out of that ring misses what is older, and is told how much.

use super::feed::{Data, Feed};
use super::origin::Origins;
use super::protocol::{Asked, CHANNELS, SUBPROTOCOLS, SUBSCRIPTIONS, advertise, data, read, server_info, warning};
use super::{Shared, Told};
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

/// The request is whole and answered within this time.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Messages that a viewer may be behind.
const BEHIND: usize = 1024;
/// Longest message of a viewer, and all that it may say while it is connected, bytes: viewers subscribe, and that is all.
const LONGEST: usize = 64 * 1024;
const SAYS: usize = 1 << 20;
/// A viewer that misses messages is told so at most so often.
const TOLD: Duration = Duration::from_secs(10);

/// What all viewers share.
#[derive(Clone)]
pub(super) struct Live(Arc<Inside>);

struct Inside {
    feed: Mutex<Feed>,
    shared: Arc<Shared>,
    messages: broadcast::Sender<Data>,
    origins: Origins,
    /// By which viewers may call the hub.
    names: Names,
    /// By it viewers know this hub again.
    session: String,
}

impl Live {
    pub fn new(feed: Feed, shared: Arc<Shared>, origins: Origins, names: Names) -> Live {
        let session = xpuck_wire::clock::unix_ms().to_string();
        Live(Arc::new(Inside {
            feed: Mutex::new(feed),
            shared,
            messages: broadcast::channel(BEHIND).0,
            origins,
            names,
            session,
        }))
    }

    fn feed(&self) -> MutexGuard<'_, Feed> {
        self.0.feed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes messages of what is told, for as long as the hub tells.
    pub async fn run(self, mut told: mpsc::Receiver<Told>) {
        while let Some(told) = told.recv().await {
            let messages = self.feed().take(told, &self.0.shared);
            for message in messages {
                // Without viewers nobody receives it.
                let _ = self.0.messages.send(message);
            }
        }
    }

    /// Accepts viewers for ever.
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
                    // A connection that broke has nobody to tell.
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
        let answer = |request: &Request, mut response: Response| match agree(&self.0.names, &self.0.origins, request) {
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
                    if bytes > SAYS {
                        return Ok(());
                    }
                    match message {
                        Message::Text(text) => viewer.asked(&text).await?,
                        Message::Binary(_) => viewer.say(warning("this is a view, and takes no data")).await?,
                        Message::Close(_) => return Ok(()),
                        _ => {}
                    }
                }
                message = messages.recv() => match message {
                    Ok(message) => viewer.show(&message).await?,
                    Err(RecvError::Lagged(count)) => {
                        self.0.shared.left_out.fetch_add(count, Ordering::Relaxed);
                        if told.is_none_or(|at| at.elapsed() >= TOLD) {
                            told = Some(Instant::now());
                            let text = format!("{count} messages are left out: this viewer does not keep up");
                            viewer.say(warning(&text)).await?;
                        }
                        // What is still true may have been among them.
                        viewer.renew().await?;
                    }
                    Err(RecvError::Closed) => return Ok(()),
                }
            }
        }
    }
}

/// The dialect in which a viewer is answered, or why it is not.
fn agree(names: &Names, origins: &Origins, request: &Request) -> Result<HeaderValue, (StatusCode, String)> {
    called(names, request.uri(), request.headers())?;
    let text =
        |name: header::HeaderName| request.headers().get(name).map(|value| value.to_str().unwrap_or("unreadable"));
    let told = request.headers().get_all(header::ORIGIN).iter().map(|value| value.to_str().unwrap_or("unreadable"));
    // A program names none.
    for origin in told {
        origins.check(origin).map_err(|why| (StatusCode::FORBIDDEN, why))?;
    }
    let offered = text(header::SEC_WEBSOCKET_PROTOCOL).unwrap_or_default();
    let offered: Vec<&str> = offered.split(',').map(str::trim).collect();
    let agreed = SUBPROTOCOLS.into_iter().find(|known| offered.contains(known));
    let refusal = || (StatusCode::BAD_REQUEST, format!("the subprotocol is {}\n", SUBPROTOCOLS[0]));
    agreed.map(HeaderValue::from_static).ok_or_else(refusal)
}

struct Viewer {
    live: Live,
    sink: SplitSink<WebSocketStream<TcpStream>, Message>,
    /// The viewer's numbers with the places of their channels.
    subscriptions: BTreeMap<u32, usize>,
}

impl Viewer {
    /// Sends; who takes nothing for [`STUCK`] is gone.
    async fn send(&mut self, message: Message) -> Result<(), Error> {
        timeout(STUCK, self.sink.send(message)).await.map_err(|_| Error::ConnectionClosed)?
    }

    async fn say(&mut self, text: String) -> Result<(), Error> {
        self.send(Message::text(text)).await
    }

    async fn asked(&mut self, text: &str) -> Result<(), Error> {
        match read(text) {
            Err(why) => self.say(warning(&why)).await?,
            Ok(Asked::Unsubscribe { subscription_ids }) => subscription_ids.iter().for_each(|id| self.leave(*id)),
            Ok(Asked::Subscribe { subscriptions }) => {
                for asked in subscriptions {
                    let (id, channel) = (asked.id, asked.channel_id.wrapping_sub(1));
                    let why = if channel >= CHANNELS {
                        format!("channel {} is not there", asked.channel_id)
                    } else if self.subscriptions.contains_key(&id) {
                        format!("subscription {id} is there already")
                    } else if self.subscriptions.len() >= SUBSCRIPTIONS {
                        format!("{SUBSCRIPTIONS} subscriptions are the most that there may be")
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

    /// Sends the newest of each channel again on which only that counts.
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
