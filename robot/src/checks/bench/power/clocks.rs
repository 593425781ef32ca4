//! The clocks that the kernel lets be set: of processors (cpufreq) and of the GPU (devfreq). They are held at a step by setting
//! least and greatest to it, whatever governor there is, and put back afterwards.

use super::kept::{Kept, Limits};
use std::fs::OpenOptions;
use std::io::{Error, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use xpuck_wire::{file, output};

/// Longest file of the kernel that is read, bytes.
const LONGEST: u64 = 4096;
/// Most entries of a folder that are looked at, and most steps of a clock.
const MOST: usize = 64;
/// Steps between the ends of a clock whose driver lists none.
const EVEN: u64 = 5;
/// What a clock of a GPU has in its name.
const GPUS: [&str; 3] = ["gpu", "mali", "v3d"];

/// The kernel's names for a clock's files.
#[derive(Debug)]
struct Names {
    least: &'static str,
    greatest: &'static str,
    now: &'static str,
    steps: &'static str,
    /// The least and the greatest that the hardware can, where the kernel says so.
    hardware: Option<[&'static str; 2]>,
    /// Their numbers are so many of 1 Hz.
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

/// One clock.
#[derive(Debug)]
pub(super) struct Clock {
    /// The kernel's name for it.
    pub name: String,
    /// What it can be set to, from low to high, in the kernel's unit.
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
            steps = (0..=EVEN).map(|n| low + span / EVEN * n).collect();
        }
        steps.sort_unstable();
        steps.dedup();
        steps.truncate(MOST);
        (!steps.is_empty()).then_some(Clock { name, steps, folder, names })
    }

    /// A number of the kernel's unit in MHz.
    pub fn mhz(&self, step: u64) -> f64 {
        (step * self.names.hertz) as f64 / 1e6
    }

    /// What it is now, as far as the kernel tells.
    pub fn now(&self) -> Option<u64> {
        number(&self.folder, self.names.now).ok()
    }

    /// The least and the greatest that it may be now.
    fn limits(&self) -> Result<[u64; 2], String> {
        Ok([number(&self.folder, self.names.least)?, number(&self.folder, self.names.greatest)?])
    }

    /// A line where it may be set to less than the hardware can, with what widens it.
    pub fn narrowed(&self) -> Option<String> {
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
                "{}: its limits, {least:.0} to {greatest:.0} MHz, are as they were found, and narrower than the processor's \
                 {low:.0} to {high:.0} MHz; `xpuckd power run` sets the board's own, {} the widest",
                self.name,
                ways.join(" and ")
            )
        })
    }

    /// Writes into a file that is there.
    fn write(&self, name: &str, value: &str) -> Result<(), String> {
        let path = self.folder.join(name);
        let opened = OpenOptions::new().write(true).truncate(true).custom_flags(libc::O_NONBLOCK).open(&path);
        let written = opened.and_then(|mut file| file.write_all(value.as_bytes()));
        written.map_err(|error| told(&path, &error))
    }

    /// Holds it between these values. The least goes down first, since it may never be above the greatest.
    fn hold(&self, [least, greatest]: [u64; 2]) -> Result<(), String> {
        self.write(self.names.least, &self.steps[0].min(least).to_string())?;
        self.write(self.names.greatest, &greatest.to_string())?;
        self.write(self.names.least, &least.to_string())
    }
}

/// The processors' clocks below `sysfs`.
pub(super) fn of_processors(sysfs: &Path) -> Vec<Clock> {
    find(&sysfs.join("devices/system/cpu/cpufreq"), &CPUFREQ, |name| name.starts_with("policy"))
}

/// The GPU's clocks below `sysfs`.
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

/// The number in a file of the kernel; or, in one line, why there is none.
fn number(folder: &Path, name: &str) -> Result<u64, String> {
    let path = folder.join(name);
    let bytes = file::bytes(&path, LONGEST).map_err(|error| told(&path, &error))?;
    let number = std::str::from_utf8(&bytes).ok().and_then(|text| text.trim().parse().ok());
    number.ok_or_else(|| format!("{}: holds no number", path.display()))
}

