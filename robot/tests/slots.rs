//! Tests `xpuckd slots` with packages built by `dpkg-deb`. A healthy version is kept. A version that exits immediately
//! and a version that receives nothing from the hub are reverted. Shell scripts represent the versions of the program,
//! and the test performs the tasks of systemd.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use xpuck_update::Release;
use xpuck_update::bundle::{Kind, seal, this_arch, write};
use xpuck_wire::keys::Secret;

/// Returns a shell script that writes a health report four times a second. `hub` is the reported state of the link to
/// the hub.
fn says(hub: bool) -> String {
    let toml = "version = \"%s\"\\ncounter = %s\\nstarted = 0.0\\nstamp = %s\\ndevices = true\\n";
    format!(
        "#!/bin/sh\ntree=$(dirname \"$0\")/../..\n\
         version=$(sed -n 's/version = \"\\(.*\\)\"/\\1/p' \"$tree/usr/lib/xpuck/release\")\n\
         counter=$(sed -n 's/counter = //p' \"$tree/usr/lib/xpuck/release\")\n\
         while :; do read -r now _ < /proc/uptime\n\
         printf '{toml}hub = {hub}\\n' \"$version\" \"$counter\" \"$now\" > \"$HEALTH.new\"\n\
         mv \"$HEALTH.new\" \"$HEALTH\"; sleep 0.25; done\n"
    )
}

struct Board {
    _dir: tempfile::TempDir,
    root: PathBuf,
    alice: Secret,
}

fn put(path: &Path, text: &str, mode: u32) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn release(counter: u64) -> Release {
    Release { version: format!("0.{counter}"), counter }
}

impl Board {
    fn new() -> Board {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().to_path_buf();
        let at = |path: &str| root.join(path);
        put(&at("usr/bin/xpuckd"), &says(true), 0o755);
        put(&at("usr/lib/xpuck/release"), &release(1).to_text(), 0o644);
        let devices = "[devices]\nkind = \"virtual\"\ndirectory = \"x\"\ncamera_width = 160\ncamera_height = 120\n";
        put(&at("etc/xpuck/robots/xp01.toml"), &format!("id = \"xp01\"\nswarm = \"../swarm.toml\"\n{devices}"), 0o644);
        let hub = "[hub]\nrobots = \"tcp://127.0.0.1:9\"\noperator = \"tcp://127.0.0.1:9\"\n";
        put(&at("etc/xpuck/swarm.toml"), &format!("robots = [\"xp01\"]\n{hub}"), 0o644);
        put(&at("etc/xpuck/board"), "pi5\n", 0o644);
        // As on a robot's SD card, the path of the robot's file is a symbolic link.
        symlink("robots/xp01.toml", at("etc/xpuck/robot.toml")).unwrap();
        fs::create_dir_all(at("run/xpuck")).unwrap();
        fs::create_dir_all(at("etc/xpuck/keys/operators")).unwrap();
        let alice = Secret::generate("alice").unwrap();
        alice.public.write(&at("etc/xpuck/keys/operators/alice.pub")).unwrap();
        Board { _dir: dir, root, alice }
    }

    /// Builds a package of a version, and writes it as the bundle that is ready for installation.
    fn deliver(&self, counter: u64, program: &str, boards: &str) {
        let (tree, deb) = (self.root.join("tree"), self.root.join("x.deb"));
        let arch = this_arch();
        let control = format!(
            "Package: xpuckd\nVersion: 0.{counter}\nArchitecture: {arch}\nMaintainer: A <a@example.org>\nDescription: x\n"
        );
        put(&tree.join("DEBIAN/control"), &control, 0o644);
        put(&tree.join("usr/bin/xpuckd"), program, 0o755);
        put(&tree.join("usr/lib/xpuck/release"), &release(counter).to_text(), 0o644);
        let mut dpkg = Command::new("dpkg-deb");
        let built = dpkg.arg("--root-owner-group").arg("--build").args([&tree, &deb]).stdout(Stdio::null()).status();
        assert!(built.unwrap().success());
        let open = || fs::File::open(&deb).unwrap();
        let head = seal(Kind::App, &[boards.into()], arch, &release(counter), open(), &self.alice).unwrap();
        let ready = self.root.join("var/lib/xpuck-slots/incoming/ready");
        write(&head, open(), fs::File::create(ready).unwrap()).unwrap();
    }

