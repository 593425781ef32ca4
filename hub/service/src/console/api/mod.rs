//! HTTP API of the console, with one module per subject.

mod checklist;
mod commands;
mod experiments;
mod export;
mod login;
mod play;
mod robots;
mod run_cache;
mod runs;
mod update;

pub use run_cache::RunCache;

use super::Shared;
use super::visitor::{may_look, refusal};
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::{StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};

/// Maximum length of a command's body (bytes).
const COMMAND: usize = 16 * 1024;
/// Maximum length of the body with an experiment and its files (bytes).
const EXPERIMENT: usize = 1 << 20;

/// Returns the router for all paths below `/api`.
pub fn routes(shared: &Shared) -> Router<Shared> {
    let looks = Router::new()
        .route("/history", get(robots::evolution))
        .route("/lineage", get(runs::lineage))
        .route("/robot/{id}/history", get(robots::history))
        .route("/robot/{id}/log", get(robots::log))
        .route("/robot/{id}/tree", get(robots::tree))
        .route("/robot/{id}/picture", get(robots::picture))
        .route("/overhead", get(robots::overhead))
        .route("/status", get(robots::status))
        .route("/update", get(update::update))
        .route("/experiments", get(experiments::list))
        .route("/experiments/{file}", get(experiments::open))
        .route("/experiment/check", post(experiments::check).layer(DefaultBodyLimit::max(EXPERIMENT)))
        .route("/checklist", get(checklist::checklist))
        .route("/runs", get(runs::list))
        .route("/catalogue", get(runs::catalogue))
        .route("/runs/{id}", get(runs::details))
        .route("/runs/{id}/robot/{robot}", get(runs::robot))
        .route("/runs/{id}/lineage", get(runs::lineage_of))
        .route("/runs/{id}/play", get(play::play))
        .route("/runs/{id}/export/{name}", get(export::export))
        .layer(from_fn_with_state(shared.clone(), may_look));
    Router::new()
        .route("/session", get(login::session))
        .route("/challenge", get(login::challenge))
        .route("/login", post(login::login).layer(DefaultBodyLimit::max(COMMAND)))
        .route("/logout", post(login::logout).layer(DefaultBodyLimit::max(COMMAND)))
        .route("/command", post(commands::command).layer(DefaultBodyLimit::max(COMMAND)))
        .route("/drive", post(commands::drive).layer(DefaultBodyLimit::max(COMMAND)))
        .route("/start", post(experiments::start).layer(DefaultBodyLimit::max(EXPERIMENT)))
        .merge(looks)
        .fallback(unknown)
}

async fn unknown() -> Response {
    refusal(StatusCode::NOT_FOUND, "this address does not exist in the console")
}

/// Creates a JSON response that must not be cached.
fn json(value: &impl serde::Serialize) -> Response {
    match serde_json::to_string(value) {
        Ok(text) => raw(text),
        Err(error) => (StatusCode::INTERNAL_SERVER_ERROR, error.to_string()).into_response(),
    }
}

fn raw(text: String) -> Response {
    ([(header::CONTENT_TYPE, "application/json"), (header::CACHE_CONTROL, "no-store")], text).into_response()
}

/// Runs slow work on a separate thread. Returns its result, or an error response if the work panics.
async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, Response> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| (StatusCode::INTERNAL_SERVER_ERROR, "internal error; see the hub's log").into_response())
}
