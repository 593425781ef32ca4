//! The folder of a sweep: the evolution file of each point, the runs, and a lock.
//!
//! What decides a result stands in `points/`, with copies of the world, calibration and primitive set files that it names. A sweep
//! goes on only where all of it is the same, so that runs of different settings are never taken together.

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

/// How long one of many processes waits until another has begun the folder.
const BEGINNING: Duration = Duration::from_secs(60);
/// How often it looks.
const LOOK: Duration = Duration::from_millis(100);

/// A folder that this process alone works in.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    runs: Vec<Run>,
    /// Held as long as this lives; the system lets it go when the process ends, however it ends.
    _lock: File,
}

impl Folder {
    /// Takes the sweep's folder, new or begun. `check` is given each point's evolution file and says what is wrong
    /// with it; nothing is kept of a sweep with a file that is wrong.
    ///
    /// # Errors
    /// A point that is refused, a sweep that was begun with other settings, another process that works there, or a
    /// file that cannot be read or written.
    pub fn open(path: &Path, sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<Folder, Problem> {
        Folder::open_within(Duration::ZERO, path, sweep, check)
    }

    /// The same, with so much time for another process to let the folder go.
    fn open_within(
        patience: Duration,
        path: &Path,
        sweep: &Sweep,
        check: impl Fn(&Path) -> Result<(), String>,
    ) -> Result<Folder, Problem> {
        let staged = stage(sweep, check)?;
        let points = path.join("points");
        refuse_foreign(path)?;
        std::fs::create_dir_all(path).map_err(|error| Problem::of(path, error))?;
        let lock = path.join("lock");
        let lock = file::append(&lock).map_err(|error| Problem::of(&lock, error))?;
        let deadline = Instant::now() + patience;
        while !locked(&lock, path)? {
            if Instant::now() >= deadline {
                let remedy = "wait for it, or name another folder with --output";
                return Err(Problem::of(path, format!("another sweep works there; {remedy}")));
            }
            std::thread::sleep(LOOK);
        }
        if points.exists() {
            compare(staged.path(), path)?;
        }
        for folder in [&points, &path.join("runs")] {
            std::fs::create_dir_all(folder).map_err(|error| Problem::of(folder, error))?;
        }
        for (name, bytes) in files(staged.path())? {
            write(&points.join(name), &bytes)?;
        }
        Ok(Folder { path: path.into(), runs: runs(path, sweep), _lock: lock })
    }

    /// A file or folder in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }

    /// All runs, seed by seed, so that every point has as many runs as the others while a sweep goes on.
    pub fn runs(&self) -> &[Run] {
        &self.runs
    }
}

/// Refuses a folder that holds something else than a sweep, whose files would be replaced.
fn refuse_foreign(path: &Path) -> Result<(), Problem> {
    if path.join("points").is_dir() || !path.exists() {
        return Ok(());
    }
    for entry in std::fs::read_dir(path).map_err(|error| Problem::of(path, error))? {
        let name = entry.map_err(|error| Problem::of(path, error))?.file_name();
        if !["lock", "runs"].iter().any(|own| name == *own) {
            let name = name.to_string_lossy();
            return Err(Problem::of(path, format!("is no sweep's: it has `{name}`; name a new folder with --output")));
        }
    }
    Ok(())
}

/// Makes sure that the folder has the points of these runs, for one of many processes that work there, each on runs of its
/// own. Who comes first begins the folder.
///
/// # Errors
/// As [`Folder::open`].
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
    std::fs::create_dir_all(&runs).map_err(|error| Problem::of(&runs, error))
}

/// The runs of a sweep in a folder, whether or not it is there.
pub fn runs(path: &Path, sweep: &Sweep) -> Vec<Run> {
    let run = |point: usize, seed: u64| {
        let (file, name) = (path.join("points").join(points::name(point)), format!("p{}-s{seed}", point + 1));
        Run { point, seed, folder: path.join("runs").join(&name), name, file }
    };
    sweep.seeds.iter().flat_map(|seed| (0..sweep.points.len()).map(move |point| run(point, *seed))).collect()
}

/// Replaces a file as a whole, so that one that is there is never half written.
///
/// # Errors
/// It cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), Problem> {
    atomic::write(path, bytes).map_err(|error| Problem::of(path, error))
}

