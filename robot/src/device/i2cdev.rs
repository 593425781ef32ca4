//! I2C bus of the kernel, `/dev/i2c-N`.

use super::{DeviceError, I2cBus, MAX_I2C};
use i2cdev::core::{I2CMessage, I2CTransfer};
use i2cdev::linux::{LinuxI2CBus, LinuxI2CMessage};
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use xpuck_wire::retry_on_interrupt;

/// Time limit of a transfer in the kernel (ms). A report of an e-puck2 takes 7 ms. The kernel's default of 1 s would
/// block the control of the wheels.
pub const TIMEOUT_MS: u64 = 20;
/// Number of the ioctl request that sets the time limit (linux/i2c-dev.h).
const I2C_TIMEOUT: libc::Ioctl = 0x0702;
/// Time limit in the unit of the ioctl request (10 ms).
const TIMEOUT: libc::c_ulong = TIMEOUT_MS as libc::c_ulong / 10;
/// Folder in which the kernel shows the hierarchy of buses.
const BUSES: &str = "/sys/bus/i2c/devices";

/// I2C bus of the kernel.
#[derive(Debug)]
pub struct KernelI2c {
    bus: LinuxI2CBus,
    path: PathBuf,
}

impl KernelI2c {
    /// Opens a bus, such as `/dev/i2c-12`, and limits the time of a transfer to [`TIMEOUT_MS`]. Behind a multiplexer,
    /// as on the Pi-puck board, the time limit of the root bus applies, so that limit is set too.
    pub fn open(path: &Path) -> Result<KernelI2c, DeviceError> {
        let open = |path: &Path| -> Result<LinuxI2CBus, io::Error> {
            let file = OpenOptions::new().read(true).write(true).open(path)?;
            limit(&file)?;
            Ok(LinuxI2CBus::new(path)?)
        };
        let named = |path: &Path| open(path).map_err(|source| DeviceError::Open { path: path.into(), source });
        if let Some(root) = root(path, Path::new(BUSES)) {
            named(&root)?;
        }
        Ok(KernelI2c { bus: named(path)?, path: path.into() })
    }
}

#[allow(unsafe_code, reason = "the i2cdev crate does not offer this request")]
fn limit(bus: &File) -> io::Result<()> {
    // SAFETY: The argument of the request is a number, not a pointer. The descriptor is open while `bus` exists.
    let result = unsafe { libc::ioctl(bus.as_raw_fd(), I2C_TIMEOUT, TIMEOUT) };
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns the root bus of a bus behind multiplexers; `None` for a bus without a multiplexer.
fn root(path: &Path, buses: &Path) -> Option<PathBuf> {
    let name = path.file_name()?;
    let place = buses.join(name).canonicalize().ok()?;
    let is_bus = |part: &&str| part.strip_prefix("i2c-").is_some_and(|n| n.parse::<u32>().is_ok());
    let first = place.iter().filter_map(|part| part.to_str()).find(is_bus)?;
    (first != name).then(|| path.with_file_name(first))
}

impl I2cBus for KernelI2c {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        let longest = write.len().max(read.len());
        if longest > MAX_I2C {
            return Err(DeviceError::TooLong { address, bytes: longest });
        }
        let mut messages = Vec::with_capacity(2);
        if !write.is_empty() {
            messages.push(LinuxI2CMessage::write(write).with_address(u16::from(address)));
        }
        if !read.is_empty() {
            messages.push(LinuxI2CMessage::read(read).with_address(u16::from(address)));
        }
        let (asked, path) = (messages.len() as u32, &self.path);
        match retry_on_interrupt(|| Ok(self.bus.transfer(&mut messages)?)) {
            Ok(done) if done == asked => Ok(()),
            Ok(_) => Err(DeviceError::Nak { path: path.clone(), address }),
            Err(error) => Err(named(path, address, error)),
        }
    }
}

/// Converts the kernel's error number to an error. Bus drivers use two different numbers for a missing acknowledge.
fn named(path: &Path, address: u8, source: io::Error) -> DeviceError {
    let path = path.to_path_buf();
    match source.raw_os_error() {
        Some(libc::ENXIO | libc::EREMOTEIO) => DeviceError::Nak { path, address },
        Some(libc::ETIMEDOUT) => DeviceError::Timeout { path, milliseconds: TIMEOUT_MS },
        _ => DeviceError::Transfer { path, source },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_errors_are_described() {
        let told = |code| named(Path::new("/dev/i2c-12"), 0x1f, io::Error::from_raw_os_error(code)).to_string();
        for code in [libc::ENXIO, libc::EREMOTEIO] {
            assert_eq!(told(code), "I2C address 0x1f on /dev/i2c-12 does not acknowledge");
        }
        assert_eq!(told(libc::ETIMEDOUT), "/dev/i2c-12 did not answer within 20 ms");
        assert!(
            told(libc::EBUSY).contains("/dev/i2c-12") && told(libc::EBUSY).contains("busy"),
            "{}",
            told(libc::EBUSY)
        );
    }

    #[test]
    fn invalid_bus_is_rejected_with_path() {
        let absent = KernelI2c::open(Path::new("/dev/i2c-nowhere")).unwrap_err().to_string();
        assert!(absent.contains("cannot open /dev/i2c-nowhere"), "{absent}");
        let file = tempfile::NamedTempFile::new().unwrap();
        let error = KernelI2c::open(file.path()).unwrap_err();
        let DeviceError::Open { source, .. } = error else { panic!("{error}") };
        assert_eq!(source.raw_os_error(), Some(libc::ENOTTY));
    }

    #[test]
    fn multiplexed_bus_resolves_to_root_bus() {
        let dir = tempfile::tempdir().unwrap();
        let channel = dir.path().join("soc/i2c-1/i2c-12");
        std::fs::create_dir_all(&channel).unwrap();
        let buses = dir.path().join("buses");
        std::fs::create_dir(&buses).unwrap();
        std::os::unix::fs::symlink(&channel, buses.join("i2c-12")).unwrap();
        std::os::unix::fs::symlink(dir.path().join("soc/i2c-1"), buses.join("i2c-1")).unwrap();
        assert_eq!(root(Path::new("/dev/i2c-12"), &buses), Some("/dev/i2c-1".into()));
        assert_eq!(root(Path::new("/dev/i2c-1"), &buses), None);
        assert_eq!(root(Path::new("/dev/i2c-7"), &buses), None);
    }
}
