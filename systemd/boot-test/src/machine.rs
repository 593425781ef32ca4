//! Virtual board, which is a qemu process with an emulated card. The console output is written to a file.

use crate::card::Card;
use crate::nbd;
use anyhow::{Context, Result, bail};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Kind of virtual board.
#[derive(Clone, Debug)]
pub struct Kind {
    /// Name of the qemu program.
    pub program: &'static str,
    /// Machine type, for qemu's option `-M`.
    pub machine: &'static str,
    /// Processor type, for qemu's option `-cpu`.
    pub processor: &'static str,
}

impl Kind {
    /// Returns the kind of virtual board for an architecture. `architecture` is Debian's name of the architecture.
    pub fn from_architecture(architecture: &str) -> Result<Kind> {
        match architecture {
            "arm64" => Ok(Kind { program: "qemu-system-aarch64", machine: "virt", processor: "cortex-a57" }),
            // Debian's 32-bit kernel cannot address memory above 4 GiB.
            "armhf" => Ok(Kind { program: "qemu-system-arm", machine: "virt,highmem=off", processor: "cortex-a15" }),
            other => bail!("{other}: a virtual board must be arm64 or armhf"),
        }
    }
}

/// Virtual board with a card. The board can be switched on and off.
pub struct Board {
    kind: Kind,
    work: PathBuf,
    card_file: PathBuf,
    card: Arc<Mutex<Option<Card>>>,
    qemu: Option<Child>,
    boots: u32,
    arguments: String,
}

impl Board {
    /// Creates a board that is off. `card_file` is the file with the card's contents. Kernel, initramfs and kernel
    /// arguments are copied from the card's first partition to the folder `work`.
    pub fn new(kind: Kind, work: &Path, card_file: &Path) -> Result<Board> {
        for name in ["vmlinuz", "initrd.img", "cmdline.txt"] {
            let mut copy = Command::new("mcopy");
            // The first partition begins at 16 MiB, which is 16777216 bytes.
            copy.args(["-o", "-i", &format!("{}@@16777216", card_file.display()), &format!("::/{name}")]).arg(work);
            anyhow::ensure!(
                copy.status().context("mcopy (Debian's package mtools)")?.success(),
                "cannot copy {name} from the card"
            );
        }
        let arguments = std::fs::read_to_string(work.join("cmdline.txt"))?.trim().replace(" quiet", "");
        let card = Arc::new(Mutex::new(None));
        nbd::serve(&work.join("card.socket"), card.clone())?;
        let (work, card_file) = (work.to_path_buf(), card_file.to_path_buf());
        Ok(Board { kind, work, card_file, card, qemu: None, boots: 0, arguments })
    }

    /// Switches the board on. `seed` determines which sectors the card loses at the next power cut. `more` is appended
    /// to the kernel's command line.
    pub fn switch_on(&mut self, seed: u64, more: &str) -> Result<()> {
        self.boots += 1;
        let opened = Card::open(&self.card_file, seed).with_context(|| self.card_file.display().to_string())?;
        *self.card.lock().unwrap_or_else(PoisonError::into_inner) = Some(opened);
        let console = File::create(self.console())?;
        let mut qemu = Command::new(self.kind.program);
        qemu.args(["-M", self.kind.machine, "-cpu", self.kind.processor, "-smp", "2", "-m", "768", "-nographic"]);
        qemu.arg("-kernel").arg(self.work.join("vmlinuz")).arg("-initrd").arg(self.work.join("initrd.img"));
        qemu.arg("-append").arg(format!("{} systemd.journald.forward_to_console=1 loglevel=5 {more}", self.arguments));
        let socket = self.work.join("card.socket");
        qemu.args(["-drive", &format!("file=nbd+unix:///?socket={},format=raw,if=none,id=card", socket.display())]);
        qemu.args(["-device", "virtio-blk-pci,drive=card", "-netdev", "user,id=net"]);
        qemu.args(["-device", "virtio-net-pci,netdev=net,romfile="]);
        qemu.stdin(Stdio::null()).stdout(console.try_clone()?).stderr(console);
        self.qemu =
            Some(qemu.spawn().with_context(|| format!("{} (Debian's package qemu-system-arm)", self.kind.program))?);
        Ok(())
    }

    /// Returns the path of the file with the console output of the current boot.
    pub fn console(&self) -> PathBuf {
        self.work.join(format!("console-{:02}.log", self.boots))
    }

    /// Returns the console output of the current boot.
    pub fn console_output(&self) -> String {
        String::from_utf8_lossy(&std::fs::read(self.console()).unwrap_or_default()).into_owned()
    }

    /// Returns whether the board is on. The board is off if qemu has exited.
    pub fn is_on(&mut self) -> bool {
        self.qemu.as_mut().is_some_and(|qemu| matches!(qemu.try_wait(), Ok(None)))
    }

    /// Returns the number of sectors of the card that were written but not flushed.
    pub fn unsafe_sectors(&self) -> usize {
        let card = self.card.lock().unwrap_or_else(PoisonError::into_inner);
        card.as_ref().map_or(0, Card::unsafe_sectors)
    }

    /// Cuts the power. Each sector that was not flushed is kept or lost at random. Returns the numbers of kept and lost
    /// sectors.
    pub fn cut_power(&mut self) -> Result<(usize, usize)> {
        // The card loses power first, so later writes of the machine have no effect.
        let card = self.card.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(mut qemu) = self.qemu.take() {
            qemu.kill()?;
            qemu.wait()?;
        }
        Ok(card.map(|mut card| card.cut()).transpose()?.unwrap_or_default())
    }

    /// Waits until the condition `holds` is true and returns the waiting time. `what` describes the condition in
    /// errors.
    ///
    /// # Errors
    /// The board is off, or the time limit `most` is exceeded.
    pub fn wait(&mut self, what: &str, most: Duration, mut holds: impl FnMut(&Board) -> bool) -> Result<Duration> {
        let begun = Instant::now();
        loop {
            if holds(self) {
                return Ok(begun.elapsed());
            }
            if !self.is_on() {
                bail!("the board switched off while waiting for: {what}; see {}", self.console().display());
            }
            if begun.elapsed() > most {
                bail!("timeout after {} s while waiting for: {what}; see {}", most.as_secs(), self.console().display());
            }
            std::thread::sleep(Duration::from_millis(250));
        }
    }
}

impl Drop for Board {
    fn drop(&mut self) {
        if let Some(mut qemu) = self.qemu.take() {
            // qemu may already have exited.
            let _ = qemu.kill();
            let _ = qemu.wait();
        }
    }
}
