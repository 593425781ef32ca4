//! Download of a run's files, and of its tables as CSV.

use super::run_blocking;
use super::runs::folder;
use crate::console::Shared;
use crate::console::serve::Connection;
use crate::console::visitor::refusal;
use axum::body::Body;
use axum::extract::{Extension, Path, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::io::Read;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use xpuck_record::export::{Format, export as write_tables};
use xpuck_wire::file;

/// Names of the files that are sent unchanged from the run's folder, besides the record.
const PLAIN: [&str; 2] = ["run.toml", "result.json"];
/// Time limit for one download.
const LONGEST: Duration = Duration::from_secs(600);
/// Number of bytes per read.
const PIECE: usize = 64 * 1024;

fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map(|(_, extension)| extension) {
        Some("csv") => "text/csv; charset=utf-8",
        Some("json") => "application/json",
        Some("toml") => "application/toml",
        _ => "application/octet-stream",
    }
}

/// Opens a file of the run, or a table that is generated on request.
fn open(folder: &FilePath, name: &str) -> Result<std::fs::File, String> {
    let is_part = name.ends_with(".mcap")
        && xpuck_record::parts(folder)
            .is_ok_and(|parts| parts.iter().any(|part| part.file_name().is_some_and(|known| known == name)));
    if PLAIN.contains(&name) || is_part {
        return file::open(&folder.join(name)).map_err(|error| format!("{name}: {error}"));
    }
    if !name.ends_with(".csv") || name.contains('/') {
        return Err(format!(
            "`{}` does not exist; files are run.mcap, run.toml, result.json, and tables as NAME.csv",
            name.escape_debug()
        ));
    }
    let tables = tempfile::tempdir().map_err(|error| error.to_string())?;
    write_tables(folder, tables.path(), Format::Csv, |_, _| true).map_err(|error| error.to_string())?;
    // The open file can still be read after its temporary folder is removed.
    file::open(&tables.path().join(name)).map_err(|error| format!("{name}: {error}"))
}

/// Sends a file in pieces at the speed of the receiver.
pub async fn export(
    State(shared): State<Shared>,
    Extension(connection): Extension<Arc<Connection>>,
    Path((id, name)): Path<(String, String)>,
) -> Response {
    let Ok(permit) = shared.slow.clone().try_acquire_owned() else {
        return refusal(StatusCode::SERVICE_UNAVAILABLE, "another download is in progress; try again in a moment");
    };
    connection.may_take(LONGEST);
    let wanted = name.clone();
    let opened = run_blocking(move || folder(&shared, &id).and_then(|folder| open(&folder, &wanted))).await;
    let mut file = match opened {
        Ok(Ok(file)) => file,
        Ok(Err(why)) => return refusal(StatusCode::NOT_FOUND, &why),
        Err(response) => return response,
    };
    let (sender, pieces) = mpsc::channel::<std::io::Result<Vec<u8>>>(2);
    tokio::task::spawn_blocking(move || {
        let _permit = permit;
        loop {
            let mut piece = vec![0; PIECE];
            let read = file.read(&mut piece);
            let last = !matches!(read, Ok(1..));
            let sent = match read {
                Ok(0) => return,
                Ok(length) => {
                    piece.truncate(length);
                    sender.blocking_send(Ok(piece))
                }
                Err(error) => sender.blocking_send(Err(error)),
            };
            if last || sent.is_err() {
                return;
            }
        }
    });
    let headers = [
        (header::CONTENT_TYPE, kind(&name).to_string()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    (headers, Body::from_stream(ReceiverStream::new(pieces))).into_response()
}
