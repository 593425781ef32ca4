//! Boards for which images are built. Each board has a data file in `boards/`.

use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_wire::{FileError, file};

/// A kind of board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Name of the board, from the name of the file.
    #[serde(skip)]
    pub name: String,
    /// Debian's name of the architecture.
    pub architecture: String,
    /// Debian package of the kernel; `None`: the kernel is among the blobs.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Debian suite of the kernel's package, if the release has no suitable kernel.
    #[serde(default)]
    pub suite: Option<String>,
    /// Debian packages in addition to those of all boards.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Device of the card on the running board, such as "/dev/mmcblk0".
    pub disk: String,
    /// Modules that the kernel needs before it can read the card, without their dependencies.
    pub modules: Vec<String>,
    /// Like `modules`, but optional: some kernels have them built in or no longer have them.
    #[serde(default)]
    pub modules_if_any: Vec<String>,
    /// Modules that are loaded after boot.
    #[serde(default)]
    pub load: Vec<String>,
    /// Folders of modules for hardware that the board does not have, in addition to the modules that no board needs.
    /// `/*` stands for all folders in a folder.
    #[serde(default)]
    pub without: Vec<String>,
    /// SPI device of the shim, as in the robot's file; `None` on a board without SPI pins.
    #[serde(default)]
    pub spi: Option<String>,
    /// I2C bus of the shim.
    #[serde(default)]
    pub i2c: Option<String>,
    /// I2C bus of an e-puck behind a Pi-puck's multiplexer.
    #[serde(default)]
    pub epuck_i2c: Option<String>,
    /// Console for boot messages.
    pub console: String,
    /// Boot method.
    pub boot: Boot,
    /// The kernel's device tree for the board, relative to the package's folder of device trees; `None` if the boot
    /// loader provides one.
    #[serde(default)]
    pub device_tree: Option<String>,
    /// Symbols for nodes of the device tree, which the overlay needs: most kernels are built without symbols.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Aliases that number devices. A value is a path, or a symbol of `symbols` with an optional path below its node.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Further files for the boot loader, relative to the package's folder of device trees; they are stored next to
    /// the device tree.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Lines of the boot loader's configuration file.
    #[serde(default)]
    pub config: Vec<String>,
    /// Debian packages from which the card gets some files.
    #[serde(default, rename = "fetch")]
    pub fetched: Vec<PackageFiles>,
    /// Files that must not be redistributed; the operator fetches them.
    #[serde(default, rename = "blob")]
    pub blobs: Vec<Blob>,
}

/// Boot method of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// qemu gets kernel and initramfs from the host.
    Qemu,
    /// The Raspberry Pi's firmware reads `config.txt` from the first partition.
    RaspberryPi,
    /// U-Boot reads `extlinux/extlinux.conf` from the first partition.
    Extlinux,
}

/// A package of Debian's archive (main) from which the card gets some files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFiles {
    /// Name of the package.
    pub package: String,
    /// Files from the package.
    pub files: Vec<PackageFile>,
}

/// A file or a folder in a package, with exactly one destination.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageFile {
    /// Path in the package.
    pub from: String,
    /// Destination on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// Destination on the card: the number of the first block (of 512 bytes).
    #[serde(default)]
    pub block: Option<u64>,
    /// Destination in the root; existing files are kept.
    #[serde(default)]
    pub root: Option<String>,
}

/// A third-party file that must not be redistributed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// Name in the operator's folder of blobs.
    pub name: String,
    /// Origin of the file.
    pub source: String,
    /// SHA-256 of the file. `None`: the file is not verified, and the operator is warned.
    #[serde(default)]
    pub sha256: Option<String>,
    /// Whether the image can be built without the file.
    #[serde(default)]
    pub optional: bool,
    /// Destination on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// Destination on the card instead: the number of the first block (of 512 bytes).
    #[serde(default)]
    pub block: Option<u64>,
    /// Files to use, if the blob is a Debian package.
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
    /// Names of all boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, _)| *name)
    }

    /// Board with this name.
    ///
    /// # Errors
    /// There is no board with this name.
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

    /// Device of the card's partition with this number on the running board.
    pub fn partition(&self, number: u32) -> String {
        // If the device name ends in a digit, the kernel inserts a `p` before the partition number.
        let between = if self.disk.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
        format!("{}{between}{number}", self.disk)
    }

    /// Kernel command line.
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
