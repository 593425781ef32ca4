//! The board's kernel from Debian or from the operator, and the shell of its initial file system, without a package manager of
//! that architecture.

use super::apt::{self, Apt};
use super::{BOOT, base, device_tree, put};
use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Packages, unpacked.
pub(super) struct Kernel {
    /// Debian's, in the cache.
    pub(super) debian: PathBuf,
    /// The operator's kernel.
    own: Option<PathBuf>,
}

/// Fetches Debian's packages, unless the cache has them, and unpacks the operator's kernel into `work`.
pub(super) fn fetch(board: &Board, own: Option<&Path>, cache: &Path, work: &Path) -> Result<Kernel, ToolError> {
    let own = own.map(|package| {
        let place = work.join("kernel");
        apt::unpack(package, &place).map(|()| place)
    });
    let own = own.transpose()?;
    let mut names = vec![board.kernel.clone().unwrap_or_else(|| format!("none-{}", board.architecture))];
    names.extend(board.fetched.iter().map(|fetched| fetched.package.clone()));
    names.push(board.suite.as_deref().unwrap_or(base::SUITE).into());
    let folder = cache.join(format!("kernel-{}", names.join("-")));
    let kernel = Kernel { debian: folder.join("unpacked"), own };
    if folder.join("whole").exists() {
        return Ok(kernel);
    }
    let new = folder.with_extension("new");
    // Left by a build that was broken off.
    if new.exists() {
        fs::remove_dir_all(&new).map_err(ToolError::file(&new))?;
    }
    let mut apt = Apt::new(&new, &board.architecture, board.suite.as_deref())?;
    let real = board.kernel.as_deref().map(|package| apt.real(package)).transpose()?;
    let mut packages = vec!["busybox-static"];
    packages.extend(real.as_deref());
    packages.extend(board.fetched.iter().map(|fetched| fetched.package.as_str()));
    apt.unpack(&packages)?;
    apt.finish()?;
    put(&new.join("whole"), b"")?;
    fs::rename(&new, &folder).map_err(ToolError::file(&folder))?;
    Ok(kernel)
}

impl Kernel {
    /// The shell of the initial file system.
    pub(super) fn busybox(&self) -> Result<Vec<u8>, ToolError> {
        let path = self.debian.join("bin/busybox");
        fs::read(&path).map_err(ToolError::file(&path))
    }

    /// A file of the folder of device trees: the operator's kernel's, or Debian's.
    fn beside(&self, name: &str) -> Result<PathBuf, ToolError> {
        for unpacked in self.own.iter().chain([&self.debian]) {
            let folders = fs::read_dir(unpacked.join("usr/lib")).into_iter().flatten().flatten();
            let folders = folders.filter(|entry| entry.file_name().to_string_lossy().starts_with("linux-image-"));
            if let Some(path) = folders.map(|entry| entry.path().join(name)).find(|path| path.is_file()) {
                return Ok(path);
            }
        }
        Err(missing(&format!("usr/lib/linux-image-*/{name}")))
    }
}

fn missing(what: &str) -> ToolError {
    ToolError::Failed {
        what: "the kernel's package".into(),
        program: "its content".into(),
        status: "incomplete".into(),
        words: format!("it has no {what}; is it a kernel for this board?"),
    }
}

/// Puts kernel, modules and device tree into a root, and gives the kernel's release.
pub(super) fn install(board: &Board, kernel: &Kernel, root: &Path, work: &Path) -> Result<String, ToolError> {
    let unpacked = kernel.own.as_ref().unwrap_or(&kernel.debian);
    // Later packages are for systems whose /lib is a link.
    let folders = ["lib/modules", "usr/lib/modules"].map(|folder| unpacked.join(folder));
    let modules = folders.into_iter().find(|folder| folder.is_dir()).ok_or_else(|| missing("modules"))?;
    let mut releases = fs::read_dir(&modules).map_err(ToolError::file(&modules))?;
    let release = releases.next().and_then(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let release = release.ok_or_else(|| missing("modules"))?;
    let place = root.join("usr/lib/modules");
    fs::create_dir_all(&place).map_err(ToolError::file(&place))?;
    tools::run("copying modules", Command::new("cp").arg("-a").arg(modules.join(&release)).arg(&place))?;
    tools::run("ordering modules", Command::new("depmod").arg("--basedir").arg(root).arg(&release))?;
    let boot = root.join(BOOT);
    let copy = |from: &Path, name: &str| {
        let bytes = fs::read(from).map_err(ToolError::file(from))?;
        put(&boot.join(name), &bytes)
    };
    copy(&unpacked.join(format!("boot/vmlinuz-{release}")), "vmlinuz")?;
    put(&boot.join("kernel-release"), format!("{release}\n").as_bytes())?;
    for name in &board.beside {
        copy(&kernel.beside(name)?, name)?;
    }
    if let Some(name) = &board.device_tree {
        let tree = device_tree::merge(board, &kernel.beside(name)?, work)?;
        put(&boot.join(name.rsplit('/').next().unwrap_or(name)), &tree)?;
    }
    Ok(release)
}
