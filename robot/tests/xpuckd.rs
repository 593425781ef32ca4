//! Tests the command line of the robot's program. An invalid configuration causes an error of one line.

use std::process::Command;

fn refusal(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_xpuckd")).args(arguments).output().unwrap();
    assert!(!output.status.success());
    // A robot without keys logs a warning before the error. The warning is removed here.
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    let error: String = error.split_inclusive('\n').filter(|line| !line.contains("DEV MODE")).collect();
    assert_eq!(error.lines().count(), 1, "{error}");
    error
}

#[test]
fn bad_configuration_is_one_clear_line() {
    assert!(refusal(&["--config", "/nowhere/xp01.toml"]).contains("/nowhere/xp01.toml: cannot be read"));
    let dir = tempfile::tempdir().unwrap();
    let robot = dir.path().join("xp01.toml");
    let path = robot.to_str().unwrap();
    let devices = devices(&"x".repeat(300));
    std::fs::write(&robot, format!("id = \"xp01\"\nswarm = \"swarm.toml\"\nspeeed = 3\n{devices}")).unwrap();
    let error = refusal(&["--config", path]);
    assert!(error.contains("xp01.toml: line 3: unknown field `speeed`"), "{error}");
    std::fs::write(&robot, format!("id = \"xp01\"\nswarm = \"swarm.toml\"\n{devices}")).unwrap();
    assert!(refusal(&["--config", path]).contains("swarm.toml: cannot be read"));
    let swarm = "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:9\"\noperator = \"tcp://127.0.0.1:9\"\n\
        [security]\ndev_mode = true\n";
    std::fs::write(dir.path().join("swarm.toml"), swarm).unwrap();
    // The path of the device sockets is too long for a Unix socket, so the devices cannot be opened.
    let error = refusal(&["--config", path]);
    assert!(error.contains("cannot open") && error.contains("the arena is running"), "{error}");
}

/// Returns the section of a robot's file that configures the devices of a virtual arena in a folder.
fn devices(folder: &str) -> String {
    format!("[devices]\nkind = \"virtual\"\ndirectory = \"{folder}\"\ncamera_width = 160\ncamera_height = 120\n")
}

#[test]
fn missing_arena_is_waited_for() {
    let dir = tempfile::tempdir().unwrap();
    let robot = dir.path().join("xp01.toml");
    std::fs::write(&robot, format!("id = \"xp01\"\nswarm = \"swarm.toml\"\n{}", devices("nowhere"))).unwrap();
    let swarm = "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:9\"\noperator = \"tcp://127.0.0.1:9\"\n\
        [security]\ndev_mode = true\n";
    std::fs::write(dir.path().join("swarm.toml"), swarm).unwrap();
    let log = dir.path().join("log");
    let mut command = Command::new(env!("CARGO_BIN_EXE_xpuckd"));
    command.arg("--config").arg(&robot).stderr(std::fs::File::create(&log).unwrap());
    let mut child = command.spawn().unwrap();
    let said = || std::fs::read_to_string(&log).unwrap();
    xpuck_testing::patience::wait_until("it says what it waits for", || {
        said().contains("waiting for the arena to create")
    });
    assert!(child.try_wait().unwrap().is_none(), "{}", said());
    assert!(Command::new("kill").arg(child.id().to_string()).status().unwrap().success());
    assert!(child.wait().unwrap().success(), "{}", said());
}

#[test]
fn log_has_levels_and_detects_journald() {
    let dir = tempfile::tempdir().unwrap();
    let robot = dir.path().join("xp01.toml");
    let devices = devices(&"x".repeat(300));
    std::fs::write(&robot, format!("id = \"xp01\"\nswarm = \"swarm.toml\"\n{devices}")).unwrap();
    let swarm = "robots = [\"xp01\"]\n[hub]\nrobots = \"tcp://127.0.0.1:9\"\noperator = \"tcp://127.0.0.1:9\"\n\
        [security]\ndev_mode = true\n";
    std::fs::write(dir.path().join("swarm.toml"), swarm).unwrap();
    let said = |level: &str, shell: &str| {
        let mut command = Command::new("sh");
        command.args(["-c", &format!("{shell} exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_xpuckd"), "--config"]);
        let output = command.arg(&robot).env("XPUCK_LOG", level).env_remove("JOURNAL_STREAM").output().unwrap();
        let lines: Vec<String> = String::from_utf8(output.stderr).unwrap().lines().map(String::from).collect();
        assert!(
            lines.last().unwrap().starts_with("xpuckd: cannot open"),
            "an error of the command has no level: {lines:?}"
        );
        lines
    };
    let lines = said("", "");
    assert!(lines.len() == 2 && lines[0].contains("Z WARN  xpuckd xp01: DEV MODE"), "{lines:?}");
    assert_eq!(said("error", "").len(), 1);
    let lines = said("loud", "");
    assert!(lines.len() == 3 && lines[0].contains("WARN  log: XPUCK_LOG=loud is not"), "{lines:?}");
    let lines = said("info", "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2);");
    assert!(lines.len() == 2 && lines[0].starts_with("<4>xpuckd xp01: DEV MODE"), "{lines:?}");
}

#[test]
fn every_command_has_manual_page_and_completion() {
    let xpuckd = |arguments: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_xpuckd")).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let dir = tempfile::tempdir().unwrap();
    xpuckd(&["man", dir.path().to_str().unwrap()]);
    let (help, script) = (xpuckd(&["--help"]), xpuckd(&["completions", "bash"]));
    let listed = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    let names = listed.filter_map(|line| line.strip_prefix("  ")?.split(' ').next()).filter(|name| !name.is_empty());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(names.len() >= 5 && names.contains(&"selftest"), "{names:?}");
    for name in names {
        let page = std::fs::read_to_string(dir.path().join(format!("xpuckd-{name}.1"))).unwrap_or_default();
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH DESCRIPTION"), "{name}: {page:?}");
        assert!(script.contains(&format!("xpuckd,{name})\n")), "{name}");
    }
    assert!(!dir.path().join("xpuckd-guard.1").exists(), "what is hidden has no page");
}
