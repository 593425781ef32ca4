//! `xpuck calibrate` estimates hidden parameters within 5 %, and rejects wrong records with a clear error.

use crate::common::only;
use crate::rig::{Demo, valid_json, xpuck};
use serde_json::Value;
use std::process::Output;
use xpuck_calibrate::synthetic::{self, Encounters, InfraredBench};
use xpuck_calibrate::{Report, camera, collisions, infrared, latency};
use xpuck_experiment::Calibration;
use xpuck_kernels::model::HALF_ARENA;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::physics::Physics;
use xpuck_registers::infrared::Curve;

/// Checks that each estimate differs from the true value by less than 5 %, and that its standard error is positive and
/// less than 5 % of the true value.
fn recovered(report: &Report, truth: &[f64]) {
    for (estimate, truth) in report.estimates.iter().zip(truth) {
        let off = (estimate.value - truth).abs() / truth;
        assert!(off < 0.05, "{} {}: {} for {truth}", report.subject, estimate.name, estimate.value);
        let error = estimate.error.unwrap() / truth;
        assert!(error > 0.0 && error < 0.05, "{}: the error is {error} of the value", estimate.name);
    }
}

/// Returns a function that draws a random number between two limits. The tests draw the true parameters, which the fits
/// must find, with this function.
fn hidden(seed: u64) -> impl FnMut(f32, f32) -> f32 {
    let mut draws = Draws::new(seed, 0, 0, 0, Stream::Evolution);
    move |low, high| draws.range(low, high)
}

#[test]
fn encounters_give_back_friction_restitution_and_noise() {
    for seed in 1..=3 {
        let mut hidden = hidden(seed);
        let physics = Physics {
            mu_bodies: hidden(0.05, 0.4),
            restitution: hidden(0.05, 0.5),
            noise: [hidden(0.02, 0.2), hidden(0.02, 0.2), hidden(0.05, 0.2)],
            ..Physics::default()
        };
        let setting = Encounters { physics: physics.clone(), pose_noise: [2e-5, 1e-4], runs: 160, seconds: 6.0, seed };
        let report = collisions::fit(&synthetic::encounters(&setting), HALF_ARENA).unwrap();
        let [a, b, c] = physics.noise;
        recovered(&report, &[physics.mu_bodies, physics.restitution, a, b, c].map(f64::from));
    }
}

#[test]
fn infrared_readings_give_back_the_curve() {
    for seed in 1..=10 {
        let mut hidden = hidden(seed);
        // The two branches of the curve nearly meet at the knee, as in Eq. 7.3.
        let (steepness, knee, near_slope) = (hidden(30.0, 50.0), hidden(0.005, 0.009), hidden(4.0, 8.0));
        let (shift, floor) = (hidden(0.98, 1.02) - steepness * knee, hidden(0.03, 0.09));
        let level = (steepness * knee + shift).powi(-4) - floor;
        let near_level = level + near_slope * knee + hidden(-0.03, 0.03);
        let curve = Curve { steepness, shift, floor, near_level, near_slope, knee };
        let bench = InfraredBench { curve, scale_spread: 0.02, offset_spread: 5.0, noise: 2.0, seed };
        let report = infrared::fit(&synthetic::infrared(&bench), None).unwrap();
        let truth = [curve.steepness, curve.shift, curve.floor, curve.near_level, curve.near_slope, curve.knee];
        recovered(&report, &truth.map(f64::from));
    }
}

#[test]
fn pauses_give_back_the_latency() {
    for seed in 1..=10 {
        let delay = f64::from(hidden(seed)(0.05, 0.4));
        // A record of one minute gives the delay with an error of 3 ms. This is more than 5 % of the shortest delay, so
        // six records are fitted together.
        let minute = |i: u64| synthetic::pauses(&Physics::default(), delay, 60.0, seed + 100 * i);
        let report = latency::fit(&[0, 1, 2, 3, 4, 5].map(minute)).unwrap();
        recovered(&report, &[delay]);
    }
}

#[test]
fn turns_give_back_delay_and_misses() {
    for seed in 1..=3 {
        let mut hidden = hidden(seed);
        let (delay, misses) = (hidden(0.05, 0.3), hidden(0.1, 0.4));
        let samples = synthetic::turns(&Physics::default(), f64::from(delay), misses, 120.0, seed);
        recovered(&camera::fit(&samples).unwrap(), &[delay, misses].map(f64::from));
    }
}

fn calibrate(arguments: &[&str]) -> Output {
    let group: &[&str] = if arguments[0] == "record" { &["calibrate"] } else { &["calibrate", "fit"] };
    xpuck().args(group).args(arguments).output().unwrap()
}

