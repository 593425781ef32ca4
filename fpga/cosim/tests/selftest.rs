//! Test of the robot's program with the devices of an arena, which are connected through the shim's logic.

#[path = "../../../robot/arena/tests/robot/mod.rs"]
mod robot;

use serde_json::Value;
use std::sync::Arc;
use xpuck_arena::{BodyKind, Faults};
use xpuck_shim::Logic;

#[test]
fn selftest_passes_through_shim_logic() {
    robot::serve(BodyKind::Xpuck, Faults::default(), Some(Arc::new(Logic::default())), |file, _| {
        let output = robot::selftest(file, &["--json"]).output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        let of =
            |verdict: &str| told.as_array().unwrap().iter().filter(|f| f["verdict"] == verdict).collect::<Vec<_>>();
        assert!(of("fail").is_empty() && output.status.success(), "{:#?}", of("fail"));
        let found = |check: &str| {
            of("pass").iter().find(|f| f["device"] == "shim" && f["check"] == check).unwrap()["found"].clone()
        };
        assert_eq!((found("ident"), found("camera's rows")), ("build 01234567".into(), "320 bytes".into()));
    });
}
