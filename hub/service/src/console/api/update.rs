//! Progress of an update of the robots' programs.

use super::commands::ask;
use super::{json, raw};
use crate::console::Shared;
use crate::console::visitor::refusal;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use xpuck_wire::message::{Reply, Request};

/// Returns the report on the last update; null if there was none.
pub async fn update(State(shared): State<Shared>) -> Response {
    match ask(&shared, String::new(), Request::Updated).await {
        Ok(Reply::Updated(Some(report))) => json(&*report),
        Ok(Reply::Updated(None)) => raw("null".into()),
        Ok(_) => refusal(StatusCode::GATEWAY_TIMEOUT, "the hub did not answer"),
        Err(response) => response,
    }
}
