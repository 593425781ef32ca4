//! Accepts connections at the robot's socket and reads their requests, in one thread per connection.

use super::connection::Connection;
use super::line::{MAX_LINE, PROTOCOL, RATES, Reply, Request};
use super::{MAX_PROGRAMS, QueuedRequest, Shared, lock};
use std::io::{BufRead, BufReader, ErrorKind, Read};
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::warn;
use xpuck_robot_core::external::{Command, MAX_NAME, ProgramRequest, Ring};
use xpuck_wire::{FileError, escape};

/// Time limit for the first message of a controller, the hello (wall time).
const HELLO_TIMEOUT: Duration = Duration::from_secs(5);
/// Maximum line rate of a controller (1/s of arena time).
const MAX_LINE_RATE: f64 = 500.0;
/// Permissions of the socket: read and write for its owner and its group.
const SOCKET_MODE: u32 = 0o660;
/// Pause after a connection could not be accepted, for example because of too many open files.
const PAUSE: Duration = Duration::from_millis(200);

/// Maximum path length of a Unix socket (bytes).
const MAX_PATH: usize = 107;

/// Verifies that a socket can be created at this path.
///
/// # Errors
/// One line with the reason.
pub(crate) fn check_place(path: &Path) -> Result<(), String> {
    if path.as_os_str().len() > MAX_PATH {
        return Err(format!("the path of a socket must have at most {MAX_PATH} bytes"));
    }
    match std::fs::symlink_metadata(path) {
        Ok(there) if !there.file_type().is_socket() => {
            return Err("the path exists and is not a socket; choose another path".into());
        }
        Ok(_) => return Ok(()),
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error.to_string()),
    }
    // `bind` creates the folder of the socket, such as /run/xpuck. The parent of that folder must exist.
    let folder = path.parent().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    match folder.is_none_or(Path::is_dir) {
        true => Ok(()),
        false => Err(format!("the folder {} does not exist", folder.unwrap_or(path).display())),
    }
}

/// Creates the socket and its folder. An existing socket at this path is replaced.
pub(super) fn bind(path: &Path) -> Result<UnixListener, FileError> {
    let refuse = |why: String| FileError::value(&path.display().to_string(), format!("external.socket: {why}"));
    check_place(path).map_err(refuse)?;
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(refuse(error.to_string())),
        _ => {}
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| refuse(error.to_string()))?;
    }
    let listener = UnixListener::bind(path).map_err(|error| refuse(error.to_string()))?;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(SOCKET_MODE))
        .map_err(|error| refuse(error.to_string()))?;
    Ok(listener)
}

/// Accepts connections until the server stops.
pub(super) fn accept(listener: &UnixListener, shared: &Arc<Shared>) {
    let mut number = 0;
    loop {
        let accepted = listener.accept();
        if shared.ending.load(Ordering::Acquire) {
            return;
        }
        let Ok((stream, _)) = accepted else {
            std::thread::sleep(PAUSE);
            continue;
        };
        number += 1;
        let Ok(reading) = stream.try_clone() else { continue };
        let connection = Arc::new(Connection::new(number, stream));
        let mut connections = lock(&shared.connections);
        if connections.len() >= MAX_PROGRAMS {
            let why = format!(
                "{MAX_PROGRAMS} programs are connected, which is the maximum; close another program's connection"
            );
            connection.send_line(Reply::Refused { why: &why }.line());
            continue;
        }
        connections.push(connection.clone());
        drop(connections);
        let (serving, served) = (shared.clone(), connection.clone());
        let reader = std::thread::Builder::new().name("program".into()).spawn(move || {
            serve(reading, &served, &serving);
            end(&served, &serving);
        });
        if reader.is_err() {
            end(&connection, shared);
        }
    }
}

fn end(connection: &Arc<Connection>, shared: &Shared) {
    connection.close();
    lock(&shared.connections).retain(|other| other.number != connection.number);
    shared.push(QueuedRequest { connection: connection.clone(), said: ProgramRequest::Gone, of: None });
}

