//! Adjustable clocks of the kernel: processors (cpufreq) and GPU (devfreq). A clock is held at a step by setting its
//! minimum and maximum to that step. This works with every governor. The previous limits are restored afterwards.

use super::kept::{Limits, SavedLimits};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use xpuck_wire::{file, output};

/// Size limit of kernel files (bytes).
const LONGEST: u64 = 4096;
/// Maximum number of folder entries to read. Also the maximum number of steps of a clock.
const MOST: usize = 64;
/// Number of equal intervals into which the range of a clock is divided if its driver lists no steps.
const EVEN_STEPS: u64 = 5;
/// Parts of devfreq names that identify a GPU.
const GPUS: [&str; 3] = ["gpu", "mali", "v3d"];

/// Names of a clock's kernel files.
#[derive(Debug)]
struct Names {
    least: &'static str,
    greatest: &'static str,
    now: &'static str,
    steps: &'static str,
    /// Names of the files with the hardware's minimum and maximum; `None` if the kernel does not provide them.
    hardware: Option<[&'static str; 2]>,
    /// Unit of the values in the files (Hz).
    hertz: u64,
}

const CPUFREQ: Names = Names {
    least: "scaling_min_freq",
    greatest: "scaling_max_freq",
    now: "scaling_cur_freq",
    steps: "scaling_available_frequencies",
    hardware: Some(["cpuinfo_min_freq", "cpuinfo_max_freq"]),
    hertz: 1000,
};
const DEVFREQ: Names = Names {
    least: "min_freq",
    greatest: "max_freq",
    now: "cur_freq",
    steps: "available_frequencies",
    hardware: None,
    hertz: 1,
};

/// Adjustable clock.
#[derive(Debug)]
pub(super) struct Clock {
    /// Kernel name of the clock.
    pub name: String,
    /// Available steps in ascending order, in the kernel's unit.
    pub steps: Vec<u64>,
    folder: PathBuf,
    names: &'static Names,
}

impl Clock {
    fn read(folder: PathBuf, names: &'static Names) -> Option<Clock> {
        let name = folder.file_name()?.to_string_lossy().into_owned();
        let number = |name: &str| number(&folder, name).ok();
        let listed = text(&folder, names.steps).unwrap_or_default();
        let mut steps: Vec<u64> = listed.split_whitespace().filter_map(|step| step.parse().ok()).collect();
        if steps.is_empty() {
            let (low, high): (u64, u64) = (number("cpuinfo_min_freq")?, number("cpuinfo_max_freq")?);
            let span = high.checked_sub(low)?;
            steps = (0..=EVEN_STEPS).map(|n| low + span / EVEN_STEPS * n).collect();
        }
        steps.sort_unstable();
        steps.dedup();
        steps.truncate(MOST);
        (!steps.is_empty()).then_some(Clock { name, steps, folder, names })
    }

    /// Converts a value in the kernel's unit to MHz.
    pub fn mhz(&self, step: u64) -> f64 {
        (step * self.names.hertz) as f64 / 1e6
    }

    /// Returns the current value in the kernel's unit; `None` if the kernel does not report it.
    pub fn now(&self) -> Option<u64> {
        number(&self.folder, self.names.now).ok()
    }

    /// Returns the current minimum and maximum, in the kernel's unit.
    fn limits(&self) -> Result<[u64; 2], String> {
        Ok([number(&self.folder, self.names.least)?, number(&self.folder, self.names.greatest)?])
    }

    /// Returns a message with a remedy if the current limits are narrower than the hardware's range.
    pub fn limits_warning(&self) -> Option<String> {
        let [least, greatest] = self.limits().ok()?;
        let [low, high] = self.names.hardware?.map(|name| number(&self.folder, name).ok());
        let (low, high) = (low?, high?);
        let wide = |name: &str, value: u64| format!("`echo {value} > {}`", self.folder.join(name).display());
        let ways = [
            (least > low).then(|| wide(self.names.least, low)),
            (greatest < high).then(|| wide(self.names.greatest, high)),
        ];
        let ways: Vec<String> = ways.into_iter().flatten().collect();
        let [least, greatest, low, high] = [least, greatest, low, high].map(|step| self.mhz(step));
        (!ways.is_empty()).then(|| {
            format!(
                "{}: the restored limits {least:.0} to {greatest:.0} MHz are narrower than the processor's {low:.0} \
                 to {high:.0} MHz; `xpuckd power run` sets the board's own limits, {} the widest",
                self.name,
                ways.join(" and ")
            )
        })
    }

