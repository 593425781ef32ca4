//! Tests over-the-air updates of robots. After an update to a bad version, a robot must return to the previous version.
//! The test runs a real hub, an arena, and the real programs of nine robots. Each robot has its own slots (folders for
//! versions), and a shell loop that replaces systemd.

use crate::common::said;
use crate::rig::{Layout, Swarm, xpuck, xpuckd};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use xpuck_testing::patience;
use xpuck_testing::patience::{scaled, wait_within};
use xpuck_update::bundle::this_arch;

const EXPERIMENT: &str = "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n";
const ROBOTS: [&str; 9] = ["xp01", "xp02", "xp03", "xp04", "xp05", "xp06", "xp07", "xp08", "xp09"];

/// Shell loop that replaces systemd's units on a robot. Arguments: the robot's root folder, and the id of the test's
/// process. The loop ends when this process ends.
const MANAGER: &str = r#"
root=$1; test=$2; packaged=$root/usr/bin/xpuckd; slots=$root/var/lib/xpuck-slots
export XPUCK_ROOT=$root RUNTIME_DIRECTORY=$root/run/xpuck
exec 3<&0
restart="kill \$(cat $root/pid) || true"
goes_on() { [ -d /proc/$test ] && [ -d $root/run ]; }
(while goes_on; do
    if [ -e $slots/incoming/ready ]; then
        $packaged slots install --root $root --restart "$restart"
        $packaged slots judge --root $root --within $(cat $root/within) --restart "$restart"
    fi
    sleep 0.1
done) &
while goes_on; do
    $packaged slots boot --root $root
    program=$slots/current/usr/bin/xpuckd
    [ "$(readlink $slots/current)" = / ] && program=$packaged
    echo "$(readlink $slots/current)" >>$root/starts
    $program --end-with-stdin --config $root/etc/xpuck/robot.toml <&3 &
    echo $! >$root/pid
    wait $!
    sleep 0.1
done
"#;

/// Program of a robot whose devices work, but which never receives messages of a hub.
const DEAF: &str = r#"#!/bin/sh
while sleep 0.3; do
    now=$(cut -d' ' -f1 /proc/uptime)
    printf 'version = "1.3.0"\ncounter = 130\nstarted = 0.0\nstamp = %s\ndevices = true\nhub = false\n' $now >$RUNTIME_DIRECTORY/health.new
    mv $RUNTIME_DIRECTORY/health.new $RUNTIME_DIRECTORY/health
done
"#;

/// A swarm in which each robot has its own root folder.
struct Rig {
    swarm: Swarm,
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Installs a robot's program in the root folder `tree`, as the release with this version and release counter.
fn plant(tree: &Path, program: &Path, version: &str, counter: u64) {
    write(&tree.join("usr/lib/xpuck/release"), &format!("version = \"{version}\"\ncounter = {counter}\n"));
    fs::create_dir_all(tree.join("usr/bin")).unwrap();
    fs::copy(program, tree.join("usr/bin/xpuckd")).unwrap();
    fs::set_permissions(tree.join("usr/bin/xpuckd"), fs::Permissions::from_mode(0o755)).unwrap();
}

impl Rig {
    fn start() -> Rig {
        let layout = Layout { robots: &ROBOTS, camera: [160, 120], frame_rate: 2.0, ..Layout::default() };
        let mut swarm = Swarm::new(&layout);
        swarm.folder.write("e.toml", EXPERIMENT);
        swarm.start_services();
        let mut rig = Rig { swarm };
        let at = rig.swarm.folder.root().display().to_string();
        let built = PathBuf::from(xpuckd().get_program());
        for id in ROBOTS {
            let root = rig.root(id);
            plant(&root, &built, "1.0.0", 100);
            write(
                &root.join("etc/xpuck/robot.toml"),
                &format!(
                    "id = \"{id}\"\nswarm = \"{at}/swarm.toml\"\n[devices]\nkind = \"virtual\"\ndirectory = \"{at}/devices\"\n\
                     camera_width = 160\ncamera_height = 120\n"
                ),
            );
            write(&root.join("etc/xpuck/board"), "pi5\n");
            write(&root.join("within"), "40");
            fs::create_dir_all(root.join("run/xpuck")).unwrap();
            let mut manager = Command::new("sh");
            manager.args(["-c", MANAGER, "manager"]).arg(&root).arg(std::process::id().to_string());
            rig.swarm.start_program(id, &mut manager);
        }
        rig
    }