/// Reads requests until the connection ends or is closed after an invalid request.
fn serve(stream: UnixStream, connection: &Arc<Connection>, shared: &Shared) {
    let refuse = |why: &str| {
        connection.send_line(Reply::Refused { why }.line());
    };
    let _ = stream.set_read_timeout(Some(HELLO_TIMEOUT));
    let mut lines = BufReader::new(stream);
    let mut name = String::new();
    let (mut since, mut count) = (Instant::now(), 0.0);
    let mut line = Vec::new();
    loop {
        line.clear();
        match (&mut lines).take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return refuse(&format!("no hello was received within {} s", HELLO_TIMEOUT.as_secs()));
            }
            Err(_) => return,
            Ok(_) if line.len() > MAX_LINE => return refuse(&format!("the line has more than {MAX_LINE} bytes")),
            // A last line without a line feed is incomplete and is ignored.
            Ok(_) if !line.ends_with(b"\n") => return,
            Ok(_) => {}
        }
        if since.elapsed() > Duration::from_secs(1) {
            (since, count) = (Instant::now(), 0.0);
        }
        count += 1.0;
        if count > MAX_LINE_RATE * shared.speed.max(1.0) {
            let who = if name.is_empty() { "a program" } else { &name };
            warn!(target: "xpuckd", id = shared.robot, "program `{who}` is disconnected: more than {MAX_LINE_RATE} lines a second");
            return refuse(&format!("more than {MAX_LINE_RATE} lines per second of arena time"));
        }
        let request = match serde_json::from_slice::<Request>(&line) {
            Ok(request) => request,
            Err(error) => {
                refuse(&format!("invalid request: {error}"));
                if name.is_empty() {
                    return;
                }
                queue_request(connection, shared, ProgramRequest::Unreadable, None);
                continue;
            }
        };
        match request {
            Request::Hello { protocol, .. } if protocol != PROTOCOL => {
                return refuse(&format!("protocol {protocol} is not supported; this robot supports {PROTOCOL}"));
            }
            Request::Hello { name: theirs, rate, .. } => match validate_hello(&name, &theirs, rate) {
                Ok(theirs) => {
                    name = theirs;
                    let _ = lines.get_ref().set_read_timeout(None);
                    connection.send_line(Reply::hello(&shared.robot, shared.speed).line());
                    connection.begin(rate);
                    // Wakes the control loop, which might sleep longer than the time to the first sense message.
                    lock(&shared.waker).wake();
                }
                Err(why) => return refuse(&why),
            },
            _ if name.is_empty() => return refuse("send hello first"),
            Request::Take => queue_request(connection, shared, ProgramRequest::Take(name.clone()), None),
            Request::Drive { wheels, lamps, of } => {
                queue_request(
                    connection,
                    shared,
                    ProgramRequest::Drive(Command { wheels, lamps: lamps.map(Ring::from) }),
                    of,
                );
            }
            Request::Say { to, text } => queue_request(connection, shared, ProgramRequest::Tell(to, text), None),
            Request::Release => queue_request(connection, shared, ProgramRequest::Release, None),
            Request::Stats => drop(connection.send_line(Reply::Stats(connection.stats()).line())),
        }
    }
}

fn queue_request(connection: &Arc<Connection>, shared: &Shared, said: ProgramRequest, of: Option<u64>) {
    if !shared.push(QueuedRequest { connection: connection.clone(), said, of }) {
        connection.send_line(Reply::Refused { why: "too many requests are queued" }.line());
    }
}

/// Validates a hello. Returns the controller's name in the form for logs.
fn validate_hello(known: &str, name: &str, rate: f64) -> Result<String, String> {
    if !known.is_empty() {
        return Err("hello must be sent only once".into());
    }
    if !(RATES[0]..=RATES[1]).contains(&rate) {
        return Err(format!("rate = {rate} is outside {} to {}", RATES[0], RATES[1]));
    }
    let length = name.chars().count();
    if length == 0 || length > MAX_NAME {
        return Err(format!("the name has {length} characters; 1 to {MAX_NAME} are allowed"));
    }
    Ok(escape(name))
}
