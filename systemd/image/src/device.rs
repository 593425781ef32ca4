//! Device of a card. Checks whether the device may be written, and whether its nominal capacity is real.

use crate::tools::{self, ToolError};
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Number of blocks that are written to test the capacity. They are distributed over the whole card.
const PROBES: u64 = 64;
/// Size of a block that is written to test the capacity (bytes).
const PROBE: usize = 4096;

/// Reason why a device cannot or must not be written.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A file operation failed.
    #[error("{0}")]
    File(#[from] ToolError),
    /// The device is a partition and not a whole card. The values are the paths of the partition and of the card.
    #[error("{0} is a partition; use the whole card, {1}")]
    Partition(String, String),
    /// The path is neither a block device nor a regular file.
    #[error("{0} is neither a block device nor a file")]
    Kind(String),
    /// The device is in use.
    #[error("{device} is in use ({by})")]
    InUse {
        /// Path of the device.
        device: String,
        /// Description of the current use.
        by: String,
    },
    /// The device is not removable.
    #[error("{0} is not removable, so it may be a disk of this machine; use --force if it is the card")]
    BuiltIn(String),
    /// The data that were read back from the card differ from the written data.
    #[error(
        "the card returns different data than was written at {at} of {size}: its capacity is fake or it is worn out; use another card"
    )]
    CapacityMismatch {
        /// Position of the wrong data on the card.
        at: String,
        /// Nominal capacity of the card.
        size: String,
    },
}

/// Device of a card that is open for exclusive writing.
#[derive(Debug)]
pub struct Device {
    /// Path of the device.
    pub path: PathBuf,
    /// Nominal capacity of the device (bytes).
    pub size: u64,
    file: File,
}

impl Device {
    /// Opens a device exclusively for writing. A regular file is also accepted, for example the image of a card. If
    /// `force` is true, a device that is not removable is accepted too.
    ///
    /// # Errors
    /// The device must not be written, or cannot be opened.
    pub fn open(path: &Path, force: bool) -> Result<Device, DeviceError> {
        let path = path.canonicalize().map_err(ToolError::file(path))?;
        let found = fs::metadata(&path).map_err(ToolError::file(&path))?;
        let name = path.display().to_string();
        let block = found.file_type().is_block_device();
        if !block && !found.is_file() {
            return Err(DeviceError::Kind(name));
        }
        if block {
            check_block_device(&path, Path::new("/sys/class/block"), force)?;
            let mounts =
                fs::read_to_string("/proc/self/mounts").map_err(ToolError::file(Path::new("/proc/self/mounts")))?;
            let swaps = fs::read_to_string("/proc/swaps").unwrap_or_default();
            if let Some(by) = find_user(&path, &mounts, &swaps) {
                return Err(DeviceError::InUse { device: name, by });
            }
        }
        // With flag EXCL, the kernel rejects a block device that is in use.
        let exclusive = if block { rustix::fs::OFlags::EXCL.bits() as i32 } else { 0 };
        let file = OpenOptions::new().read(true).write(true).custom_flags(exclusive).open(&path);
        let mut file = file.map_err(|error| match error.raw_os_error() {
            Some(16) => {
                DeviceError::InUse { device: name.clone(), by: "another program uses it; unmount it first".into() }
            }
            _ => ToolError::file(&path)(error).into(),
        })?;
        let by = |by: &str| DeviceError::InUse { device: name.clone(), by: by.into() };
        // The lock prevents two processes of this program from writing to the same card.
        rustix::fs::flock(&file, rustix::fs::FlockOperation::NonBlockingLockExclusive)
            .map_err(|_| by("another program is writing to it"))?;
        if let Some(attached) = attached(&path)? {
            return Err(by(&format!("loop device {attached} uses it; unmount it and run `losetup -d {attached}`")));
        }
        let size = file.seek(SeekFrom::End(0)).map_err(ToolError::file(&path))?;
        Ok(Device { path, size, file })
    }

