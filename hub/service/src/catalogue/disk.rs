//! Selects the SQLite journal mode for a file system.

use rustix::fs::statfs;
use std::path::Path;

/// Magic numbers (Linux) of local file systems: ext2 to ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS, F2FS and bcachefs.
const LOCAL: [u32; 8] =
    [0xef53, 0x5846_5342, 0x9123_683e, 0x0102_1994, 0x794c_7630, 0x2fc1_2fc1, 0xf2f5_2010, 0xca45_1a4e];

/// Journal mode for the file system of a folder. A write-ahead log needs shared memory between all users of the
/// database, which machines on a network file system lack; a rollback journal only needs file locks.
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
        // NFS, SMB, Lustre, BeeGFS, Ceph, 9P, FUSE, and an unknown file system.
        for kind in [0x6969, 0xfe53_4d42, 0x0bd0_0bd0, 0x1983_0326, 0x00c3_6400, 0x0102_1997, 0x6573_5546] {
            assert_eq!(of_kind(Some(kind)), "DELETE", "{kind:#x}");
        }
        assert_eq!(of_kind(None), "DELETE");
    }
}
