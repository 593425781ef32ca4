//! The boards that images are made for: data, one file each in `boards/`.

use serde::Deserialize;
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
    pub kernel: String,
    /// Debian's packages beside those of all boards.
    #[serde(default)]
    pub packages: Vec<String>,
    /// Its card as the running board sees it, such as "/dev/mmcblk0".
    pub disk: String,
    /// Modules that its kernel needs before it can read the card, without those that they need themselves.
    pub modules: Vec<String>,
    /// Modules that are loaded once it runs.
    #[serde(default)]
    pub load: Vec<String>,
    /// Where its boot messages go.
    pub console: String,
    /// How it begins to boot.
    pub boot: Boot,
    /// The kernel's device tree for it, below the package's own folder; none where the boot loader brings one.
    #[serde(default)]
    pub device_tree: Option<String>,
    /// Lines of its boot loader's own file.
    #[serde(default)]
    pub config: Vec<String>,
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
    /// Where it goes on the first partition.
    #[serde(default)]
    pub file: Option<String>,
    /// The block of 512 bytes on the card at which it is written instead.
    #[serde(default)]
    pub block: Option<u64>,
}

const FILES: &[(&str, &str)] =
    &[("qemu-arm", include_str!("../boards/qemu-arm.toml")), ("qemu-arm64", include_str!("../boards/qemu-arm64.toml"))];

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
        format!("console={} xpuck.copies={},{} panic=10 quiet", self.console, self.partition(2), self.partition(3))
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
            assert!(board.modules.contains(&"crc32c_generic".into()), "{name}: btrfs asks for it late");
            for blob in &board.blobs {
                assert!(blob.file.is_some() != blob.block.is_some(), "{name}: {} goes to one place", blob.name);
            }
        }
        assert_eq!(Board::named("qemu-arm64").unwrap().partition(2), "/dev/vda2");
        let card = Board { disk: "/dev/mmcblk0".into(), ..Board::named("qemu-arm").unwrap() };
        assert_eq!(card.partition(3), "/dev/mmcblk0p3");
        assert!(Board::named("pi9").unwrap_err().to_string().contains("none of"));
    }
}
