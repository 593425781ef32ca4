//! Selects the SQLite journal mode for a file system.

use rustix::fs::statfs;
use std::path::Path;

/// File-system types (Linux magic numbers) that are local: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS and
/// bcachefs.
const LOCAL: [u32; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010, 0xca45_1a4e];

/// Returns the SQLite journal mode for a folder: `WAL` on a local file system, otherwise `DELETE`. A write-ahead log
/// needs memory shared by all users of the database, which is not possible between machines on a network file system.
/// A rollback journal needs only file locks.
pub fn journal(folder: &Path) -> &'static str {
    of_kind(statfs(folder).ok().map(|disk| disk.f_type as u32))
}

fn of_kind(kind: Option<u32>) -> &'static str {
    if kind.is_some_and(|kind| LOCAL.contains(&kind)) { "WAL" } else { "DELETE" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_get_a_rollback_journal() {
        assert_eq!(journal(Path::new("/dev/shm")), "WAL");
        // Types of NFS, SMB, Lustre, BeeGFS, Ceph, 9P and FUSE.
        for kind in [0x6969, 0xfe53_4d42, 0x0bd0_0bd0, 0x1983_0326, 0x00c3_6400, 0x0102_1997, 0x6573_5546] {
            assert_eq!(of_kind(Some(kind)), "DELETE", "{kind:#x}");
        }
        assert_eq!(of_kind(None), "DELETE");
    }
}
