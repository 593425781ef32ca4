//! Playground (docs/playground.md): static files that `make playground` builds. The hub's console serves them, and
//! `xpuck serve playground` serves them without a hub.

use super::access::Names;
use super::{assets, own_pages, serve};
use crate::admission::Bounds;
use axum::Router;
use axum::extract::{Path as NameInUrl, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use std::ffi::OsStr;
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::UNIX_EPOCH;
use xpuck_wire::file;

/// File that is served for the folder itself.
const PAGE: &str = "index.html";
/// Folders that are searched for the playground, relative to the folder of the program: in a checkout, and installed.
const FOLDERS: [&str; 2] = ["../playground", "../share/xpuck/playground"];
/// Maximum size of a file (bytes).
const MAX_FILE: u64 = 64 << 20;
/// Content security policy: as on the console's page, and WebAssembly may be compiled.
const POLICY: &str = "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data: blob:; \
    style-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// Returns the folder with the playground of this program, if there is one.
pub fn folder() -> Option<PathBuf> {
    let program = std::env::current_exe().ok()?.canonicalize().ok()?;
    FOLDERS.iter().find_map(|folder| checked(&program.parent()?.join(folder)).ok())
}

/// Returns the absolute path of a folder with a playground.
///
/// # Errors
/// If the folder does not exist, or its page is not a file.
pub fn checked(folder: &Path) -> std::io::Result<PathBuf> {
    let folder = folder.canonicalize()?;
    file::bytes(&folder.join(PAGE), MAX_FILE)?;
    Ok(folder)
}

/// Serves a playground on `listener` until the process ends. `address` is the address of the listener.
///
/// # Errors
/// If the listener or the runtime cannot be used.
pub fn serve(listener: std::net::TcpListener, address: &str, folder: PathBuf) -> std::io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let names = Names::new(address, &[]);
    let router = router(folder).layer(from_fn_with_state(Arc::new(names), own_pages));
    runtime.block_on(serve::serve(listener, Bounds::of_pages(64, 16), None, router))
}

/// Returns the routes of a playground: the page at `/`, and its files.
pub fn router(folder: PathBuf) -> Router {
    Router::new()
        .route(
            "/",
            get(|State(folder): State<Arc<PathBuf>>, headers: HeaderMap| async move { answer(folder, PAGE.into(), headers).await }),
        )
        .route(
            "/{*name}",
            get(|State(folder): State<Arc<PathBuf>>, NameInUrl(name): NameInUrl<String>, headers: HeaderMap| async move {
                answer(folder, name, headers).await
            }),
        )
        .with_state(Arc::new(folder))
}

/// Adds a playground below `/playground/`.
pub fn below<S: Clone + Send + Sync + 'static>(router: Router<S>, folder: PathBuf) -> Router<S> {
    router
        .route("/playground", get(|| async { Redirect::permanent("/playground/") }))
        .nest_service("/playground/", self::router(folder))
}

async fn answer(folder: Arc<PathBuf>, name: String, asked: HeaderMap) -> Response {
    // Reads of a file block.
    let read = tokio::task::spawn_blocking(move || respond(&folder, &name, &asked)).await;
    read.ok().and_then(Result::ok).unwrap_or_else(|| (StatusCode::NOT_FOUND, "no such file\n").into_response())
}

/// Returns the response with a file.
///
/// # Errors
/// If the file does not exist below the folder, or cannot be read.
fn respond(folder: &Path, name: &str, asked: &HeaderMap) -> std::io::Result<Response> {
    // Neither `..` nor a symbolic link leaves the folder.
    let path = folder.join(name).canonicalize()?;
    if !path.starts_with(folder) {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    let version = version(&path.metadata()?);
    let headers = [
        (header::CONTENT_TYPE, assets::kind(name)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
        (header::REFERRER_POLICY, "no-referrer"),
    ];
    let held = asked.get(header::IF_NONE_MATCH).is_some_and(|held| held.as_bytes() == version.as_bytes());
    let version = [(header::ETAG, version)];
    if held {
        return Ok((StatusCode::NOT_MODIFIED, headers, version).into_response());
    }
    let packed = path.with_added_extension(OsStr::new("gz"));
    let packed = assets::accepts_gzip(asked).then(|| file::bytes(&packed, MAX_FILE));
    Ok(match packed {
        Some(Ok(bytes)) => (headers, version, [(header::CONTENT_ENCODING, "gzip")], bytes).into_response(),
        _ => (headers, version, file::bytes(&path, MAX_FILE)?).into_response(),
    })
}

/// Returns the entity tag of a file: size and time of its last change.
fn version(file: &Metadata) -> String {
    let changed = file.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("\"{:x}-{:x}\"", file.len(), changed.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(folder: &Path, name: &str, headers: &[(header::HeaderName, &str)]) -> std::io::Result<Response> {
        respond(folder, name, &headers.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect())
    }

    #[test]
    fn files_are_served_only_from_the_folder() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "secret").unwrap();
        let folder = outside.path().join("playground");
        std::fs::create_dir(&folder).unwrap();
        assert!(checked(&folder).is_err(), "a folder without a page");
        std::fs::write(folder.join(PAGE), "<p>").unwrap();
        std::fs::write(folder.join("a.wasm"), "plain").unwrap();
        std::fs::write(folder.join("a.wasm.gz"), "packed").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.join("link")).unwrap();
        let folder = checked(&folder).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(folder.join("fifo")).status().unwrap().success());
        for name in ["../secret", "link", "/etc/passwd", "none", "", "a\0b", "fifo"] {
            assert!(ask(&folder, name, &[]).is_err(), "{name:?}");
        }
        let plain = ask(&folder, "a.wasm", &[]).unwrap();
        let packed = ask(&folder, "a.wasm", &[(header::ACCEPT_ENCODING, "br, gzip")]).unwrap();
        let text =
            |response: &Response, name| response.headers().get(name).map(|value| value.to_str().unwrap().to_string());
        assert_eq!(text(&plain, header::CONTENT_TYPE).as_deref(), Some("application/wasm"));
        assert_eq!(
            (text(&plain, header::CONTENT_ENCODING), text(&packed, header::CONTENT_ENCODING)),
            (None, Some("gzip".into()))
        );
        let version = text(&plain, header::ETAG).unwrap();
        assert_eq!(
            ask(&folder, "a.wasm", &[(header::IF_NONE_MATCH, &version)]).unwrap().status(),
            StatusCode::NOT_MODIFIED
        );
    }
}
