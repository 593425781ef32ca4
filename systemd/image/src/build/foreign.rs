//! Runs programs of another architecture with qemu's user-mode emulation. The emulation is registered in a mount
//! namespace that ends with the command, so that this machine is unchanged. An existing registration is kept.

use crate::board::Board;
use crate::tools::{self, ToolError};
use std::path::Path;
use std::process::Command;

/// ELF header of an architecture's programs (class, byte order, machine) in binfmt_misc syntax.
const MAGIC: &[(&str, &str, &str)] = &[
    ("arm64", "aarch64", r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"),
    ("armhf", "arm", r"\x7fELF\x01\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x28\x00"),
];
const MASK: &str = r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff";

/// Command in a private mount namespace that can run programs of this architecture.
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

/// Installs a package, whose dependencies are already installed, into a root.
pub(super) fn install(board: &Board, root: &Path, package: &Path) -> Result<(), ToolError> {
    let inside = root.join("xpuckd.deb");
    std::fs::copy(package, &inside).map_err(ToolError::file(package))?;
    let mut install = command(&board.architecture, "sh");
    install.env("DEBIAN_FRONTEND", "noninteractive").env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    // /proc is mounted, because the package's scripts read it.
    install
        .args(["-c", "mount -t proc proc \"$1/proc\"; exec chroot \"$1\" dpkg --install /xpuckd.deb", "sh"])
        .arg(root);
    let done = tools::run("installing our package", &mut install);
    std::fs::remove_file(&inside).map_err(ToolError::file(&inside))?;
    done.map(drop)
}
