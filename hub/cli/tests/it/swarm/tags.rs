//! Tags as a sense of a robot, tested with real processes. The arena's picture of a tag passes through the camera's
//! bytes to the register that a tree reads. The robot's path and the record show the effect.

use crate::common::said;
use crate::rig::{Layout, Swarm};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;

/// Tree that turns on the spot until a tag is in view, and then drives to the tag.
const SEEKER: &str =
    "selm\n  seq\n    ifsect v_tag 0deg 56deg\n    mulav v_goal v_zero 8 v_tag\n  movcv v_goal 70deg\n";
/// World in which the robot faces away from the tag. Without `v_tag` the robot would turn forever.
const WORLD: &str = "robots = 1\n[task]\nkind = \"coverage\"\ncell_m = 0.1\n\
    [[start]]\npose = [{ at_m = [0.3, -0.2], heading_deg = 180.0 }]\n\
    [[tag]]\nat_m = [1.0, 0.2]\nfacing_deg = 180.0\n";
const EXPERIMENT: &str = "name = \"tag\"\nworld = \"world.toml\"\nminutes = 1.0\nsegment_minutes = 1.0\n\
    controller_file = \"seeker.bt\"\n";

#[test]
fn robot_sees_a_tag_and_drives_to_it_and_the_record_verifies() {
    // The camera's resolution is high enough to decode the tag.
    let mut swarm = Swarm::new(&Layout { camera: [320, 240], frame_rate: 5.0, ..Layout::default() });
    let folder = &swarm.folder;
    folder.write("world.toml", WORLD);
    folder.write("e.toml", EXPERIMENT);
    folder.write("seeker.bt", SEEKER);
    folder.append("arena.toml", "world = \"world.toml\"\n");
    folder.append("xp01.toml", "[camera]\ntag_size_mm = 100\n");
    swarm.start();
    swarm.wait_for_robots();
    assert_eq!(swarm.command(&["start", "e.toml"]), "");
    swarm.wait("it stands before the tag", |status| {
        let robot = status.bodies.iter().find(|body| body.name == "xp01");
        robot.is_some_and(|robot| (robot.pose[0] - 1.0).hypot(robot.pose[1] - 0.2) < 0.25)
    });
    assert_eq!(swarm.command(&["stop"]), "");
    // The hub closes the record shortly after the end of the run.
    let verify = || swarm.folder.run(&["runs", "verify", "last"]);
    let verified = wait_within(patience(), || Some(verify()).filter(|v| v.status.success()), || said(&verify()));
    assert!(said(&verified).contains("\nidentical: "), "{}", said(&verified));
}
