//! INA231 power monitor with the kernel's `ina2xx` driver, which provides the readings as files below /sys/class/hwmon.

use super::i2c::{self, I2cError};
use super::ina231::Ina231;
use super::{DeviceError, PowerMonitor};
use std::fs;
use std::path::{Path, PathBuf};
use xpuck_registers::ina231::{Attribute, HWMON_CURRENT, HWMON_NAME, HWMON_SHUNT, HWMON_VOLTAGE, SHUNT_OHMS};

/// Folder in which the kernel lists its hardware monitors.
pub const ROOT: &str = "/sys/class/hwmon";
/// Maximum number of folder entries to read.
const MAX_ENTRIES: usize = 256;

/// Power monitor with a kernel driver.
#[derive(Debug)]
pub struct Hwmon {
    folder: PathBuf,
}

/// Opens the power monitor at a 7-bit address. Uses the kernel's driver if the kernel lists the monitor below `root`
/// ([`ROOT`] on a robot). Otherwise opens and configures the chip on the bus `i2c`.
pub fn open(i2c: &Path, root: &Path, address: u8) -> Result<Box<dyn PowerMonitor>, DeviceError> {
    if let Some(monitor) = Hwmon::find(root, address)? {
        return Ok(Box::new(monitor));
    }
    let mut monitor = Ina231::new(i2c::open(i2c)?, address);
    monitor.configure()?;
    Ok(Box::new(monitor))
}

impl Hwmon {
    /// Finds the INA231 that a kernel driver serves at a 7-bit address. Returns `None` if the kernel does not list it.
    /// Returns an error if the driver's shunt resistance is not 20 mOhm, because currents would then be wrong. The
    /// driver's default is 10 mOhm.
    pub fn find(root: &Path, address: u8) -> Result<Option<Hwmon>, DeviceError> {
        // If the folder is missing, the kernel has no hardware monitors.
        let Ok(entries) = fs::read_dir(root) else { return Ok(None) };
        // The kernel's name of an I2C device consists of the bus and the address, for example "1-0040".
        let suffix = format!("-{address:04x}");
        for entry in entries.flatten().take(MAX_ENTRIES) {
            let folder = entry.path();
            let name = fs::read_to_string(folder.join("name")).unwrap_or_default();
            let device = fs::canonicalize(folder.join("device")).unwrap_or_default();
            if name.trim_end() == HWMON_NAME && device.as_os_str().to_string_lossy().ends_with(&suffix) {
                let monitor = Hwmon { folder };
                return monitor.check_shunt().map(|()| Some(monitor));
            }
        }
        Ok(None)
    }

    fn check_shunt(&self) -> Result<(), DeviceError> {
        let found = self.read(HWMON_SHUNT)?;
        if (found * 1e-6 - SHUNT_OHMS).abs() < 1e-6 {
            return Ok(());
        }
        let (path, found) = (self.folder.join(HWMON_SHUNT.name), found.to_string());
        Err(I2cError::Attribute { path, found, wanted: "the shunt has 20 mOhm; write 20000" }.into())
    }

    fn read(&self, attribute: Attribute) -> Result<f32, DeviceError> {
        let path = self.folder.join(attribute.name);
        let text = fs::read_to_string(&path);
        let text = text.map_err(|source| DeviceError::Transfer { path: path.clone(), source })?;
        match text.trim().parse::<i32>() {
            Ok(value) => Ok(value as f32),
            Err(_) => Err(I2cError::Attribute { path, found: text, wanted: "expected an integer" }.into()),
        }
    }
}

impl PowerMonitor for Hwmon {
    fn volts(&mut self) -> Result<f32, DeviceError> {
        Ok(self.read(HWMON_VOLTAGE)? / 1000.0)
    }

    fn amps(&mut self) -> Result<f32, DeviceError> {
        Ok(self.read(HWMON_CURRENT)? / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    /// Creates a folder like /sys/class/hwmon, with a thermometer and two power monitors.
    fn tree() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        let chips =
            [("cpu_thermal", "thermal_zone0", 0, 0), ("ina231", "1-0041", 5000, 607), ("ina231", "1-0040", 3912, -250)];
        for (i, (name, device, millivolts, milliamps)) in chips.into_iter().enumerate() {
            let folder = dir.path().join(format!("hwmon{i}"));
            fs::create_dir_all(dir.path().join("devices").join(device)).unwrap();
            fs::create_dir(&folder).unwrap();
            symlink(dir.path().join("devices").join(device), folder.join("device")).unwrap();
            fs::write(folder.join("name"), format!("{name}\n")).unwrap();
            fs::write(folder.join("in1_input"), format!("{millivolts}\n")).unwrap();
            fs::write(folder.join("curr1_input"), format!("{milliamps}\n")).unwrap();
            fs::write(folder.join("shunt_resistor"), "20000\n").unwrap();
        }
        dir
    }

    #[test]
    fn kernel_monitors_are_distinguished_by_address() {
        let tree = tree();
        let read = |address| {
            let mut monitor = Hwmon::find(tree.path(), address).unwrap().unwrap();
            (monitor.volts().unwrap(), monitor.amps().unwrap())
        };
        assert_eq!(read(0x40), (3.912, -0.25));
        assert_eq!(read(0x41), (5.0, 0.607));
        assert!(Hwmon::find(tree.path(), 0x44).unwrap().is_none());
        assert!(Hwmon::find(Path::new("/nowhere"), 0x40).unwrap().is_none());
    }

    #[test]
    fn monitor_with_wrong_shunt_is_rejected() {
        let tree = tree();
        fs::write(tree.path().join("hwmon2/shunt_resistor"), "10000\n").unwrap();
        let error = Hwmon::find(tree.path(), 0x40).unwrap_err().to_string();
        assert!(error.contains("hwmon2/shunt_resistor holds \"10000\"") && error.contains("20000"), "{error}");
    }

    #[test]
    fn attributes_that_hold_no_number_or_are_gone_are_named() {
        let tree = tree();
        let mut monitor = Hwmon::find(tree.path(), 0x40).unwrap().unwrap();
        fs::write(tree.path().join("hwmon2/in1_input"), "n/a\n").unwrap();
        let error = monitor.volts().unwrap_err().to_string();
        assert!(error.contains("hwmon2/in1_input") && error.contains("n/a"), "{error}");
        fs::remove_file(tree.path().join("hwmon2/curr1_input")).unwrap();
        assert!(monitor.amps().unwrap_err().to_string().contains("hwmon2/curr1_input"));
    }

    #[test]
    fn without_the_kernels_driver_the_chip_on_the_bus_is_asked() {
        let error = open(Path::new("/nowhere/i2c"), tree().path(), 0x44).err().unwrap().to_string();
        assert!(error.contains("/nowhere/i2c"), "{error}");
        let tree = tree();
        assert!(open(Path::new("/nowhere/i2c"), tree.path(), 0x40).is_ok());
    }
}
