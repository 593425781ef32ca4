//! Login to the console, and logout.

use super::json;
use crate::console::visitor::{HEADER, JsonBody, Visitor, refusal, tokens};
use crate::console::{Refused, Shared};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use serde_json::json as object;
use std::sync::PoisonError;
use xpuck_wire::session::fresh_token;

/// Returns the console's mode, and the visitor's session with its role, if there is one.
pub async fn session(State(shared): State<Shared>, Visitor(visitor): Visitor) -> Response {
    let settings = &shared.settings;
    let role = visitor.as_ref().map(|(person, _)| person.role);
    json(&object!({
        "role": role,
        "name": visitor.as_ref().map(|(person, _)| &person.name),
        "expires_s": visitor.as_ref().map(|(_, left)| *left).filter(|left| left.is_finite()),
        "look": if settings.login_to_view { "login" } else { "anyone" },
        "signs": settings.dev_mode || settings.signer.is_some(),
        "dev_mode": settings.dev_mode,
        "replay": settings.replay,
        "version": env!("CARGO_PKG_VERSION"),
    }))
}

/// Returns the host name under which the browser addresses this console. The name is part of the signed text.
fn host(headers: &HeaderMap) -> String {
    headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or_default().to_string()
}

/// Returns a challenge that the owner of a key signs to log in.
pub async fn challenge(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    let Ok(token) = fresh_token() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "the random number generator of this machine failed");
    };
    let sessions = shared.sessions.lock().unwrap_or_else(PoisonError::into_inner);
    let challenge = sessions.challenge(shared.now(), &token);
    json(&object!({ "challenge": challenge, "host": host(&headers) }))
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum LoginRequest {
    Key { name: String, challenge: String, signature: String },
    Link { link: String },
}

/// Logs in a visitor who sends a signed challenge or a one-time link.
pub async fn login(State(shared): State<Shared>, headers: HeaderMap, asked: JsonBody<LoginRequest>) -> Response {
    if !headers.contains_key(HEADER) {
        return refusal(StatusCode::FORBIDDEN, "the x-xpuck header is missing");
    }
    let Ok(session) = fresh_token() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "the random number generator of this machine failed");
    };
    let now = shared.now();
    let mut sessions = shared.sessions.lock().unwrap_or_else(PoisonError::into_inner);
    let found = match asked.0 {
        LoginRequest::Link { link } => sessions.login_by_link(now, &link, session.clone()),
        LoginRequest::Key { name, challenge, signature } => {
            let holders = shared.guard.as_ref().map_or(Vec::new(), |guard| guard.holders_called(&name));
            sessions.answer(now, &host(&headers), (&challenge, &signature), &holders, session.clone())
        }
    };
    drop(sessions);
    match found {
        Ok(person) => {
            let answer = json(&object!({ "ok": true, "role": person.role, "name": person.name }));
            with_cookie(&shared, answer, &session, 12 * 3600)
        }
        Err(why @ (Refused::TooMany | Refused::RateLimited)) => {
            refusal(StatusCode::TOO_MANY_REQUESTS, &why.to_string())
        }
        Err(why) => refusal(StatusCode::UNAUTHORIZED, &why.to_string()),
    }
}

/// Ends the visitor's session.
pub async fn logout(State(shared): State<Shared>, headers: HeaderMap) -> Response {
    if !headers.contains_key(HEADER) {
        return refusal(StatusCode::FORBIDDEN, "the x-xpuck header is missing");
    }
    for token in tokens(&headers, &shared.settings.cookie) {
        shared.sessions.lock().unwrap_or_else(PoisonError::into_inner).end(token);
    }
    with_cookie(&shared, json(&object!({ "ok": true })), "", 0)
}

fn with_cookie(shared: &Shared, response: Response, token: &str, seconds: u32) -> Response {
    let secure = if shared.settings.tls.is_some() { "; Secure" } else { "" };
    let name = &shared.settings.cookie;
    let text = format!("{name}={token}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Strict{secure}");
    let mut response = response.into_response();
    if let Ok(value) = HeaderValue::from_str(&text) {
        response.headers_mut().insert(header::SET_COOKIE, value);
    }
    response
}
