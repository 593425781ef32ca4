//! Tests with viewers on real sockets: regular viewers, viewers that never read, and viewers with unsupported requests.

use super::*;
use crate::console::Clock;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{WebSocketStream, client_async};
use xpuck_hub_core::config::Arena;
use xpuck_wire::Body;

type Socket = WebSocketStream<TcpStream>;

const PATIENCE: Duration = Duration::from_secs(30);

fn serve() -> (ViewSender, String) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (teller, receiver) = ViewSender::new();
    let clock = Clock { time: 0.0, unix_ms: 1_000_000, speed: 2.0 };
    let view = Start { robots: vec!["xp01".into()], arena: Arena::default(), clock };
    let names = Names::new(&address, &["Hub.Lab".into()]);
    start(listener, &Foxglove::at(address.clone()), view, receiver, (Bounds::of_pages(4, 4), names)).unwrap();
    (teller, address)
}

fn block<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async { timeout(PATIENCE, work).await.expect("in time") })
}

async fn connect(address: &str, protocol: Option<&str>, origin: Option<&str>) -> Result<Socket, Error> {
    let mut request = format!("ws://{address}/").into_client_request().unwrap();
    for (name, value) in [("sec-websocket-protocol", protocol), ("origin", origin)] {
        if let Some(value) = value {
            request.headers_mut().insert(name, value.parse().unwrap());
        }
    }
    Ok(client_async(request, TcpStream::connect(address).await.unwrap()).await?.0)
}

async fn viewer(address: &str) -> Socket {
    connect(address, Some("foxglove.sdk.v1"), None).await.unwrap()
}

async fn words(socket: &mut Socket) -> Value {
    loop {
        if let Message::Text(text) = socket.next().await.unwrap().unwrap() {
            return serde_json::from_str(&text).unwrap();
        }
    }
}

/// Returns the subscription id, the time stamp (ns) and the JSON value of the next data message.
async fn shown(socket: &mut Socket) -> (u32, u64, Value) {
    loop {
        if let Message::Binary(bytes) = socket.next().await.unwrap().unwrap() {
            assert_eq!(bytes[0], 1);
            let id = u32::from_le_bytes(bytes[1..5].try_into().unwrap());
            let stamp = u64::from_le_bytes(bytes[5..13].try_into().unwrap());
            return (id, stamp, serde_json::from_slice(&bytes[13..]).unwrap());
        }
    }
}

async fn subscribe(socket: &mut Socket, id: u32, topic: &str) {
    let channel = protocol::index(topic).unwrap() + 1;
    let asked = json!({ "op": "subscribe", "subscriptions": [{ "id": id, "channelId": channel }] });
    socket.send(Message::text(asked.to_string())).await.unwrap();
}

fn poses(time: f64, x: f32) -> Entry {
    Entry::Poses { time, bodies: vec![Body { name: "xp01".into(), pose: [x, 0.5, 0.0] }] }
}

