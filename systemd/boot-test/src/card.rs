//! Emulated card that loses data in power cuts. Sectors that were written but not flushed are kept separately. At a
//! power cut, each of them is kept or lost at random. This reveals a file system that relies on writes without a
//! flush.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Size of a sector, the smallest unit that a card writes atomically (bytes).
pub const SECTOR: u64 = 512;

/// A card in a file.
pub struct Card {
    file: File,
    /// Size of the card (bytes).
    pub size: u64,
    /// Sectors that were written but not flushed.
    pending: BTreeMap<u64, [u8; SECTOR as usize]>,
    random: Random,
    /// Number of flushes so far.
    pub flushes: u64,
}

impl Card {
    /// Opens the file of a card; `seed` determines the losses of a power cut.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn open(path: &Path, seed: u64) -> std::io::Result<Card> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let size = file.metadata()?.len() / SECTOR * SECTOR;
        Ok(Card { file, size, pending: BTreeMap::new(), random: Random(seed), flushes: 0 })
    }

    /// Whether a range consists of whole sectors of the card.
    pub fn has(&self, at: u64, length: u64) -> bool {
        at.is_multiple_of(SECTOR)
            && length.is_multiple_of(SECTOR)
            && at.checked_add(length).is_some_and(|end| end <= self.size)
    }

    /// Reads whole sectors as the machine sees them.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn read(&self, bytes: &mut [u8], at: u64) -> std::io::Result<()> {
        self.file.read_exact_at(bytes, at)?;
        let end = at + bytes.len() as u64;
        for (sector, kept) in self.pending.range(at / SECTOR..end / SECTOR) {
            let place = (sector * SECTOR - at) as usize;
            bytes[place..place + kept.len()].copy_from_slice(kept);
        }
        Ok(())
    }

    /// Writes whole sectors; they are safe after the next flush.
    pub fn write(&mut self, bytes: &[u8], at: u64) {
        for (number, sector) in bytes.chunks_exact(SECTOR as usize).enumerate() {
            let mut kept = [0; SECTOR as usize];
            kept.copy_from_slice(sector);
            self.pending.insert(at / SECTOR + number as u64, kept);
        }
    }

    /// Writes all pending sectors to the file.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn flush(&mut self) -> std::io::Result<()> {
        self.flushes += 1;
        for (sector, bytes) in std::mem::take(&mut self.pending) {
            self.file.write_all_at(&bytes, sector * SECTOR)?;
        }
        Ok(())
    }

    /// Number of sectors that were written but not flushed.
    pub fn unsafe_sectors(&self) -> usize {
        self.pending.len()
    }

    /// Cuts the power: each sector that was not flushed is kept or lost. Returns the numbers of kept and lost
    /// sectors.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn cut(&mut self) -> std::io::Result<(usize, usize)> {
        let (mut kept, mut lost) = (0, 0);
        // The fraction of lost sectors varies between cuts, from nearly none to nearly all.
        let part = self.random.next() % 101;
        for (sector, bytes) in std::mem::take(&mut self.pending) {
            if self.random.next() % 100 < part {
                lost += 1;
            } else {
                self.file.write_all_at(&bytes, sector * SECTOR)?;
                kept += 1;
            }
        }
        Ok((kept, lost))
    }
}

/// Random numbers from a seed (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// Next number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Next number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_cut_keeps_flushed_and_some_unflushed_sectors() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("card");
        File::create(&path).unwrap().set_len(1000 * SECTOR).unwrap();
        let mut card = Card::open(&path, 3).unwrap();
        card.write(&[1; 512 * 400], 0);
        card.flush().unwrap();
        card.write(&[2; 512 * 400], 100 * SECTOR);
        let mut seen = vec![0; 512 * 600];
        card.read(&mut seen, 0).unwrap();
        let sectors =
            |bytes: &[u8], value| bytes.chunks(512).filter(|sector| sector.iter().all(|b| *b == value)).count();
        assert_eq!((sectors(&seen, 1), sectors(&seen, 2)), (100, 400), "the machine sees what it wrote");
        let (kept, lost) = card.cut().unwrap();
        assert_eq!(kept + lost, 400);
        assert!(kept > 0 && lost > 0, "{kept} {lost}");
        card.read(&mut seen, 0).unwrap();
        assert_eq!(sectors(&seen, 2), kept);
        assert_eq!(sectors(&seen[..512 * 100], 1), 100);
        assert!(card.has(0, 512) && !card.has(1, 512) && !card.has(999 * 512, 1024) && !card.has(u64::MAX - 511, 512));
    }
}
