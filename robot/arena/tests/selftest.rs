//! Tests that the self-test of the robot's program passes on the arena's devices for all three kinds of robot, and
//! detects every injected fault.

mod robot;

use robot::{selftest, serve};
use serde_json::Value;
use xpuck_arena::{BodyKind, Faults, SenseFault};
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};
use xpuck_registers::{ads1015, bno055, camera_sensor, epuck1, erandb, ground, vl53l0x};

/// Runs the self-test. Returns a text "device: check: found" for each failed check. Also returns whether the program
/// succeeded, and the number of passed checks.
fn failures(body: BodyKind, faults: Faults, more: &[&str]) -> (Vec<String>, bool, usize) {
    serve(body, faults, None, |file, _| {
        let output = selftest(file, more).arg("--json").output().unwrap();
        let told: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)));
        let findings = told.as_array().unwrap();
        let text = |f: &Value, key: &str| f[key].as_str().unwrap().to_string();
        let failed = findings.iter().filter(|f| f["verdict"] == "fail");
        let named = failed.map(|f| format!("{}: {}: {}", text(f, "device"), text(f, "check"), text(f, "found")));
        let passed = findings.iter().filter(|f| f["verdict"] == "pass").count();
        (named.collect(), output.status.success(), passed)
    })
}

/// Asserts that each fault makes its check fail. Four cases run in parallel, because a self-test mostly waits.
fn each_turns_red(cases: &[(&str, BodyKind, Faults)]) {
    for some in cases.chunks(4) {
        std::thread::scope(|scope| {
            for (check, body, faults) in some {
                scope.spawn(move || {
                    let (failed, success, _) = failures(*body, faults.clone(), &[]);
                    let red = failed.iter().any(|f| f.starts_with(check));
                    assert!(red && !success, "{body:?}, {faults:?}: {check} is not among {failed:#?}");
                });
            }
        });
    }
}

#[test]
fn emulated_robots_of_all_kinds_pass_with_wheels() {
    for body in [BodyKind::Xpuck, BodyKind::Epuck1, BodyKind::Epuck2] {
        let (failed, success, passed) = failures(body, Faults::default(), &["--wheels"]);
        assert!(failed.is_empty() && success, "{body:?}: {failed:#?}");
        assert!(passed >= 22, "{body:?}: {passed} checks passed");
    }
}

#[test]
fn every_planted_fault_fails_its_check() {
    let absent = |address| Faults { absent: vec![address], ..Faults::default() };
    let sensor = camera_sensor::OV7670.address;
    let nak = |nak_every| Faults { nak_every, ..Faults::default() };
    let garbage = |corrupt_every| Faults { corrupt_every, ..Faults::default() };
    let (one, two) = (BodyKind::Epuck1, BodyKind::Epuck2);
    let cases = [
        ("body: answers", one, absent(epuck1::ADDRESS)),
        ("body: answers", two, absent(epuck1::ADDRESS)),
        ("body: answers", two, nak(1)),
        ("body: errors", one, nak(9)),
        ("body: errors", two, nak(7)),
        ("body: errors", one, garbage(9)),
        ("body: errors", two, garbage(7)),
        ("body: errors", one, Faults { reset_every: 40, ..Faults::default() }),
        ("battery: opens", BodyKind::Xpuck, absent(BATTERY_ADDRESS)),
        ("5 V: opens", one, absent(SUPPLY_ADDRESS)),
        ("sensor: id", two, absent(sensor)),
        ("sensor: id", one, Faults { sensor_id: Some(0x6031), ..Faults::default() }),
        ("bno055: opens", BodyKind::Xpuck, absent(bno055::ADDRESS)),
        ("ads1015: opens", one, absent(ads1015::ADDRESS)),
        ("ground: answers", two, absent(ground::ADDRESS)),
        ("vl53l0x: opens", two, absent(vl53l0x::ADDRESS)),
        ("erandb: opens", one, absent(erandb::ADDRESS)),
    ];
    each_turns_red(&cases);
}

#[test]
fn faulty_sensors_fail_the_selftest() {
    let kinds = [BodyKind::Xpuck, BodyKind::Epuck1, BodyKind::Epuck2];
    let mut cases = Vec::new();
    for fault in [SenseFault::Dead, SenseFault::Stuck, SenseFault::Mad] {
        let fault = Some(fault);
        for body in kinds {
            cases.push(("body: ambient light", body, Faults { light: fault, ..Faults::default() }));
        }
        cases.push(("body: acceleration", BodyKind::Xpuck, Faults { acceleration: fault, ..Faults::default() }));
        // With the fault `mad`, the readings are random. The self-test cannot distinguish them from a loud sound.
        if fault != Some(SenseFault::Mad) {
            for body in [BodyKind::Xpuck, BodyKind::Epuck2] {
                cases.push(("body: microphones", body, Faults { microphones: fault, ..Faults::default() }));
            }
        }
    }
    each_turns_red(&cases);
}

#[test]
fn counters_that_stand_still_while_wheels_turn_are_found() {
    for body in [BodyKind::Epuck1, BodyKind::Epuck2] {
        let faults = Faults { frozen_counters: true, ..Faults::default() };
        let (failed, success, _) = failures(body, faults, &["--wheels"]);
        let moves = failed.iter().filter(|f| f.starts_with("wheels: ")).count();
        assert!(moves == 4 && !success, "{body:?}: {failed:#?}");
    }
}

#[test]
fn people_get_a_table() {
    serve(BodyKind::Epuck2, Faults::default(), None, |file, _| {
        let output = selftest(file, &[]).output().unwrap();
        let table = String::from_utf8(output.stdout).unwrap();
        assert!(table.contains("pass  body ") && table.contains("20 of 20 exchanges"), "{table}");
        assert!(table.contains("skip  wheels   forwards") && table.contains("--wheels was not given"), "{table}");
        assert!(table.ends_with(" skipped\n") && !table.contains('\x1b'), "{table}");
    });
}
