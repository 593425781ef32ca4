//! Final trees of the robots of a run. For an evolution run, they are the islands' champions. For a swarm's record,
//! they are the trees that last drove the robots.

use super::hetero::RunTrees;
use super::{StudyError, study_error};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xpuck_experiment::tree_file;
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::tree::Tree;

/// Maximum number of files in a folder.
const MOST: usize = 4096;

/// Reads the final trees of a run. `path` is a folder of `xpuck evolve --output`, a run's record, another folder with
/// trees (.bt), or the file of a single tree.
///
/// # Errors
/// If there is no tree, or a tree cannot be read. The error is one line with the file.
pub fn read(path: &Path) -> Result<RunTrees, StudyError> {
    let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned());
    if path.is_file() {
        return Ok(RunTrees { name, trees: vec![tree(path)?] });
    }
    if !path.is_dir() {
        return study_error(format!("{}: is not a run, a folder or a tree", path.display()));
    }
    let kept = path.join("trees");
    let trees = if kept.is_dir() {
        files(&kept, "champion-")?
    } else if path.join("run.toml").is_file() {
        loaded(path)?
    } else {
        files(path, "")?
    };
    match trees.is_empty() {
        true => study_error(format!(
            "{}: contains no trees; name a run of `xpuck evolve --output`, a run's record or a folder of .bt files",
            path.display()
        )),
        false => Ok(RunTrees { name, trees }),
    }
}

fn tree(path: &Path) -> Result<Tree, StudyError> {
    tree_file::read(path, &tree_file::ReadOptions::default()).map_err(|error| StudyError(error.to_string()))
}

/// Returns the trees from the .bt files of a folder, in the order of the numbers in the file names. Only files are read
/// whose names start with `begin`.
fn files(folder: &Path, begin: &str) -> Result<Vec<Tree>, StudyError> {
    let wrong = |error: std::io::Error| StudyError(format!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = Vec::new();
    for (count, entry) in std::fs::read_dir(folder).map_err(wrong)?.enumerate() {
        // A larger folder is rejected, because a limited selection of its files would be arbitrary.
        if count == MOST {
            return Err(StudyError(format!(
                "{}: contains more than {MOST} files; choose a folder with fewer files",
                folder.display()
            )));
        }
        let path = entry.map_err(wrong)?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        if name.starts_with(begin) && name.ends_with(".bt") {
            paths.push(path);
        }
    }
    // Shorter names come first, so that champion-2 precedes champion-10.
    paths.sort_by_key(|path| (path.as_os_str().len(), path.clone()));
    paths.iter().map(|path| tree(path)).collect()
}

/// Returns the last tree that each robot loaded, under the `avoiding` node with which robots run it.
fn loaded(run: &Path) -> Result<Vec<Tree>, StudyError> {
    let wrong = |error: xpuck_record::RecordError| StudyError(error.to_string());
    let mut last: BTreeMap<String, String> = BTreeMap::new();
    for entry in xpuck_record::read::entries_of_topics(run, &["/loaded"]).map_err(wrong)? {
        if let Entry::Loaded { robot, gene, .. } = entry.map_err(wrong)? {
            last.insert(robot, gene.tree);
        }
    }
    let parsed = |(robot, text): (String, String)| {
        let tree = Tree::parse(&text)
            .map_err(|error| StudyError(format!("{}: the tree of {robot}: {error}", run.display())))?;
        Ok(tree.under_avoiding())
    };
    last.into_iter().map(parsed).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn champions_come_in_the_order_of_their_islands() {
        let dir = tempfile::tempdir().unwrap();
        let trees = dir.path().join("trees");
        std::fs::create_dir(&trees).unwrap();
        for i in [10, 2, 1] {
            std::fs::write(trees.join(format!("champion-{i}.bt")), format!("movcs v_goal.x {i}\n")).unwrap();
        }
        std::fs::write(trees.join("elite-0-000.bt"), "avoiding\n").unwrap();
        let found = read(dir.path()).unwrap().trees;
        let texts: Vec<String> = found.iter().map(|tree| tree.to_string().trim().to_string()).collect();
        assert_eq!(texts, ["movcs v_goal.x 1", "movcs v_goal.x 2", "movcs v_goal.x 10"]);
        assert_eq!(read(&trees).unwrap().trees.len(), 4, "a folder of trees");
        assert_eq!(read(&trees.join("elite-0-000.bt")).unwrap().trees.len(), 1);
    }

    #[test]
    fn missing_and_invalid_trees_are_reported() {
        let dir = tempfile::tempdir().unwrap();
        let refused = |path: &Path| read(path).unwrap_err().to_string();
        assert!(refused(dir.path()).contains("contains no trees; name a run"));
        assert!(refused(&dir.path().join("none")).contains("none"));
        std::fs::write(dir.path().join("a.bt"), "sel\n").unwrap();
        let error = refused(dir.path());
        assert!(error.contains("a.bt: line 1"), "{error}");
    }
}