    /// Returns whether the first block of a file contains only zeros or a partition table. A file with other contents
    /// is probably not the image of a card.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn is_blank_or_card(path: &Path) -> Result<bool, ToolError> {
        let mut first = Vec::new();
        let read = xpuck_wire::file::open(path).and_then(|file| file.take(512).read_to_end(&mut first));
        read.map_err(ToolError::file(path))?;
        Ok(first.iter().all(|byte| *byte == 0) || first.ends_with(&[0x55, 0xaa]) && first.len() == 512)
    }

    /// Tests the capacity of the card. Writes blocks that are distributed over the card, and reads them back. The
    /// card's contents are destroyed.
    ///
    /// # Errors
    /// A block that was read back differs from the written block, or an error of the operating system.
    pub fn probe(&self) -> Result<(), DeviceError> {
        let trouble = |error| DeviceError::from(ToolError::file(&self.path)(error));
        let places: Vec<u64> =
            (0..PROBES).map(|i| (self.size - PROBE as u64) / (PROBES - 1) * i / PROBE as u64 * PROBE as u64).collect();
        for place in &places {
            self.file.write_all_at(&pattern(self.size, *place), *place).map_err(trouble)?;
        }
        self.drop_cache().map_err(trouble)?;
        for place in &places {
            let mut back = vec![0; PROBE];
            self.file.read_exact_at(&mut back, *place).map_err(trouble)?;
            if back != pattern(self.size, *place) {
                return Err(DeviceError::CapacityMismatch { at: bytes(*place), size: bytes(self.size) });
            }
        }
        Ok(())
    }

    /// Writes data at the offset `at` (bytes).
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn write(&self, bytes: &[u8], at: u64) -> Result<(), DeviceError> {
        Ok(self.file.write_all_at(bytes, at).map_err(ToolError::file(&self.path))?)
    }

    /// Fills `bytes` with the data at the offset `at` (bytes).
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn read(&self, bytes: &mut [u8], at: u64) -> Result<(), DeviceError> {
        Ok(self.file.read_exact_at(bytes, at).map_err(ToolError::file(&self.path))?)
    }

    /// Flushes all data to the card and drops cached data, so that later reads access the card.
    ///
    /// # Errors
    /// Error of the operating system.
    pub fn flush(&self) -> Result<(), DeviceError> {
        Ok(self.drop_cache().map_err(ToolError::file(&self.path))?)
    }

    fn drop_cache(&self) -> std::io::Result<()> {
        self.file.sync_all()?;
        Ok(rustix::fs::fadvise(&self.file, 0, None, rustix::fs::Advice::DontNeed)?)
    }
}

/// Returns the path of the first loop device that is attached to a device or file, if any.
fn attached(path: &Path) -> Result<Option<String>, ToolError> {
    let mut ask = std::process::Command::new("losetup");
    let said = tools::run("looking for loop devices", ask.args(["--noheadings", "--output", "NAME", "-j"]).arg(path))?;
    Ok(said.lines().map(|line| line.trim().to_string()).find(|line| !line.is_empty()))
}

/// Returns the contents of the test block at the position `place`. They differ for each position and each card size.
fn pattern(size: u64, place: u64) -> Vec<u8> {
    let seed = Sha256::digest([size.to_le_bytes(), place.to_le_bytes()].concat());
    seed.iter().copied().cycle().take(PROBE).collect()
}

/// Checks that a block device is a whole removable card without holders (such as device mapper). The check reads the
/// kernel's files below `sys`. If `force` is true, the device need not be removable.
fn check_block_device(path: &Path, sys: &Path, force: bool) -> Result<(), DeviceError> {
    let name = path.file_name().unwrap_or_default();
    let here = sys.join(name);
    let shown = path.display().to_string();
    if here.join("partition").exists() {
        let whole = here.canonicalize().ok().and_then(|place| Some(place.parent()?.file_name()?.to_owned()));
        let whole = whole.map_or_else(|| "the card".into(), |whole| format!("/dev/{}", whole.to_string_lossy()));
        return Err(DeviceError::Partition(shown, whole));
    }
    let mut holders = fs::read_dir(here.join("holders")).into_iter().flatten().flatten();
    if let Some(holder) = holders.next() {
        let by = format!("by {}", holder.file_name().to_string_lossy());
        return Err(DeviceError::InUse { device: shown, by });
    }
    let says = |attribute: &str| fs::read_to_string(here.join(attribute)).unwrap_or_default().trim().to_string();
    // The kernel does not mark a card in an SD slot as "removable". Such a card has the type "SD". Soldered memory at
    // the same interface has another type.
    if says("removable") != "1" && says("device/type") != "SD" && !force {
        return Err(DeviceError::BuiltIn(shown));
    }
    Ok(())
}