    /// Writes a value to the clock's kernel file `name`, which must exist.
    fn write(&self, name: &str, value: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        let opened = OpenOptions::new().write(true).truncate(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let written = opened.and_then(|mut file| file.write_all(value.as_bytes()));
        written.map_err(|error| file_error(&path, &error))
    }

    /// Sets the minimum and the maximum. The minimum is lowered first, because it must never exceed the maximum.
    fn hold(&self, [least, greatest]: [u64; 2]) -> Result<(), String> {
        self.write(self.names.least, &self.steps[0].min(least).to_string())?;
        self.write(self.names.greatest, &greatest.to_string())?;
        self.write(self.names.least, &least.to_string())
    }
}

/// Finds the processor clocks below `sysfs`.
pub(super) fn of_processors(sysfs: &Path) -> Vec<Clock> {
    find(&sysfs.join("devices/system/cpu/cpufreq"), &CPUFREQ, |name| name.starts_with("policy"))
}

/// Finds the GPU clocks below `sysfs`.
pub(super) fn of_gpu(sysfs: &Path) -> Vec<Clock> {
    find(&sysfs.join("class/devfreq"), &DEVFREQ, |name| GPUS.iter().any(|gpu| name.contains(gpu)))
}

fn find(folder: &Path, names: &'static Names, fits: impl Fn(&str) -> bool) -> Vec<Clock> {
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let folders = entries.flatten().take(MOST).filter(|entry| fits(&entry.file_name().to_string_lossy()));
    let mut clocks: Vec<Clock> = folders.filter_map(|entry| Clock::read(entry.path(), names)).collect();
    clocks.sort_by(|a, b| a.name.cmp(&b.name));
    clocks
}

fn text(folder: &Path, name: &str) -> Option<String> {
    let bytes = file::bytes(&folder.join(name), LONGEST).ok()?;
    Some(String::from_utf8(bytes).ok()?.trim().to_string())
}

/// Reads a number from a kernel file. The error is one line of text.
fn number(folder: &Path, name: &str) -> Result<u64, String> {
    let path = folder.join(name);
    let bytes = file::bytes(&path, LONGEST).map_err(|error| file_error(&path, &error))?;
    let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| format!("{}: does not contain a number", path.display()))
}

/// Formats an error with the file name, and with a hint if the user lacks the permission to set clocks.
fn file_error(path: &Path, error: &Error) -> String {
    let who = if error.kind() == ErrorKind::PermissionDenied { ": setting clocks requires root (sudo)" } else { "" };
    format!("{}: {error}{who}", path.display())
}

/// Restores the clock limits in `left`, which a killed sweep could not restore. Returns a log line for each of `clocks`
/// that has an entry in `left`.
pub(super) fn restore_limits(clocks: &[&Clock], left: &[Limits]) -> Vec<String> {
    let of = |clock: &&&Clock| left.iter().find(|limits| limits.clock == clock.name);
    let back = |clock: &&Clock| {
        let Limits { between: [least, greatest], .. } = *of(&clock)?;
        let done = clock.hold([least, greatest]);
        let (low, high, name) = (clock.mhz(least), clock.mhz(greatest), &clock.name);
        Some(match done {
            Ok(()) => {
                format!("{name}: limits of {low:.0} to {high:.0} MHz restored after a killed sweep")
            }
            Err(why) => {
                format!("{name}: a killed sweep left the clock fixed, and its limits cannot be restored: {why}")
            }
        })
    };
    clocks.iter().filter_map(back).collect()
}

/// Clocks held by a sweep. Dropping this value restores their limits.
#[derive(Debug)]
pub(super) struct ClockHold<'a> {
    clocks: &'a [Clock],
    /// Minimum and maximum of each clock before the sweep.
    before: Vec<[u64; 2]>,
    kept: &'a SavedLimits,
}

impl<'a> ClockHold<'a> {
    /// Saves the clocks' limits in memory, and in a file in case the program is killed. Verifies that the limits can be
    /// set.
    ///
    /// # Errors
    /// One line that names the file that cannot be read or written.
    pub fn acquire(clocks: &'a [Clock], kept: &'a SavedLimits) -> Result<ClockHold<'a>, String> {
        let before = clocks.iter().map(Clock::limits).collect::<Result<Vec<_>, _>>()?;
        for (clock, [_, greatest]) in clocks.iter().zip(&before) {
            clock.write(clock.names.greatest, &greatest.to_string())?;
        }
        let limits = clocks.iter().zip(&before);
        let limits = limits.map(|(clock, between)| Limits { clock: clock.name.clone(), between: *between });
        kept.save(&limits.collect::<Vec<_>>())?;
        Ok(ClockHold { clocks, before, kept })
    }

    /// Holds each clock at a step. Returns the values that the kernel selected: the nearest available steps.
    ///
    /// # Errors
    /// One line that names the file that cannot be written.
    pub fn set(&self, steps: &[u64]) -> Result<Vec<u64>, String> {
        let set = |(clock, step): (&Clock, &u64)| {
            clock.hold([*step, *step])?;
            Ok(number(&clock.folder, clock.names.greatest).unwrap_or(*step))
        };
        self.clocks.iter().zip(steps).map(set).collect()
    }
}

impl Drop for ClockHold<'_> {
    fn drop(&mut self) {
        let mut back = true;
        for (clock, between) in self.clocks.iter().zip(&self.before) {
            if let Err(why) = clock.hold(*between) {
                back = false;
                let [least, greatest] = between;
                output::print_error(format_args!(
                    "xpuckd: {}: cannot restore the clock limits {least} to {greatest}: {why}",
                    clock.name
                ));
            }
        }
        // If a clock could not be restored, the file with the limits remains for the next sweep.
        if back {
            self.kept.clear();
        }
    }
}

