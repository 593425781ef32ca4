//! The report's files: all are made beside their places before one of an earlier report is replaced, the page last.

use super::Report;
use super::page::HEAD;
use crate::sweep::problem::Problem;
use crate::sweep::table_files::Files;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use xpuck_wire::atomic;

/// The page's file.
pub const PAGE: &str = "report.html";
/// Beginning of the name of the folder in which a report is made.
const MADE: &str = ".report-";

/// A folder that a report may go to, with a place in it where the report is made.
pub struct Place {
    folder: PathBuf,
    made: TempDir,
}

impl Place {
    /// Makes the folder, if it is new, and says whether it can be written to.
    ///
    /// # Errors
    /// It cannot be written to, or is a folder with something else than a report: nothing of it shall be lost.
    pub fn prepare(folder: &Path) -> Result<Place, Problem> {
        std::fs::create_dir_all(folder).map_err(|error| Problem::of(folder, error))?;
        let entries = std::fs::read_dir(folder).map_err(|error| Problem::of(folder, error))?;
        let (left, others): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.filter_map(|entry| Some(entry.ok()?.path())).partition(|path| is_left_over(path));
        if !others.is_empty() && !is_report(&folder.join(PAGE)) {
            let why = format!("is no report: it has files but no {PAGE} of this program; name a new folder");
            return Err(Problem::of(folder, why));
        }
        // That they cannot be removed is no worse than that they are there.
        left.iter().for_each(|path| drop(std::fs::remove_dir_all(path)));
        let made = TempDir::with_prefix_in(MADE, folder).map_err(|error| Problem::of(folder, error))?;
        Ok(Place { folder: folder.into(), made })
    }

    /// Writes the report; gives the page's place.
    ///
    /// # Errors
    /// A file cannot be written. If that is for want of room, an earlier report is as it was.
    pub fn write(self, report: &Report) -> Result<PathBuf, Problem> {
        let made = self.made.path();
        for named in &report.tables {
            Files::begin(made, named.name, &named.table)?.finish()?;
        }
        let page = made.join(PAGE);
        atomic::output(&page, report.html.as_bytes()).map_err(|error| Problem::of(&page, error))?;
        for named in &report.tables {
            for kind in ["csv", "parquet"] {
                self.take(&format!("{}.{kind}", named.name))?;
            }
        }
        self.take(PAGE)
    }

    fn take(&self, name: &str) -> Result<PathBuf, Problem> {
        let to = self.folder.join(name);
        atomic::replace(&self.made.path().join(name), &to).map_err(|error| Problem::of(&to, error))?;
        Ok(to)
    }
}

/// True for a folder in which a report was made that was interrupted.
fn is_left_over(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(MADE));
    named && path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

/// True if a page is a report's: only its tables are replaced.
fn is_report(page: &Path) -> bool {
    let mut head = vec![0; HEAD.len()];
    std::fs::File::open(page).and_then(|mut file| file.read_exact(&mut head)).is_ok() && head == HEAD.as_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(word: &str) -> Report {
        Report {
            html: format!("{HEAD}{word}"),
            tables: super::super::tables::all(&[], &[], &[], None),
            results: Vec::new(),
        }
    }

    #[test]
    fn only_a_report_is_replaced_and_nothing_is_left_over() {
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("a/report");
        let page = Place::prepare(&folder).unwrap().write(&report("one")).unwrap();
        // What an interrupted one left is no obstacle, and goes.
        std::fs::create_dir(folder.join(".report-x1")).unwrap();
        Place::prepare(&folder).unwrap().write(&report("two")).unwrap();
        let fresh = dir.path().join("fresh");
        std::fs::create_dir_all(fresh.join(".report-x2")).unwrap();
        Place::prepare(&fresh).unwrap().write(&report("one")).unwrap();
        assert_eq!(std::fs::read_to_string(page).unwrap(), format!("{HEAD}two"));
        let mut names: Vec<String> = std::fs::read_dir(&folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names.len(), 17, "{names:?}");
        assert!(names.iter().all(|name| !name.starts_with('.') && !name.ends_with(".part")), "{names:?}");
        std::fs::write(dir.path().join("precious.csv"), "1").unwrap();
        std::fs::write(dir.path().join(PAGE), "<!doctype html>\n<p>another's").unwrap();
        let error = Place::prepare(dir.path()).err().unwrap().to_string();
        assert!(error.contains("is no report"), "{error}");
        assert!(Place::prepare(&dir.path().join("precious.csv")).is_err());
    }
}