/// Checks every point's evolution file as [`Folder::open`] does, and keeps nothing.
///
/// # Errors
/// The point, and what is wrong with it.
pub fn check(sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<(), Problem> {
    stage(sweep, check).map(drop)
}

/// Writes the points' files into a folder that vanishes, and checks them there.
fn stage(sweep: &Sweep, check: impl Fn(&Path) -> Result<(), String>) -> Result<tempfile::TempDir, Problem> {
    let staged = tempfile::tempdir().map_err(|error| Problem::of(&std::env::temp_dir(), error))?;
    for (i, point) in sweep.points.iter().enumerate() {
        let wrong = |message: String| {
            Problem::of(Path::new(&sweep.file), format!("point {} (`{}`): {message}", i + 1, point.label))
        };
        let kept = points::files(sweep, i).map_err(|problem| wrong(problem.to_string()))?;
        for file in &kept {
            write(&staged.path().join(&file.name), &file.bytes)?;
        }
        let file = staged.path().join(points::name(i));
        check(&file).map_err(|message| {
            // The files are where nobody can look; what helps is the point, and what they were copied from.
            let message = message.replace(&format!("{}: ", file.display()), "");
            // Lines of the point's file are not those of the sweep's.
            let line = message.strip_prefix("line ").and_then(|rest| rest.split_once(": "));
            let message = line.map_or(message.as_str(), |(_, what)| what).to_string();
            let own = |message: String, kept: &points::Kept| match &kept.original {
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

/// Refuses what differs from a sweep that was begun; points may be added behind those that are there.
fn compare(staged: &Path, folder: &Path) -> Result<(), Problem> {
    let new = files(staged)?;
    for (name, bytes) in files(&folder.join("points"))? {
        if !new.iter().any(|(other, text)| *other == name && *text == bytes) {
            let remedy = "undo the change, or name another folder with --output";
            let what =
                format!("the sweep was begun with another {}; {remedy}", Path::new("points").join(name).display());
            return Err(Problem::of(folder, what));
        }
    }
    Ok(())
}

/// The files of a folder with their content.
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
    read().map_err(|error: std::io::Error| Problem::of(folder, error))
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
    fn a_sweep_goes_on_only_with_the_same_settings() {
        let home = tempfile::tempdir().unwrap();
        let out = home.path().join("out");
        std::fs::write(home.path().join("w.toml"), "robots = 4\n").unwrap();
        let text = "[base]\nworld = \"w.toml\"\n[grid]\nislands = [2, 3]\n";
        let folder = open(&out, &sweep(home.path(), text)).unwrap();
        let names: Vec<&str> = folder.runs().iter().map(|r| r.name.as_str()).collect();
        assert_eq!(names, ["p1-s4", "p2-s4", "p1-s2", "p2-s2"]);
        let file = std::fs::read_to_string(&folder.runs()[1].file).unwrap();
        assert!(file.contains("islands = 3") && file.contains("world = \"p2-world.toml\""), "{file}");
        assert!(open(&out, &sweep(home.path(), text)).unwrap_err().contains("another sweep works there"));
        drop(folder);
        // The same, and with one more point behind the others.
        open(&out, &sweep(home.path(), text)).unwrap();
        open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 3, 4]"))).unwrap();
        let changed = open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 5, 4]"))).unwrap_err();
        assert!(changed.contains("begun with another points/p2.toml; undo the change, or name"), "{changed}");
        std::fs::write(home.path().join("w.toml"), "robots = 5\n").unwrap();
        let changed = open(&out, &sweep(home.path(), &text.replace("[2, 3]", "[2, 3, 4]"))).unwrap_err();
        assert!(changed.contains("points/p1-world.toml"), "{changed}");
        // What was measured decides results too.
        let (out, text) = (home.path().join("measured"), text.replace("world =", "calibration ="));
        drop(open(&out, &sweep(home.path(), &text)).unwrap());
        std::fs::write(home.path().join("w.toml"), "robots = 6\n").unwrap();
        assert!(open(&out, &sweep(home.path(), &text)).unwrap_err().contains("points/p1-calibration.toml"));
    }

    #[test]
    fn nothing_is_kept_of_a_sweep_that_is_refused() {
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
