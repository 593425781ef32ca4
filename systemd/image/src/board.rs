//! Boards for which images are built. Each board has a data file in `boards/`.

use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_wire::{FileError, file};

/// Kind of board, as described by its data file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name of the board, which is the name of its data file without the ending.
    #[serde(skip)]
    pub name: String,
    /// Debian's name of the architecture.
    pub architecture: String,
    /// Debian package of the kernel. `None` if one of the blobs contains the kernel.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Debian suite with the kernel's package. `None` if the kernel is in the Debian release of the image.
    #[serde(default)]
    pub suite: Option<String>,
    /// Debian packages that are installed in addition to the common packages of all boards.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Device of the card on the running board, such as "/dev/mmcblk0".
    pub disk: String,
    /// Modules that the kernel needs before it can read the card. Dependencies of these modules are added
    /// automatically.
    pub modules: Vec<String>,
    /// Further modules that the kernel needs before it can read the card. A missing module is not an error, because the
    /// module may be built into the kernel, or may have been removed from newer kernels.
    #[serde(default)]
    pub modules_if_any: Vec<String>,
    /// Modules that are loaded after boot.
    #[serde(default)]
    pub load: Vec<String>,
    /// Folders of kernel modules that are removed, because the board lacks the hardware. Modules that no board needs
    /// are always removed. `/*` at the end of a path stands for all folders in the folder.
    #[serde(default)]
    pub without: Vec<String>,
    /// SPI device of the shim, in the same form as in the robot's file. `None` for a board without SPI pins.
    #[serde(default)]
    pub spi: Option<String>,
    /// I2C bus of the shim; `None` without such a bus.
    #[serde(default)]
    pub i2c: Option<String>,
    /// I2C bus of the e-puck that is connected through the multiplexer of a Pi-puck; `None` without such a bus.
    #[serde(default)]
    pub epuck_i2c: Option<String>,
    /// Console for boot messages, as in the kernel argument `console=`.
    pub console: String,
    /// Boot method.
    pub boot: Boot,
    /// Path of the board's device tree, relative to the folder of device trees in the kernel's package. `None` if the
    /// boot loader provides the device tree.
    #[serde(default)]
    pub device_tree: Option<String>,
    /// Paths of device-tree nodes that the overlay needs, by symbol. The symbols are added to the device tree, because
    /// the device trees of most kernels contain no symbols.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Aliases of the device tree, which determine device numbers. A value is the path of a node, or a symbol of
    /// `symbols` with an optional path below the symbol's node.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Further files for the boot loader, which are stored next to the device tree. Paths are relative to the folder of
    /// device trees in the kernel's package.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Lines of the boot loader's configuration file.
    #[serde(default)]
    pub config: Vec<String>,
    /// Debian packages from which the card gets some files.
    #[serde(default, rename = "fetch")]
    pub fetched: Vec<PackageFiles>,
    /// Files that must not be redistributed. The operator downloads these files.
    #[serde(default, rename = "blob")]
    pub blobs: Vec<Blob>,
}

/// Boot method of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// qemu receives kernel and initramfs from the host.
    Qemu,
    /// The Raspberry Pi's firmware reads `config.txt` from the first partition.
    RaspberryPi,
    /// U-Boot reads `extlinux/extlinux.conf` from the first partition.
    Extlinux,
}

/// Package in the section "main" of Debian's archive. Some of its files are copied to the card.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFiles {
    /// Name of the package.
    pub package: String,
    /// Files of the package that are copied to the card.
    pub files: Vec<PackageFile>,
}

/// File or folder in a package. It has exactly one destination: `file`, `block` or `root`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    /// Path in the package.
    pub from: String,
    /// Path of the destination on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// Number of the first block of the destination on the card (blocks of 512 bytes).
    #[serde(default)]
    pub block: Option<u64>,
    /// Path of the destination in the root. Existing files are not replaced.
    #[serde(default)]
    pub root: Option<String>,
}

/// Third-party file that must not be redistributed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// Name of the file in the operator's folder of blobs.
    pub name: String,
    /// Source from which the operator downloads the file.
    pub source: String,
    /// SHA-256 of the file. With `None`, the file is not verified, and the operator is warned.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Whether the image can be built without the file.
    #[serde(default)]
    pub optional: bool,
    /// Path of the destination on the first partition, if any.
    #[serde(default)]
    pub file: Option<String>,
    /// Number of the first block of the destination on the card, if any (blocks of 512 bytes).
    #[serde(default)]
    pub block: Option<u64>,
    /// Files of the blob that are copied to the card, if the blob is a Debian package.
    #[serde(default)]
    pub files: Vec<PackageFile>,
    /// Whether the blob is a Debian package with a kernel that replaces Debian's kernel.
    #[serde(default)]
    pub kernel: bool,
}

