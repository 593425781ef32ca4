//! Emulated card that loses data in power cuts. Sectors that were written but not flushed are stored separately. At a
//! power cut, each of these sectors is kept or lost at random. This reveals faults of a file system that does not flush
//! its writes.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// Size of a sector, the smallest unit that a card writes atomically (bytes).
pub const SECTOR: u64 = 512;

/// Emulated card whose contents are in a file.
pub struct Card {
    file: File,
    /// Size of the card (bytes).
    pub size: u64,
    /// Contents of the sectors that were written but not flushed, by sector number.
    pending: BTreeMap<u64, [u8; SECTOR as usize]>,
    random: Random,
    /// Number of flushes so far.
    pub flushes: u64,
}

impl Card {
    /// Opens the file of a card. `seed` determines which sectors are lost in power cuts.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn open(path: &Path, seed: u64) -> std::io::Result<Card> {
        let file = OpenOptions::new().read(true).write(true).open(path)?;
        let size = file.metadata()?.len() / SECTOR * SECTOR;
        Ok(Card { file, size, pending: BTreeMap::new(), random: Random(seed), flushes: 0 })
    }

    /// Returns whether a range of `length` bytes from offset `at` consists of whole sectors of the card.
    pub fn has(&self, at: u64, length: u64) -> bool {
        at.is_multiple_of(SECTOR)
            && length.is_multiple_of(SECTOR)
            && at.checked_add(length).is_some_and(|end| end <= self.size)
    }

    /// Reads whole sectors from offset `at` (bytes), including data that were written but not flushed.
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

    /// Writes whole sectors at offset `at` (bytes). A power cut before the next flush may lose them.
    pub fn write(&mut self, bytes: &[u8], at: u64) {
        for (number, sector) in bytes.chunks_exact(SECTOR as usize).enumerate() {
            let mut kept = [0; SECTOR as usize];
            kept.copy_from_slice(sector);
            self.pending.insert(at / SECTOR + number as u64, kept);
        }
    }

    /// Flushes the card. All sectors that are stored separately are written to the card's file.
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

    /// Returns the number of sectors that were written but not flushed.
    pub fn unsafe_sectors(&self) -> usize {
        self.pending.len()
    }

    /// Cuts the power. Each sector that was not flushed is kept or lost at random. Returns the numbers of kept and lost
    /// sectors.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn cut(&mut self) -> std::io::Result<(usize, usize)> {
        let (mut kept, mut lost) = (0, 0);
        // Percentage of sectors that are lost, which varies randomly between power cuts.
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

/// Pseudo-random generator (SplitMix64).
pub struct Random(pub u64);

impl Random {
    /// Returns the next random number.
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns a random number from 0 to `end` - 1; 0 if `end` is 0.
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
