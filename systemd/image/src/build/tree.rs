//! Files that turn Debian's root into a robot's root.
//!
//! A root contains no data that differ between robots. Such data are below `/etc/xpuck`, which is a separate subvolume
//! of the card, so that an update of the root does not change them. The root contains links to these data.

use super::{BOARD, put};
use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Paths and contents of the files that every robot's root contains.
const FILES: &[(&str, &str)] = &[
    (
        "etc/fstab",
        "# The card's subvolumes are mounted before the system begins.\ntmpfs /tmp tmpfs nosuid,nodev,size=64M 0 0\n",
    ),
    (
        "etc/systemd/journald.conf.d/xpuck.conf",
        "[Journal]\nStorage=persistent\nSystemMaxUse=32M\nRuntimeMaxUse=8M\nSyncIntervalSec=30s\n",
    ),
    (
        "etc/ssh/sshd_config.d/xpuck.conf",
        "HostKey /etc/xpuck/system/ssh_host_ed25519_key\nPasswordAuthentication no\nPermitRootLogin prohibit-password\n",
    ),
    // The boot must not wait for the wired interface, because a robot may have no cable.
    (
        "etc/systemd/network/20-wired.network",
        "[Match]\nName=en* eth*\n\n[Network]\nDHCP=ipv4\n\n[Link]\nRequiredForOnline=no\n",
    ),
    (
        "etc/modprobe.d/xpuck.conf",
        "# Not needed on a robot; they slow down the boot.\nblacklist joydev\nblacklist mousedev\n# Without a hwmon driver for the power monitors, xpuckd reads them directly; no other driver may bind to them.\nblacklist ina2xx-adc\n",
    ),
    // During the boot, udev triggers events only for devices for which a unit may wait. This avoids most of the events.
    (
        "etc/systemd/system/systemd-udev-trigger.service.d/xpuck.conf",
        "[Service]\nExecStart=\nExecStart=-udevadm trigger --type=devices --action=add --subsystem-nomatch=tty --subsystem-nomatch=vc --subsystem-nomatch=mem --subsystem-nomatch=bdi --subsystem-nomatch=workqueue --subsystem-nomatch=memory --subsystem-nomatch=vtconsole --subsystem-nomatch=acpi --subsystem-nomatch=clockevents --subsystem-nomatch=clocksource\n# Virtual consoles have no type.\nExecStart=-udevadm trigger --type=devices --action=add --subsystem-match=tty --attr-match=type\n",
    ),
    (
        "etc/sysctl.d/60-xpuck.conf",
        "# A board that hangs restarts.\nkernel.panic = 10\nkernel.panic_on_oops = 1\n# Real-time threads are bounded by their own watchdog.\nkernel.printk = 3 4 1 3\n",
    ),
];
/// Paths of files whose timestamps systemd compares with the timestamp of `/usr`. If the files are not older, systemd
/// skips the steps for the first boot after an update. These steps were done when the image was built.
const UPDATED: &[&str] = &["etc/.updated", "var/.updated"];
/// Links from the root to the robot's own data, with their targets.
const LINKS: &[(&str, &str)] = &[
    ("etc/hostname", "xpuck/system/hostname"),
    ("etc/machine-id", "xpuck/system/machine-id"),
    ("etc/systemd/network/10-xpuck.network", "../../xpuck/system/wifi.network"),
    ("etc/systemd/timesyncd.conf.d/xpuck.conf", "../../xpuck/system/time.conf"),
    ("etc/wpa_supplicant/wpa_supplicant-wlan0.conf", "../xpuck/system/wpa_supplicant.conf"),
    ("root/.ssh/authorized_keys", "/etc/xpuck/system/authorized_keys"),
];
/// Mount points for the card's subvolumes and first partition, and for the file systems of the kernel.
const FOLDERS: &[&str] =
    &["etc/xpuck", "var/lib/xpuck", "var/lib/xpuck-slots", "var/log", "boot/firmware", "proc", "sys", "dev", "run"];
