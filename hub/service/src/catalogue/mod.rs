//! Catalogue of runs: a table in `runs.sqlite` of the record directory, with one row per run. The catalogue is only a
//! cache of the runs' directories. It is updated when it is opened, and rebuilt if it is damaged.

mod disk;
pub mod results;
mod row;

pub use row::{Row, short_ids};

use rusqlite::{Connection, OpenFlags, params};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_record::RecordError;

/// File name of the database.
pub const FILE: &str = "runs.sqlite";
/// Version of the table's schema. A table with another version is rebuilt.
const FORMAT: i64 = 2;
/// Maximum time to wait for a database that is locked by another program.
const BUSY: Duration = Duration::from_secs(5);
const TABLE: &str = "CREATE TABLE IF NOT EXISTS runs (
    id TEXT PRIMARY KEY, name TEXT NOT NULL, began_unix_ms INTEGER NOT NULL, length_s REAL NOT NULL, state TEXT NOT NULL,
    seed TEXT NOT NULL, robots INTEGER NOT NULL, dead INTEGER NOT NULL, slow_round_trips REAL NOT NULL,
    quality TEXT NOT NULL, last_fitness REAL, mean_fitness REAL, evolved_fitness REAL NOT NULL, bytes INTEGER NOT NULL,
    git_commit TEXT NOT NULL, version TEXT NOT NULL, files TEXT NOT NULL)";
const INSERT: &str =
    "INSERT OR REPLACE INTO runs VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
const SELECT: &str = "SELECT id, name, began_unix_ms, length_s, state, seed, robots, dead, slow_round_trips, quality,
    last_fitness, mean_fitness, evolved_fitness, bytes, git_commit, version FROM runs ORDER BY began_unix_ms, id";

/// Catalogue of the runs in a record directory.
pub struct Catalogue {
    root: PathBuf,
    database: Connection,
    /// Error messages for runs that could not be read.
    troubles: Vec<String>,
}

impl Catalogue {
    /// Opens the catalogue of a record directory and updates it. If the database file cannot be used, the catalogue
    /// is created in memory.
    ///
    /// # Errors
    /// If the directory cannot be read.
    pub fn open(root: &Path) -> Result<Catalogue, RecordError> {
        let mut troubles = Vec::new();
        let directories = row::directories(root, &mut troubles)?;
        let kept = Catalogue::open_file(root, &directories).or_else(|error| {
            if !is_damage(&error) {
                return Err(error);
            }
            for name in [FILE.into(), format!("{FILE}-wal"), format!("{FILE}-shm")] {
                // A missing file is not an error. If a file cannot be removed, the next step reports an error.
                let _ = std::fs::remove_file(root.join(name));
            }
            Catalogue::open_file(root, &directories)
        });
        let made = kept.or_else(|_| Catalogue::from_connection(root, Connection::open_in_memory()?, &directories));
        let mut made = made.map_err(|error| RecordError::new(&root.join(FILE), error))?;
        made.troubles.extend(troubles);
        Ok(made)
    }

    /// Returns one error message for each run that could not be read. In the rows, such a run is missing or has its
    /// previous values.
    pub fn errors(&self) -> &[String] {
        &self.troubles
    }