    fn slots(&self, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xpuckd"));
        command.arg("slots").args(arguments).arg("--root").arg(&self.root);
        let output = command.args(["--restart", "true"]).output().unwrap();
        let text = [&output.stdout[..], &output.stderr[..]].concat();
        (output.status.success(), String::from_utf8(text).unwrap())
    }

    fn current(&self) -> String {
        fs::read_link(self.root.join("var/lib/xpuck-slots/current")).unwrap().to_str().unwrap().into()
    }

    /// Performs a start in the same way as systemd: runs `xpuckd slots boot`, and starts the program in the tree to
    /// which `current` points.
    fn start(&self) -> Child {
        assert!(self.slots(&["boot"]).0);
        let tree = match self.current().as_str() {
            "/" => self.root.clone(),
            slot => self.root.join("var/lib/xpuck-slots").join(slot),
        };
        let mut program = Command::new(tree.join("usr/bin/xpuckd"));
        program.env("HEALTH", self.root.join("run/xpuck/health")).spawn().unwrap()
    }
}

fn end(mut child: Child) {
    let _ = child.kill();
    let _ = child.wait();
}

#[test]
fn good_version_stays_and_bad_versions_are_reverted() {
    if Command::new("dpkg-deb").arg("--version").stdout(Stdio::null()).status().is_err() {
        return xpuck_testing::skipped("no dpkg-deb");
    }
    let board = Board::new();
    assert!(board.slots(&["boot"]).0);
    assert_eq!(board.current(), "/");
    // A healthy version is kept.
    board.deliver(2, &says(true), "pi5");
    let (_, said) = board.slots(&["install"]);
    assert!(said.contains("version 0.2 is in slot a and on trial"), "{said}");
    let child = board.start();
    let (well, said) = board.slots(&["judge"]);
    end(child);
    assert!(well && said.contains("version 0.2 is healthy and is kept"), "{said}");
    assert!(board.slots(&["boot"]).0);
    assert_eq!(board.current(), "a");
    // A version that exits immediately is started twice. Afterwards, the previous version runs again.
    board.deliver(3, "#!/bin/sh\nexit 1\n", "any");
    assert!(board.slots(&["install"]).1.contains("in slot b and on trial"));
    for _ in 0..2 {
        let mut child = board.start();
        assert_eq!(board.current(), "b");
        assert!(!child.wait().unwrap().success());
    }
    assert!(board.slots(&["boot"]).0);
    assert_eq!(board.current(), "a");
    // A version that receives nothing from the hub is reverted.
    board.deliver(4, &says(false), "any");
    assert!(board.slots(&["install"]).1.contains("in slot b and on trial"));
    let child = board.start();
    let (well, said) = board.slots(&["judge", "--within", "2"]);
    end(child);
    assert!(!well && said.contains("version 0.4 is reverted: the hub did not answer within 2 s"), "{said}");
    assert_eq!(board.current(), "a");
    let (_, shown) = board.slots(&["show", "--json"]);
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    assert_eq!((&shown["release"]["version"], &shown["highest"]["counter"]), (&"0.2".into(), &2.into()));
    assert_eq!((&shown["last"]["result"], &shown["phase"]), (&"reverted".into(), &"settled".into()));
    // If a bundle is refused, the output is one line, the link `current` is unchanged, and the bundle is removed.
    let refused = |why: &str| {
        let (_, said) = board.slots(&["install"]);
        assert!(said.contains(why) && said.lines().count() == 1, "{said}");
        assert_eq!(board.current(), "a");
        assert!(!board.root.join("var/lib/xpuck-slots/incoming/ready").exists());
    };
    board.deliver(1, &says(true), "any");
    refused("release 0.1 (counter 1) is older than the installed release 0.2 (counter 2)");
    board.deliver(5, &says(true), "xu4");
    refused("the bundle is for xu4, but this board is pi5");
    fs::write(board.root.join("var/lib/xpuck-slots/incoming/ready"), "!<arch>\n").unwrap();
    refused("not a bundle");
    fs::remove_file(board.root.join("etc/xpuck/keys/operators/alice.pub")).unwrap();
    board.deliver(5, &says(true), "any");
    refused("the bundle's signer `alice` is not an operator here");
}
