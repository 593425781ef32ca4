//! Real hub, real robot, real keys: who gets through, and what is refused.

use crate::common::xpuck;
use crate::lab::{EXPERIMENT, Lab};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_wire::Phase;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;

const OPERATOR: &str = "keys/operators/operator.key";

#[test]
fn a_swarm_with_keys_runs_a_signed_experiment_and_refuses_everybody_else() {
    let mut lab = Lab::start();
    lab.wait("the robot", |s| s.robots[0].alive && s.tracking);

    // An experiment that nobody signed, and one that a stranger signed.
    let files = || [("on.bt".to_string(), "movcv v_goal 0deg".to_string())].into();
    for (signer, why) in [(None, "not signed"), (Some(Secret::generate("eve").unwrap()), "no operator here")] {
        let signed = Signed::new(EXPERIMENT.into(), files(), signer.as_ref()).unwrap();
        let Reply::Refused(said) = lab.ask(&Request::Start { signed, seed: 1 }) else { panic!("accepted") };
        assert!(said.contains(why), "{said}");
    }

    // A stranger's key, an observer's, and none.
    assert!(lab.keys(&["make", "visitor"]).status.success());
    std::fs::create_dir(lab.path().join("keys/observers")).unwrap();
    std::fs::rename(lab.path().join("visitor.key"), lab.path().join("keys/observers/visitor.key")).unwrap();
    let visitor = "keys/observers/visitor.key";
    assert!(lab.tell(visitor, &["stop"]).contains("does not let this key in"));
    assert!(lab.keys(&["enrol", "visitor.pub", "--role", "observer"]).status.success());
    lab.wait("enrolment", |s| s.events.iter().any(|e| e.contains("enrolled: observer visitor")));
    assert_eq!(lab.tell(visitor, &["robots"]), "");
    assert!(lab.tell(visitor, &["stop"]).contains("may look and change nothing"));
    let plain = lab.run(&["stop", "--dev-mode", "--hub", &lab.operator]);
    assert!(!plain.status.success());
    let refusals = lab.wait("counts", |s| s.security.refusals.no_curve > 0).security.refusals;
    assert!(refusals.unknown_key > 0 && refusals.wrong_role > 0, "{refusals:?}");

    the_doctor_sees_each_promise(&lab, visitor);
    observers_push_nothing(&lab, visitor);

    // An operator's who was enrolled after the robot started, with the controller in a file of its own.
    assert!(lab.keys(&["make", "second"]).status.success());
    assert!(lab.keys(&["enrol", "second.pub", "--role", "operator"]).status.success());
    lab.wait("enrolment", |s| s.events.iter().any(|e| e.contains("enrolled: operator second")));
    let second = "keys/operators/second.key";
    std::fs::rename(lab.path().join("second.key"), lab.path().join(second)).unwrap();
    assert_eq!(lab.tell(second, &["start", "e.toml", "--with", "on.bt"]), "");
    lab.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == xpuck_wire::message::State::Run);

    // Revoked while it runs: it is cut off, stops for want of a hub, and comes back when it is enrolled again.
    let public = lab.path().join("keys/robots/xp01.pub");
    std::fs::rename(&public, lab.path().join("xp01.pub")).unwrap();
    lab.wait("revocation", |s| !s.robots[0].alive && s.security.refusals.revoked > 0);
    assert!(lab.keys(&["enrol", "xp01.pub", "--role", "robot"]).status.success());
    lab.wait("its return", |s| s.robots[0].alive && s.robots[0].state == xpuck_wire::message::State::Run);

    // A robot that starts again gets its experiment and runs.
    let mut robot = lab.children.pop().unwrap();
    robot.kill().unwrap();
    robot.wait().unwrap();
    lab.wait("its end", |s| !s.robots[0].alive);
    lab.robot();
    lab.wait("its new start", |s| s.robots[0].alive && s.robots[0].state == xpuck_wire::message::State::Run);

    // A key that others may read is not used.
    use std::os::unix::fs::PermissionsExt;
    let key = lab.path().join(OPERATOR);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(lab.tell(OPERATOR, &["stop"]).contains("chmod 600"));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(lab.tell(OPERATOR, &["stop"]), "");
    lab.wait("STOP", |s| s.robots[0].state == xpuck_wire::message::State::Stop);
}

/// What the doctor says, by promise.
fn verdicts(lab: &Lab, arguments: &[&str]) -> BTreeMap<String, String> {
    let output = lab.run(&[&["doctor", "--json"], arguments].concat());
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    findings.iter().map(|f| (f["promise"].as_str().unwrap().into(), f["verdict"].as_str().unwrap().into())).collect()
}

