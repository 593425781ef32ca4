//! Our physics against PyBullet's, which pyro-corpus's own loop was run in.

use serde_json::Value;
use std::fs::read_to_string;
use std::path::Path;
use xpuck_bodies::{Brain, Plan, Prif, Rhythm, Robot, urdf};

fn read(name: &str) -> String {
    read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name)).unwrap()
}

fn body(name: &str) -> (Plan, Brain) {
    let prif: Prif = urdf::import(&read(&format!("{name}.urdf"))).unwrap();
    let plan = Plan::new(&prif).unwrap();
    let brain = Brain::from_nndf(&read(&format!("{name}.nndf")), &plan).unwrap();
    (plan, brain)
}

/// Processor time of this process so far, which others on the machine do not lengthen.
fn cpu_seconds() -> f64 {
    let stat = read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

#[test]
#[ignore = "prints what differs from PyBullet, for people"]
fn differences() {
    let all: Value = serde_json::from_str(&read("eval_10000.json")).unwrap();
    for (name, run) in all.as_object().unwrap() {
        let (plan, brain) = body(name);
        let mut robot = Robot::new(&plan, &brain, Rhythm::AsPublished).unwrap();
        let start = cpu_seconds();
        let (mut passes, mut line) = (0u64, String::new());
        for step in 0..10_000u32 {
            robot.step();
            passes += u64::from(robot.simulator().iterations());
            if let Some(trace) = run["trace"].get(step.to_string()) {
                let at = robot.simulator().position();
                let off: Vec<f64> = (0..3).map(|k| at[k] - trace[0][k].as_f64().unwrap()).collect();
                line.push_str(&format!(" {step}: {:.1e}", off.iter().map(|x| x * x).sum::<f64>().sqrt()));
            }
        }
        let seconds = cpu_seconds() - start;
        let theirs = run["cpu_s_run"].as_f64().unwrap();
        println!(
            "{name} parts {} {:.3} s, theirs {theirs:.2} s, {:.0} times; passes {:.1}; y {:.3} theirs {:.3};{line}",
            plan.parts().len(),
            seconds,
            theirs / seconds,
            passes as f64 / 1e4,
            robot.simulator().position()[1],
            run["final_y"].as_f64().unwrap()
        );
    }
}

#[test]
#[ignore = "prints a trajectory, for people"]
fn trace() {
    let name = std::env::var("BODY").unwrap();
    let (plan, brain) = body(&name);
    let mut robot = Robot::new(&plan, &brain, Rhythm::AsPublished).unwrap();
    let last: u32 = std::env::var("STEPS").unwrap().parse().unwrap();
    for step in 0..last {
        robot.step();
        let s = robot.simulator();
        let angles: Vec<String> =
            (0..plan.parts().len()).filter_map(|part| s.angle(part)).map(|a| format!("{a:.6}")).collect();
        let touch: Vec<u8> = (0..plan.parts().len()).map(|part| u8::from(s.touches(part))).collect();
        println!("{step} {:.6?} {angles:?} {touch:?} {}", s.position(), s.contacts());
    }
}
