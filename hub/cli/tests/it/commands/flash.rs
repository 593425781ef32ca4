//! `xpuck card flash` on a file in place of a card: the written content, and errors that leave the card unchanged.

use crate::common::{said, xpuck};
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use xpuck_testing::patience;
use xpuck_testing::patience::wait_within;
use xpuck_update::{Kind, Release, bundle};
use xpuck_wire::keys::Secret;

/// A swarm's folder, an image signed by its operator, and a card file.
struct FlashFixture {
    dir: tempfile::TempDir,
}

impl FlashFixture {
    fn new() -> FlashFixture {
        let dir = tempfile::tempdir().unwrap();
        let made = xpuck().args(["init", "--count", "2"]).arg(dir.path().join("lab")).output().unwrap();
        assert!(made.status.success(), "{}", said(&made));
        let bag = FlashFixture { dir };
        bag.image("good.xpb", Kind::Image, 20, None);
        bag.new_card();
        bag
    }

    fn new_card(&self) {
        let _ = fs::remove_file(self.path("card.img"));
        File::create(self.path("card.img")).unwrap().set_len(4_000_000_000).unwrap();
    }

    /// Waits until no loop device uses the card. The kernel frees a loop device when all processes have closed it.
    /// Another test may still have it open, because `mount` briefly opens all devices to look for a file system.
    fn wait_until_unused(&self) {
        let loops = || said(&Command::new("losetup").arg("--associated").arg(self.path("card.img")).output().unwrap());
        let free = || loops().is_empty().then_some(());
        wait_within(patience(), free, || format!("still attached: {}", loops()));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// Writes an image with a small root file system: the files that flashing needs, and one file of 8 MB.
    fn image(&self, name: &str, kind: Kind, counter: u64, signer: Option<&Secret>) {
        let root = self.path("root");
        let put = |name: &str, bytes: &[u8]| {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, bytes).unwrap();
        };
        put("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\nxpuck:x:994:993:Xpuck robot:/:/usr/sbin/nologin\n");
        put("usr/lib/xpuck/boot/vmlinuz", &[7; 300_000]);
        put("usr/lib/xpuck/boot/extlinux/extlinux.conf", b"default xpuck\n");
        put("usr/lib/xpuck/boot/blocks/00000063", &[9; 2048]);
        let noise: Vec<u8> = (0..8_000_000u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        put("usr/share/noise", &noise);
        let payload = self.path("payload.tar.zst");
        let packed = Command::new("tar").args(["--zstd", "-cf"]).arg(&payload).arg("-C").arg(&root).arg(".").status();
        assert!(packed.unwrap().success());
        let own = Secret::read(&self.path("lab/keys/operators/operator.key")).unwrap();
        let release = Release { version: format!("0.{counter}.0"), counter };
        let (boards, read) = (["qemu-arm64".to_string()], || File::open(&payload).unwrap());
        let head = bundle::seal(kind, &boards, "arm64", &release, read(), signer.unwrap_or(&own)).unwrap();
        bundle::write(&head, read(), File::create(self.path(name)).unwrap()).unwrap();
    }

    fn flash(&self, more: &[&str]) -> Command {
        let mut command = xpuck();
        command
            .args(["card", "flash", "--swarm"])
            .arg(self.path("lab"))
            .arg("--device")
            .arg(self.path("card.img"))
            .args(more);
        command.current_dir(self.dir.path()).stdin(Stdio::null());
        command
    }

    fn run(&self, more: &[&str]) -> Output {
        self.flash(more).output().unwrap()
    }

    /// Returns the first block of the card, which contains the partition table.
    fn table(&self) -> [u8; 512] {
        let mut block = [0; 512];
        File::open(self.path("card.img")).unwrap().read_exact_at(&mut block, 0).unwrap();
        block
    }

    /// Mounts the card's file system from its two copies on the card, and calls `look` with the mount point to check
    /// the files.
    fn check_files(&self, look: impl FnOnce(&Path)) {
        let table = self.table();
        let number = |at: usize| u64::from(u32::from_le_bytes(table[at..at + 4].try_into().unwrap())) * 512;
        let copies = [446 + 16, 446 + 32].map(|entry| {
            let (offset, size) = (number(entry + 8).to_string(), number(entry + 12).to_string());
            let mut make = Command::new("losetup");
            make.args(["--find", "--show", "--offset", &offset, "--sizelimit", &size]).arg(self.path("card.img"));
            String::from_utf8(make.output().unwrap().stdout).unwrap().trim().to_string()
        });
        let top = self.path("top");
        fs::create_dir(&top).unwrap();
        let options = format!("ro,subvolid=5,device={},device={}", copies[0], copies[1]);
        let mounted = Command::new("mount").args(["-t", "btrfs", "-o", &options, &copies[0]]).arg(&top).status();
        let seen = mounted.unwrap().success();
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| look(&top)));
        let _ = Command::new("umount").arg(&top).status();
        for copy in &copies {
            let _ = Command::new("losetup").args(["--detach", copy]).status();
        }
        assert!(seen, "the card cannot be mounted");
        done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    }
}

