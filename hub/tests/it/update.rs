//! Robots get a new program over the air, and come back from a bad one: a real hub, an arena, and nine real robots' programs, each
//! with slots of its own and a small loop in the place of the system's manager.

use crate::common::{free_ports, xpuck};
use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};
use xpuck_update::bundle::this_arch;

const ROBOTS: [&str; 9] = ["xp01", "xp02", "xp03", "xp04", "xp05", "xp06", "xp07", "xp08", "xp09"];
/// How long anything may take on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// What systemd's units do on a robot: the arguments are its root and the process that the loop ends with.
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

/// A program that starts, whose devices answer, and that never hears a hub.
const DEAF: &str = r#"#!/bin/sh
while sleep 0.3; do
    now=$(cut -d' ' -f1 /proc/uptime)
    printf 'version = "1.3.0"\ncounter = 130\nstarted = 0.0\nstamp = %s\ndevices = true\nhub = false\n' $now >$RUNTIME_DIRECTORY/health
done
"#;

struct Rig {
    dir: tempfile::TempDir,
    hub: Option<Child>,
    others: Vec<Child>,
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Puts a program of this release into a tree.
fn plant(tree: &Path, program: &Path, version: &str, counter: u64) {
    write(&tree.join("usr/lib/xpuck/release"), &format!("version = \"{version}\"\ncounter = {counter}\n"));
    fs::create_dir_all(tree.join("usr/bin")).unwrap();
    fs::copy(program, tree.join("usr/bin/xpuckd")).unwrap();
    fs::set_permissions(tree.join("usr/bin/xpuckd"), fs::Permissions::from_mode(0o755)).unwrap();
}

impl Rig {
    fn start() -> Rig {
        let dir = tempfile::tempdir().unwrap();
        let at = dir.path().display().to_string();
        let ports = free_ports();
        let operator = format!("tcp://127.0.0.1:{}", ports + 1);
        let mocap = format!("127.0.0.1:{}", ports + 2);
        write(
            &dir.path().join("swarm.toml"),
            &format!("robots = {ROBOTS:?}\n[hub]\nrobots = \"tcp://127.0.0.1:{ports}\"\noperator = \"{operator}\"\n"),
        );
        write(
            &dir.path().join("arena.toml"),
            &format!(
                "swarm = \"swarm.toml\"\nseed = 12\nscenario = \"b\"\ndevices = \"devices\"\nmocap = \"{mocap}\"\n\
                 camera = {{ width = 160, height = 120, frames_per_second = 2.0 }}\n"
            ),
        );
        write(
            &dir.path().join("hub.toml"),
            &format!(
                "swarm = \"swarm.toml\"\n[mocap]\naddress = \"{mocap}\"\nfrisbee = \"frisbee\"\n[record]\ndirectory = \"runs\"\n"
            ),
        );
        write(&dir.path().join("e.toml"), "name = \"x\"\nminutes = 1.0\nsegment_minutes = 0.5\ntask = \"transport\"\n");
        let mut rig = Rig { dir, hub: None, others: Vec::new() };
        assert!(rig.run(&["keys", "new", "--robots", "swarm.toml"]).status.success());
        let arena = rig.serve("arena");
        rig.others.push(arena);
        rig.hub = Some(rig.serve("hub"));
        let built = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
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
            rig.others.push(rig.spawn(manager, id));
        }
        rig
    }

    fn root(&self, id: &str) -> PathBuf {
        self.dir.path().join("roots").join(id)
    }

    fn spawn(&self, mut command: Command, log: &str) -> Child {
        let log = fs::OpenOptions::new().create(true).append(true).open(self.dir.path().join(format!("{log}.log")));
        let log = log.unwrap();
        let command = command.current_dir(self.dir.path()).stdin(Stdio::piped()).stderr(log.try_clone().unwrap());
        command.spawn().unwrap()
    }

    fn serve(&self, what: &str) -> Child {
        let mut command = xpuck();
        command.args([what, "--end-with-stdin", "--config", &format!("{what}.toml")]).stdout(Stdio::piped());
        let mut child = self.spawn(command, what);
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n", "{}", self.log(what));
        child
    }

