//! Folder of a sweep: the evolution file of each point, the runs, and a lock.
//!
//! `points/` holds all data that determine a result: the evolution files, and copies of the world, calibration and
//! primitive set files named in them. A sweep is resumed only if all of this is unchanged, so that runs of different
//! settings are never combined.

use super::evolution::Run;
use super::file::Sweep;
use super::lock::locked;
use super::points;
use super::problem::Problem;
use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_wire::{atomic, file};

/// Time limit for another process to initialise the folder.
const BEGINNING: Duration = Duration::from_secs(60);
/// Interval for checking whether the folder is initialised.
const LOOK: Duration = Duration::from_millis(100);

/// Sweep folder that is locked by this process.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    runs: Vec<Run>,
    /// Lock that is held while this value exists. The operating system also releases it when the process ends for any
    /// reason.
    _lock: File,
}

impl Folder {
    /// Locks the sweep's folder, and creates it if it does not exist. `check` validates each point's evolution file. If
    /// one is invalid, the folder is not created or changed.
    ///
    /// # Errors
    /// If a point is invalid, the sweep was begun with other settings, another process uses the folder, or a file
    /// cannot be read or written.
    pub fn open(path: &Path, sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<Folder, Problem> {
        Folder::open_within(Duration::ZERO, path, sweep, check)
    }

    /// Same as [`Folder::open`], but waits at most `patience` for another process to release the folder.
    fn open_within(
        patience: Duration,
        path: &Path,
        sweep: &Sweep,
        check: impl Fn(&Path) -> Result<(), String>,
    ) -> Result<Folder, Problem> {
        let staged = stage(sweep, check)?;
        let points = path.join("points");
        refuse_foreign(path)?;
        std::fs::create_dir_all(path).map_err(|error| Problem::new(path, error))?;
        let lock = path.join("lock");
        let lock = file::append(&lock).map_err(|error| Problem::new(&lock, error))?;
        let deadline = Instant::now() + patience;
        while !locked(&lock, path)? {
            if Instant::now() >= deadline {
                let remedy = "wait for its end, or choose another folder with --output";
                return Err(Problem::new(path, format!("another sweep uses this folder; {remedy}")));
            }
            std::thread::sleep(LOOK);
        }
        compare(staged.path(), path, sweep.points.len())?;
        for folder in [&points, &path.join("runs")] {
            std::fs::create_dir_all(folder).map_err(|error| Problem::new(folder, error))?;
        }
        for (name, bytes) in files(staged.path())? {
            write(&points.join(name), &bytes)?;
        }
        Ok(Folder { path: path.into(), runs: runs(path, sweep), _lock: lock })
    }

    /// Returns the path of a file or folder in this folder.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// Returns all runs in the order of their seeds. An unfinished sweep therefore has about the same number of
    /// finished runs for every point.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

/// Rejects an existing folder that is not a sweep folder, because the sweep could overwrite files in it.
fn refuse_foreign(path: &Path) -> Result<(), Problem> {
    if path.join("points").is_dir() || !path.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(|error| Problem::new(path, error))? {
        let name = entry.map_err(|error| Problem::new(path, error))?.file_name();
        if !["lock", "runs"].iter().any(|own| name == *own) {
            let name = name.to_string_lossy();
            return Err(Problem::new(
                path,
                format!("not a sweep folder (contains `{name}`); choose a new folder with --output"),
            ));
        }
    }
    Ok(())
}

/// Ensures that the folder contains the points of these runs. It is called by each of many processes that execute
/// some of the runs. The first process initialises the folder.
///
/// # Errors
/// Same as [`Folder::open`].
pub fn join(
    path: &Path,
    sweep: &Sweep,
    runs: &[Run],
    check: impl Fn(&Path) -> Result<(), String>,
) -> Result<(), Problem> {
    let points: BTreeSet<usize> = runs.iter().map(|run| run.point).collect();
    for point in points {
        if !points::is_kept(&path.join("points"), sweep, point)? {
            Folder::open_within(BEGINNING, path, sweep, &check)?;
        }
    }
    let runs = path.join("runs");
    std::fs::create_dir_all(&runs).map_err(|error| Problem::new(&runs, error))
}

/// Returns the runs of a sweep in a folder. The folder need not exist.
pub fn runs(path: &Path, sweep: &Sweep) -> Vec<Run> {
    let run = |point: usize, seed: u64| {
        let (file, name) = (path.join("points").join(points::name(point)), format!("p{}-s{seed}", point + 1));
        Run { point, seed, folder: path.join("runs").join(&name), name, file }
    };
    sweep.seeds.iter().flat_map(|seed| (0..sweep.points.len()).map(move |point| run(point, *seed))).collect()
}

/// Rejects a symbolic link in the place of a file, because it would lead to a file outside the folder.
///
/// # Errors
/// If the path is a symbolic link.
pub(super) fn refuse_link(path: &Path) -> Result<(), Problem> {
    match path.is_symlink() {
        true => Err(Problem::new(path, "it is a symbolic link, not a file; remove it")),
        false => Ok(()),
    }
}

/// Replaces a file atomically, so that it is never partially written.
///
/// # Errors
/// If the file cannot be written, or is a symbolic link.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    refuse_link(path)?;
    atomic::write(path, bytes).map_err(|error| Problem::new(path, error))
}

/// Validates every point's evolution file as [`Folder::open`] does, without writing to the sweep's folder.
///
/// # Errors
/// If a point is invalid. The message contains the point and the cause.
pub fn check(sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<(), Problem> {
    stage(sweep, check).map(drop)
}

/// Validates every point like [`check`], and that the sweep can continue in the folder `path`, which need not exist.
///
/// # Errors
/// The errors of [`check`], or the sweep was begun with other settings.
pub fn check_in(path: &Path, sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<(), Problem> {
    compare(stage(sweep, check)?.path(), path, sweep.points.len())
}

/// Writes the points' files into a temporary folder, and validates them there.
fn stage(sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<tempfile::TempDir, Problem> {
    let staged = tempfile::tempdir().map_err(|error| Problem::new(&std::env::temp_dir(), error))?;
    for (i, point) in sweep.points.iter().enumerate() {
        let wrong = |message: String| {
            Problem::new(Path::new(&sweep.file), format!("point {} (`{}`): {message}", i + 1, point.label))
        };
        let kept = points::files(sweep, i).map_err(|problem| wrong(problem.to_string()))?;
        for file in &kept {
            write(&staged.path().join(&file.name), &file.bytes)?;
        }
        let file = staged.path().join(points::name(i));
        check(&file).map_err(|message| {
            // The temporary files are deleted after an error. The message therefore names the point and the original
            // files.
            let message = message.replace(&format!("{}: ", file.display()), "");
            // Line numbers of the point's file differ from those of the sweep file.
            let line = message.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
            let message = line.map_or(message.as_str(), |(_, what)| what).to_string();
            let own = |message: String, kept: &points::StoredFile| match &kept.original {
                Some(from) => {
                    message.replace(&staged.path().join(&kept.name).display().to_string(), &from.display().to_string())
                }
                None => message,
            };
            wrong(kept.iter().fold(message, own))
        })?;
    }
    Ok(staged)
}

/// Rejects a sweep of `points` points that differs from the existing one in `folder`. Points may only be added or removed
/// at the end.
fn compare(staged: &Path, folder: &Path, points: usize) -> Result<(), Problem> {
    if !folder.join("points").exists() {
        return Ok(());
    }
    let new = files(staged)?;
    for (name, bytes) in files(&folder.join("points"))? {
        if points::number(&name).is_some_and(|number| number > points) {
            continue;
        }
        if !new.iter().any(|(other, text)| *other == name && *text == bytes) {
            let remedy = "undo the change, or choose another folder with --output. Points may be added or removed at \
                          the end only";
            let what =
                format!("the sweep was started with another {}; {remedy}", Path::new("points").join(name).display());
            return Err(Problem::new(folder, what));
        }
    }
    Ok(())
}

/// Returns the files of a folder with their contents.
fn files(folder: &Path) -> Result<Vec<(String, Vec<u8>)>, Problem> {
    let read = || {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with(".toml") {
                files.push((name, file::bytes(&entry.path(), file::MAX_TOML)?));
            }
        }
        files.sort();
        Ok(files)
    };
    read().map_err(|error: std::io::Error| Problem::new(folder, error))
}

#[cfg(test)]
mod tests {
    use super::super::file::parse;
    use super::*;

    fn sweep(home: &Path, points: &str) -> Sweep {
        parse("s.toml", &format!("name = \"s\"\nseeds = [4, 2]\n{points}"), home).unwrap()
    }

    fn open(folder: &Path, sweep: &Sweep) -> Result<Folder, String> {
        Folder::open(folder, sweep, |_| Ok(())).map_err(|problem| problem.to_string())
    }

    #[test]
    fn sweep_resumes_only_with_same_settings() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        std::fs::write(home.path().join("w.toml"), "robots = 4\n").unwrap();
        let text = "[base]\nworld = \"w.toml\"\n[grid]\nislands = [2, 3]\n";
        let folder = open(&out, &sweep(home.path(), text)).unwrap();
        let names: Vec<&str> = folder.runs().iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["p1-s4", "p2-s4", "p1-s2", "p2-s2"]);
        let file = std::fs::read_to_string(&folder.runs()[1].file).unwrap();
        assert!(file.contains("islands = 3") && file.contains("world = \"p2-world.toml\""), "{file}");
        assert!(open(&out, &sweep(home.path(), text)).unwrap_err().contains("another sweep uses this folder"));
        drop(folder);
        // The same sweep can be opened again, also with an additional point at the end.
        open(&out, &sweep(home.path(), text)).unwrap();
        open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 3, 4]"))).unwrap();
        // Points at the end can also be removed, and added again if they are the same.
        let fewer = open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2]"))).unwrap();
        assert_eq!(fewer.runs().len(), 2);
        drop(fewer);
        let other = sweep(home.path(), &text.replace("[2, 3]", "[2, 7]"));
        assert!(open(&out, &other).unwrap_err().contains("another points/p2.toml"));
        let listed = check_in(&out, &other, |_| Ok(())).unwrap_err().to_string();
        assert!(listed.contains("another points/p2.toml"), "{listed}");
        let changed = open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 5, 4]"))).unwrap_err();
        assert!(changed.contains("started with another points/p2.toml; undo the change, or choose"), "{changed}");
        std::fs::write(home.path().join("w.toml"), "robots = 5\n").unwrap();
        let changed = open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 3, 4]"))).unwrap_err();
        assert!(changed.contains("points/p1-world.toml"), "{changed}");
        // The contents of calibration files are also compared, because they determine results.
        let (out, text) = (home.path().join("measured"), text.replace("world =", "calibration ="));
        drop(open(&out, &sweep(home.path(), &text)).unwrap());
        std::fs::write(home.path().join("w.toml"), "robots = 6\n").unwrap();
        assert!(open(&out, &sweep(home.path(), &text)).unwrap_err().contains("points/p1-calibration.toml"));
    }

    #[test]
    fn output_file_is_not_written_through_a_link() {
        let home = tempfile::tempdir().unwrap();
        let [victim, link] = ["victim", "curves.svg"].map(|name| home.path().join(name));
        std::fs::write(&victim, "kept").unwrap();
        std::os::unix::fs::symlink(&victim, &link).unwrap();
        assert!(write(&link, b"new").unwrap_err().to_string().contains("curves.svg: it is a symbolic link"));
        assert_eq!(std::fs::read_to_string(&victim).unwrap(), "kept");
    }

    #[test]
    fn rejected_sweep_leaves_no_files() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        let wrong = |file: &Path| match std::fs::read_to_string(file).unwrap().contains("islands = 3") {
            true => Err("islands = 3 is\ntoo many".into()),
            false => Ok(()),
        };
        let sweep = sweep(home.path(), "[grid]\nislands = [2, 3]\n");
        let error = Folder::open(&out, &sweep, wrong).unwrap_err().to_string();
        assert_eq!(error, "s.toml: point 2 (`islands 3`): islands = 3 is; too many");
        assert!(!out.exists());
        let absent = self::sweep(home.path(), "[[points]]\nworld = \"w.toml\"\n");
        let absent = open(&out, &absent).unwrap_err();
        assert!(absent.starts_with("s.toml: point 1 (") && absent.contains("w.toml: "), "{absent}");
    }
}
