//! HTTP client for the hub's web console.

use std::io::{Read, Write};
use std::net::TcpStream;
use xpuck_testing::patience;

/// Sends the text of a request to a server. Returns all data that the server sends until it closes the connection.
pub fn exchange(address: &str, request: &str) -> String {
    let mut socket = TcpStream::connect(address).unwrap();
    socket.set_read_timeout(Some(patience())).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    // A server that closes a connection early may reset it. The data received so far are the answer.
    let _ = socket.read_to_end(&mut answer);
    String::from_utf8_lossy(&answer).into_owned()
}

/// Sends a GET request for a path, with `accept` as the accepted type. Returns the head and the body of the answer.
pub fn get_as(address: &str, path: &str, accept: &str) -> (String, String) {
    let request = format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nAccept: {accept}\r\nConnection: close\r\n\r\n");
    let answer = exchange(address, &request);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("{path}: {answer:?}"));
    (head.to_string(), body.to_string())
}

/// Sends a GET request for a path. Returns the status code and the body of the answer.
pub fn get(address: &str, path: &str) -> (u16, String) {
    let (head, body) = get_as(address, path, "*/*");
    (head.split(' ').nth(1).unwrap().parse().unwrap(), body)
}

/// Returns the value of a metric of the hub, or `None` if the hub does not have the metric.
pub fn metric(address: &str, name: &str) -> Option<f64> {
    let (_, text) = get(address, "/metrics");
    let line = text.lines().find(|line| line.strip_prefix(name).is_some_and(|rest| rest.starts_with(' ')))?;
    line.rsplit(' ').next()?.parse().ok()
}