fn stdout(arguments: &[&str]) -> String {
    let output = calibrate(arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Subjects of calibration, each with the options that make a short record.
const QUICK: [(&str, &[&str]); 4] = [
    ("collisions", &["--runs", "12", "--seconds", "3"]),
    ("ir", &[]),
    ("camera", &["--seconds", "10"]),
    ("latency", &["--seconds", "20"]),
];

#[test]
fn every_subject_yields_plot_and_parameters_from_record() {
    let dir = tempfile::tempdir().unwrap();
    let [data, plot, parameters] = ["r.csv", "r.svg", "r.toml"].map(|f| dir.path().join(f).display().to_string());
    for (subject, options) in QUICK {
        let _ = std::fs::remove_file(&parameters);
        assert_eq!(stdout(&[&["record", subject, "--seed", "5", "-o", &data], options].concat()), "");
        let printed = stdout(&[&["record", subject, "--seed", "5"], options].concat());
        assert_eq!(printed, std::fs::read_to_string(&data).unwrap(), "a seed fixes the record");
        let json = stdout(&[subject, &data, "--json", "-o", &plot, "--into", &parameters]);
        let report = valid_json(&format!("calibrate fit {subject}"), json.as_bytes());
        assert_eq!(report["subject"], subject);
        let toml = std::fs::read_to_string(&parameters).unwrap();
        assert!(toml.parse::<toml::Table>().is_ok() && report["toml"] == toml.as_str(), "{toml}");
        let text = stdout(&[subject, &data]);
        for estimate in report["estimates"].as_array().unwrap() {
            let name = estimate["name"].as_str().unwrap();
            assert!((estimate["error"].is_f64() || name.starts_with("sensor")) && text.contains(name), "{estimate}");
        }
        assert!(text.ends_with(&toml), "{text}");
        let svg = std::fs::read_to_string(&plot).unwrap();
        let lines = roxmltree::Document::parse(&svg).unwrap();
        assert!(lines.descendants().filter(|n| n.attribute("class") == Some("line")).count() >= 2);
    }
}

#[test]
fn threads_do_not_change_a_digit() {
    let dir = tempfile::tempdir().unwrap();
    let data = dir.path().join("r.csv").display().to_string();
    for (subject, options) in QUICK {
        stdout(&[&["record", subject, "-o", &data], options].concat());
        let with = |threads| {
            let output =
                xpuck().args(["calibrate", subject, &data, "--json"]).env("RAYON_NUM_THREADS", threads).output();
            output.unwrap().stdout
        };
        assert!(with("1") == with("3"), "{subject}");
    }
}

#[test]
fn wrong_records_are_one_line_that_names_the_place() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("r.csv");
    let poses = "run,time_s,body,x_m,y_m,heading_rad,left_m_s,right_m_s\n";
    let row = |time: f64, x: &str| format!("1,{time},xp01,{x},0,0,0,0\n");
    let cases = [
        ("collisions", "run,time_s\n1,0\n".into(), "line 2: missing field `body`"),
        ("collisions", format!("{poses}{}", row(0.0, "left")), "line 2, column `x_m`: invalid float literal"),
        ("collisions", format!("{poses}{}", row(0.0, "99")), "line 2, column `x_m`: 99 is outside -10 to 10"),
        ("collisions", format!("{poses}{}", row(0.0, "nan")), "line 2, column `x_m`: NaN is outside -10 to 10"),
        ("collisions", format!("{poses}1,0,xp01\n"), "line 2: 3 values for 8 columns"),
        ("collisions", format!("{poses}{}", row(0.0, "0")), "line 2: run 1 has one frame; at least two are needed"),
        (
            "collisions",
            format!("{poses}{}{}", row(0.1, "0"), row(0.0, "0")),
            "line 3, column `time_s`: 0 must be later",
        ),
        ("collisions", format!("{poses}{0}{0}", row(0.0, "0")), "line 3: body `xp01` occurs twice at 0 s of run 1"),
        (
            "collisions",
            format!("{poses}{}{}", row(0.0, "0"), row(1.0, "0")),
            "are up to 1.000 s apart; record at least",
        ),
        ("collisions", format!("{poses}{}{}", row(0.0, "0"), row(0.025, "0.1")), "`xp01` moves 10.0 cm in its first"),
        (
            "collisions",
            format!("{poses}{}{}", row(0.0, "0"), row(0.025, "0")),
            "no body touches another body or a wall",
        ),
        ("latency", format!("{poses}{}{}", row(0.0, "0"), row(0.025, "0")), "0 poses after the first second"),
        ("ir", "sensor,distance_m,raw\n1,0.01,5000\n".into(), "line 2, column `raw`: 5000 is outside 0 to 4095"),
        ("ir", "sensor,distance_m,raw\n1,0.01,2000\n".into(), "each sensor needs distances from 0 to 30 mm"),
        ("ir", "sensor,distance_m,raw,lux\n1,0.01,2000,3\n".into(), "line 2: unknown field `lux`, expected one of"),
        (
            "friction",
            "body,kind,force_n\nxp01,rolling,1\n".into(),
            "line 2: unknown variant `rolling`, expected `static` or `dynamic`",
        ),
        (
            "friction",
            "body,kind,force_n\nxp01,static,0\n".into(),
            "line 2, column `force_n`: 0 is outside 0.001 to 100",
        ),
        ("friction", "body,kind,force_n\nxp01,static,1\n".into(), "robot, static: too few readings (1)"),
        ("camera", String::new(), "no rows; docs/calibration.md describes the columns"),
    ];
    for (subject, text, expected) in cases {
        std::fs::write(&file, &text).unwrap();
        let output = calibrate(&[subject, file.to_str().unwrap()]);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && output.stdout.is_empty(), "{text}");
        assert!(error.starts_with("xpuck: ") && error.contains("r.csv: ") && error.lines().count() == 1, "{error}");
        assert!(error.contains(expected), "{expected}: {error}");
    }
    let error = String::from_utf8(calibrate(&["record", "latency", "--delay", "7"]).stderr).unwrap();
    assert!(error.contains("--delay 7: must be 0 to 0.9"), "{error}");
}

