//! Attacks on the console by pages of other sites, and by clients that never read an answer or never finish a
//! request.

use super::rig::Rig;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};
use xpuck_testing::patience;
use xpuck_testing::patience::scaled;

/// Header that makes the hub close the connection after its answer, instead of after ten idle seconds.
const CLOSE: &str = "Connection: close\r\n";

fn post(rig: &Rig, host: &str, more: &str) -> String {
    let body = "{\"command\":\"pause\"}";
    rig.http(&format!(
        "POST /api/command HTTP/1.1\r\nHost: {host}\r\nx-xpuck: 1\r\nContent-Type: application/json\r\n{more}{CLOSE}\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    ))
}

/// A page of another site can neither send commands nor read data, even if its host name resolves to this host.
#[test]
fn page_of_another_site_commands_and_reads_nothing() {
    let rig = Rig::start(None);
    let own = rig.console();
    let evil = "Origin: http://evil.example.com\r\n";
    assert!(post(&rig, "evil.example.com", evil).starts_with("HTTP/1.1 421"));
    assert!(post(&rig, "evil.example.com", "").starts_with("HTTP/1.1 421"));
    assert!(post(&rig, &own, evil).starts_with("HTTP/1.1 403"));
    for route in [
        "/",
        "/events",
        "/api/status",
        "/api/runs",
        "/metrics",
        "/health",
        "/api/session",
        "/assets/x/main.js",
        "/nothing",
    ] {
        let get =
            |host: &str, more: &str| rig.http(&format!("GET {route} HTTP/1.1\r\nHost: {host}\r\n{more}{CLOSE}\r\n"));
        assert!(get("evil.example.com", "").starts_with("HTTP/1.1 421"), "{route}");
        assert!(get(&own, evil).starts_with("HTTP/1.1 403"), "{route}");
    }
    assert_eq!(rig.shown()["phase"], "running");
    let mine = format!("Origin: http://{own}\r\n");
    // Even the console's own page cannot send commands without a login.
    assert!(post(&rig, &own, &mine).starts_with("HTTP/1.1 401"));
    assert_eq!(rig.shown()["phase"], "running");
}

/// The hub closes the connections of clients that send incomplete headers or bodies. Clients that never read an
/// answer use a limited amount of memory and a limited number of open files.
#[test]
fn browsers_that_never_read_or_never_finish_are_closed() {
    let rig = Rig::start(None);
    let own = rig.console();
    let watch = |_| {
        let mut socket = TcpStream::connect(&own).unwrap();
        socket.write_all(format!("GET /events HTTP/1.1\r\nHost: {own}\r\n\r\n").as_bytes()).unwrap();
        socket
    };
    let (before, _) = rig.hub();
    let watchers: Vec<TcpStream> = (0..1000).map(watch).collect();
    let begin = |text: String| {
        let mut socket = TcpStream::connect(&own).unwrap();
        socket.write_all(text.as_bytes()).unwrap();
        socket.set_read_timeout(Some(patience())).unwrap();
        socket
    };
    let began = Instant::now();
    let mut halves: Vec<TcpStream> = (0..60)
        .map(|n| match n % 2 {
            0 => begin(format!("GET /api/status HTTP/1.1\r\nHost: {own}\r\nX-Slow:")),
            _ => begin(format!(
                "POST /api/command HTTP/1.1\r\nHost: {own}\r\nx-xpuck: 1\r\nContent-Type: application/json\r\n\
                 Content-Length: 4000\r\n\r\n{{"
            )),
        })
        .collect();
    for half in &mut halves {
        // The hub answers, closes or resets the connection before the read times out.
        let mut byte = [0; 256];
        while let Ok(1..) = half.read(&mut byte) {}
        assert!(began.elapsed() < scaled(Duration::from_secs(25)));
    }
    let (during, files) = rig.hub();
    println!("1000 watchers: {before:.0} MB before, {during:.0} MB with them, {files} open files");
    assert!(during < before + 40.0 && files < 600, "{before} MB, {during} MB, {files} files");
    assert_eq!(rig.shown()["phase"], "running");
    drop(watchers);
    rig.until("the watchers have left", |rig| rig.hub().1 < 120);
    rig.assert_well();
}
