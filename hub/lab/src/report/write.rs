//! Writes the report's files. All files are created in a temporary folder before any file of an earlier report is
//! replaced. The page is replaced last.

use super::Report;
use super::page::HEAD;
use crate::sweep::problem::Problem;
use crate::sweep::table_files::Files;
use std::io::Read;
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use xpuck_wire::atomic;

/// File name of the page.
pub const PAGE: &str = "report.html";
/// Prefix of the temporary folder in which a report is created.
const MADE: &str = ".report-";

/// Destination folder of a report, with a temporary folder in it.
pub struct Place {
    folder: PathBuf,
    made: TempDir,
}

impl Place {
    /// Creates the folder, if it is missing, and checks that it is writable.
    ///
    /// # Errors
    /// If the folder is not writable, or contains files but not a report. Such files must not be overwritten.
    pub fn prepare(folder: &Path) -> Result<Place, Problem> {
        std::fs::create_dir_all(folder).map_err(|error| Problem::new(folder, error))?;
        let entries = std::fs::read_dir(folder).map_err(|error| Problem::new(folder, error))?;
        let (left, others): (Vec<PathBuf>, Vec<PathBuf>) =
            entries.filter_map(|entry| Some(entry.ok()?.path())).partition(|path| is_left_over(path));
        if !others.is_empty() && !is_report(&folder.join(PAGE)) {
            let why =
                format!("not a report folder: it contains files, but no {PAGE} of this program; choose a new folder");
            return Err(Problem::new(folder, why));
        }
        // Failure to remove leftovers is harmless.
        left.iter().for_each(|path| drop(std::fs::remove_dir_all(path)));
        let made = TempDir::with_prefix_in(MADE, folder).map_err(|error| Problem::new(folder, error))?;
        Ok(Place { folder: folder.into(), made })
    }

    /// Writes the report and returns the path of the page.
    ///
    /// # Errors
    /// If a file cannot be written. If the disk is full, an earlier report is unchanged.
    pub fn write(self, report: &Report) -> Result<PathBuf, Problem> {
        let made = self.made.path();
        for named in &report.tables {
            Files::begin(made, named.name, &named.table)?.finish()?;
        }
        let page = made.join(PAGE);
        atomic::output(&page, report.html.as_bytes()).map_err(|error| Problem::new(&page, error))?;
        for named in &report.tables {
            for kind in ["csv", "parquet"] {
                self.install(&format!("{}.{kind}", named.name))?;
            }
        }
        self.install(PAGE)
    }

    fn install(&self, name: &str) -> Result<PathBuf, Problem> {
        let to = self.folder.join(name);
        atomic::replace(&self.made.path().join(name), &to).map_err(|error| Problem::new(&to, error))?;
        Ok(to)
    }
}

/// Returns whether `path` is the temporary folder of an interrupted report.
fn is_left_over(path: &Path) -> bool {
    let named = path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(MADE));
    named && path.symlink_metadata().is_ok_and(|data| data.is_dir())
}

/// Returns whether a file is the page of a report, according to its first lines. Files in a folder without such a page
/// do not belong to a report, and must not be replaced.
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
        // The temporary folder of an interrupted report does not interfere with a new report, and is removed.
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
        assert!(error.contains("not a report folder"), "{error}");
        assert!(Place::prepare(&dir.path().join("precious.csv")).is_err());
    }
}
