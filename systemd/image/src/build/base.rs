//! Root with Debian's packages for the board's architecture. It is built by mmdebstrap and stored in a cache.

use super::foreign;
use crate::board::Board;
use crate::tools::{self, ToolError};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use xpuck_wire::atomic;
use xpuck_wire::signed::hex;

/// Debian release of all images.
pub const SUITE: &str = "bookworm";
/// Debian packages of every robot's system. They provide the system manager, the network, the tools for the card, and
/// the libraries of the robot's program.
const PACKAGES: &[&str] = &[
    "systemd",
    "systemd-sysv",
    "systemd-timesyncd",
    "udev",
    "dbus",
    "kmod",
    "openssh-server",
    "btrfs-progs",
    "iproute2",
    "iw",
    "wpasupplicant",
    "libzmq5",
    "libapriltag3",
    "libusb-1.0-0",
    "libsqlite3-0",
    "libzstd1",
    "zstd",
    "libvulkan1",
];
/// Folder with mmdebstrap's hook that merges /usr before packages are unpacked. The package that could merge /usr
/// afterwards depends on all of Perl.
const MERGED_USR: &str = "/usr/share/mmdebstrap/hooks/merged-usr";

/// Builds the root, unless it is in the cache. Returns the path of the root's tar archive.
pub(super) fn root(board: &Board, mirror: Option<&str>, cache: &Path) -> Result<PathBuf, ToolError> {
    let mut packages: Vec<&str> = PACKAGES.to_vec();
    packages.extend(board.packages.iter().map(String::as_str));
    packages.sort_unstable();
    let include = packages.join(",");
    let inputs = format!("{SUITE} {} {include} merged-usr {}", board.architecture, mirror.unwrap_or_default());
    let key = &hex(&Sha256::digest(inputs.as_bytes()))[..16];
    let path = cache.join(format!("root-{}-{key}.tar", board.architecture));
    if path.exists() {
        return Ok(path);
    }
    let new = path.with_extension("new.tar");
    let mut make = foreign::command(&board.architecture, "mmdebstrap");
    make.args(["--quiet", "--mode=root", "--variant=minbase"]);
    make.arg(format!("--architectures={}", board.architecture)).arg(format!("--include={include}"));
    make.arg(format!("--hook-dir={MERGED_USR}"));
    make.arg(SUITE).arg(&new).args(mirror.map(|mirror| format!("deb {mirror} {SUITE} main")));
    tools::run("making Debian's root", &mut make)?;
    atomic::replace(&new, &path).map_err(ToolError::file(&path))?;
    Ok(path)
}
