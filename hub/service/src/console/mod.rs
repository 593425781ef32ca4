//! The console: a web page served from embedded files, with the status ten times a second and three commands.

mod access;
mod serve;

pub use access::Names;

use crate::admission::Bounds;
use crate::catalogue::Catalogue;
use crate::observer::{Form, Window};
use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, Extension, Path, Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use rust_embed::RustEmbed;
use serde::Deserialize;
use serve::Connection;
use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::time::Duration;
use tokio::sync::{oneshot, watch};
use tokio_stream::StreamExt;
use tokio_stream::wrappers::WatchStream;
use tracing::error;
use xpuck_wire::message::{Reply, Request};

/// How long the hub may take to answer a command.
const ANSWER: Duration = Duration::from_secs(2);

/// Runs that the page shows.
const RUNS: usize = 20;
/// Longest command, bytes.
const LONGEST: usize = 4096;

#[derive(RustEmbed)]
#[folder = "console/"]
struct Files;

/// The status as it is shown: encoded once for all who watch.
#[derive(Clone, Debug)]
pub struct Shown(Bytes);

impl Shown {
    const BEFORE: &str = "data: ";
    const AFTER: &str = "\n\n";

    /// A status in JSON, of one line.
    pub fn new(json: &str) -> Shown {
        Shown(format!("{}{json}{}", Shown::BEFORE, Shown::AFTER).into())
    }

    fn event(&self) -> Bytes {
        self.0.clone()
    }

    fn json(&self) -> Bytes {
        self.0.slice(Shown::BEFORE.len()..self.0.len() - Shown::AFTER.len())
    }
}

/// What the console serves, and to whom.
pub struct Source {
    /// The status.
    pub status: watch::Receiver<Shown>,
    /// Where commands go.
    pub commands: SyncSender<Command>,
    /// The record directory.
    pub runs: PathBuf,
    /// Metrics and health.
    pub window: Window,
    /// Names by which the console may be called.
    pub names: Names,
    /// How many may ask and watch at once.
    pub bounds: Bounds,
}

/// A command from the page, with the way to answer it.
pub struct Command {
    /// The name of who asks.
    pub who: String,
    /// What is asked.
    pub request: Request,
    /// Where the answer goes.
    pub answer: oneshot::Sender<Reply>,
}

#[derive(Clone)]
struct Shared {
    status: watch::Receiver<Shown>,
    commands: SyncSender<Command>,
    runs: PathBuf,
    window: Window,
}

/// Serves the console on `listener` in a thread of its own, until the process ends.
///
/// # Errors
/// If the system refuses a thread or a runtime.
pub fn start(listener: std::net::TcpListener, source: Source) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Source { status, commands, runs, window, names, bounds } = source;
    let router = Router::new()
        .route("/", get(|| async { file("index.html") }))
        .route("/events", get(events))
        .route("/api/status", get(|State(shared): State<Shared>| async move { json(shared.status.borrow().json()) }))
        .route("/api/command", post(command).layer(DefaultBodyLimit::max(LONGEST)))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .route("/{name}", get(|Path(name): Path<String>| async move { file(&name) }))
        .route("/api/runs", get(runs_list))
        .with_state(Shared { status, commands, runs, window })
        .layer(from_fn_with_state(Arc::new(names), own_pages));
    std::thread::Builder::new().name("console".into()).spawn(move || {
        if let Err(error) = runtime.block_on(serve::serve(listener, bounds, router)) {
            error!(target: "hub", "the console ended: {error}");
        }
    })?;
    Ok(())
}

/// Answers the console's own pages and programs that call it by its own name, and nobody else, whatever they ask for.
async fn own_pages(State(names): State<Arc<Names>>, request: HttpRequest, next: Next) -> Response {
    let mut response = match access::check(&names, request.uri(), request.headers()) {
        Ok(()) => next.run(request).await,
        Err(refusal) => refusal.into_response(),
    };
    let headers = response.headers_mut();
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, header::HeaderValue::from_static("nosniff"));
    let policy = header::HeaderName::from_static("cross-origin-resource-policy");
    headers.insert(policy, header::HeaderValue::from_static("same-origin"));
    response
}

