//! Offline checks of the card, while no machine uses it.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Copies of a card's file system as loop devices, which are detached on drop.
pub struct OfflineCard {
    copies: Vec<String>,
}

/// Reads the first block and the number of blocks of the second and third partition from the partition table.
pub fn copies(card: &Path) -> Result<[(u64, u64); 2]> {
    let mut table = [0; 512];
    std::os::unix::fs::FileExt::read_exact_at(&fs::File::open(card)?, &mut table, 0)?;
    ensure!(table[510..] == [0x55, 0xaa], "{}: no partition table found", card.display());
    let number = |at: usize| u64::from(u32::from_le_bytes([table[at], table[at + 1], table[at + 2], table[at + 3]]));
    Ok([446 + 16, 446 + 32].map(|entry| (number(entry + 8), number(entry + 12))))
}

impl OfflineCard {
    /// Attaches both copies of a card.
    pub fn attach(card: &Path) -> Result<OfflineCard> {
        let mut bench = OfflineCard { copies: Vec::new() };
        for (first, blocks) in copies(card)? {
            let mut make = Command::new("losetup");
            make.args([
                "--find",
                "--show",
                "--offset",
                &(first * 512).to_string(),
                "--sizelimit",
                &(blocks * 512).to_string(),
            ]);
            bench.copies.push(output_of(make.arg(card))?.trim().into());
        }
        Ok(bench)
    }

    /// Runs btrfs check on all structures.
    pub fn check(&self) -> Result<()> {
        output_of(Command::new("btrfs").args(["check", "--readonly"]).arg(&self.copies[0])).map(drop)
    }

    /// Reads every block of both copies without changes.
    ///
    /// # Errors
    /// If a copy is damaged.
    pub fn scrub(&self) -> Result<()> {
        self.read(|top| {
            // The report is checked, because the exit status is 0 for damage that the other copy could repair.
            let report = output_of(Command::new("btrfs").args(["scrub", "start", "-B", "-r"]).arg(top))?;
            ensure!(report.contains("no errors found"), "{}", report.trim());
            Ok(())
        })
    }

    /// Mounts the card read-only and passes its folder to `check`.
    pub fn read<T>(&self, look: impl FnOnce(&Path) -> Result<T>) -> Result<T> {
        let folder = tempfile::tempdir()?;
        let options = format!("ro,subvolid=5,device={},device={}", self.copies[0], self.copies[1]);
        output_of(Command::new("mount").args(["-t", "btrfs", "-o", &options, &self.copies[0]]).arg(folder.path()))?;
        let seen = look(folder.path());
        output_of(Command::new("umount").arg(folder.path()))?;
        seen
    }
}

impl Drop for OfflineCard {
    fn drop(&mut self) {
        for copy in &self.copies {
            // An error is ignored; a device that stays attached is visible in losetup.
            let _ = Command::new("losetup").arg("--detach").arg(copy).status();
        }
    }
}

/// Returns the files of a folder with their contents, sorted by name. Does not follow links.
pub fn files(folder: &Path) -> Result<Vec<(PathBuf, Vec<u8>)>> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(here) = open.pop() {
        for entry in fs::read_dir(&here).with_context(|| here.display().to_string())? {
            let path = entry?.path();
            let kind = path.symlink_metadata()?.file_type();
            if kind.is_dir() {
                open.push(path);
            } else if kind.is_file() {
                let bytes = fs::read(&path).with_context(|| path.display().to_string())?;
                found.push((path.strip_prefix(folder)?.into(), bytes));
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Runs a program that must succeed; returns its output.
fn output_of(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| program.clone())?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
