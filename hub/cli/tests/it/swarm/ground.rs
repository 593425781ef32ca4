//! The ground sensor as a sense of a robot, tested with real processes. The paint of the arena's world passes through the
//! bytes of the I2C device to the register that a tree reads. The robot's path and the record show the effect.

use crate::common::said;
use crate::rig::{Layout, Swarm};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;

/// Tree that drives ahead until the floor is black, and then stops.
const STOPS: &str =
    "sel\n  seq\n    ifsect s_ground 180deg 60deg\n    mulav v_goal v_zero 0 v_zero\n  movcv v_goal 0deg\n";
/// World in which the robot faces a black spot. Without `s_ground` the robot would drive to the wall at x = 1.
const WORLD: &str = "robots = 1\n[task]\nkind = \"coverage\"\ncell_m = 0.1\n\
    [[start]]\npose = [{ at_m = [-0.3, 0.0] }]\n\
    [[region]]\nname = \"spot\"\ndisc = { at_m = [0.4, 0.0], radius_m = 0.2 }\npaint = \"black\"\n";
const EXPERIMENT: &str = "name = \"ground\"\nworld = \"world.toml\"\nminutes = 1.0\nsegment_minutes = 1.0\n\
    controller_file = \"stops.bt\"\n";

#[test]
fn robot_stays_on_black_paint_and_the_record_verifies() {
    let mut swarm = Swarm::new(&Layout::default());
    let folder = &swarm.folder;
    folder.write("world.toml", WORLD);
    folder.write("e.toml", EXPERIMENT);
    folder.write("stops.bt", STOPS);
    folder.append("arena.toml", "world = \"world.toml\"\nfitted = [\"ground\"]\n");
    folder.prepend("xp01.toml", "fitted = [\"ground\"]\n");
    swarm.start();
    swarm.wait_for_robots();
    assert_eq!(swarm.command(&["start", "e.toml"]), "");
    swarm.wait("it stands at the rim of the spot", |status| {
        let robot = status.bodies.iter().find(|body| body.name == "xp01");
        robot.is_some_and(|robot| (robot.pose[0] - 0.4).hypot(robot.pose[1]) < 0.26)
    });
    // At full speed, the robot would cross the spot in 6 s.
    std::thread::sleep(std::time::Duration::from_secs(8));
    swarm.wait("it still stands there", |status| {
        let robot = status.bodies.iter().find(|body| body.name == "xp01");
        robot.is_some_and(|robot| (robot.pose[0] - 0.4).hypot(robot.pose[1]) < 0.26)
    });
    assert_eq!(swarm.command(&["stop"]), "");
    // The hub closes the record shortly after the end of the run.
    let verify = || swarm.folder.run(&["runs", "verify", "last"]);
    let verified = wait_within(patience(), || Some(verify()).filter(|v| v.status.success()), || said(&verify()));
    assert!(said(&verified).contains("\nidentical: "), "{}", said(&verified));
}