/// Returns whether this machine can write cards. If not, reports the missing programs or privileges.
fn able() -> bool {
    let there = |program: &str| Command::new("which").arg(program).output().is_ok_and(|which| which.status.success());
    let missing: Vec<&str> =
        ["mkfs.btrfs", "mkfs.vfat", "mcopy", "losetup"].into_iter().filter(|p| !there(p)).collect();
    let root = fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0);
    let btrfs = fs::read_to_string("/proc/filesystems").is_ok_and(|known| known.contains("btrfs"));
    match (root && btrfs && Path::new("/dev/loop-control").exists(), missing.is_empty()) {
        (true, true) => true,
        (false, _) => {
            xpuck_testing::skipped("cards take root's rights, loop devices and a kernel with btrfs");
            false
        }
        (_, false) => {
            xpuck_testing::skipped(format!("missing: {}", missing.join(" ")));
            false
        }
    }
}

#[test]
fn card_holds_the_image_twice_and_the_identity_of_the_robot() {
    let bag = FlashFixture::new();
    if !able() {
        return;
    }
    let written = bag.run(&["--robot", "xp02", "--image", "good.xpb"]);
    assert!(written.status.success(), "{}", said(&written));
    assert!(
        said(&written).contains("xp02: card of 4000 MB written and verified, release 0.20.0"),
        "{}",
        said(&written)
    );
    let mut block = [0; 2048];
    File::open(bag.path("card.img")).unwrap().read_exact_at(&mut block, 63 * 512).unwrap();
    assert_eq!(block, [9; 2048], "what goes to a block of its own");
    bag.check_files(|top| {
        let read = |name: &str| fs::read(top.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
        let same = |name: &str, own: &str| assert_eq!(read(name), fs::read(bag.path(own)).unwrap(), "{name}");
        same("@a/usr/share/noise", "root/usr/share/noise");
        same("@config/keys/robots/xp02.key", "lab/keys/robots/xp02.key");
        same("@config/robots/xp02.toml", "lab/robots/xp02.toml");
        assert_eq!(read("@config/board"), b"qemu-arm64\n");
        assert_eq!(read("@config/system/hostname"), b"xp02\n");
        assert_eq!(read("@slots/roots"), b"current @a\n");
        assert_eq!(fs::read_link(top.join("@config/robot.toml")).unwrap(), Path::new("robots/xp02.toml"));
        let key = fs::metadata(top.join("@config/keys/robots/xp02.key")).unwrap();
        assert_eq!((key.mode() & 0o777, key.uid(), key.gid()), (0o600, 994, 993));
        assert!(!top.join("@config/keys/robots/xp01.key").exists());
        assert!(!top.join("@config/keys/operators/operator.key").exists());
        for name in ["@state", "@slots", "@log"] {
            assert!(top.join(name).is_dir(), "{name}");
        }
    });
    bag.wait_until_unused();
}

#[test]
fn interrupted_card_does_not_boot_and_a_set_is_resumed() {
    let bag = FlashFixture::new();
    if !able() {
        return;
    }
    // The command is killed while it writes the root file system. The kernel removes loop devices and mounts when the
    // last process that uses them ends.
    let mut killed = bag.flash(&["--robot", "xp01", "--image", "good.xpb"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut words = String::new();
    let mut lines = std::io::BufReader::new(killed.stderr.take().unwrap());
    while !words.contains("making file systems") {
        assert!(std::io::BufRead::read_line(&mut lines, &mut words).unwrap() > 0, "{words}");
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    assert_eq!(bag.table(), [0; 512]);
    bag.wait_until_unused();

    let all = |answers: &str| {
        let mut command = bag.flash(&["--all", "--image", "good.xpb"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(answers.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    };
    let first = all("\nq\n");
    assert!(first.status.code() == Some(75) && said(&first).contains("ended before xp02"), "{}", said(&first));
    let same = all("\nq\n");
    assert!(said(&same).contains("this is the card of xp01; insert another one"), "{}", said(&same));
    bag.new_card();
    let second = all("\n");
    assert!(second.status.success() && said(&second).contains("1 of 2 robots have a card"), "{}", said(&second));
    assert!(said(&second).contains("all robots have their cards"), "{}", said(&second));
    bag.check_files(|top| assert_eq!(fs::read(top.join("@config/system/hostname")).unwrap(), b"xp02\n"));
    // An older image is rejected unless the user requests it.
    bag.image("older.xpb", Kind::Image, 19, None);
    let older = bag.run(&["--robot", "xp01", "--image", "older.xpb"]);
    assert!(said(&older).contains("is older than that of"), "{}", said(&older));
}

#[test]
fn errors_are_one_line_and_leave_the_card_unchanged() {
    let bag = FlashFixture::new();
    let marked =
        || File::options().write(true).open(bag.path("card.img")).unwrap().write_all_at(b"holiday pictures", 0);
    marked().unwrap();
    let refused = |more: &[&str], why: &str| {
        let output = bag.run(more);
        let words = said(&output);
        assert!(!output.status.success() && words.contains(why), "{why}: {words}");
        assert_eq!(words.trim_end().lines().count(), 1, "{words}");
        assert!(bag.table().starts_with(b"holiday pictures"), "{why}");
    };
    let whole = fs::read(bag.path("good.xpb")).unwrap();
    fs::write(bag.path("cut.xpb"), &whole[..whole.len() - 1000]).unwrap();
    refused(&["--robot", "xp01", "--image", "cut.xpb"], "is truncated");
    fs::write(bag.path("text.xpb"), "hello").unwrap();
    refused(&["--robot", "xp01", "--image", "text.xpb"], "not a bundle");
    refused(&["--robot", "xp01", "--image", "nothing.xpb"], "nothing.xpb");
    bag.image("foreign.xpb", Kind::Image, 21, Some(&Secret::generate("mallory").unwrap()));
    refused(&["--robot", "xp01", "--image", "foreign.xpb"], "the bundle's signer `mallory` is not an operator here");
    bag.image("app.xpb", Kind::App, 21, None);
    refused(&["--robot", "xp01", "--image", "app.xpb"], "a card needs an image");
    refused(&["--robot", "xp09", "--image", "good.xpb"], "`xp09` is not in the list");
    fs::write(bag.path("lab/cards.toml"), "board = \"pi5\"\n").unwrap();
    refused(&["--robot", "xp01", "--image", "good.xpb"], "cards.toml has board = \"pi5\"");
    fs::write(bag.path("lab/cards.toml"), "bord = \"pi5\"\n").unwrap();
    refused(&["--robot", "xp01", "--image", "good.xpb"], "bord");
    fs::remove_file(bag.path("lab/cards.toml")).unwrap();
    fs::rename(bag.path("lab/keys/robots/xp01.key"), bag.path("away.key")).unwrap();
    refused(&["--robot", "xp01", "--image", "good.xpb"], "xpuck keys new");
    fs::rename(bag.path("away.key"), bag.path("lab/keys/robots/xp01.key")).unwrap();
    // The device is a folder instead of a card.
    let mut folder = xpuck();
    folder.args(["card", "flash", "--robot", "xp01", "--yes", "--swarm"]).arg(bag.path("lab"));
    folder.arg("--image").arg(bag.path("good.xpb")).arg("--device").arg(bag.dir.path());
    let folder = folder.output().unwrap();
    assert!(said(&folder).contains("neither a block device nor a file"), "{}", said(&folder));
    // A file with other content is not overwritten without confirmation. With confirmation, a card that is too small is
    // still rejected.
    refused(&["--robot", "xp01", "--image", "good.xpb"], "no terminal to ask for confirmation; use --yes");
    File::options().write(true).open(bag.path("card.img")).unwrap().set_len(2_000_000_000).unwrap();
    refused(&["--robot", "xp01", "--yes", "--image", "good.xpb"], "holds 2000 MB; a card must hold at least 3600 MB");
}
