//! Operator commands to the swarm and to single robots.

use super::json;
use crate::console::visitor::{JsonBody, Operator, refusal};
use crate::console::{Command, Shared};
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use serde::Deserialize;
use serde_json::json as object;
use std::time::Duration;
use tokio::sync::oneshot;
use xpuck_wire::message::{Order, Reply, Request};

/// Time limit for the answer of the hub's loop to a command.
const ANSWER: Duration = Duration::from_secs(2);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CommandRequest {
    command: String,
    #[serde(default)]
    robot: String,
    #[serde(default)]
    text: String,
}

/// Handles a command from a page.
pub async fn command(
    State(shared): State<Shared>,
    Operator(person): Operator,
    asked: JsonBody<CommandRequest>,
) -> Response {
    let CommandRequest { command, robot, text } = asked.0;
    let order = |order| Request::Order { robot, order };
    let request = match command.as_str() {
        "pause" => Request::Pause,
        "resume" => Request::Resume,
        "next" => Request::Next,
        "stop" => Request::Stop,
        "note" => Request::Note { text },
        "identify" => order(Order::Identify),
        "hold" => order(Order::Hold),
        "pause-robot" => order(Order::Pause),
        "release" => order(Order::Release),
        "reboot" => order(Order::Reboot),
        _ => {
            let why = "unknown command; expected pause, resume, next, stop, note, identify, hold, pause-robot, release or \
                       reboot";
            return refusal(StatusCode::BAD_REQUEST, why);
        }
    };
    send(&shared, person.name, request).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Driven {
    robot: String,
    wheels: [f32; 2],
    #[serde(default)]
    lamps: Option<[u8; 3]>,
}

/// Handles a request to drive a robot manually.
pub async fn drive(State(shared): State<Shared>, Operator(person): Operator, asked: JsonBody<Driven>) -> Response {
    let Driven { robot, wheels, lamps } = asked.0;
    send(&shared, person.name, Request::Drive { robot, wheels, lamps }).await
}

/// Sends a request to the hub's loop. Returns the answer as a response for pages.
pub async fn send(shared: &Shared, who: String, request: Request) -> Response {
    match ask(shared, who, request).await {
        Ok(Reply::Refused(error)) => json(&object!({ "ok": false, "error": error })),
        Ok(Reply::DoneBut(but)) => json(&object!({ "ok": true, "but": but })),
        Ok(_) => json(&object!({ "ok": true })),
        Err(response) => response,
    }
}

/// Sends a request to the hub's loop.
///
/// # Errors
/// If the hub is busy or does not answer. The error is the response for the page.
pub async fn ask(shared: &Shared, who: String, request: Request) -> Result<Reply, Response> {
    let (answer, reply) = oneshot::channel();
    if shared.commands.try_send(Command { who, request, answer }).is_err() {
        return Err(refusal(StatusCode::SERVICE_UNAVAILABLE, "the hub is busy; try again"));
    }
    match tokio::time::timeout(ANSWER, reply).await {
        Ok(Ok(reply)) => Ok(reply),
        _ => Err(refusal(StatusCode::GATEWAY_TIMEOUT, "the hub did not answer within 2 s; try again")),
    }
}
