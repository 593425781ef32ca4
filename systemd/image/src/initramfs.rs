//! Initramfs of a board. It contains a static shell, [`init.sh`](../src/init.sh), and the kernel modules that are
//! needed to read the card. It can be built on any machine, because no program of the board is run.

use crate::board::Board;
use crate::tools::{self, ToolError};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

const INIT: &str = include_str!("init.sh");
/// Path of busybox in the archive. It contains the shell and all other programs.
const SHELL: &str = "bin/busybox";
/// File mode of a folder in the archive.
const FOLDER: u32 = 0o040_755;
/// File mode of a regular file in the archive.
const PROGRAM: u32 = 0o100_755;
/// File mode of a character device in the archive.
const DEVICE: u32 = 0o020_600;

/// Builds the archive of the initramfs in the kernel's format (cpio, "newc"), and compresses it with zstd. `release` is
/// the release of the kernel, whose modules are in `root`.
///
/// # Errors
/// A module that the board needs is missing, or a file cannot be read.
pub fn make(root: &Path, release: &str, board: &Board, busybox: &[u8]) -> Result<Vec<u8>, ToolError> {
    let order = in_order(root, release, board)?;
    let mut archive = Archive::default();
    for folder in ["bin", "dev", "modules", "proc", "root", "sys", "top"] {
        archive.add(folder, FOLDER, &[], (0, 0));
    }
    // The kernel opens this device for the output of the first program, before devtmpfs is mounted.
    archive.add("dev/console", DEVICE, &[], (5, 1));
    archive.add(SHELL, PROGRAM, busybox, (0, 0));
    archive.add("init", PROGRAM, INIT.as_bytes(), (0, 0));
    let mut names = String::new();
    for path in order {
        let file = root.join("lib/modules").join(release).join(&path);
        let mut bytes = fs::read(&file).map_err(ToolError::file(&file))?;
        let name = path.rsplit('/').next().unwrap_or(&path);
        let name = match name.strip_suffix(".xz") {
            Some(plain) => {
                let mut unpack = Command::new("xz");
                unpack.args(["-dc"]).arg(&file);
                bytes = tools::bytes("unpacking a module", &mut unpack)?;
                plain
            }
            None => name,
        };
        names += &format!("{name}\n");
        archive.add(&format!("modules/{name}"), PROGRAM, &bytes, (0, 0));
    }
    archive.add("modules/order", PROGRAM, names.as_bytes(), (0, 0));
    let archive = archive.finish();
    zstd::bulk::compress(&archive, 19).map_err(ToolError::file(Path::new("the initial file system")))
}

/// Returns the paths of the board's modules and of their dependencies. Each module follows its dependencies, which are
/// read from `modules.dep`.
fn in_order(root: &Path, release: &str, board: &Board) -> Result<Vec<String>, ToolError> {
    let path = root.join("lib/modules").join(release).join("modules.dep");
    let text = fs::read_to_string(&path).map_err(ToolError::file(&path))?;
    let built_in = root.join("lib/modules").join(release).join("modules.builtin");
    let built_in = fs::read_to_string(&built_in).map_err(ToolError::file(&built_in))?;
    order(&text, &built_in, &board.modules_if_any, &board.modules).map_err(|module| ToolError::Failed {
        what: format!("the modules of kernel {release}"),
        program: "modules.dep".into(),
        status: "incomplete".into(),
        words: format!("module {module} does not exist"),
    })
}

fn order<'a>(
    dependencies: &str,
    built_in: &str,
    if_any: &[String],
    must: &'a [String],
) -> Result<Vec<String>, &'a str> {
    let is = |path: &str, module: &str| {
        let name = path.rsplit('/').next().unwrap_or(path).split(".ko").next().unwrap_or_default();
        name.replace('-', "_") == module.replace('-', "_")
    };
    let (mut order, mut seen) = (Vec::new(), BTreeSet::new());
    let modules = if_any.iter().map(|module| (module, None)).chain(must.iter().map(|module| (module, Some(module))));
    for (module, missed) in modules {
        if built_in.lines().any(|path| is(path, module)) {
            continue;
        }
        let line = dependencies.lines().find_map(|line| line.split_once(':').filter(|(path, _)| is(path, module)));
        let Some((path, needs)) = line else {
            match missed {
                Some(module) => return Err(module),
                None => continue,
            }
        };
        // A line of `modules.dep` lists dependencies in reverse order of loading.
        for needed in needs.split_whitespace().rev().chain([path]) {
            if seen.insert(needed.to_string()) {
                order.push(needed.to_string());
            }
        }
    }
    Ok(order)
}

/// Archive in the kernel's cpio format.
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    files: u32,
}

impl Archive {
    /// Adds a file, a folder or a device to the archive. `device` is the major and minor number of a device, and (0, 0)
    /// otherwise. All entries belong to root and have the timestamp 0.
    fn add(&mut self, name: &str, mode: u32, contents: &[u8], device: (u32, u32)) {
        self.files += 1;
        let fields =
            [self.files, mode, 0, 0, 1, 0, contents.len() as u32, 0, 0, device.0, device.1, name.len() as u32 + 1, 0];
        self.bytes.extend(b"070701");
        for field in fields {
            self.bytes.extend(format!("{field:08x}").bytes());
        }
        self.bytes.extend(name.bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend(contents);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn finish(mut self) -> Vec<u8> {
        self.add("TRAILER!!!", 0, &[], (0, 0));
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEEDS: &str = "kernel/fs/btrfs/btrfs.ko: kernel/crypto/xor.ko kernel/lib/zstd.ko kernel/lib/xxhash.ko\n\
        kernel/crypto/xor.ko:\nkernel/lib/zstd.ko: kernel/lib/xxhash.ko\nkernel/lib/xxhash.ko:\n\
        kernel/drivers/block/virtio_blk.ko.xz:\n";

    #[test]
    fn modules_come_behind_what_they_need_and_only_once() {
        let wanted = ["virtio-blk", "btrfs", "xor", "crc32c"].map(String::from);
        let order = order(NEEDS, "kernel/lib/crc32c.ko\n", &["xxhash".into(), "nothing".into()], &wanted).unwrap();
        let names: Vec<&str> = order.iter().map(|path| path.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["xxhash.ko", "virtio_blk.ko.xz", "zstd.ko", "xor.ko", "btrfs.ko"]);
        assert_eq!(super::order(NEEDS, "", &[], &["nothing".to_string()]), Err("nothing"));
    }

    #[test]
    fn archive_has_cpio_newc_format() {
        let mut archive = Archive::default();
        archive.add("bin", FOLDER, &[], (0, 0));
        archive.add("bin/x", PROGRAM, b"hello", (0, 0));
        let bytes = archive.finish();
        assert_eq!(&bytes[..6], b"070701");
        assert_eq!(bytes.len() % 4, 0);
        assert!(bytes.windows(10).any(|w| w == b"TRAILER!!!"));
        let head = std::str::from_utf8(&bytes[..110]).unwrap();
        assert_eq!(u32::from_str_radix(&head[14..22], 16), Ok(FOLDER));
    }
}