    fn log(&self, name: &str) -> String {
        fs::read_to_string(self.dir.path().join(format!("{name}.log"))).unwrap_or_default()
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = xpuck();
        command.args(arguments).current_dir(self.dir.path()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// What a command said, and whether all was well.
    fn told(&self, arguments: &[&str]) -> (bool, String) {
        said(&self.run(arguments))
    }

    /// A package of this release with that program.
    fn package(&self, version: &str, counter: u64, program: &Path) -> String {
        let tree = self.dir.path().join(format!("tree-{version}"));
        plant(&tree, program, version, counter);
        let control = format!(
            "Package: xpuckd\nVersion: {version}\nArchitecture: {}\nMaintainer: A <a@xpuck.invalid>\nDescription: a robot\n",
            this_arch()
        );
        write(&tree.join("DEBIAN/control"), &control);
        let name = format!("xpuckd_{version}.deb");
        let mut pack = Command::new("dpkg-deb");
        pack.args(["-Znone", "--root-owner-group", "--build"]).arg(&tree).arg(&name).current_dir(self.dir.path());
        let made = pack.output().unwrap();
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        fs::remove_dir_all(tree).unwrap();
        name
    }

    fn script(&self, text: &str) -> PathBuf {
        let path = self.dir.path().join("script");
        write(&path, text);
        path
    }

    /// Waits until the update's report says so.
    fn wait(&self, what: &str, ready: impl Fn(&serde_json::Value) -> bool) {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            let output = self.run(&["update", "--status", "--json"]);
            if serde_json::from_slice(&output.stdout).is_ok_and(|report| ready(&report)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("{what}: not in time; {}", self.logs());
    }

    fn logs(&self) -> String {
        ["hub"].iter().chain(&ROBOTS).map(|name| format!("\n{name}: {}", self.log(name))).collect()
    }

    /// What ran at each start of a robot.
    fn starts(&self, id: &str) -> Vec<String> {
        let text = fs::read_to_string(self.root(id).join("starts")).unwrap_or_default();
        text.lines().map(String::from).collect()
    }

    /// What runs on a robot, as its slots say.
    fn runs(&self, id: &str) -> serde_json::Value {
        let root = self.root(id);
        let mut command = Command::new(root.join("usr/bin/xpuckd"));
        let output = command.args(["slots", "show", "--json", "--root"]).arg(&root).output().unwrap();
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

fn said(output: &Output) -> (bool, String) {
    (output.status.success(), String::from_utf8_lossy(&[&output.stdout[..], &output.stderr].concat()).into_owned())
}

impl Drop for Rig {
    fn drop(&mut self) {
        for id in ROBOTS {
            let _ = fs::remove_dir_all(self.root(id).join("run"));
        }
        for mut child in self.hub.take().into_iter().chain(self.others.drain(..)) {
            // A closed standard input ends what a robot's manager started.
            drop(child.stdin.take());
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

#[test]
fn robots_are_updated_over_the_air_and_come_back_from_a_bad_version() {
    if Command::new("dpkg-deb").arg("--version").output().is_err() {
        return xpuck_testing::skipped("dpkg-deb makes the packages");
    }
    let mut rig = Rig::start();
    let built = Path::new(env!("CARGO_BIN_EXE_xpuck")).with_file_name("xpuckd");
    let there = |rig: &Rig| rig.told(&["robots"]).1.matches("1.0.0").count() == ROBOTS.len();
    let end = Instant::now() + PATIENCE;
    while !there(&rig) {
        assert!(Instant::now() < end, "{}", rig.logs());
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(rig.told(&["update", "--status"]), (true, "nothing was updated so far\n".into()));
    the_good_version(&mut rig, &built);
    it_stops_at_the_first(&rig, "1.2.0", 120, "#!/bin/sh\nexit 1\n", "2 starts did not make it well", 2);
    for id in ROBOTS {
        fs::write(rig.root(id).join("within"), "6").unwrap();
    }
    it_stops_at_the_first(&rig, "1.3.0", 130, DEAF, "the hub was not heard", 1);
    let (good, text) = rig.told(&["update", "--deb", "xpuckd_1.1.0.deb", "--boards", "xu4"]);
    assert!(!good && text.contains("refuses 1.1.0: the bundle is for xu4, and this board is pi5"), "{text}");
}

/// The hub is started again while the first robot has the bundle.
fn the_good_version(rig: &mut Rig, built: &Path) {
    let package = rig.package("1.1.0", 110, built);
    let update = rig.command(&["update", "--deb", &package, "--boards", "pi5"]).spawn().unwrap();
    rig.wait("the first robot", |report| {
        report["rows"][0]["stand"] == "loading" || report["rows"][0]["stand"] == "trial"
    });
    let (good, text) = rig.told(&["start", "e.toml"]);
    assert!(!good && text.contains("`xpuck update --abort` ends that"), "{text}");
    let mut hub = rig.hub.take().unwrap();
    hub.kill().unwrap();
    hub.wait().unwrap();
    rig.hub = Some(rig.serve("hub"));
    let (good, text) = said(&update.wait_with_output().unwrap());
    assert!(good, "{text}{}", rig.logs());
    for id in ROBOTS {
        assert!(text.contains(&format!("{id}     1.1.0        runs 1.1.0\n")), "{text}");
        let shown = rig.runs(id);
        assert_eq!((shown["release"]["version"].as_str(), shown["phase"].as_str()), (Some("1.1.0"), Some("settled")));
    }
    assert!(text.contains("9 of 9 robots run 1.1.0\n"), "{text}");
}

fn it_stops_at_the_first(rig: &Rig, version: &str, counter: u64, program: &str, why: &str, starts: usize) {
    let package = rig.package(version, counter, &rig.script(program));
    let before = ROBOTS.map(|id| rig.starts(id).len());
    let (good, text) = rig.told(&["update", "--deb", &package]);
    assert!(
        !good && text.contains(&format!("xp01     1.1.0        went back from {version}: ")),
        "{text}{}",
        rig.logs()
    );
    assert!(text.contains(why), "{text}");
    assert!(text.contains("0 of 9 robots run") && text.contains("stopped: xp01 went back"), "{text}");
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