const FILES: &[(&str, &str)] = &[
    ("pi4", include_str!("../boards/pi4.toml")),
    ("pi5", include_str!("../boards/pi5.toml")),
    ("qemu-arm", include_str!("../boards/qemu-arm.toml")),
    ("qemu-arm64", include_str!("../boards/qemu-arm64.toml")),
    ("rk3588", include_str!("../boards/rk3588.toml")),
    ("xu4", include_str!("../boards/xu4.toml")),
];

impl Board {
    /// Returns the names of all boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, _)| *name)
    }

    /// Returns the board with the given name.
    ///
    /// # Errors
    /// No board has the given name, or the board's data file is invalid.
    pub fn named(name: &str) -> Result<Board, FileError> {
        let Some((_, text)) = FILES.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = Board::names().collect();
            return Err(FileError::value(
                "board",
                format!("unknown board `{name}`; known boards: {}", names.join(", ")),
            ));
        };
        let board: Board = file::parse(&format!("boards/{name}.toml"), text)?;
        Ok(Board { name: name.into(), ..board })
    }

    /// Returns the device of a partition of the card on the running board. `number` is the number of the partition,
    /// from 1.
    pub fn partition(&self, number: u32) -> String {
        // If the device name ends in a digit, the kernel inserts a `p` before the partition number.
        let between = if self.disk.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
        format!("{}{between}{number}", self.disk)
    }

    /// Returns the command line of the kernel.
    pub fn kernel_arguments(&self) -> String {
        // The camera's USB transfers need more memory than the kernel's default of 16 MiB (docs/robots.md).
        format!(
            "console={} xpuck.copies={},{} usbcore.usbfs_memory_mb=64 panic=10 quiet",
            self.console,
            self.partition(2),
            self.partition(3)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_board_parses_and_uses_kernel_partition_names() {
        for name in Board::names() {
            let board = Board::named(name).unwrap();
            assert_eq!(board.name, name);
            assert!(["arm64", "armhf"].contains(&board.architecture.as_str()), "{name}");
            let modules: Vec<&str> = board.modules_if_any.iter().chain(&board.modules).map(String::as_str).collect();
            let place = |module| modules.iter().position(|m| *m == module);
            assert!(
                place("crc32c_generic") < place("btrfs") && place("crc32c_generic").is_some(),
                "{name}: btrfs asks for it late"
            );
            assert!(
                board.kernel.is_some() || board.blobs.iter().any(|b| b.kernel && !b.optional),
                "{name} has no kernel"
            );
        }
        assert_eq!(Board::named("qemu-arm64").unwrap().partition(2), "/dev/vda2");
        assert_eq!(Board::named("xu4").unwrap().partition(3), "/dev/mmcblk0p3");
        assert!(Board::named("pi9").unwrap_err().to_string().contains("known boards"));
    }

    #[test]
    fn blobs_have_one_destination_and_a_digest_or_reason() {
        for board in Board::names().map(|name| Board::named(name).unwrap()) {
            let name = &board.name;
            for blob in &board.blobs {
                let places = [blob.file.is_some(), blob.block.is_some(), !blob.files.is_empty(), blob.kernel];
                assert_eq!(places.into_iter().filter(|is| *is).count(), 1, "{name}: {}", blob.name);
                let digest = blob.sha256.as_deref();
                assert!(
                    digest.is_none_or(|d| d.len() == 64 && d.bytes().all(|b| b.is_ascii_hexdigit())),
                    "{name}: {}",
                    blob.name
                );
                assert!(
                    digest.is_some() || blob.source.contains("no digest"),
                    "{name}: {} is unchecked, unsaid",
                    blob.name
                );
            }
            for piece in board.blobs.iter().flat_map(|b| &b.files).chain(board.fetched.iter().flat_map(|f| &f.files)) {
                let places = [piece.file.is_some(), piece.block.is_some(), piece.root.is_some()];
                assert_eq!(places.into_iter().filter(|is| *is).count(), 1, "{name}: {}", piece.from);
                assert!(!piece.from.starts_with('/') && !piece.from.contains(".."), "{name}: {}", piece.from);
            }
        }
    }
}