/// An error with its file, and who may set clocks if this user may not.
fn told(path: &Path, error: &Error) -> String {
    let who = if error.kind() == ErrorKind::PermissionDenied { ": setting clocks takes root (sudo)" } else { "" };
    format!("{}: {error}{who}", path.display())
}

/// Puts back what a sweep left that was killed; a line for each clock.
pub(super) fn put_back(clocks: &[&Clock], left: &[Limits]) -> Vec<String> {
    let of = |clock: &&&Clock| left.iter().find(|limits| limits.clock == clock.name);
    let back = |clock: &&Clock| {
        let Limits { between: [least, greatest], .. } = *of(&clock)?;
        let done = clock.hold([least, greatest]);
        let (low, high, name) = (clock.mhz(least), clock.mhz(greatest), &clock.name);
        Some(match done {
            Ok(()) => {
                format!("{name}: put back to {low:.0} to {high:.0} MHz, as it was before a sweep that was killed")
            }
            Err(why) => format!("{name}: a sweep that was killed left it held, and it cannot be put back: {why}"),
        })
    };
    clocks.iter().filter_map(back).collect()
}

/// Clocks that are held, until this is dropped.
#[derive(Debug)]
pub(super) struct Held<'a> {
    clocks: &'a [Clock],
    /// Least and greatest of each as they were.
    before: Vec<[u64; 2]>,
    kept: &'a Kept,
}

impl<'a> Held<'a> {
    /// Remembers how clocks are, also for after a crash, and tries whether they can be set.
    ///
    /// # Errors
    /// One line: the file that cannot be read or written.
    pub fn take(clocks: &'a [Clock], kept: &'a Kept) -> Result<Held<'a>, String> {
        let before = clocks.iter().map(Clock::limits).collect::<Result<Vec<_>, _>>()?;
        for (clock, [_, greatest]) in clocks.iter().zip(&before) {
            clock.write(clock.names.greatest, &greatest.to_string())?;
        }
        let limits = clocks.iter().zip(&before);
        let limits = limits.map(|(clock, between)| Limits { clock: clock.name.clone(), between: *between });
        kept.keep(&limits.collect::<Vec<_>>())?;
        Ok(Held { clocks, before, kept })
    }

    /// Holds each clock at a step; what the kernel made of it, since it takes the nearest that there is.
    ///
    /// # Errors
    /// One line: the file that cannot be written.
    pub fn set(&self, steps: &[u64]) -> Result<Vec<u64>, String> {
        let set = |(clock, step): (&Clock, &u64)| {
            clock.hold([*step, *step])?;
            Ok(number(&clock.folder, clock.names.greatest).unwrap_or(*step))
        };
        self.clocks.iter().zip(steps).map(set).collect()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let mut back = true;
        for (clock, between) in self.clocks.iter().zip(&self.before) {
            if let Err(why) = clock.hold(*between) {
                back = false;
                let [least, greatest] = between;
                output::note(format_args!(
                    "xpuckd: {}: its clock cannot be put back to {least} to {greatest}: {why}",
                    clock.name
                ));
            }
        }
        // What is not back yet is known to the next sweep.
        if back {
            self.kept.forget();
        }
    }
}

/// Every combination of clocks' steps, from low to high; fewer steps of each, evenly, where these are more than `most`.
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
        let (kept, left) = Kept::open(dir.path()).unwrap();
        assert_eq!(left, []);
        let held = Held::take(&clocks, &kept).unwrap();
        assert_eq!(held.set(&[1_400_000]).unwrap(), [1_400_000]);
        assert_eq!(limits(), ["1400000", "1400000"]);
        drop(held);
        assert_eq!(limits(), ["600000", "1000000"]);
        // One that cannot be written is known before anything is changed.
        fs::remove_file(folder.join("scaling_max_freq")).unwrap();
        assert!(Held::take(&clocks, &kept).unwrap_err().contains("scaling_max_freq"));
        assert!(!folder.join("scaling_max_freq").exists());
        // Root is not told to be root.
        fs::create_dir(folder.join("scaling_max_freq")).unwrap();
        assert!(!Held::take(&clocks, &kept).unwrap_err().contains("takes root"));
    }

    #[test]
    fn a_driver_without_a_list_has_even_steps_and_other_devices_are_no_gpu() {
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