/// Its lines are those of the page, and hold on a folder that `xpuck keys new` made and with a hub that runs.
fn the_doctor_sees_each_promise(lab: &Lab, visitor: &str) {
    let found = verdicts(lab, &[]);
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/hub.md")).unwrap();
    let rows: Vec<&str> =
        (1..=9).map(|n| page.lines().find(|l| l.starts_with(&format!("| {n}. "))).expect("nine promises")).collect();
    let lines: BTreeSet<&str> = rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    assert_eq!(lines, found.keys().map(String::as_str).collect(), "docs/hub.md against `xpuck doctor`");
    for kept in [
        "links can be authenticated and encrypted",
        "only those with a key are heard",
        "experiments are signed",
        "secret keys are secret",
        "strangers are turned away",
        "STOP is heard",
        "the hub speaks these messages",
        "poses come",
        "there is room for records",
        "the robots are there",
        "the hub's clock counts",
        "all run the same release",
    ] {
        assert_eq!(found[kept], "on", "{kept}: {found:?}");
    }
    assert_eq!(verdicts(lab, &["--key", visitor])["STOP is heard"], "on");
    // Without a key that the hub knows it cannot tell, and says so.
    let nobody = verdicts(lab, &["--key", "none.key"]);
    assert_eq!((nobody["STOP is heard"].as_str(), nobody["the robots are there"].as_str()), ("broken", "off"));
    std::fs::rename(lab.path().join("keys/robots/xp01.pub"), lab.path().join("xp01.pub")).unwrap();
    assert_eq!(verdicts(lab, &[])["only those with a key are heard"], "broken");
    std::fs::rename(lab.path().join("xp01.pub"), lab.path().join("keys/robots/xp01.pub")).unwrap();
    lab.wait("the robot's return", |s| s.robots[0].alive);
}

fn observers_push_nothing(lab: &Lab, visitor: &str) {
    std::fs::write(lab.path().join("new.toml"), "[calibration.drive]\nleft = 1.015\n").unwrap();
    let push = ["push", "new.toml", "--robots", "xp01"];
    assert!(lab.tell(visitor, &push).contains("may look and change nothing"));
    assert_eq!(lab.tell(OPERATOR, &push), "");
    assert!(std::fs::read_to_string(lab.path().join("xp01.toml")).unwrap().contains("left = 1.015"));
    let (sockets, _) = Sockets::for_operator(&lab.path().join(visitor)).unwrap();
    let Reply::Pushed(rows) = sockets.operator(&lab.operator, 10_000).unwrap().ask(&Request::Pushed).unwrap() else {
        panic!("an observer may look at what was pushed")
    };
    assert!(rows.len() == 1 && rows[0].answer.as_ref().is_some_and(|a| a.answer.refusal().is_none()), "{rows:?}");
}

#[test]
fn keys_are_made_enrolled_listed_and_revoked() {
    let dir = tempfile::tempdir().unwrap();
    let keys = |arguments: &[&str]| {
        let output = xpuck().arg("keys").args(arguments).current_dir(dir.path()).output().unwrap();
        (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
    };
    let (good, said) = keys(&["new"]);
    assert!(good && said.contains("made keys for hub, operator"), "{said}");
    assert!(keys(&["new"]).1.contains("nothing was missing"));
    assert!(keys(&["make", "alice"]).0);
    assert!(!keys(&["make", "alice"]).0, "a key is never overwritten");
    assert!(keys(&["enrol", "alice.pub", "--role", "operator"]).0);
    assert!(keys(&["enrol", "alice.pub", "--role", "robot"]).1.contains("enrolled as operator `alice`"));
    assert_eq!(keys(&["list"]).1.lines().count(), 2);
    assert!(keys(&["revoke", "alice"]).0);
    assert!(keys(&["revoke", "alice"]).1.contains("nobody called `alice`"));
    assert_eq!(keys(&["list"]).1.lines().count(), 1);
    // A secret key is put aside, never lost, however often.
    for aside in ["operator.key.revoked", "operator.key.revoked-2"] {
        let secret = dir.path().join("keys/operators/operator.key");
        let before = std::fs::read(&secret).unwrap();
        let (good, said) = keys(&["revoke", "operator"]);
        assert!(good && said.contains(aside), "{said}");
        assert_eq!(std::fs::read(secret.with_file_name(aside)).unwrap(), before);
        assert!(keys(&["new"]).0, "another one is made");
    }
}
