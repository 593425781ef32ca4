//! Data of single robots and of the run's evolution, for pages that are opened during a run.

use super::{json, raw};
use crate::console::Shared;
use crate::console::feed::level_name;
use crate::console::visitor::refusal;
use axum::extract::{Path, State};
use axum::http::header::HeaderName;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json as object};
use std::time::Instant;
use xpuck_wire::message::LogLine;

fn unknown(id: &str) -> Response {
    refusal(StatusCode::NOT_FOUND, &format!("robot `{}` is not in the swarm file", id.escape_debug()))
}

/// Returns the history of the run's evolution.
pub async fn evolution(State(shared): State<Shared>) -> Response {
    shared.live.with(|feed| json(&feed.history.shown()))
}

/// Returns the whole status of the hub in the format for other programs.
pub async fn status(State(shared): State<Shared>) -> Response {
    match shared.live.status() {
        Some(status) => json(&*status),
        None => raw("{}".into()),
    }
}

/// Returns the history of a robot, which covers the last ten minutes.
pub async fn history(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    shared.live.with(|feed| feed.robot_history(&id).map_or_else(|| unknown(&id), json))
}

/// Converts log lines to the format for pages.
pub fn lines(log: &[&LogLine]) -> Value {
    let line =
        |line: &&LogLine| object!({ "unix_ms": line.unix_ms, "level": level_name(line.level), "text": line.text });
    log.iter().map(line).collect()
}

/// Returns the most recent lines of a robot's log.
pub async fn log(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    shared.live.with(|feed| feed.robot_log(&id).map_or_else(|| unknown(&id), |log| json(&lines(&log))))
}

/// Returns the tree that drives a robot.
pub async fn tree(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    shared.live.with(|feed| match feed.tree(&id) {
        _ if !feed.robots().contains(&id) => unknown(&id),
        Some(tree) => json(&*tree),
        None => raw("null".into()),
    })
}

/// Returns the latest picture of a robot's camera.
pub async fn picture(State(shared): State<Shared>, Path(id): Path<String>) -> Response {
    if !shared.live.with(|feed| feed.robots().contains(&id)) {
        return unknown(&id);
    }
    match shared.live.picture(&id) {
        Some(shown) => image("image/bmp", shown.came, shown.number, shown.picture.to_bmp()),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Returns the latest picture of the camera above the arena.
pub async fn overhead(State(shared): State<Shared>) -> Response {
    if !shared.settings.overhead {
        // The status is not an error, because the page sends this request to find out whether there is a camera.
        return (StatusCode::NO_CONTENT, [(HeaderName::from_static("x-camera"), "none")]).into_response();
    }
    match shared.live.overhead() {
        Some(shown) => image("image/jpeg", shown.came, shown.number, shown.picture.jpeg.clone()),
        None => StatusCode::NO_CONTENT.into_response(),
    }
}

/// Creates a response with a picture, its age (ms) and its number. Pages compute the frame rate from the number.
fn image(kind: &'static str, came: Instant, number: u64, bytes: Vec<u8>) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind.into()),
        (header::CACHE_CONTROL, "no-store".into()),
        (HeaderName::from_static("x-age-ms"), came.elapsed().as_millis().to_string()),
        (HeaderName::from_static("x-number"), number.to_string()),
    ];
    (headers, bytes).into_response()
}
