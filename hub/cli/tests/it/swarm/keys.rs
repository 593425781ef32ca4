//! A real hub, a real robot and real keys. The hub accepts valid peers, and rejects invalid peers and requests.

use crate::rig::{EXPERIMENT, OPERATOR_KEY, Swarm, xpuck};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_wire::Phase;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;

#[test]
fn swarm_with_keys_runs_signed_experiments_only() {
    let mut swarm = Swarm::of_one_robot();
    swarm.wait_for_robots();

    // The hub rejects an unsigned experiment, and an experiment with the signature of a stranger.
    let files = || [("on.bt".to_string(), "movcv v_goal 0deg".to_string())].into();
    for (signer, why) in
        [(None, "not signed"), (Some(Secret::generate("eve").unwrap()), "not an operator of this swarm")]
    {
        let signed = Signed::new(EXPERIMENT.into(), files(), signer.as_ref()).unwrap();
        let Reply::Refused(said) = swarm.ask(&Request::Start { signed, seed: 1 }) else { panic!("accepted") };
        assert!(said.contains(why), "{said}");
    }

    // The hub rejects a stranger's key, an observer's request to stop, and a client without a key.
    assert!(swarm.folder.run(&["keys", "make", "visitor"]).status.success());
    std::fs::create_dir(swarm.folder.path("keys/observers")).unwrap();
    std::fs::rename(swarm.folder.path("visitor.key"), swarm.folder.path("keys/observers/visitor.key")).unwrap();
    let visitor = "keys/observers/visitor.key";
    // The test repeats the command, which may time out on a busy machine before it receives the reason.
    let refused = || swarm.command_with_key(visitor, &["stop"]).contains("rejects this key");
    xpuck_testing::patience::wait_until("the refusal of a stranger's key", refused);
    assert!(swarm.folder.run(&["keys", "enrol", "visitor.pub", "--role", "observer"]).status.success());
    swarm.wait("enrolment", |s| s.events.iter().any(|e| e.contains("enrolled: observer visitor")));
    assert_eq!(swarm.command_with_key(visitor, &["robot", "list"]), "");
    assert!(swarm.command_with_key(visitor, &["stop"]).contains("is an observer and must not change anything"));
    let plain = swarm.folder.run(&["stop", "--dev-mode", "--hub", &swarm.folder.operator]);
    assert!(!plain.status.success());
    let refusals = swarm.wait("counts", |s| s.security.refusals.no_curve > 0).security.refusals;
    assert!(refusals.unknown_key > 0 && refusals.wrong_role > 0, "{refusals:?}");

    doctor_checks_each_promise(&swarm, visitor);
    observers_cannot_push(&swarm, visitor);

    // The operator `second` is enrolled after the robot has started. The hub and the robot accept this operator's
    // experiment, which has a separate controller file.
    assert!(swarm.folder.run(&["keys", "make", "second"]).status.success());
    assert!(swarm.folder.run(&["keys", "enrol", "second.pub", "--role", "operator"]).status.success());
    swarm.wait("enrolment", |s| s.events.iter().any(|e| e.contains("enrolled: operator second")));
    let second = "keys/operators/second.key";
    std::fs::rename(swarm.folder.path("second.key"), swarm.folder.path(second)).unwrap();
    assert_eq!(swarm.command_with_key(second, &["start", "e.toml", "--with", "on.bt"]), "");
    swarm.wait("the run", |s| s.phase == Phase::Running && s.robots[0].state == xpuck_wire::message::State::Run);

    // A robot that is revoked during a run loses its connection to the hub, and stops. When it is enrolled again, it
    // continues.
    let public = swarm.folder.path("keys/robots/xp01.pub");
    std::fs::rename(&public, swarm.folder.path("xp01.pub")).unwrap();
    swarm.wait("revocation", |s| !s.robots[0].alive && s.security.refusals.revoked > 0);
    assert!(swarm.folder.run(&["keys", "enrol", "xp01.pub", "--role", "robot"]).status.success());
    swarm.wait("its return", |s| s.robots[0].alive && s.robots[0].state == xpuck_wire::message::State::Run);

    // A restarted robot receives the experiment again and runs.
    swarm.kill("xp01");
    swarm.wait("its end", |s| !s.robots[0].alive);
    swarm.start_robot("xp01");
    swarm.wait("its new start", |s| s.robots[0].alive && s.robots[0].state == xpuck_wire::message::State::Run);

    // The command rejects a key file that other users may read.
    use std::os::unix::fs::PermissionsExt;
    let key = swarm.folder.path(OPERATOR_KEY);
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(swarm.command(&["stop"]).contains("chmod 600"));
    std::fs::set_permissions(&key, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(swarm.command(&["stop"]), "");
    swarm.wait("STOP", |s| s.robots[0].state == xpuck_wire::message::State::Stop);
}

/// Runs `xpuck doctor`, which checks the promises that docs/hub.md lists. Returns the verdict for each promise (`on`,
/// `off` or `broken`).
fn verdicts(swarm: &Swarm, arguments: &[&str]) -> BTreeMap<String, String> {
    let output = swarm.folder.run(&[&["doctor", "--json"], arguments].concat());
    let findings: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    findings.iter().map(|f| (f["promise"].as_str().unwrap().into(), f["verdict"].as_str().unwrap().into())).collect()
}

/// Checks that `xpuck doctor` checks the promises in docs/hub.md, and that they hold for a running hub with keys from
/// `xpuck keys new`. Then breaks some promises and checks the verdicts.
fn doctor_checks_each_promise(swarm: &Swarm, visitor: &str) {
    let found = verdicts(swarm, &[]);
    let page = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/hub.md")).unwrap();
    let rows: Vec<&str> =
        (1..=9).map(|n| page.lines().find(|l| l.starts_with(&format!("| {n}. "))).expect("nine promises")).collect();
    let lines: BTreeSet<&str> = rows.iter().flat_map(|row| row.split('`').skip(1).step_by(2)).collect();
    assert_eq!(lines, found.keys().map(String::as_str).collect(), "docs/hub.md against `xpuck doctor`");
    for kept in [
        "links can be authenticated and encrypted",
        "only peers with a key are accepted",
        "experiments are signed",
        "secret keys are secret",
        "peers without a valid key are rejected",
        "STOP is heard",
        "the hub has the same message version",
        "poses are received",
        "there is room for records",
        "all robots are connected",
        "robots follow the hub's clock",
        "all run the same release",
    ] {
        assert_eq!(found[kept], "on", "{kept}: {found:?}");
    }
    assert_eq!(verdicts(swarm, &["--key", visitor])["STOP is heard"], "on");
    // Without a key that the hub accepts, `xpuck doctor` cannot check the robots, and reports this.
    let nobody = verdicts(swarm, &["--key", "none.key"]);
    assert_eq!((nobody["STOP is heard"].as_str(), nobody["all robots are connected"].as_str()), ("broken", "off"));
    std::fs::rename(swarm.folder.path("keys/robots/xp01.pub"), swarm.folder.path("xp01.pub")).unwrap();
    assert_eq!(verdicts(swarm, &[])["only peers with a key are accepted"], "broken");
    std::fs::rename(swarm.folder.path("xp01.pub"), swarm.folder.path("keys/robots/xp01.pub")).unwrap();
    swarm.wait("the robot's return", |s| s.robots[0].alive);
}

fn observers_cannot_push(swarm: &Swarm, visitor: &str) {
    swarm.folder.write("new.toml", "[calibration.drive]\nleft = 1.015\n");
    let push = ["robot", "push", "new.toml", "--robots", "xp01"];
    assert!(swarm.command_with_key(visitor, &push).contains("is an observer and must not change anything"));
    assert_eq!(swarm.command(&push), "");
    assert!(swarm.folder.read("xp01.toml").contains("left = 1.015"));
    let (sockets, _) = Sockets::for_operator(&swarm.folder.path(visitor)).unwrap();
    let limit = xpuck_testing::patience().as_millis() as i32;
    let link = sockets.operator(&swarm.folder.operator, limit).unwrap();
    let Reply::Pushed(rows) = link.ask(&Request::Pushed).unwrap() else {
        panic!("an observer may read the pushed settings")
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
    assert!(keys(&["revoke", "alice"]).1.contains("no key named `alice`"));
    assert_eq!(keys(&["list"]).1.lines().count(), 1);
    // A revoked secret key is renamed. If the new name exists already, the key gets another name.
    for aside in ["operator.key.revoked", "operator.key.revoked-2"] {
        let secret = dir.path().join("keys/operators/operator.key");
        let before = std::fs::read(&secret).unwrap();
        let (good, said) = keys(&["revoke", "operator"]);
        assert!(good && said.contains(aside), "{said}");
        assert_eq!(std::fs::read(secret.with_file_name(aside)).unwrap(), before);
        assert!(keys(&["new"]).0, "another one is made");
    }
}