/// Units of Debian packages that a robot needs, but that the packages do not enable.
const UNITS: &[&str] = &["systemd-networkd.service"];
/// Units that a robot does not need. They are masked, because they would increase the boot time.
const MASKED: &[&str] = &[
    "systemd-networkd-wait-online.service",
    "apt-daily.timer",
    "apt-daily-upgrade.timer",
    "e2scrub_all.timer",
    "e2scrub_reap.service",
    "fstrim.timer",
    "getty@tty1.service",
    "wpa_supplicant.service",
    "ssh.socket",
    // The following units track logins and seats, or set up kernel interfaces that no program of a robot uses.
    "systemd-logind.service",
    "systemd-update-utmp.service",
    "systemd-update-utmp-runlevel.service",
    "modprobe@configfs.service",
    "modprobe@dm_mod.service",
    "modprobe@drm.service",
    "modprobe@efi_pstore.service",
    "modprobe@fuse.service",
    "modprobe@loop.service",
    "sys-kernel-debug.mount",
    "sys-kernel-tracing.mount",
    "dev-hugepages.mount",
    "dev-mqueue.mount",
    "dpkg-db-backup.timer",
    "getty-static.service",
    "kmod-static-nodes.service",
    "proc-sys-fs-binfmt_misc.automount",
    "systemd-ask-password-console.path",
    "systemd-ask-password-wall.path",
    "systemd-binfmt.service",
    "systemd-initctl.socket",
    "systemd-machine-id-commit.service",
    "systemd-network-generator.service",
    "systemd-pcrphase.service",
    "systemd-pcrphase-sysinit.service",
    "systemd-remount-fs.service",
    "systemd-rfkill.socket",
];
/// Generators of units that no robot needs. They are disabled, because systemd would run them at each boot.
const GENERATORS: &[&str] = &[
    "systemd-bless-boot-generator",
    "systemd-cryptsetup-generator",
    "systemd-gpt-auto-generator",
    "systemd-hibernate-resume-generator",
    "systemd-integritysetup-generator",
    "systemd-rc-local-generator",
    "systemd-system-update-generator",
    "systemd-sysv-generator",
    "systemd-veritysetup-generator",
];
/// Files and folders that a robot does not need. A star stands for one folder with any name.
const UNUSED: &[&str] = &[
    "usr/share/man",
    "usr/share/locale",
    "usr/share/info",
    "usr/share/lintian",
    "usr/share/bug",
    // Source files of the hardware database, whose compiled form is in the parent folder.
    "usr/lib/udev/hwdb.d",
    // Tables of character sets other than UTF-8.
    "usr/lib/*/gconv",
];
/// Name of the file with the licence terms of a package. No other file of a package's documentation is kept.
const KEPT_DOC_FILE: &str = "copyright";
/// Files and folders that the build leaves in the root and that no robot needs.
const BUILD_LEFTOVERS: &[&str] = &[
    "var/cache/apt",
    "var/lib/apt/lists",
    "var/cache/ldconfig",
    "var/cache/debconf",
    "var/log",
    "tmp",
    "root/.cache",
    "var/lib/systemd/random-seed",
    "etc/resolv.conf",
    "var/lib/dpkg/status-old",
    "etc/passwd-",
    "etc/group-",
    "etc/shadow-",
    "etc/gshadow-",
];

/// Unpacks the archive of Debian's root into the new folder `root`.
pub(super) fn unpack(archive: &Path, root: &Path) -> Result<(), ToolError> {
    fs::create_dir(root).map_err(ToolError::file(root))?;
    let mut tar = Command::new("tar");
    tar.args(["--xattrs", "--xattrs-include=security.capability", "--numeric-owner", "-xpf"]).arg(archive);
    tools::run("unpacking the root", tar.arg("-C").arg(root)).map(drop)
}