/// Returns a description of the mount or swap space that uses a device or one of its partitions. `None` if there is no
/// such mount or swap space. `mounts` and `swaps` are the kernel's lists of mounts and swap spaces.
fn find_user(path: &Path, mounts: &str, swaps: &str) -> Option<String> {
    let name = path.to_str()?;
    let is_part = |source: &str| {
        let source = Path::new(source).canonicalize().unwrap_or_else(|_| source.into());
        let rest = source.to_str().and_then(|source| source.strip_prefix(name));
        rest.is_some_and(|rest| rest.trim_start_matches('p').chars().all(|c| c.is_ascii_digit()))
    };
    let mounted = mounts.lines().filter_map(|line| line.split_once(' ')).find(|(source, _)| is_part(source));
    let mounted = mounted.map(|(source, rest)| {
        format!("{source} is mounted on {}; unmount it first", rest.split(' ').next().unwrap_or(""))
    });
    let swap = swaps.lines().skip(1).filter_map(|line| line.split_whitespace().next()).find(|source| is_part(source));
    mounted.or_else(|| swap.map(|source| format!("{source} is swap space")))
}

/// Formats a size or an offset with a unit (kB, MB or GB).
pub fn bytes(count: u64) -> String {
    match count {
        0..10_000_000 => format!("{} kB", count / 1000),
        10_000_000..10_000_000_000 => format!("{} MB", count / 1_000_000),
        _ => format!("{:.1} GB", count as f64 / 1e9),
    }
}

/// Returns whether both paths exist and refer to the same device or file.
pub fn same(one: &Path, two: &Path) -> bool {
    let id = |path: &Path| fs::metadata(path).ok().map(|found| (found.dev(), found.ino()));
    id(one).is_some() && id(one) == id(two)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn used_built_in_or_partition_device_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let card = |name: &str, removable: &str| {
            let here = dir.path().join(name);
            fs::create_dir_all(here.join("holders")).unwrap();
            fs::write(here.join("removable"), removable).unwrap();
            here
        };
        card("sdb", "1\n");
        let built_in = card("sda", "0\n");
        let slot = card("mmcblk0", "0\n");
        fs::create_dir(slot.join("device")).unwrap();
        fs::write(slot.join("device/type"), "SD\n").unwrap();
        let said = |name: &str, force| {
            check_block_device(&Path::new("/dev").join(name), dir.path(), force).map_err(|e| e.to_string())
        };
        assert_eq!(said("sdb", false), Ok(()));
        assert_eq!(said("mmcblk0", false), Ok(()));
        assert!(said("sda", false).unwrap_err().contains("--force"));
        assert_eq!(said("sda", true), Ok(()));
        fs::write(built_in.join("holders/dm-0"), "").unwrap();
        assert!(said("sda", true).unwrap_err().contains("dm-0"));
        fs::write(card("sdb1", "0").join("partition"), "1\n").unwrap();
        assert!(said("sdb1", true).unwrap_err().contains("is a partition"));
    }

    #[test]
    fn mounted_partition_is_found_by_exact_device_name() {
        let mounts = "/dev/nosdz2 / ext4 rw 0 0\n/dev/nosda1 /media/card vfat rw 0 0\nproc /proc proc rw 0 0\n";
        let swaps = "Filename Type Size Used Priority\n/dev/nommc0p3 partition 1 0 -2\n";
        let user = |name: &str| find_user(Path::new(name), mounts, swaps);
        assert_eq!(user("/dev/nosda").unwrap(), "/dev/nosda1 is mounted on /media/card; unmount it first");
        assert_eq!(user("/dev/nommc0").unwrap(), "/dev/nommc0p3 is swap space");
        assert_eq!((user("/dev/nosd"), user("/dev/nosdb")), (None, None));
    }

    #[test]
    fn counterfeit_card_capacity_is_detected() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("card");
        File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let card = Device::open(&path, false).unwrap();
        assert_eq!(card.size, 1 << 20);
        card.probe().unwrap();
        // Simulates a card with a fake capacity, which is twice the real capacity. Writes to the second half of the
        // card overwrite the first half.
        let liar = |place: u64| place % (card.size / 2);
        let places = [0, card.size / 2];
        for place in places {
            card.write(&pattern(card.size, place), liar(place)).unwrap();
        }
        let mut back = vec![0; PROBE];
        card.read(&mut back, liar(0)).unwrap();
        assert_ne!(
            back,
            pattern(card.size, 0),
            "what was written later is found in the place of what was written first"
        );
        assert!(Device::open(dir.path(), false).unwrap_err().to_string().contains("neither"));
    }
}