/// Returns all combinations of the clocks' steps, in ascending order. If there are more than `most` combinations, steps
/// are omitted evenly.
pub(super) fn combinations(clocks: &[Clock], most: usize) -> Vec<Vec<u64>> {
    let mut counts: Vec<usize> = clocks.iter().map(|clock| clock.steps.len()).collect();
    while counts.iter().product::<usize>() > most.max(1) {
        let Some(longest) = counts.iter_mut().max() else { break };
        *longest -= 1;
    }
    let mut all = vec![Vec::new()];
    for (clock, count) in clocks.iter().zip(counts) {
        let last = clock.steps.len() - 1;
        let step = |n: usize| if count == 1 { last } else { (2 * n * last + count - 1) / (2 * (count - 1)) };
        let with = |so_far: &Vec<u64>| {
            let so_far = so_far.clone();
            (0..count).map(move |n| [so_far.as_slice(), &[clock.steps[step(n)]]].concat())
        };
        all = all.iter().flat_map(with).collect();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn policy(sysfs: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let folder = sysfs.join("devices/system/cpu/cpufreq").join(name);
        fs::create_dir_all(&folder).unwrap();
        for (name, text) in files {
            fs::write(folder.join(name), format!("{text}\n")).unwrap();
        }
        folder
    }

    const LIMITS: [(&str, &str); 2] = [("scaling_min_freq", "600000"), ("scaling_max_freq", "1000000")];

    #[test]
    fn clocks_are_held_and_put_back_whatever_happens() {
        let dir = tempfile::tempdir().unwrap();
        let steps = ("scaling_available_frequencies", "1400000 600000 1000000 ");
        let folder = policy(dir.path(), "policy0", &[&LIMITS[..], &[steps]].concat());
        let clocks = of_processors(dir.path());
        assert_eq!(clocks[0].steps, [600_000, 1_000_000, 1_400_000]);
        assert_eq!(clocks[0].mhz(1_400_000), 1400.0);
        let limits = || ["scaling_min_freq", "scaling_max_freq"].map(|name| text(&folder, name).unwrap());
        let (kept, left) = SavedLimits::open(dir.path()).unwrap();
        assert_eq!(left, []);
        let held = ClockHold::acquire(&clocks, &kept).unwrap();
        assert_eq!(held.set(&[1_400_000]).unwrap(), [1_400_000]);
        assert_eq!(limits(), ["1400000", "1400000"]);
        drop(held);
        assert_eq!(limits(), ["600000", "1000000"]);
        // If a file cannot be written, `ClockHold::acquire` returns an error before any clock is changed.
        fs::remove_file(folder.join("scaling_max_freq")).unwrap();
        assert!(ClockHold::acquire(&clocks, &kept).unwrap_err().contains("scaling_max_freq"));
        assert!(!folder.join("scaling_max_freq").exists());
        // The error suggests root rights only if permission was denied.
        fs::create_dir(folder.join("scaling_max_freq")).unwrap();
        assert!(!ClockHold::acquire(&clocks, &kept).unwrap_err().contains("requires root"));
    }

    #[test]
    fn unlisted_steps_are_even_and_non_gpus_are_ignored() {
        let dir = tempfile::tempdir().unwrap();
        policy(dir.path(), "policy0", &[("cpuinfo_min_freq", "500000"), ("cpuinfo_max_freq", "1500000")]);
        policy(dir.path(), "boost", &[("cpuinfo_min_freq", "1"), ("cpuinfo_max_freq", "2")]);
        let clocks = of_processors(dir.path());
        assert_eq!(clocks.len(), 1);
        assert_eq!(clocks[0].steps, [500_000, 700_000, 900_000, 1_100_000, 1_300_000, 1_500_000]);
        for name in ["fb000000.gpu", "dmc"] {
            let folder = dir.path().join("class/devfreq").join(name);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("available_frequencies"), "300000000 600000000\n").unwrap();
        }
        let gpus = of_gpu(dir.path());
        assert_eq!((gpus.len(), gpus[0].name.as_str(), gpus[0].mhz(600_000_000)), (1, "fb000000.gpu", 600.0));
    }

    #[test]
    fn combinations_keep_both_ends_and_their_bound() {
        let clock = |steps: std::ops::Range<u64>| Clock {
            name: String::new(),
            steps: steps.collect(),
            folder: PathBuf::new(),
            names: &CPUFREQ,
        };
        let clocks = [clock(0..7), clock(0..10)];
        assert_eq!(combinations(&clocks, 100).len(), 70);
        for most in [1, 2, 9, 30, 69] {
            let few = combinations(&clocks, most);
            assert!(!few.is_empty() && few.len() <= most, "{most}: {}", few.len());
            assert_eq!(few.last().unwrap(), &[6, 9], "the fastest is always there");
            assert!(most < 9 || few[0] == [0, 0], "{few:?}");
        }
        assert_eq!(combinations(&[], 10), [Vec::<u64>::new()], "without clocks it is measured once");
    }
}
