//! Console: web server of the hub. It serves the embedded page, live events and recorded runs. It accepts commands
//! and experiments from logged-in operators. It serves the playground too, if its files are there.

mod access;
mod api;
mod assets;
mod feed;
mod live;
pub mod playground;
mod serve;
mod sessions;
mod settings;
mod tls;
mod visitor;

pub use access::{Names, called, reachable};
pub use feed::{Clock, Feed, StatusContext};
pub use live::{Live, LiveMessage, LiveSender};
pub use sessions::{Person, Refused, Sessions};
pub use settings::Settings;

use crate::admission::Bounds;
use crate::observer::{Form, MetricsView};
use api::RunCache;
use assets::Assets;
use axum::Router;
use axum::extract::{Extension, Path, Query, Request as HttpRequest, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serve::Connection;
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::sync::{Semaphore, mpsc, oneshot};
use tracing::error;
use visitor::may_look;
use xpuck_wire::guard::AccessControl;
use xpuck_wire::message::{Reply, Request};

/// Interval for reporting the watched robots to the hub.
const WATCH: Duration = Duration::from_secs(1);

/// Interval for checking whether the visitors of event streams may still view the console.
const SESSION: Duration = Duration::from_secs(2);

/// Data sources and configuration of the console.
pub struct Source {
    /// State of the hub that pages show.
    pub live: Live,
    /// Messages from the hub's loop; `None` in a replay.
    pub told: Option<mpsc::Receiver<LiveMessage>>,
    /// Queue of commands for the hub's loop.
    pub commands: SyncSender<Command>,
    /// Login sessions of visitors.
    pub sessions: Arc<Mutex<Sessions>>,
    /// Access control with the enrolled keys; `None` without keys.
    pub guard: Option<Arc<AccessControl>>,
    /// Source of the metrics and of the health status.
    pub window: MetricsView,
    /// Names of the hub that requests may use.
    pub names: Names,
    /// Limits of concurrent requests and of event streams.
    pub bounds: Bounds,
    /// Settings of the console.
    pub settings: Settings,
}

/// Command from a page, with the channel for its answer.
pub struct Command {
    /// Name of the operator; empty for requests of the console itself.
    pub who: String,
    /// Request to the hub.
    pub request: Request,
    /// Channel for the hub's answer.
    pub answer: oneshot::Sender<Reply>,
}

#[derive(Clone)]
struct Shared {
    live: Live,
    commands: SyncSender<Command>,
    sessions: Arc<Mutex<Sessions>>,
    guard: Option<Arc<AccessControl>>,
    window: MetricsView,
    settings: Arc<Settings>,
    assets: Arc<Assets>,
    cache: Arc<RunCache>,
    /// Semaphore that admits one reader of a whole record at a time.
    slow: Arc<Semaphore>,
    started: Instant,
}

/// Serves the console on `listener` in a separate thread until the process ends.
///
/// # Errors
/// If the operating system cannot create a thread or a runtime, or the page's files cannot be read.
pub fn start(listener: std::net::TcpListener, source: Source) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let Source { live, told, commands, sessions, guard, window, names, bounds, settings } = source;
    let tls = settings.tls.clone();
    let playground = playground::folder();
    let shared = Shared {
        live: live.clone(),
        commands,
        sessions,
        guard,
        window,
        settings: Arc::new(settings),
        assets: Arc::new(Assets::new(playground.is_some())?),
        cache: Arc::default(),
        slow: Arc::new(Semaphore::new(1)),
        started: Instant::now(),
    };
    let watches = Router::new().route("/events", get(events)).layer(from_fn_with_state(shared.clone(), may_look));
    let router = Router::new()
        .route("/", get(|State(shared): State<Shared>, headers: HeaderMap| async move { shared.assets.page(&headers) }))
        .route("/assets/{folder}/{*name}", get(asset))
        .route("/metrics", get(metrics))
        .route("/health", get(health))
        .merge(watches)
        .nest("/api", api::routes(&shared))
        .with_state(shared.clone());
    let router = match playground {
        Some(folder) => playground::below(router, folder),
        None => router,
    };
    let router = router.layer(from_fn_with_state(Arc::new(names), own_pages));
    std::thread::Builder::new().name("console".into()).spawn(move || {
        let served = runtime.block_on(async {
            if let Some(told) = told {
                tokio::spawn(live.run(told));
            }
            tokio::spawn(tell_watched(shared));
            serve::serve(listener, bounds, tls, router).await
        });
        if let Err(error) = served {
            error!(target: "hub", "the console has stopped: {error}");
        }
    })?;
    Ok(())
}

/// Reports the watched robots to the hub once per second.
async fn tell_watched(shared: Shared) {
    loop {
        tokio::time::sleep(WATCH).await;
        for (robot, picture) in shared.live.watched() {
            let request = Request::Watch { robot, picture };
            // If the hub is busy, it gets the next report a second later. The answer is ignored.
            let _ = shared.commands.try_send(Command { who: String::new(), request, answer: oneshot::channel().0 });
        }
    }
}

/// Rejects requests from pages of other sites, and requests that use a name not accepted for this hub. Applies to all
/// routes.
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

async fn asset(
    State(shared): State<Shared>,
    Path((folder, name)): Path<(String, String)>,
    headers: HeaderMap,
) -> Response {
    shared.assets.get(&folder, &name, &headers)
}

/// Returns the metrics in the format that the request accepts.
async fn metrics(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let accept = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok());
    let form = Form::asked_for(&accept.collect::<Vec<_>>().join(","));
    ([(header::CONTENT_TYPE, form.content_type())], shared.window.metrics(form)).into_response()
}

/// Responds with status 200 if the hub is healthy, otherwise with 503. The body is one line of JSON with the reasons.
async fn health(State(shared): State<Shared>) -> Response {
    let reasons = shared.window.health_reasons();
    let code = if reasons.is_empty() { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let line = serde_json::json!({ "ok": reasons.is_empty(), "reasons": reasons }).to_string() + "\n";
    (code, [(header::CONTENT_TYPE, "application/json")], line).into_response()
}

#[derive(Deserialize)]
struct Watching {
    robot: Option<String>,
}

/// Responds with an endless stream of server-sent events.
async fn events(
    State(shared): State<Shared>,
    Extension(connection): Extension<Arc<Connection>>,
    Query(watching): Query<Watching>,
    headers: HeaderMap,
) -> Response {
    if !connection.watch() {
        return (StatusCode::SERVICE_UNAVAILABLE, "too many open connections to the console; close another page")
            .into_response();
    }
    let robot = watching.robot.filter(|robot| shared.live.with(|feed| feed.robots().contains(robot)));
    let seen = headers.get("last-event-id").and_then(|id| id.to_str().ok()?.parse().ok());
    let stays = shared.clone();
    let asks = headers.clone();
    let leaves = async move {
        while stays.may_look(&asks) {
            tokio::time::sleep(SESSION).await;
        }
    };
    let stream = shared.live.stream(robot, seen, leaves);
    // The connection is closed after the stream. A page that reconnects opens a new one.
    let headers = [
        (header::CONTENT_TYPE, "text/event-stream"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::CONNECTION, "close"),
    ];
    (headers, axum::body::Body::from_stream(stream)).into_response()
}
