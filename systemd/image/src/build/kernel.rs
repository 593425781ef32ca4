//! The board's kernel from Debian, and the shell of its initial file system, without a package manager of that architecture.

use super::{BOOT, base, put};
use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Debian's packages, unpacked in the cache.
pub(super) struct Kernel {
    folder: PathBuf,
    tree: Option<String>,
}

/// Fetches them, unless the cache has them.
pub(super) fn fetch(board: &Board, cache: &Path) -> Result<Kernel, ToolError> {
    let folder = cache.join(format!("kernel-{}-{}", board.kernel, base::SUITE));
    let tree = board.device_tree.clone();
    if folder.join("whole").exists() {
        return Ok(Kernel { folder, tree });
    }
    let new = folder.with_extension("new");
    // Left by a build that was broken off.
    if new.exists() {
        fs::remove_dir_all(&new).map_err(ToolError::file(&new))?;
    }
    for part in ["lists/partial", "cache/archives/partial", "packages", "unpacked"] {
        let part = new.join(part);
        fs::create_dir_all(&part).map_err(ToolError::file(&part))?;
    }
    let new = new.canonicalize().map_err(ToolError::file(&folder))?;
    // A state of apt's own, so that this machine's need not know the architecture.
    let apt = |program: &str, arguments: &[&str]| {
        let mut command = Command::new(program);
        command.current_dir(new.join("packages")).args(arguments);
        command.arg(format!("-oAPT::Architecture={}", board.architecture));
        command.arg(format!("-oAPT::Architectures={}", board.architecture));
        command.arg(format!("-oDir::State::Lists={}", new.join("lists").display()));
        command.arg(format!("-oDir::Cache={}", new.join("cache").display()));
        command.args(["-oDir::State::status=/dev/null", "-oAPT::Sandbox::User=root"]);
        tools::run("fetching the kernel", &mut command)
    };
    apt("apt-get", &["-qq", "update"])?;
    // The package that is named depends on the one that has the files.
    let needs = apt("apt-cache", &["depends", &board.kernel])?;
    let real =
        needs.lines().find_map(|line| line.trim().strip_prefix("Depends: ").filter(|n| n.starts_with("linux-image")));
    apt("apt-get", &["-qq", "download", real.unwrap_or(&board.kernel), "busybox-static"])?;
    for entry in fs::read_dir(new.join("packages")).map_err(ToolError::file(&new))? {
        let package = entry.map_err(ToolError::file(&new))?.path();
        let mut unpack = Command::new("dpkg-deb");
        tools::run("unpacking the kernel", unpack.arg("--extract").arg(&package).arg(new.join("unpacked")))?;
    }
    for part in ["lists", "cache", "packages"] {
        let part = new.join(part);
        fs::remove_dir_all(&part).map_err(ToolError::file(&part))?;
    }
    put(&new.join("whole"), b"")?;
    fs::rename(&new, &folder).map_err(ToolError::file(&folder))?;
    Ok(Kernel { folder, tree })
}

impl Kernel {
    /// The shell of the initial file system.
    pub(super) fn busybox(&self) -> Result<Vec<u8>, ToolError> {
        let path = self.folder.join("unpacked/bin/busybox");
        fs::read(&path).map_err(ToolError::file(&path))
    }
}

/// Puts kernel, modules and device tree into a root, and gives the kernel's release.
pub(super) fn install(kernel: &Kernel, root: &Path) -> Result<String, ToolError> {
    let unpacked = kernel.folder.join("unpacked");
    let modules = unpacked.join("lib/modules");
    let mut releases = fs::read_dir(&modules).map_err(ToolError::file(&modules))?;
    let release = releases.next().and_then(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let release = release.ok_or_else(|| ToolError::Failed {
        what: "the kernel's package".into(),
        program: "lib/modules".into(),
        status: "empty".into(),
        words: "it has no modules".into(),
    })?;
    let place = root.join("usr/lib/modules");
    fs::create_dir_all(&place).map_err(ToolError::file(&place))?;
    tools::run("copying modules", Command::new("cp").arg("-a").arg(modules.join(&release)).arg(&place))?;
    tools::run("ordering modules", Command::new("depmod").arg("--basedir").arg(root).arg(&release))?;
    let copy = |from: &Path, name: &str| {
        let bytes = fs::read(from).map_err(ToolError::file(from))?;
        put(&root.join(BOOT).join(name), &bytes)
    };
    copy(&unpacked.join(format!("boot/vmlinuz-{release}")), "vmlinuz")?;
    put(&root.join(BOOT).join("kernel-release"), format!("{release}\n").as_bytes())?;
    if let Some(tree) = &kernel.tree {
        let name = tree.rsplit('/').next().unwrap_or(tree);
        copy(&unpacked.join(format!("usr/lib/linux-image-{release}")).join(tree), name)?;
    }
    Ok(release)
}