    fn root(&self, id: &str) -> PathBuf {
        self.swarm.folder.path("roots").join(id)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = xpuck();
        command.args(arguments).current_dir(self.swarm.folder.root()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command. Returns whether the command succeeded, and its output.
    fn outcome(&self, arguments: &[&str]) -> (bool, String) {
        outcome(&self.run(arguments))
    }

    /// Makes a Debian package of a release with this program. Returns the name of the file.
    fn package(&self, version: &str, counter: u64, program: &Path) -> String {
        let tree = self.swarm.folder.path(&format!("tree-{version}"));
        plant(&tree, program, version, counter);
        let control = format!(
            "Package: xpuckd\nVersion: {version}\nArchitecture: {}\nMaintainer: A <a@xpuck.invalid>\nDescription: a robot\n",
            this_arch()
        );
        write(&tree.join("DEBIAN/control"), &control);
        let name = format!("xpuckd_{version}.deb");
        let mut pack = Command::new("dpkg-deb");
        pack.args(["-Znone", "--root-owner-group", "--build"])
            .arg(&tree)
            .arg(&name)
            .current_dir(self.swarm.folder.root());
        let made = pack.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::remove_dir_all(tree).unwrap();
        name
    }

    fn script(&self, text: &str) -> PathBuf {
        let path = self.swarm.folder.path("script");
        write(&path, text);
        path
    }

    /// Waits until the report of the update satisfies a condition. `what` names the condition in errors.
    fn wait(&self, what: &str, holds: impl Fn(&Value) -> bool) {
        let check = || {
            let output = self.run(&["robot", "update", "status", "--json"]);
            serde_json::from_slice(&output.stdout).is_ok_and(|report| holds(&report)).then_some(())
        };
        wait_within(2 * patience(), check, || format!("{what}; {}", self.logs()));
    }

    fn logs(&self) -> String {
        ["hub"].iter().chain(&ROBOTS).map(|name| format!("\n{name}: {}", self.swarm.log(name))).collect()
    }

    /// Returns the slot from which a robot's program was started, for each start.
    fn starts(&self, id: &str) -> Vec<String> {
        let text = fs::read_to_string(self.root(id).join("starts")).unwrap_or_default();
        text.lines().map(String::from).collect()
    }

    /// Returns the output of `xpuckd slots show` for a robot, which contains the running release.
    fn runs(&self, id: &str) -> Value {
        let root = self.root(id);
        let mut command = Command::new(root.join("usr/bin/xpuckd"));
        let output = command.args(["slots", "show", "--json", "--root"]).arg(&root).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn outcome(output: &Output) -> (bool, String) {
    (output.status.success(), said(output))
}

impl Drop for Rig {
    fn drop(&mut self) {
        // Removes the folder `run` of each robot, which ends the robot's shell loop.
        for id in ROBOTS {
            let _ = fs::remove_dir_all(self.root(id).join("run"));
        }
    }
}

#[test]
fn robots_are_updated_over_the_air_and_leave_a_bad_version() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return xpuck_testing::skipped("dpkg-deb makes the packages");
    }
    let mut rig = Rig::start();
    let built = PathBuf::from(xpuckd().get_program());
    let there = |rig: &Rig| rig.outcome(&["robot", "list"]).1.matches("1.0.0").count() == ROBOTS.len();
    wait_within(2 * patience(), || there(&rig).then_some(()), || rig.logs());
    assert_eq!(rig.outcome(&["robot", "update", "status"]), (true, "nothing was updated so far\n".into()));
    update_to_a_good_version(&mut rig, &built);
    update_stops_at_the_first(&rig, "1.2.0", 120, "#!/bin/sh\nexit 1\n", "it did not become healthy in 2 starts", 2);
    for id in ROBOTS {
        fs::write(rig.root(id).join("within"), scaled(Duration::from_secs(6)).as_secs().to_string()).unwrap();
    }
    update_stops_at_the_first(&rig, "1.3.0", 130, DEAF, "the hub did not answer", 1);
    let (good, text) = rig.outcome(&["robot", "update", "--deb", "xpuckd_1.1.0.deb", "--boards", "xu4"]);
    assert!(!good && text.contains("refuses 1.1.0: the bundle is for xu4, but this board is pi5"), "{text}");
}

/// Updates all robots to a good version. Restarts the hub while the first robot loads the version or runs it on trial.
fn update_to_a_good_version(rig: &mut Rig, built: &Path) {
    let package = rig.package("1.1.0", 110, built);
    let update = rig.command(&["robot", "update", "--deb", &package, "--boards", "pi5"]).spawn().unwrap();
    rig.wait("the first robot", |report| {
        report["rows"][0]["stand"] == "loading" || report["rows"][0]["stand"] == "trial"
    });
    let (good, text) = rig.outcome(&["start", "e.toml"]);
    assert!(!good && text.contains("`xpuck robot update abort` ends the update"), "{text}");
    // On a busy disk the hub may save the update slightly after the start of the update.
    let kept = rig.swarm.folder.path("runs/updates/update.json");
    wait_within(patience(), || kept.exists().then_some(()), || rig.logs());
    rig.swarm.kill("hub");
    rig.swarm.start_service("hub");
    let (good, text) = outcome(&update.wait_with_output().unwrap());
    assert!(good, "{text}{}", rig.logs());
    for id in ROBOTS {
        assert!(text.contains(&format!("{id}     1.1.0        runs 1.1.0\n")), "{text}");
        let shown = rig.runs(id);
        assert_eq!((shown["release"]["version"].as_str(), shown["phase"].as_str()), (Some("1.1.0"), Some("settled")));
    }
    assert!(text.contains("9 of 9 robots run 1.1.0\n"), "{text}");
}

fn update_stops_at_the_first(rig: &Rig, version: &str, counter: u64, program: &str, why: &str, starts: usize) {
    let package = rig.package(version, counter, &rig.script(program));
    let before = ROBOTS.map(|id| rig.starts(id).len());
    let (good, text) = rig.outcome(&["robot", "update", "--deb", &package]);
    assert!(
        !good && text.contains(&format!("xp01     1.1.0        reverted from {version}: ")),
        "{text}{}",
        rig.logs()
    );
    assert!(text.contains(why), "{text}");
    assert!(text.contains("0 of 9 robots run") && text.contains("stopped: xp01 reverted from"), "{text}");
    assert_eq!(rig.runs("xp01")["release"]["version"], "1.1.0");
    let ran = rig.starts("xp01").split_off(before[0]);
    let old = ran.last().unwrap().clone();
    assert_eq!(ran.iter().filter(|slot| **slot != old).count(), starts, "starts of the bad version: {ran:?}");
    for (id, before) in ROBOTS.into_iter().zip(before).skip(1) {
        assert_eq!(rig.starts(id).len(), before, "{id} is untouched");
        assert!(!rig.root(id).join("var/lib/xpuck-slots/incoming/part").exists());
        assert!(text.contains(&format!("{id}     1.1.0        not updated: the update was stopped")), "{text}");
    }
}
