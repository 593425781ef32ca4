//! Tests of a hub whose key folder, or a part of it, is removed and restored during a run.

use super::rig::Rig;
use xpuck_wire::message::{Reply, Request};

#[test]
fn keys_that_cannot_be_read_revoke_nobody_and_raise_an_alarm() {
    let rig = Rig::start(None);
    let (keys, aside) = (rig.path("keys"), rig.path("aside"));
    let (robots, none) = (keys.join("robots"), keys.join("robots.aside"));
    // The whole folder is missing.
    std::fs::rename(&keys, &aside).unwrap();
    rig.until("the alarm", |rig| rig.log().contains("the key folder cannot be read"));
    rig.until("the alarm in /health", |rig| {
        let health = rig.http(&format!("GET /health HTTP/1.1\r\nHost: {}\r\n\r\n", rig.console()));
        health.starts_with("HTTP/1.1 503") && health.contains("the keys cannot be read")
    });
    assert!(rig.shown()["security"]["keys_unreadable"].as_str().is_some_and(|why| why.contains("keys")));
    std::fs::rename(&aside, &keys).unwrap();
    rig.until("the end of the alarm", |rig| rig.log().contains("can be read again"));
    rig.assert_well();
    // The folder of one role is missing.
    std::fs::rename(&robots, &none).unwrap();
    rig.until("the second alarm", |rig| rig.log().matches("the key folder cannot be read").count() == 2);
    rig.assert_well();
    std::fs::rename(&none, &robots).unwrap();
    // The removal of a single key counts as intentional, and the key is revoked.
    std::fs::remove_file(robots.join("xp01.pub")).unwrap();
    rig.until("the revocation", |rig| rig.log().contains("revoked: robot xp01"));
    assert_eq!(rig.ask(&Request::Stop).1, Reply::Done, "the operator is served all the same");
}