/// Adds the robot's files to a root, and enables and disables units.
pub(super) fn robot(board: &Board, root: &Path) -> Result<(), ToolError> {
    for folder in FOLDERS {
        let path = root.join(folder);
        fs::create_dir_all(&path).map_err(ToolError::file(&path))?;
    }
    for (name, text) in FILES {
        put(&root.join(name), text.as_bytes())?;
    }
    for name in UPDATED {
        put(&root.join(name), b"")?;
    }
    put(&root.join("etc/modules-load.d/xpuck.conf"), (board.load.join("\n") + "\n").as_bytes())?;
    put(&root.join(BOARD), format!("{}\n", board.name).as_bytes())?;
    for (name, target) in LINKS {
        let path = root.join(name);
        let folder = path.parent().unwrap_or(root);
        fs::create_dir_all(folder).map_err(ToolError::file(folder))?;
        remove(&path)?;
        symlink(target, &path).map_err(ToolError::file(&path))?;
    }
    // Each robot generates its own SSH host key at its first boot, in the folder of its other keys.
    let script = "[Service]\nExecStartPre=\nExecStartPre=/bin/sh -c '[ -s /etc/xpuck/system/ssh_host_ed25519_key ] || ssh-keygen -q -t ed25519 -N \"\" -f /etc/xpuck/system/ssh_host_ed25519_key'\nExecStartPre=/usr/sbin/sshd -t\n";
    put(&root.join("etc/systemd/system/ssh.service.d/key.conf"), script.as_bytes())?;
    for entry in fs::read_dir(root.join("etc/ssh")).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with("ssh_host_") {
            remove(&entry.path())?;
        }
    }
    let systemctl = |verb: &str, units: &[&str]| {
        let mut command = Command::new("systemctl");
        tools::run("choosing units", command.arg("--root").arg(root).arg(verb).args(units)).map(drop)
    };
    systemctl("enable", UNITS)?;
    systemctl("mask", MASKED)?;
    let generators = root.join("etc/systemd/system-generators");
    fs::create_dir_all(&generators).map_err(ToolError::file(&generators))?;
    for name in GENERATORS {
        let path = generators.join(name);
        symlink("/dev/null", &path).map_err(ToolError::file(&path))?;
    }
    Ok(())
}

/// Removes files that a robot does not need, and files that would differ between builds.
pub(super) fn clean(root: &Path) -> Result<(), ToolError> {
    for name in BUILD_LEFTOVERS {
        let path = root.join(name);
        let was_folder = path.is_dir();
        remove(&path)?;
        if was_folder {
            fs::create_dir_all(&path).map_err(ToolError::file(&path))?;
        }
    }
    for name in UNUSED {
        for path in matching(root, name)? {
            remove(&path)?;
        }
    }
    for path in matching(root, "usr/share/doc/*/*")? {
        if path.file_name().is_some_and(|name| name != KEPT_DOC_FILE) {
            remove(&path)?;
        }
    }
    use std::os::unix::fs::PermissionsExt;
    let tmp = root.join("tmp");
    fs::set_permissions(&tmp, PermissionsExt::from_mode(0o1777)).map_err(ToolError::file(&tmp))
}

/// Returns the paths below a root that match a pattern. A star in the pattern stands for one file or folder with any
/// name.
fn matching(root: &Path, pattern: &str) -> Result<Vec<PathBuf>, ToolError> {
    let mut found = vec![root.to_path_buf()];
    for part in pattern.split('/') {
        let mut below = Vec::new();
        for folder in found {
            if part != "*" {
                below.push(folder.join(part));
            } else if folder.is_dir() && !folder.is_symlink() {
                for entry in fs::read_dir(&folder).map_err(ToolError::file(&folder))? {
                    below.push(entry.map_err(ToolError::file(&folder))?.path());
                }
            }
        }
        found = below;
    }
    Ok(found)
}

fn remove(path: &Path) -> Result<(), ToolError> {
    let gone = match path.symlink_metadata() {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => Ok(()),
        Ok(found) if found.is_dir() => fs::remove_dir_all(path),
        Ok(_) => fs::remove_file(path),
        Err(error) => Err(error),
    };
    gone.map_err(ToolError::file(path))
}
