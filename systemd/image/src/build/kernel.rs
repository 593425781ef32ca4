//! Installs the board's kernel from a package of Debian or of the operator. Also provides the shell of the initramfs.
//! The packages are only unpacked, so that no program of the board's architecture has to run.

use super::apt::{self, Apt};
use super::{BOOT, base, device_tree, put};
use crate::board::Board;
use crate::tools::{self, ToolError};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Folders of kernel modules that no robot needs. `/*` at the end of a path stands for all folders in the folder. The
/// modules are for television, server storage and networking, desktop graphics, and file systems of other machines.
/// They make up half of Debian's kernel.
const UNUSED: &[&str] = &[
    "drivers/ata",
    "drivers/atm",
    "drivers/firewire",
    "drivers/gpu/drm/amd",
    "drivers/gpu/drm/nouveau",
    "drivers/gpu/drm/radeon",
    "drivers/gpu/drm/vmwgfx",
    "drivers/hv",
    "drivers/infiniband",
    "drivers/md",
    "drivers/media/common/siano",
    "drivers/media/dvb-core",
    "drivers/media/dvb-frontends",
    "drivers/media/firewire",
    "drivers/media/pci",
    "drivers/media/radio",
    "drivers/media/tuners",
    "drivers/media/usb/as102",
    "drivers/media/usb/au0828",
    "drivers/media/usb/b2c2",
    "drivers/media/usb/cx231xx",
    "drivers/media/usb/dvb-usb",
    "drivers/media/usb/dvb-usb-v2",
    "drivers/media/usb/em28xx",
    "drivers/media/usb/pvrusb2",
    "drivers/media/usb/siano",
    "drivers/message",
    "drivers/net/arcnet",
    "drivers/net/can",
    "drivers/net/ethernet/3com",
    "drivers/net/ethernet/amazon",
    "drivers/net/ethernet/aquantia",
    "drivers/net/ethernet/broadcom/bnx2x",
    "drivers/net/ethernet/broadcom/bnxt",
    "drivers/net/ethernet/brocade",
    "drivers/net/ethernet/cavium",
    "drivers/net/ethernet/chelsio",
    "drivers/net/ethernet/cisco",
    "drivers/net/ethernet/dec",
    "drivers/net/ethernet/emulex",
    "drivers/net/ethernet/google",
    "drivers/net/ethernet/hisilicon",
    "drivers/net/ethernet/huawei",
    "drivers/net/ethernet/intel",
    "drivers/net/ethernet/mellanox",
    "drivers/net/ethernet/myricom",
    "drivers/net/ethernet/neterion",
    "drivers/net/ethernet/netronome",
    "drivers/net/ethernet/qlogic",
    "drivers/net/ethernet/sfc",
    "drivers/net/ethernet/sun",
    "drivers/net/fddi",
    "drivers/nvdimm",
    "drivers/scsi/*",
    "drivers/target",
    "drivers/vfio",
    "drivers/vhost",
    "drivers/xen",
    "fs/afs",
    "fs/ceph",
    "fs/dlm",
    "fs/f2fs",
    "fs/gfs2",
    "fs/jfs",
    "fs/nfs",
    "fs/nfsd",
    "fs/nilfs2",
    "fs/ocfs2",
    "fs/orangefs",
    "fs/reiserfs",
    "fs/smb",
    "fs/ubifs",
    "fs/xfs",
    "net/9p",
    "net/atm",
    "net/batman-adv",
    "net/ceph",
    "net/dccp",
    "net/openvswitch",
    "net/rds",
    "net/rxrpc",
    "net/sctp",
    "net/smc",
    "net/sunrpc",
    "net/tipc",
    "sound/firewire",
    "sound/pci",
    "sound/soc/*",
];
/// Folders with the unpacked packages of the kernel.
pub(super) struct Kernel {
    /// Folder in the cache with Debian's packages.
    pub(super) debian: PathBuf,
    /// Folder with the operator's kernel package, if any.
    own: Option<PathBuf>,
}

/// Downloads and unpacks Debian's packages, unless they are in the cache. The operator's kernel package `own`, if any,
/// is unpacked into a subfolder of `work`.
pub(super) fn fetch(
    board: &Board,
    own: Option<&Path>,
    mirror: Option<&str>,
    cache: &Path,
    work: &Path,
) -> Result<Kernel, ToolError> {
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
    // An interrupted build may have left this folder.
    if new.exists() {
        fs::remove_dir_all(&new).map_err(ToolError::file(&new))?;
    }
    let mut apt = Apt::new(&new, &board.architecture, mirror, board.suite.as_deref())?;
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
    /// Reads the program busybox, which is the shell of the initramfs.
    pub(super) fn busybox(&self) -> Result<Vec<u8>, ToolError> {
        let path = self.debian.join("bin/busybox");
        fs::read(&path).map_err(ToolError::file(&path))
    }

    /// Returns the path of a file in the folder of device trees. The folder of the operator's kernel is searched first,
    /// then the folder of Debian's kernel.
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
        program: "the check of its content".into(),
        status: "incomplete".into(),
        words: format!("it does not contain {what}; use a kernel for this board"),
    }
}

/// Installs kernel, modules and device tree into a root. Returns the release of the kernel.
pub(super) fn install(board: &Board, kernel: &Kernel, root: &Path, work: &Path) -> Result<String, ToolError> {
    let unpacked = kernel.own.as_ref().unwrap_or(&kernel.debian);
    // Newer packages contain their modules in usr/lib, because /lib is a link on newer systems.
    let folders = ["lib/modules", "usr/lib/modules"].map(|folder| unpacked.join(folder));
    let modules = folders.into_iter().find(|folder| folder.is_dir()).ok_or_else(|| missing("modules"))?;
    let mut releases = fs::read_dir(&modules).map_err(ToolError::file(&modules))?;
    let release = releases.next().and_then(Result::ok).map(|entry| entry.file_name().to_string_lossy().into_owned());
    let release = release.ok_or_else(|| missing("modules"))?;
    let place = root.join("usr/lib/modules");
    fs::create_dir_all(&place).map_err(ToolError::file(&place))?;
    tools::run("copying modules", Command::new("cp").arg("-a").arg(modules.join(&release)).arg(&place))?;
    leave_out(board, &place.join(&release).join("kernel"))?;
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

/// Removes the folders of modules that the board does not need. Modules that depend on a removed module cannot be
/// loaded any more. They are not needed either, because they are for the same hardware.
fn leave_out(board: &Board, modules: &Path) -> Result<(), ToolError> {
    for name in UNUSED.iter().copied().chain(board.without.iter().map(String::as_str)) {
        let folders = match name.strip_suffix("/*") {
            None => vec![modules.join(name)],
            Some(name) => {
                let entries = fs::read_dir(modules.join(name)).into_iter().flatten().flatten();
                entries.map(|entry| entry.path()).collect()
            }
        };
        // A missing folder is skipped. Kernels with built-in drivers, or from other sources than Debian, may lack some
        // folders.
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            fs::remove_dir_all(folder).map_err(ToolError::file(folder))?;
        }
    }
    Ok(())
}
