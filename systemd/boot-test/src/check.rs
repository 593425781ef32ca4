//! Checks of the card while the virtual machine is off.

use anyhow::{Context, Result, ensure};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Loop devices for the two copies of a card's file system. The loop devices are detached on drop.
pub struct OfflineCard {
    copies: Vec<String>,
}

/// Reads the positions of the second and third partition from the partition table. These partitions contain the two
/// copies of the file system. A position consists of the first block and the number of blocks (of 512 bytes).
pub fn copies(card: &Path) -> Result<[(u64, u64); 2]> {
    let mut table = [0; 512];
    std::os::unix::fs::FileExt::read_exact_at(&fs::File::open(card)?, &mut table, 0)?;
    ensure!(table[510..] == [0x55, 0xaa], "{}: no partition table found", card.display());
    let number = |at: usize| u64::from(u32::from_le_bytes([table[at], table[at + 1], table[at + 2], table[at + 3]]));
    Ok([446 + 16, 446 + 32].map(|entry| (number(entry + 8), number(entry + 12))))
}

impl OfflineCard {
    /// Attaches a loop device to each copy of a card's file system.
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

    /// Checks the structure of the file system with `btrfs check`.
    pub fn check(&self) -> Result<()> {
        output_of(Command::new("btrfs").args(["check", "--readonly"]).arg(&self.copies[0])).map(drop)
    }

    /// Reads every block of both copies and checks it without repairs.
    ///
    /// # Errors
    /// A copy is damaged, or a program fails.
    pub fn scrub(&self) -> Result<()> {
        self.read(|top| {
            // The report is checked, because the exit status is also 0 if the damage could be repaired from the other
            // copy.
            let report = output_of(Command::new("btrfs").args(["scrub", "start", "-B", "-r"]).arg(top))?;
            ensure!(report.contains("no errors found"), "{}", report.trim());
            Ok(())
        })
    }

    /// Mounts the file system read-only, and calls `look` with the folder of the mount.
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
            // An error is ignored. A device that is still attached can be found and detached with `losetup`.
            let _ = Command::new("losetup").arg("--detach").arg(copy).status();
        }
    }
}

/// Returns the files in and below a folder with their contents, sorted by path. Does not follow links.
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

/// Runs a program and returns its standard output. A failure of the program is an error.
fn output_of(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| program.clone())?;
    ensure!(output.status.success(), "{program}: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