/// Two robots with wrong wheel speeds and turned, delayed cameras drive in an arena. The fit of the record finds these
/// errors.
#[test]
fn record_of_a_run_calibrates_wheels_and_cameras() {
    let dir = tempfile::tempdir().unwrap();
    let path = |name: &str| dir.path().join(name).display().to_string();
    let unkind = "physics = { noise = [0.02, 0.02, 0.02] }\n[every_robot]\ncamera_delay_s = 0.2\n\
        [[robots]]\nid = \"xp01\"\nwheel_bias = [0.06, -0.05]\ncamera_turn_deg = 6.0\n\
        [[robots]]\nid = \"xp02\"\nwheel_bias = [-0.04, 0.03]\ncamera_turn_deg = -5.0\n";
    std::fs::write(path("unkind.toml"), unkind).unwrap();
    let tree = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/trees/explore.bt");
    let file = path("calibration.toml");
    // A slow machine loses poses and updates. The record then lacks sections that are needed to calibrate the wheels.
    let drive_about = |(speed, minutes): (u32, u32)| {
        let line = format!(
            "--count 2 --speed {speed} --minutes {minutes} --no-console --json --tree {tree} --unkind {}",
            path("unkind.toml")
        );
        let mut demo = Demo::with(&line.split(' ').collect::<Vec<_>>());
        let (output, text) = demo.end();
        assert!(output.status.success(), "{text}");
        let run = only(&demo.directory(), "transport-").display().to_string();
        let report: Value =
            serde_json::from_str(&stdout(&["run", &run, "--json", "--into", &file, "-o", &path("run.svg")])).unwrap();
        let found = Calibration::read(std::path::Path::new(&file)).unwrap();
        let told = ["xp01", "xp02"].iter().all(|robot| found.robots.get(*robot).is_some_and(|r| r.drive.is_some()))
            && report["estimates"].as_array().unwrap().iter().all(|row| {
                let of_a_wheel = [" left", " right"].iter().any(|wheel| row["name"].as_str().unwrap().ends_with(wheel));
                !of_a_wheel || row["error"].as_f64().is_some_and(|error| error < 0.01)
            });
        told.then_some((demo, run, report, found)).ok_or(text)
    };
    let (_demo, run, report, found) =
        drive_about((4, 4)).or_else(|_| drive_about((1, 3))).expect("wheels of both robots are told");
    for (robot, wheels, turn) in [("xp01", [1.06, 0.95], 6.0), ("xp02", [0.96, 1.03], -5.0)] {
        let drive = found.robots[robot].drive.unwrap();
        for (found, truth) in [drive.left, drive.right].into_iter().zip(wheels) {
            assert!((found - truth).abs() < 0.015, "{robot}: {drive:?} {report}");
        }
        let mount = found.robots[robot].camera.unwrap();
        assert!((mount.turn_deg - turn).abs() < 2.0, "{robot}: {mount:?} {report}");
    }
    let camera = found.camera.unwrap();
    let value = |name: &str| {
        let rows = report["estimates"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).unwrap()["value"].as_f64().unwrap()
    };
    assert!((0.15..=0.25).contains(&value("camera age_s")) && camera.misses < 0.1, "{report}");
    assert!(value("camera read_s") > value("camera age_s") && camera.delay_s > 0.15, "{report}");
    let again = stdout(&["run", &run, "--had", &file, "--json"]);
    let again: Value = serde_json::from_str(&again).unwrap();
    let left = |report: &Value| {
        let rows = report["estimates"].as_array().unwrap();
        rows.iter().find(|row| row["name"] == "xp01 left").unwrap()["value"].as_f64().unwrap()
    };
    assert!((left(&again) - left(&report).powi(2)).abs() < 1e-3, "what robots had is not what was found on top of it");
}
