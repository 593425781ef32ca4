//! A client of the hub's web console.

use std::io::{Read, Write};
use std::net::TcpStream;
use xpuck_testing::patience;

/// Sends the text of a request to a server. Returns what the server sends until it closes the connection.
pub fn exchange(address: &str, request: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(patience())).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that closes a connection early may reset it; the answer so far counts.
    let _ = socket.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Gets a path. Returns the head and the body of the answer.
pub fn get_as(address: &str, path: &str, accept: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
    let answer = exchange(address, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {answer:?}"));
    (head.to_string(), body.to_string())
}

/// Gets a path. Returns the status code and the body of the answer.
pub fn get(address: &str, path: &str) -> (u16, String) {
    let (head, body) = get_as(address, path, "*/*");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// Value of a metric of the hub, if the hub has the metric.
pub fn metric(address: &str, name: &str) -> Option<f64> {
    let (_, text) = get(address, "/metrics");
    let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
    line.rsplit(' ').next()?.parse().ok()
}