#[test]
fn viewer_gets_arena_at_once_then_its_subscriptions() {
    let (teller, address) = serve();
    block(async {
        let mut socket = viewer(&address).await;
        assert_eq!(words(&mut socket).await["op"], "serverInfo");
        assert_eq!(words(&mut socket).await["channels"].as_array().unwrap().len(), CHANNELS);
        subscribe(&mut socket, 3, "/foxglove/arena").await;
        let (id, stamp, arena) = shown(&mut socket).await;
        assert_eq!((id, stamp, &arena["entities"][0]["id"]), (3, 1_000_000_000_000, &"arena".into()));
        // No viewer has subscribed to the topic of this event yet.
        teller.entry(&Entry::event(1.0, "unheard"));
        subscribe(&mut socket, 4, "/events").await;
        subscribe(&mut socket, 5, "/foxglove/transforms").await;
        while teller.shared.subscriptions.iter().filter(|n| n.load(Ordering::Relaxed) > 0).count() < 3 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        teller.entry(&Entry::event(2.0, "heard"));
        let (id, stamp, event) = shown(&mut socket).await;
        // The hub's clock starts at 1 000 s. Two seconds of arena time at double speed are one second of wall time.
        assert_eq!((id, stamp, &event["text"]), (4, 1_001_000_000_000, &"heard".into()));
        teller.entry(&poses(4.0, 0.25));
        let (id, _, transforms) = shown(&mut socket).await;
        assert_eq!((id, &transforms["transforms"][0]["translation"]["x"]), (5, &0.25.into()));
        // A later viewer receives the current state.
        let mut later = viewer(&address).await;
        subscribe(&mut later, 1, "/foxglove/bodies").await;
        assert_eq!(shown(&mut later).await.2["entities"][0]["id"], "xp01");
        let unsubscribe = json!({ "op": "unsubscribe", "subscriptionIds": [3, 4, 5, 99] });
        socket.send(Message::text(unsubscribe.to_string())).await.unwrap();
        drop(later);
        let start = Instant::now();
        while teller.shared.subscriptions.iter().any(|n| n.load(Ordering::Relaxed) > 0) || teller.counts().viewers != 1
        {
            assert!(start.elapsed() < PATIENCE, "{:?}", teller.counts());
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
}

#[test]
fn foreign_origins_dialects_and_writes_are_rejected() {
    let (_teller, address) = serve();
    block(async {
        let status = |result: Result<Socket, Error>| match result {
            Err(Error::Http(response)) => response.status().as_u16(),
            other => panic!("{other:?}"),
        };
        assert_eq!(status(connect(&address, None, None).await), 400);
        assert_eq!(status(connect(&address, Some("graphql"), None).await), 400);
        assert_eq!(status(connect(&address, Some("foxglove.sdk.v1"), Some("https://evil.example")).await), 403);
        // The hub accepts the subprotocol of Lichtblick, and a local origin.
        drop(connect(&address, Some("foxglove.websocket.v1"), Some("http://localhost:8080")).await.unwrap());
        let mut socket = viewer(&address).await;
        words(&mut socket).await;
        words(&mut socket).await;
        socket.send(Message::text(r#"{"op":"advertise","channels":[]}"#)).await.unwrap();
        let told = words(&mut socket).await;
        assert!(told["op"] == "status" && told["message"].as_str().unwrap().contains("not supported"), "{told}");
        subscribe(&mut socket, 1, "/run").await;
        subscribe(&mut socket, 1, "/run").await;
        assert!(words(&mut socket).await["message"].as_str().unwrap().contains("already exists"));
        socket.send(Message::text(r#"{"op":"subscribe","subscriptions":[{"id":2,"channelId":0}]}"#)).await.unwrap();
        assert!(words(&mut socket).await["message"].as_str().unwrap().contains("channel 0 does not exist"));
        // The hub disconnects a viewer that sends too much data.
        let long = format!("{:60000}", "x");
        while socket.send(Message::text(long.clone())).await.is_ok() {}
    });
}

#[test]
fn viewers_call_the_hub_by_a_name_that_it_knows() {
    let (_teller, address) = serve();
    let port = address.rsplit_once(':').unwrap().1.to_string();
    block(async {
        let call = async |host: &str| {
            let mut request = format!("ws://{host}:{port}/").into_client_request().unwrap();
            request.headers_mut().insert("sec-websocket-protocol", "foxglove.sdk.v1".parse().unwrap());
            match client_async(request, TcpStream::connect(&address).await.unwrap()).await {
                Ok((_, response)) => response.status().as_u16(),
                Err(Error::Http(response)) => response.status().as_u16(),
                Err(error) => panic!("{host}: {error}"),
            }
        };
        for known in ["127.0.0.1", "localhost", "192.168.1.2", "[::1]", "hub.lab"] {
            assert_eq!(call(known).await, 101, "{known}");
        }
        for other in ["evil.example", "127.0.0.1.evil.example"] {
            assert_eq!(call(other).await, 421, "{other}");
        }
    });
}

#[test]
fn non_reading_viewer_does_not_delay_others() {
    let (teller, address) = serve();
    block(async {
        let mut stuck = viewer(&address).await;
        subscribe(&mut stuck, 1, "/poses").await;
        let mut socket = viewer(&address).await;
        subscribe(&mut socket, 1, "/poses").await;
        while teller.shared.subscriptions[protocol::index("/poses").unwrap()].load(Ordering::Relaxed) < 2 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        let bodies: Vec<Body> =
            (0..100).map(|i| Body { name: format!("body-{i}"), pose: [0.12345, 0.23456, 0.34567] }).collect();
        // The frames add up to about 30 MB, more than the kernel's buffers and the hub's queue can hold together.
        let mut longest = Duration::ZERO;
        for i in 0..5000 {
            let entry = Entry::Poses { time: f64::from(i), bodies: bodies.clone() };
            let began = Instant::now();
            teller.entry(&entry);
            longest = longest.max(began.elapsed());
            loop {
                let (_, _, poses) = shown(&mut socket).await;
                if poses["time"].as_f64() == Some(f64::from(i)) {
                    break;
                }
            }
        }
        assert!(longest < Duration::from_secs(1), "the hub's loop waited {longest:?}");
        // Waits until the hub has disconnected the viewer that does not read, or has counted the messages that this
        // viewer missed.
        let start = Instant::now();
        while teller.counts().viewers == 2 && teller.counts().left_out == 0 {
            assert!(start.elapsed() < PATIENCE, "{:?}", teller.counts());
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        drop(stuck);
    });
}

#[test]
fn number_of_viewers_is_limited() {
    let (teller, address) = serve();
    block(async {
        let mut sockets = Vec::new();
        for _ in 0..8 {
            // The hub may reject the connection during the opening handshake.
            sockets.extend(connect(&address, Some("foxglove.sdk.v1"), None).await.ok());
        }
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(300) {
            assert!(teller.counts().viewers <= 4, "{:?}", teller.counts());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(teller.counts().viewers, 4);
    });
}
