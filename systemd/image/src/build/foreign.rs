//! Runs programs of another architecture with qemu's user-mode emulation. The emulation is registered in a mount
//! namespace that ends with the command, so that this machine is unchanged. If this machine has already registered the
//! emulation, its registration is used.

use crate::board::Board;
use crate::tools::{self, ToolError};
use std::path::Path;
use std::process::Command;

/// Architectures by Debian's name, with qemu's name and the beginning of the ELF header of their programs. The header
/// is in the syntax of binfmt_misc, and contains class, byte order and machine.
const MAGIC: &[(&str, &str, &str)] = &[
    ("arm64", "aarch64", r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"),
    ("armhf", "arm", r"\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00"),
];
const MASK: &str = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff";

/// Creates a command that runs `program` in a private mount namespace. In this namespace, programs of the given
/// architecture can run.
pub(super) fn command(architecture: &str, program: &str) -> Command {
    let known = MAGIC.iter().find(|(known, ..)| *known == architecture);
    let script = known.map_or_else(String::new, |(_, machine, magic)| {
        format!(
            "f=/proc/sys/fs/binfmt_misc; if [ ! -e $f/qemu-{machine} ]; then \
             [ -e $f/register ] || mount -t binfmt_misc binfmt_misc $f; \
             [ -e $f/qemu-{machine} ] || printf '%s' \
             ':qemu-{machine}:M::{magic}:{MASK}:/usr/bin/qemu-{machine}-static:OCF' >$f/register; fi; "
        )
    });
    let mut command = Command::new("unshare");
    let script = format!("set -e; {script}exec \"$@\"");
    command.args(["--mount", "--propagation", "private", "sh", "-c", &script, "sh", program]);
    command
}

/// Installs a package into a root. The dependencies of the package must already be installed.
pub(super) fn install(board: &Board, root: &Path, package: &Path) -> Result<(), ToolError> {
    let inside = root.join("xpuckd.deb");
    std::fs::copy(package, &inside).map_err(ToolError::file(package))?;
    let mut install = command(&board.architecture, "sh");
    install.env("DEBIAN_FRONTEND", "noninteractive").env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    // The scripts of the package read /proc, which must therefore be mounted.
    install
        .args(["-c", "mount -t proc proc \"$1/proc\"; exec chroot \"$1\" dpkg --install /xpuckd.deb", "sh"])
        .arg(root);
    let done = tools::run("installing our package", &mut install);
    std::fs::remove_file(&inside).map_err(ToolError::file(&inside))?;
    done.map(drop)
}
