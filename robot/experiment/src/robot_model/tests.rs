use super::*;
use crate::world_file;

const WORLD: &str = "robots = 2\ntask = { kind = \"dispersion\" }\n[[start]]\nx_m = [-0.5, 0.5]\ny_m = [-0.5, 0.5]\n";

fn world(robot: &str) -> Result<WorldSpec, String> {
    world_file::parse("w", &format!("{WORLD}{robot}")).map_err(|error| error.to_string())
}

#[test]
fn xpuck_file_states_the_default() {
    assert_eq!(find("xpuck", &|_| unreachable!()).unwrap(), RobotSpec::default());
    assert_eq!(world("[robot]\nbase = \"xpuck\"\n").unwrap(), world("").unwrap());
}

#[test]
fn every_named_model_makes_a_valid_world() {
    for (name, _) in NAMED {
        let spec = world_file::parse("w", &format!("robot = \"{name}\"\n{WORLD}")).unwrap();
        assert_eq!(spec.robot.radius, spec.physics.robot.radius, "{name}");
    }
    let [first, second] = ["rm1.1", "rm1.2"].map(|name| read(name).unwrap());
    assert_eq!((first.model.light.threshold, second.model.light.threshold), (0.0, 0.2));
    assert_eq!(RobotSpec { model: RobotModel { light: first.model.light, ..second.model }, ..second }, first);
}

#[test]
fn text_of_a_robot_reads_back_as_the_same_robot() {
    for (name, _) in NAMED {
        let robot = read(name).unwrap();
        let load = |_: &str| Ok(robot.to_toml());
        assert_eq!(find("again.toml", &load).unwrap(), robot, "{name}: {}", robot.to_toml());
    }
}

#[test]
fn three_lines_change_camera_rays_and_radius() {
    let spec = world("[robot]\ncamera.fov_deg = 120\nproximity.length_m = 0.05\nradius_m = 0.06\n").unwrap();
    let robot = &spec.physics.robot;
    assert_eq!((robot.proximity.range, robot.radius, spec.robot.radius), (0.05, 0.06, 0.06));
    assert!((robot.camera.fov.to_degrees() - 120.0).abs() < 1e-4);
}

#[test]
fn keys_of_the_world_precede_those_of_the_model() {
    let spec = world("[robot]\nbase = \"rm1.1\"\n[messages]\nloss = 0.2\n[physics]\nrobot_mass_kg = 0.5\n").unwrap();
    let messages = spec.messages.unwrap();
    assert_eq!((messages.loss, messages.range_m, messages.memory), (0.2, 0.7, 11), "other keys are those of the model");
    let plain = world("[messages]\nloss = 0.2\n").unwrap().messages.unwrap();
    assert_eq!((plain.range_m, plain.memory), (0.5, 1));
    let camera = world("[robot]\ncamera = { delay_s = 0.2, misses = 0.5 }\n[camera]\nmisses = 0.1\n").unwrap().camera;
    assert_eq!((camera.delay_s, camera.misses), (0.2, 0.1));
    assert_eq!((spec.robot.mass, spec.physics.noise), (0.5, [0.0; 3]));
}

#[test]
fn bad_values_are_rejected_with_their_place() {
    for (robot, why) in [
        ("[robot]\nradius = 0.1\n", "radius"),
        ("[robot]\nradius_m = 0.9\n", "robot, radius = 0.9 is outside 0.02 to"),
        ("[robot]\ncamera.fov_deg = 200\n", "robot, field of view [degrees] = 200 is outside 10 to 170"),
        ("[robot]\nproximity.curve = \"square\"\n", "unknown word `square`"),
        ("[robot]\nbase = \"rm9\"\n", "unknown robot model `rm9`; choose xpuck, e-puck2, pi-puck, rm1.1, rm1.2"),
        ("[robot]\nwheelbase_m = 0.2\n", "robot, wheelbase = 0.2 is outside"),
        (
            "[robot]\nground = { noise = 0.1, black_below = 0.5, white_above = 0.2, window = 2, majority = 1 }\n",
            "white_above",
        ),
        (
            "[robot]\nbase = \"rm1.1\"\n[floor]\nconfusion = [[0.8, 0.2, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]\n",
            "confusion",
        ),
        ("[robot]\nbase = \"mine.toml\"\n", "cannot be read here"),
    ] {
        let error = world(robot).unwrap_err();
        assert!(error.contains(why) && error.lines().count() <= 6, "{robot}: {error}");
    }
}

#[test]
fn bases_are_files_of_the_loader_and_end() {
    let load = |name: &str| match name {
        "a.toml" => Ok("base = \"b.toml\"\nradius_m = 0.05\n".into()),
        "m/c.toml" => Ok("base = \"d.toml\"\n".into()),
        "m/d.toml" => Ok("radius_m = 0.031\n".into()),
        "b.toml" => Ok("base = \"rm1.1\"\nradius_m = 0.07\nmass_kg = 0.4\n".to_string()),
        "circle.toml" => Ok("base = \"circle.toml\"\n".into()),
        _ => Err(format!("{name} does not exist")),
    };
    let robot = find("a.toml", &load).unwrap();
    assert_eq!((robot.shape.radius, robot.shape.mass, robot.model.compass), (0.05, 0.4, false));
    assert_eq!(find("m/c.toml", &load).unwrap().shape.radius, 0.031, "a base is beside its file");
    assert!(find("circle.toml", &load).unwrap_err().contains("circle of bases"));
    assert_eq!(find("c.toml", &load).unwrap_err(), "c.toml does not exist");
    assert_eq!(named_robot("robot = \"a.toml\"\nrobots = 3\n").as_deref(), Some("a.toml"));
    assert_eq!(named_robot("robot = \"rm1.1\"\n"), None);
}
