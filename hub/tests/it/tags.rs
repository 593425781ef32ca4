//! A tag as a sense, through real processes: from the arena's picture of the tag by the camera's bytes to the register that a
//! tree reads, to where the robot drives, and to the record.

use crate::common::said;
use crate::lab::{Lab, PATIENCE};
use std::path::Path;
use std::time::{Duration, Instant};

const OPERATOR: &str = "keys/operators/operator.key";
/// Turns on the spot until a tag is in view, then drives to it.
const SEEKER: &str =
    "selm\n  seq\n    ifsect v_tag 0deg 56deg\n    mulav v_goal v_zero 8 v_tag\n  movcv v_goal 70deg\n";
/// The robot looks away from the tag: without v_tag it would turn for ever.
const WORLD: &str = "robots = 1\n[task]\nkind = \"coverage\"\ncell_m = 0.1\n\
    [[start]]\npose = [{ at_m = [0.3, -0.2], heading_deg = 180.0 }]\n\
    [[tag]]\nat_m = [1.0, 0.2]\nfacing_deg = 180.0\n";
const EXPERIMENT: &str = "name = \"tag\"\nworld = \"world.toml\"\nminutes = 1.0\nsegment_minutes = 1.0\n\
    controller_file = \"seeker.bt\"\n";

/// A world with a tag, a camera that shows its cells, and a robot that looks for tags.
fn with_a_tag(folder: &Path) {
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    let larger = |name: &str, more: &str| {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        write(name, &(text.replace("160", "320").replace("120", "240") + more));
    };
    write("world.toml", WORLD);
    write("e.toml", EXPERIMENT);
    write("seeker.bt", SEEKER);
    larger("arena.toml", "world = \"world.toml\"\n");
    larger("xp01.toml", "[camera]\ntag_size_mm = 100\n");
}

#[test]
fn a_robot_sees_a_tag_and_drives_to_it_and_its_record_says_why() {
    let lab = Lab::with(&["xp01"], with_a_tag);
    lab.wait("the robot", |status| status.robots[0].alive && status.tracking);
    assert_eq!(lab.tell(OPERATOR, &["start", "e.toml"]), "");
    lab.wait("it stands before the tag", |status| {
        let robot = status.bodies.iter().find(|body| body.name == "xp01");
        robot.is_some_and(|robot| (robot.pose[0] - 1.0).hypot(robot.pose[1] - 0.2) < 0.25)
    });
    assert_eq!(lab.tell(OPERATOR, &["stop"]), "");
    let end = Instant::now() + PATIENCE;
    let mut verified = lab.run(&["runs", "verify", "last"]);
    while !verified.status.success() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(100));
        verified = lab.run(&["runs", "verify", "last"]);
    }
    assert!(said(&verified).ends_with("\nidentical\n"), "{}", said(&verified));
}