fn file(name: &str) -> Response {
    let Some(file) = Files::get(name) else {
        return (StatusCode::NOT_FOUND, "no such file").into_response();
    };
    let kind = match name.rsplit_once('.').map(|(_, e)| e) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        _ => "application/octet-stream",
    };
    let policy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'";
    let headers = [(header::CONTENT_TYPE, kind), (header::CONTENT_SECURITY_POLICY, policy)];
    (headers, file.data.into_owned()).into_response()
}

fn json(text: impl Into<Body>) -> Response {
    ([(header::CONTENT_TYPE, "application/json")], text.into()).into_response()
}

/// The newest runs that are recorded.
async fn runs_list(State(shared): State<Shared>) -> Response {
    let read = move || Catalogue::open(&shared.runs)?.rows();
    match tokio::task::spawn_blocking(read).await {
        Ok(Ok(rows)) => json(serde_json::json!(rows.iter().rev().take(RUNS).collect::<Vec<_>>()).to_string()),
        Ok(Err(error)) => (StatusCode::SERVICE_UNAVAILABLE, error.to_string()).into_response(),
        Err(_) => (StatusCode::SERVICE_UNAVAILABLE, "the runs cannot be read").into_response(),
    }
}

/// In the form that is asked for.
async fn metrics(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let form = Form::asked_for(&accept.collect::<Vec<_>>().join(","));
    ([(header::CONTENT_TYPE, form.content_type())], shared.window.metrics(form)).into_response()
}

/// 200 when the hub is well, else 503; either way one line of JSON that says why.
async fn health(State(shared): State<Shared>) -> Response {
    let reasons = shared.window.ailments();
    let code = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let line = serde_json::json!({ "ok": reasons.is_empty(), "reasons": reasons }).to_string() + "\n";
    (code, json(line)).into_response()
}

/// The status again and again, as server-sent events. Whoever reads slowly gets the newest and misses those between.
async fn events(State(shared): State<Shared>, Extension(connection): Extension<Arc<Connection>>) -> Response {
    if !connection.watch() {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many watch the console already").into_response();
    }
    let stream = WatchStream::new(shared.status).map(|status| Ok::<_, Infallible>(status.event()));
    let headers = [(header::CONTENT_TYPE, "text/event-stream"), (header::CACHE_CONTROL, "no-cache")];
    (headers, Body::from_stream(stream)).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    command: String,
}

/// Commands need a header that a page of another site cannot send.
async fn command(State(shared): State<Shared>, headers: HeaderMap, body: axum::Json<Asked>) -> Response {
    if !headers.contains_key("x-xpuck") {
        return (StatusCode::FORBIDDEN, "the x-xpuck header is missing").into_response();
    }
    let request = match body.command.as_str() {
        "pause" => Request::Pause,
        "resume" => Request::Resume,
        "stop" => Request::Stop,
        _ => return (StatusCode::BAD_REQUEST, "commands are pause, resume and stop").into_response(),
    };
    let (answer, reply) = oneshot::channel();
    if shared.commands.try_send(Command { who: "the console".into(), request, answer }).is_err() {
        return (StatusCode::SERVICE_UNAVAILABLE, "the hub is busy; try again").into_response();
    }
    match tokio::time::timeout(ANSWER, reply).await {
        Ok(Ok(Reply::Refused(error))) => json(serde_json::json!({ "ok": false, "error": error }).to_string()),
        Ok(Ok(_)) => json(serde_json::json!({ "ok": true }).to_string()),
        _ => (StatusCode::GATEWAY_TIMEOUT, "the hub did not answer").into_response(),
    }
}
