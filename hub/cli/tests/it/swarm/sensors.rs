//! Tests additional sensors and lamps of a robot with real processes. The robot reads the arena's light and sound from
//! its virtual devices, and the hub's status shows them. An operator's order reaches the robot's lamps in the arena.

use crate::common::said;
use crate::rig::{Layout, Swarm};
use serde_json::Value;
use xpuck_testing::patience::{wait_for, wait_until};

/// Lines of arena.toml: a lamp, a sound, additional sensors, and a log of the robots' lamps.
const SURROUNDINGS: &str = "lamps_log = \"lamps.log\"\nfitted = [\"bno055\", \"ground\"]\n\
    [[lights]]\nat_m = [0.3, 0.2]\nbrightness = 0.2\n[[sounds]]\nat_m = [0.0, 0.0]\nloudness = 0.02\n";

/// Starts a swarm of one robot of the kind `body`, in an arena with a lamp and a sound.
fn start(body: &str) -> Swarm {
    let mut swarm = Swarm::new(&Layout { keys: false, ..Layout::default() });
    swarm.folder.append("arena.toml", &format!("body = \"{body}\"\n{SURROUNDINGS}"));
    swarm.folder.append("xp01.toml", &format!("body = \"{body}\"\n"));
    swarm.folder.prepend("xp01.toml", "fitted = [\"bno055\", \"ground\"]\n");
    swarm.start();
    swarm
}

/// Runs a command of `xpuck` as an operator in development mode.
fn command(swarm: &Swarm, arguments: &[&str]) -> std::process::Output {
    swarm.folder.run(&[arguments, &["--dev-mode", "--hub", &swarm.folder.operator]].concat())
}

/// Returns the robot's latest sensor values in the hub's status, or null if the status is not available yet.
fn sensors(swarm: &Swarm) -> Value {
    let status: Value = serde_json::from_slice(&command(swarm, &["status", "--json"]).stdout).unwrap_or_default();
    status["robots"][0]["sensors"].clone()
}

/// Returns the arena's log of the robot's lamps.
fn lamps(swarm: &Swarm) -> String {
    std::fs::read_to_string(swarm.folder.path("lamps.log")).unwrap_or_default()
}

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().into_iter().flatten().filter_map(Value::as_f64).collect()
}

#[test]
fn sensors_reach_the_hub_and_an_order_reaches_the_lamps() {
    let swarm = start("xpuck");
    let sensors = wait_for("values of all sensors", || {
        let sensors = sensors(&swarm);
        let whole =
            sensors["heading"].is_number() && sensors["light"].is_array() && !numbers(&sensors["loudness"]).is_empty();
        whole.then_some(sensors)
    });
    let light = numbers(&sensors["light"]);
    let (least, most) = light.iter().fold((1.0f64, 0.0f64), |(a, b), x| (a.min(*x), b.max(*x)));
    assert!(light.len() == 8 && (0.05..0.2).contains(&least) && most > least + 0.05, "a lamp on one side: {sensors}");
    let [x, y, z] = numbers(&sensors["acceleration"])[..] else { panic!("{sensors}") };
    assert!(x.abs() < 0.3 && y.abs() < 0.3 && (z - 9.8).abs() < 0.3, "at rest: {sensors}");
    assert!(numbers(&sensors["loudness"]).iter().all(|loud| (0.005..0.5).contains(loud)), "{sensors}");
    assert!(numbers(&sensors["ground"]).iter().all(|floor| (floor - 0.5).abs() < 0.05), "{sensors}");
    assert_eq!((&sensors["selector"], &sensors["trouble"]), (&Value::Null, &Value::from("")), "{sensors}");
    // The lamps are blue while the robot has no experiment. They are alternately white and dark while the robot
    // identifies itself.
    wait_until("the lamps show that the robot is idle", || lamps(&swarm).contains("pixels 000010 000010"));
    let identify = command(&swarm, &["robot", "identify", "xp01"]);
    assert!(identify.status.success(), "{}", said(&identify));
    wait_for("the robot blinks, and shows its state again", || {
        let log = lamps(&swarm);
        let lit = log.matches("pixels 404040").count();
        (lit >= 5 && log.lines().last()?.contains("pixels 000010")).then_some(())
    });
}

#[test]
fn epuck2_reports_loudness_and_selector_and_plays_a_melody() {
    let swarm = start("e-puck2");
    let sensors = wait_for("values of all sensors", || {
        let sensors = sensors(&swarm);
        // The inertial unit measures acceleration. It needs some time to start.
        let whole = sensors["selector"] == 10 && sensors["acceleration"].is_array();
        (whole && numbers(&sensors["loudness"]).len() == 4).then_some(sensors)
    });
    assert_eq!(sensors["button"], Value::Bool(false));
    let identify = command(&swarm, &["robot", "identify", "xp01"]);
    assert!(identify.status.success(), "{}", said(&identify));
    wait_for("the robot plays a melody and blinks", || {
        let log = lamps(&swarm);
        (log.contains("a melody") && log.contains("leds 1a1a1a")).then_some(())
    });
}
