//! Layout of a card. A card has a partition for boot loaders, and two partitions of equal size with the two copies of a
//! file system.

/// Size of a block (bytes).
pub const BLOCK: u64 = 512;
/// Start of the first partition (bytes), after the space that boot loaders use. The U-Boot of the Odroid XU4 stores its
/// settings at 3 MiB, and the U-Boot of the RK3588 is read from 8 MiB onwards.
pub const FIRST_PARTITION_START: u64 = 16 << 20;
/// Size of the first partition (bytes).
const BOOT: u64 = 112 << 20;
/// Alignment of partitions (bytes), which matches the erase blocks of cards.
const ALIGN: u64 = 4 << 20;
/// Minimum size of a card (bytes). Such a card has space for data and for two roots: the current root, and a new root
/// on trial. Each of them is stored in two copies.
pub const MIN_SIZE: u64 = 3_600_000_000;
/// Maximum usable size of a card (bytes). It is limited, because an MBR partition table counts blocks in 32 bits.
const MAX_SIZE: u64 = (u32::MAX as u64) * BLOCK;

/// Contiguous part of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// Offset of the part from the start of the card (bytes).
    pub start: u64,
    /// Length of the part (bytes).
    pub length: u64,
}

/// Partitions of a card.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// FAT32 partition for boot loaders.
    pub boot: Part,
    /// Partitions with the two copies of the file system.
    pub copies: [Part; 2],
}

impl Layout {
    /// Returns the layout of a card with `size` bytes. `None` if the card is too small.
    pub fn for_size(size: u64) -> Option<Layout> {
        if size < MIN_SIZE {
            return None;
        }
        let boot = Part { start: FIRST_PARTITION_START, length: BOOT };
        let begin = boot.start + boot.length;
        // The end of the card remains free (at least 4 MiB), because cards of the same nominal size differ slightly.
        let end = size.min(MAX_SIZE) / ALIGN * ALIGN - ALIGN;
        let length = (end - begin) / 2 / ALIGN * ALIGN;
        let copy = |number: u64| Part { start: begin + number * length, length };
        Some(Layout { boot, copies: [copy(0), copy(1)] })
    }

    /// Returns the contents of the card's first block, which is the partition table (MBR). `disk` is the disk
    /// identifier in this table.
    pub fn table(&self, disk: u32) -> [u8; BLOCK as usize] {
        let mut block = [0; BLOCK as usize];
        block[440..444].copy_from_slice(&disk.to_le_bytes());
        // The partition types are FAT32 with LBA (0x0c) and Linux (0x83).
        let parts = [(0x0c, self.boot), (0x83, self.copies[0]), (0x83, self.copies[1])];
        for (place, (kind, part)) in parts.into_iter().enumerate() {
            let entry = &mut block[446 + 16 * place..][..16];
            // The values other than `kind` state that the fields for cylinders, heads and sectors are unused.
            entry.copy_from_slice(&[0, 0xfe, 0xff, 0xff, kind, 0xfe, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]);
            entry[8..12].copy_from_slice(&((part.start / BLOCK) as u32).to_le_bytes());
            entry[12..16].copy_from_slice(&((part.length / BLOCK) as u32).to_le_bytes());
        }
        block[510..].copy_from_slice(&[0x55, 0xaa]);
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_aligned_apart_and_inside_cards_of_any_size() {
        for size in [MIN_SIZE, 4_000_000_001, 7_948_206_080, 31_914_983_424, 1 << 40, 1 << 50] {
            let layout = Layout::for_size(size).unwrap();
            let parts = [layout.boot, layout.copies[0], layout.copies[1]];
            let mut free = 2 << 20;
            for part in parts {
                assert!(
                    part.start >= free && part.start % ALIGN == 0 && part.length % ALIGN == 0,
                    "{size}: {layout:?}"
                );
                free = part.start + part.length;
            }
            assert!(free < size && free / BLOCK <= u64::from(u32::MAX));
            assert_eq!(layout.copies[0].length, layout.copies[1].length);
        }
        assert_eq!(Layout::for_size(MIN_SIZE - 1), None);
        assert_eq!(Layout::for_size(0), None);
    }

    #[test]
    fn partition_table_matches_layout() {
        let layout = Layout::for_size(8_000_000_000).unwrap();
        let table = layout.table(0x1234_5678);
        assert_eq!((&table[440..444], &table[510..]), (&[0x78, 0x56, 0x34, 0x12][..], &[0x55, 0xaa][..]));
        let number = |at: usize| u64::from(u32::from_le_bytes(table[at..at + 4].try_into().unwrap()));
        assert_eq!(
            (table[450], number(454) * BLOCK, number(458) * BLOCK),
            (0x0c, layout.boot.start, layout.boot.length)
        );
        assert_eq!((table[482], number(486) * BLOCK), (0x83, layout.copies[1].start));
        assert!(table[494..510].iter().all(|byte| *byte == 0));
    }
}
