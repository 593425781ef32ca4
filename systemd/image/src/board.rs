//! The boards that images are made for: data, one file each in `boards/`.

use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_wire::{FileError, file};

/// A kind of board.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Board {
    /// Its name: that of its file.
    #[serde(skip)]
    pub name: String,
    /// Debian's name of its architecture.
    pub architecture: String,
    /// Debian's package of its kernel; without one the kernel is among the blobs.
    #[serde(default)]
    pub kernel: Option<String>,
    /// Debian's suite that has that package, where the release itself has none that runs here.
    #[serde(default)]
    pub suite: Option<String>,
    /// Debian's packages beside those of all boards.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Its card as the running board sees it, such as "/dev/mmcblk0".
    pub disk: String,
    /// Modules that its kernel needs before it can read the card, without those that they need themselves.
    pub modules: Vec<String>,
    /// The same, for what some of its kernels have built in without saying so, or have no more.
    #[serde(default)]
    pub modules_if_any: Vec<String>,
    /// Modules that are loaded once it runs.
    #[serde(default)]
    pub load: Vec<String>,
    /// Folders of modules that it has no hardware for, beside those that no board has; `/*` for the folders in one.
    #[serde(default)]
    pub without: Vec<String>,
    /// The shim's SPI device, as the robot's file names it; none on a board without such pins.
    #[serde(default)]
    pub spi: Option<String>,
    /// The I2C bus of the shim.
    #[serde(default)]
    pub i2c: Option<String>,
    /// The I2C bus of an e-puck behind a Pi-puck's multiplexer.
    #[serde(default)]
    pub epuck_i2c: Option<String>,
    /// Where its boot messages go.
    pub console: String,
    /// How it begins to boot.
    pub boot: Boot,
    /// The kernel's device tree for it, below the package's own folder; none where the boot loader brings one.
    #[serde(default)]
    pub device_tree: Option<String>,
    /// Names of nodes of that tree, for the overlay: most kernels are built without the tree's own.
    #[serde(default)]
    pub symbols: BTreeMap<String, String>,
    /// Numbers of devices: names of aliases, and the nodes, each a path or one of the names above and what is below it.
    #[serde(default)]
    pub aliases: BTreeMap<String, String>,
    /// Other files beside the device tree that its boot loader reads, below the package's own folder.
    #[serde(default)]
    pub beside: Vec<String>,
    /// Lines of its boot loader's own file.
    #[serde(default)]
    pub config: Vec<String>,
    /// Debian's packages of which the card gets a few files.
    #[serde(default, rename = "fetch")]
    pub fetched: Vec<Fetched>,
    /// What may not be shipped: the operator fetches it.
    #[serde(default, rename = "blob")]
    pub blobs: Vec<Blob>,
}

/// How a board begins to boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Boot {
    /// qemu is given kernel and initial file system from outside.
    Qemu,
    /// The Raspberry Pi's firmware reads `config.txt` of the first partition.
    RaspberryPi,
    /// U-Boot reads `extlinux/extlinux.conf` of the first partition.
    Extlinux,
}

/// A package of Debian's own archive (main) of which the card gets a few files.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fetched {
    /// Its name.
    pub package: String,
    /// The files.
    pub files: Vec<Piece>,
}

/// A file or a folder in a package, and the one place where it goes.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Piece {
    /// Its path in the package.
    pub from: String,
    /// Where it goes on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// The block of 512 bytes on the card at which it is written.
    #[serde(default)]
    pub block: Option<u64>,
    /// Where it goes in the root; what is there already stays.
    #[serde(default)]
    pub root: Option<String>,
}

/// A file that is somebody else's and may not be passed on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Blob {
    /// Its name in the operator's folder of blobs.
    pub name: String,
    /// Where it comes from.
    pub source: String,
    /// Its SHA-256; without one the operator is told that nobody checked it.
    #[serde(default)]
    pub sha256: Option<String>,
    /// The image is made without it if it is not there.
    #[serde(default)]
    pub optional: bool,
    /// Where it goes on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// The block of 512 bytes on the card at which it is written instead.
    #[serde(default)]
    pub block: Option<u64>,
    /// It is a package for Debian, and these of its files are used.
    #[serde(default)]
    pub files: Vec<Piece>,
    /// It is a package for Debian with the kernel, in the place of Debian's own.
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
    /// The names of all boards.
    pub fn names() -> impl Iterator<Item = &'static str> {
        FILES.iter().map(|(name, _)| *name)
    }

    /// The board of a name.
    ///
    /// # Errors
    /// There is none.
    pub fn named(name: &str) -> Result<Board, FileError> {
        let Some((_, text)) = FILES.iter().find(|(known, _)| *known == name) else {
            let names: Vec<&str> = Board::names().collect();
            return Err(FileError::value("board", format!("`{name}` is none of {}", names.join(", "))));
        };
        let board: Board = file::parse(&format!("boards/{name}.toml"), text)?;
        Ok(Board { name: name.into(), ..board })
    }

    /// The path of the card's partition of a number, as the running board sees it.
    pub fn partition(&self, number: u32) -> String {
        // The kernel sets a `p` between a name that ends in a digit and the number.
        let between = if self.disk.ends_with(|c: char| c.is_ascii_digit()) { "p" } else { "" };
        format!("{}{between}{number}", self.disk)
    }

    /// What the kernel is told.
    pub fn kernel_arguments(&self) -> String {
        // The camera's transfers over USB want more memory than the kernel's 16 MiB (docs/robots.md).
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
    fn every_board_can_be_read_and_names_its_partitions_as_the_kernel_does() {
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
        assert!(Board::named("pi9").unwrap_err().to_string().contains("none of"));
    }

    #[test]
    fn what_a_board_wants_from_elsewhere_goes_to_one_place_each_and_has_a_digest_or_says_why() {
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
