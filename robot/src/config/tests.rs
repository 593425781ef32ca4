//! Tests of the robot's file.

use super::*;

const SWARM: &str = "robots = [\"xp01\", \"xp02\"]\n[hub]\nrobots = \"tcp://127.0.0.1:7601\"\n\
    operator = \"tcp://127.0.0.1:7602\"\nconsole = \"127.0.0.1:7600\"\n";
const ROBOT: &str = "id = \"xp02\"\nswarm = \"swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"devices\"\n\
    camera_width = 160\ncamera_height = 120\n";

fn read(swarm: Option<&str>, robot: &str) -> Result<Config, FileError> {
    let dir = tempfile::tempdir().unwrap();
    if let Some(text) = swarm {
        std::fs::write(dir.path().join("swarm.toml"), text).unwrap();
    }
    let path = dir.path().join("xp02.toml");
    std::fs::write(&path, robot).unwrap();
    Config::read(&path)
}

#[test]
fn both_files_are_read_and_paths_resolved() {
    let config = read(Some(SWARM), ROBOT).unwrap();
    assert_eq!(config.island, 2);
    let DeviceKind::Virtual { directory, body, .. } = config.robot.devices else {
        panic!("{:?}", config.robot.devices)
    };
    assert_eq!(body, BodyKind::Xpuck);
    assert!(directory.is_absolute() && directory.ends_with("devices"));
}

#[test]
fn errors_are_one_line_that_names_file_and_key() {
    let line = |r: Result<Config, FileError>| {
        let text = r.unwrap_err().to_string();
        assert!(!text.contains('\n'), "{text}");
        text
    };
    assert!(line(read(None, ROBOT)).contains("swarm.toml: cannot be read"));
    assert!(line(read(Some(SWARM), &ROBOT.replace("xp02", "xp09"))).contains("\"xp09\" is not among"));
    let unknown = line(read(Some(SWARM), &ROBOT.replace("camera_width", "camera_widht")));
    assert!(unknown.contains("xp02.toml") && unknown.contains("camera_widht"), "{unknown}");
    let swarm = line(read(Some(&SWARM.replace("console", "konsole")), ROBOT));
    assert!(swarm.contains("swarm.toml: line") && swarm.contains("konsole"), "{swarm}");
}

/// Reads a robot file in which `devices` replaces the contents of `[devices]`. Returns the devices.
fn with(devices: &str) -> Result<DeviceKind, String> {
    let (before, _) = ROBOT.split_once("[devices]").unwrap();
    let text = format!("{before}[devices]\n{devices}\n");
    read(Some(SWARM), &text).map(|config| config.robot.devices).map_err(|error| error.to_string())
}

#[test]
fn each_robot_kind_has_its_own_keys() {
    let xpuck = with("kind = \"xpuck\"\nspi = \"/dev/spidev1.0\"\ni2c = \"/dev/i2c-1\"\ncamera = \"ft2232h\"");
    let (spi, i2c) = ("/dev/spidev1.0".into(), "/dev/i2c-1".into());
    assert_eq!(xpuck.unwrap(), DeviceKind::Xpuck { spi, i2c, camera: Some(Camera::Ft2232h) });
    let epuck = with("kind = \"e-puck1\"\ni2c = \"/dev/i2c-12\"\ncamera = \"/dev/video0\"").unwrap();
    let camera = Some(Camera::Video("/dev/video0".into()));
    assert_eq!(epuck, DeviceKind::Epuck1 { i2c: "/dev/i2c-12".into(), camera });
    let blind = with("kind = \"e-puck2\"\ni2c = \"/dev/i2c-12\"").unwrap();
    assert_eq!(blind, DeviceKind::Epuck2 { i2c: "/dev/i2c-12".into(), camera: None });
    let other = ROBOT.replace("[devices]", "[devices]\nbody = \"e-puck2\"");
    assert!(read(Some(SWARM), &other).is_ok());
    assert!(read(Some(SWARM), &other.replace("e-puck2", "e-puck3")).unwrap_err().to_string().contains("e-puck3"));
    assert!(with("kind = \"e-puck1\"\nspi = \"/dev/spidev1.0\"\ni2c = \"/dev/i2c-1\"").unwrap_err().contains("spi"));
    assert!(with("kind = \"e-puck1\"\ni2c = \"x\"\ncamera = \"video0\"").unwrap_err().contains("/dev/video0"));
}

#[test]
fn calibration_file_fills_keys_missing_in_robot_file() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("swarm.toml", SWARM);
    write(
        "c.toml",
        "[physics]\nbody_friction = 0.3\n[robots.xp02.drive]\nleft = 1.02\n[robots.xp02.camera]\nturn_deg = 3\n\
         [robots.xp01.drive]\nleft = 0.9\n",
    );
    let config = |more: &str| {
        write("xp02.toml", &format!("{ROBOT}[calibration]\nfile = \"c.toml\"\n{more}"));
        Config::read(&dir.path().join("xp02.toml"))
    };
    let found = config("").unwrap();
    assert_eq!((found.robot.calibration.drive.left, found.robot.calibration.camera.turn_deg), (1.02, 3.0));
    assert_eq!(found.measured.physics.body_friction, Some(0.3));
    let own = config("[calibration.drive]\nright = 0.99\n").unwrap().robot.calibration;
    assert_eq!((own.drive.left, own.drive.right, own.camera.turn_deg), (1.0, 0.99, 3.0), "its own goes before");
    write("c.toml", "[physics]\nrestitution = 7\n");
    let error = config("").unwrap_err().to_string();
    assert!(
        error.contains("xp02.toml: calibration.file: ") && error.contains("c.toml: physics.restitution = 7"),
        "{error}"
    );
}

#[test]
fn ranges_are_checked_and_the_state_lies_beside_the_file() {
    let more = |text: &str| read(Some(SWARM), &format!("{ROBOT}{text}"));
    let error = |text: &str| more(text).unwrap_err().to_string();
    assert!(error("[evolution]\nthreads = 0\n").contains("xp02.toml: evolution.threads = 0 is outside 1 to 64"));
    assert!(error("[evolution]\nmax_temperature_c = nan\n").contains("max_temperature_c = NaN"));
    assert!(error("[control]\nrealtime = 99\n").contains("control.realtime = 99"));
    assert!(error("[calibration.drive]\nleft = 2.0\n").contains("calibration.drive.left = 2"));
    let state = more("[evolution]\nstate = \"state\"\n").unwrap().robot.evolution.state.unwrap();
    assert!(state.is_absolute() && state.ends_with("state"));
}

/// Tests the layout of a robot's SD card. There, /etc/xpuck/robot.toml is a symbolic link to the robot's own file.
#[test]
fn relative_paths_resolve_from_symlink_target() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("robots")).unwrap();
    std::fs::write(dir.path().join("swarm.toml"), SWARM).unwrap();
    let file = dir.path().join("robots/xp02.toml");
    std::fs::write(&file, ROBOT.replace("swarm.toml", "../swarm.toml")).unwrap();
    std::os::unix::fs::symlink("robots/xp02.toml", dir.path().join("robot.toml")).unwrap();
    let config = Config::read(&dir.path().join("robot.toml")).unwrap();
    assert_eq!((config.file, config.island), (file.canonicalize().unwrap(), 2));
}