    /// Returns the number of runs in the catalogue without changing it; `None` if there is no catalogue.
    ///
    /// # Errors
    /// If the catalogue is damaged.
    pub fn inspect(root: &Path) -> Result<Option<u64>, RecordError> {
        let file = root.join(FILE);
        if !file.exists() {
            return Ok(None);
        }
        let look = || {
            let database = Connection::open_with_flags(&file, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
            database.busy_timeout(BUSY)?;
            database.query_row("SELECT count(*) FROM runs", [], |row| row.get::<_, i64>(0))
        };
        look().map(|runs| Some(runs as u64)).map_err(|error: rusqlite::Error| RecordError::new(&file, error))
    }

    fn open_file(root: &Path, directories: &[PathBuf]) -> rusqlite::Result<Catalogue> {
        let database = Connection::open(root.join(FILE))?;
        // Another program may hold the lock, so the timeout is set before the journal mode is changed.
        database.busy_timeout(BUSY)?;
        database.pragma_update(None, "journal_mode", disk::journal(root))?;
        Catalogue::from_connection(root, database, directories)
    }

    fn from_connection(root: &Path, database: Connection, directories: &[PathBuf]) -> rusqlite::Result<Catalogue> {
        database.busy_timeout(BUSY)?;
        let format: i64 = database.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if format != FORMAT {
            database.execute_batch("DROP TABLE IF EXISTS runs")?;
            database.pragma_update(None, "user_version", FORMAT)?;
        }
        database.execute_batch(TABLE)?;
        let mut catalogue = Catalogue { root: root.into(), database, troubles: Vec::new() };
        catalogue.refresh(directories)?;
        Ok(catalogue)
    }

    /// Reads new and changed directories, and removes the rows of deleted directories.
    fn refresh(&mut self, directories: &[PathBuf]) -> rusqlite::Result<()> {
        let transaction = self.database.transaction()?;
        let mut known: BTreeMap<String, String> = transaction
            .prepare("SELECT id, files FROM runs")?
            .query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?
            .collect::<rusqlite::Result<_>>()?;
        for directory in directories {
            let id = row::id(&self.root, directory);
            let before = known.remove(&id);
            let read = row::signature(directory).and_then(|files| {
                let new = before.is_none_or(|before| before != files);
                new.then(|| Row::read(&self.root, directory).map(|row| (row, files))).transpose()
            });
            let (r, files) = match read {
                Ok(Some(read)) => read,
                Ok(None) => continue,
                Err(error) => {
                    self.troubles.push(error.to_string());
                    continue;
                }
            };
            transaction.execute(
                INSERT,
                params![
                    r.id,
                    r.name,
                    r.began_unix_ms as i64,
                    r.length_s,
                    r.state,
                    r.seed,
                    r.robots,
                    r.dead,
                    r.slow_round_trips,
                    r.quality,
                    r.last_fitness,
                    r.mean_fitness,
                    r.evolved_fitness,
                    r.bytes as i64,
                    r.git_commit,
                    r.version,
                    files
                ],
            )?;
        }
        for gone in known.keys() {
            transaction.execute("DELETE FROM runs WHERE id = ?1", [gone])?;
        }
        transaction.commit()
    }

    /// Returns all runs, the oldest first.
    ///
    /// # Errors
    /// If the database cannot be read.
    pub fn rows(&self) -> Result<Vec<Row>, RecordError> {
        let read = || -> rusqlite::Result<Vec<Row>> {
            let mut statement = self.database.prepare(SELECT)?;
            let rows = statement.query_map([], |r| {
                Ok(Row {
                    id: r.get(0)?,
                    name: r.get(1)?,
                    began_unix_ms: r.get::<_, i64>(2)? as u64,
                    length_s: r.get(3)?,
                    state: r.get(4)?,
                    seed: r.get(5)?,
                    robots: r.get(6)?,
                    dead: r.get(7)?,
                    slow_round_trips: r.get(8)?,
                    quality: r.get(9)?,
                    last_fitness: r.get(10)?,
                    mean_fitness: r.get(11)?,
                    evolved_fitness: r.get(12)?,
                    bytes: r.get::<_, i64>(13)? as u64,
                    git_commit: r.get(14)?,
                    version: r.get(15)?,
                })
            })?;
            rows.map(|row| row.map(|row: Row| row.current(&self.root))).collect()
        };
        read().map_err(|error| RecordError::new(&self.root.join(FILE), error))
    }

    /// Returns the directory of a run. `run` is `last` (the newest run), a prefix of the run's id or of its
    /// directory's name, or its short id.
    ///
    /// # Errors
    /// If no run or several runs match.
    pub fn find(&self, run: &str) -> Result<PathBuf, String> {
        let rows = self.rows().map_err(|error| error.to_string())?;
        let name = |row: &Row| row.id.rsplit('/').next().unwrap_or_default().to_string();
        let found: Vec<&Row> = match run {
            "last" => rows.last().into_iter().collect(),
            _ => match rows.iter().find(|row| row.id == run) {
                Some(exact) => vec![exact],
                None => {
                    let begins = |r: &&Row| r.id.starts_with(run) || name(r).starts_with(run);
                    let begun: Vec<&Row> = rows.iter().filter(begins).collect();
                    match begun.is_empty() {
                        true => rows.iter().filter(|r| row::has_short_id(&r.id, run)).collect(),
                        false => begun,
                    }
                }
            },
        };
        match found[..] {
            [one] => Ok(self.root.join(&one.id)),
            [] if rows.is_empty() => Err(format!(
                "no runs in {}; set the record directory with --folder DIR (for a demo: its --output)",
                self.root.display()
            )),
            [] => Err(format!(
                "run `{run}` does not exist in {}; list the runs with `xpuck runs list --folder {0}`",
                self.root.display()
            )),
            _ => {
                let short = short_ids(&rows);
                let of = |one: &&Row| rows.iter().position(|row| row.id == one.id).map(|place| short[place].as_str());
                let names: Vec<&str> = found.iter().filter_map(of).take(5).collect();
                Err(format!("`{run}` is ambiguous; it matches {} runs: {}", found.len(), names.join(", ")))
            }
        }
    }
}

/// Returns whether an error means that the catalogue is damaged, so that it should be rebuilt. If another program
/// holds a lock or the system denies access, the catalogue is not damaged.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase, Unknown};
    matches!(error.sqlite_error_code(), None | Some(DatabaseCorrupt | NotADatabase | Unknown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_record::run_file::{RunFile, RunState};

    fn run(root: &Path, id: &str, began: u64) {
        let directory = root.join(id);
        std::fs::create_dir_all(&directory).unwrap();
        let table = toml::Table::new;
        let file = RunFile {
            name: "x".into(),
            state: RunState::Finished,
            recovered: vec![],
            version: "1".into(),
            git_commit: "abc".into(),
            started_unix_ms: began,
            seed: u64::MAX,
            robots: vec!["xp01".into(), "xp02".into()],
            speed: 1.0,
            swarm_mark: None,
            experiment: table(),
            files: Default::default(),
            swarm: table(),
            hub: table(),
        };
        file.write(&directory).unwrap();
    }

    #[test]
    fn it_follows_the_directories_and_is_made_anew_when_damaged() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        run(root, "b-2", 2);
        run(root, "demo-1/a-1", 1);
        let ids =
            || -> Vec<String> { Catalogue::open(root).unwrap().rows().unwrap().into_iter().map(|r| r.id).collect() };
        assert_eq!(ids(), ["demo-1/a-1", "b-2"]);
        let damages: [&dyn Fn(); 3] = [
            &|| std::fs::write(root.join(FILE), "not a database").unwrap(),
            &|| std::fs::remove_file(root.join(FILE)).unwrap(),
            &|| Connection::open(root.join(FILE)).unwrap().execute_batch("DROP TABLE runs").unwrap(),
        ];
        for damage in damages {
            damage();
            assert_eq!(ids(), ["demo-1/a-1", "b-2"]);
        }
        run(root, "b-3", 3);
        std::fs::remove_dir_all(root.join("b-2")).unwrap();
        assert_eq!(ids(), ["demo-1/a-1", "b-3"]);
        let catalogue = Catalogue::open(root).unwrap();
        assert_eq!(catalogue.find("last").unwrap(), root.join("b-3"));
        assert_eq!(catalogue.find("a").unwrap(), root.join("demo-1/a-1"));
        assert!(catalogue.find("c").unwrap_err().contains("run `c` does not exist"));
        run(root, "b-4", 4);
        assert!(Catalogue::open(root).unwrap().find("b").unwrap_err().contains("matches 2 runs"));
        assert_eq!(catalogue.rows().unwrap()[0].seed, u64::MAX.to_string());
    }

    #[test]
    fn run_counts_once_despite_symlinks() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        run(root, "b-1-seed1", 1);
        for (to, link) in
            [(root.join("b-1-seed1"), "a"), (root.to_path_buf(), "self"), (root.join("nowhere"), "broken")]
        {
            std::os::unix::fs::symlink(to, root.join(link)).unwrap();
        }
        let rows = Catalogue::open(root).unwrap().rows().unwrap();
        assert_eq!(rows.iter().map(|row| row.id.as_str()).collect::<Vec<_>>(), ["b-1-seed1"]);
    }

