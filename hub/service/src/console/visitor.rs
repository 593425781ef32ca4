//! Visitor who sends a request: the visitor's session and permissions.

use super::Shared;
use super::sessions::Person;
use axum::extract::{FromRequest, FromRequestParts, Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;
use std::sync::PoisonError;
use xpuck_wire::keyring::Role;

/// Name of the header that every request for a change must have. Pages of other sites cannot send this header.
pub const HEADER: &str = "x-xpuck";

/// Maximum number of session tokens that are checked per request.
const TOKENS: usize = 4;

/// Visitor, with the remaining lifetime of the session (s); `None` without a session.
pub struct Visitor(pub Option<(Person, f64)>);

/// Visitor who is logged in as an operator, and may therefore command the swarm.
pub struct Operator(pub Person);

/// Body of a request, parsed from JSON.
pub struct JsonBody<T>(pub T);

impl<T: DeserializeOwned> FromRequest<Shared> for JsonBody<T> {
    type Rejection = Response;

    async fn from_request(request: Request, shared: &Shared) -> Result<JsonBody<T>, Response> {
        axum::Json::from_request(request, shared).await.map(|axum::Json(said)| JsonBody(said)).map_err(|error| {
            let why = match error.status() {
                StatusCode::PAYLOAD_TOO_LARGE => {
                    "the request is too long: an experiment with its files may have 1 MiB, other requests 16 KiB".into()
                }
                _ => error.body_text(),
            };
            refusal(error.status(), &why)
        })
    }
}

/// Creates a response that rejects a request. Its body is one line of JSON with the reason.
pub fn refusal(code: StatusCode, why: &str) -> Response {
    (code, axum::Json(serde_json::json!({ "ok": false, "error": why }))).into_response()
}

/// Returns the session tokens of a request. There may be several, because a page on another port can set a cookie of
/// the same name.
pub fn tokens<'a>(headers: &'a HeaderMap, cookie: &str) -> impl Iterator<Item = &'a str> {
    let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(name, _)| *name == cookie).map(|(_, value)| value).take(TOKENS)
}

impl Shared {
    /// Returns the person to whose session a request belongs, and the remaining lifetime of the session (s). Returns
    /// `None` without a valid session. In development mode, every request has a session without a time limit.
    pub fn person(&self, headers: &HeaderMap) -> Option<(Person, f64)> {
        if self.settings.dev_mode {
            return Some((Person { name: "console".into(), role: Role::Operator, key: None }, f64::INFINITY));
        }
        let enrolled = |person: &Person| {
            let Some(key) = person.key else { return true };
            let holders = self.guard.as_ref().map_or(Vec::new(), |guard| guard.holders_called(&person.name));
            holders.iter().any(|holder| holder.role == person.role && holder.public.ed25519 == key)
        };
        let mut sessions = self.sessions.lock().unwrap_or_else(PoisonError::into_inner);
        tokens(headers, &self.settings.cookie).find_map(|token| sessions.session_of(self.now(), token, enrolled))
    }

    /// Returns whether the sender of a request may view the console. Depending on the settings, this requires a
    /// session.
    pub fn may_look(&self, headers: &HeaderMap) -> bool {
        !self.settings.login_to_view || self.person(headers).is_some()
    }

    /// Returns the wall time since the start of the console (s).
    pub fn now(&self) -> f64 {
        self.started.elapsed().as_secs_f64()
    }
}

impl FromRequestParts<Shared> for Visitor {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Visitor, Self::Rejection> {
        Ok(Visitor(shared.person(&parts.headers)))
    }
}

impl FromRequestParts<Shared> for Operator {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Operator, Response> {
        if shared.settings.replay.is_some() {
            return Err(refusal(StatusCode::FORBIDDEN, "commands are not available in a replay"));
        }
        if !parts.headers.contains_key(HEADER) {
            return Err(refusal(StatusCode::FORBIDDEN, "the x-xpuck header is missing"));
        }
        match shared.person(&parts.headers) {
            Some((person, _)) if person.role == Role::Operator => Ok(Operator(person)),
            Some((person, _)) => {
                let why = format!("`{}` is an observer and must not change anything", person.name);
                Err(refusal(StatusCode::FORBIDDEN, &why))
            }
            None => Err(refusal(StatusCode::UNAUTHORIZED, "log in as an operator first")),
        }
    }
}

/// Rejects requests whose sender may not view the console.
pub async fn may_look(State(shared): State<Shared>, request: Request, next: Next) -> Response {
    if !shared.may_look(request.headers()) {
        return refusal(StatusCode::UNAUTHORIZED, "log in to see the swarm");
    }
    next.run(request).await
}