    #[test]
    fn on_a_network_file_system_a_catalogue_has_no_shared_memory() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        run(root, "a-1", 1);
        let journal = |kind: &str| {
            let database = Connection::open(root.join(FILE)).unwrap();
            database.busy_timeout(BUSY).unwrap();
            database.pragma_update(None, "journal_mode", kind).unwrap();
            Catalogue::from_connection(root, database, &[root.join("a-1")]).unwrap()
        };
        let left = |name: &str| root.join(format!("{FILE}{name}")).exists();
        let local = journal("WAL");
        assert!(left("-wal") && left("-shm"));
        drop(local);
        // Opens the same catalogue twice with the journal mode for a network file system, as if the catalogue had been
        // moved to one.
        let [first, second] = [journal("DELETE"), journal("DELETE")];
        assert!(!left("-wal") && !left("-shm"));
        assert_eq!((first.rows().unwrap().len(), second.rows().unwrap().len()), (1, 1), "both at once");
    }

    #[test]
    fn run_of_dead_hub_is_aborted_and_short_ids_find_runs() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        let id = |ms: u64| format!("transport-{ms}-seed1");
        let (old, new) = (1_795_407_849_224, 1_795_407_859_224);
        for ms in [old, new] {
            run(root, &id(ms), ms);
            RunFile::change(&root.join(id(ms)), |file| file.state = RunState::Running).unwrap();
        }
        let states = || -> Vec<String> {
            Catalogue::open(root).unwrap().rows().unwrap().into_iter().map(|row| row.state).collect()
        };
        assert_eq!(states(), ["running", "running"]);
        // The last write was two minutes ago and there is no run.state, so no hub continues the run.
        let open = std::fs::File::create(root.join(id(old)).join("run.mcap.open")).unwrap();
        let then = std::time::SystemTime::now() - Duration::from_secs(120);
        for name in ["run.toml", "run.mcap.open"] {
            let file = std::fs::File::options().write(true).open(root.join(id(old)).join(name)).unwrap();
            file.set_modified(then).unwrap();
        }
        assert_eq!(states(), ["aborted", "running"]);
        // A hub that writes the run holds a lock on the file.
        open.lock().unwrap();
        assert_eq!(states(), ["running", "running"]);
        let catalogue = Catalogue::open(root).unwrap();
        let short = short_ids(&catalogue.rows().unwrap());
        assert_eq!(short, ["transport-49224", "transport-59224"], "as many digits as tell them apart");
        assert_eq!(catalogue.find(&short[1]).unwrap(), root.join(id(new)));
        assert!(catalogue.find("transport-9224").unwrap_err().contains("matches 2 runs"));
        assert!(catalogue.find("transport-0000").unwrap_err().contains("does not exist"));
    }

    #[test]
    fn unreadable_run_is_reported_others_remain() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path();
        run(root, "a-1", 1);
        run(root, "b-2", 2);
        std::fs::write(root.join("a-1/result.json"), "{").unwrap();
        std::fs::write(root.join("a-1/run.mcap"), "").unwrap();
        std::fs::create_dir(root.join("c-3")).unwrap();
        std::os::unix::fs::symlink("run.toml", root.join("c-3/run.toml")).unwrap();
        let catalogue = Catalogue::open(root).unwrap();
        let ids: Vec<String> = catalogue.rows().unwrap().into_iter().map(|row| row.id).collect();
        assert_eq!(ids, ["b-2"]);
        let [result, circle] = catalogue.errors() else { panic!("{:?}", catalogue.errors()) };
        assert!(result.contains("a-1/result.json") && circle.contains("c-3/run.toml"), "{result}, {circle}");
        // An error due to a locked catalogue does not count as damage.
        let held = Connection::open(root.join(FILE)).unwrap();
        held.execute_batch("BEGIN EXCLUSIVE").unwrap();
        let refused = Connection::open(root.join(FILE)).unwrap().execute_batch("BEGIN EXCLUSIVE").unwrap_err();
        assert!(!is_damage(&refused), "{refused}");
    }
}
