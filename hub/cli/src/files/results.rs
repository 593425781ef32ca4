//! Kinds of result folders. If a command gets the wrong kind, its error message suggests the right command.

use std::path::Path;

/// Describes a folder with a sweep or a run of evolution, and suggests commands for it; `None` for other folders.
pub fn other_kind(folder: &Path) -> Option<String> {
    sweep(folder).or_else(|| evolution(folder))
}

/// Describes a folder with a sweep, and suggests commands for it; `None` for other folders.
pub fn sweep(folder: &Path) -> Option<String> {
    let name = folder.display();
    (folder.join("results.csv").is_file() && folder.join("runs").is_dir()).then(|| {
        format!(
            "{name}: is a sweep: see {name}/curves.html and {name}/results.csv; each folder of {name}/runs is a run \
             of evolution, for `xpuck runs lineage`"
        )
    })
}

fn evolution(folder: &Path) -> Option<String> {
    let name = folder.display();
    let world = if folder.join("world.toml").is_file() { format!(" --world {name}/world.toml") } else { String::new() };
    (folder.join("generations.csv").is_file() && folder.join("trees").is_dir()).then(|| {
        format!(
            "{name}: is a run of evolution, not of a swarm: `xpuck runs lineage {name}` shows the ancestry of its \
             best trees, `xpuck tree explain {name}/trees/champion-0.bt{world}` explains one, and `xpuck sweep` makes \
             a page of several such runs"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_folder_kinds_are_distinguished() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(other_kind(root.path()), None);
        std::fs::create_dir(root.path().join("runs")).unwrap();
        std::fs::write(root.path().join("results.csv"), "").unwrap();
        assert!(other_kind(root.path()).is_some_and(|told| told.contains("is a sweep")));
        let run = root.path().join("runs/1");
        std::fs::create_dir_all(run.join("trees")).unwrap();
        std::fs::write(run.join("generations.csv"), "").unwrap();
        assert!(other_kind(&run).is_some_and(|told| told.contains("champion-0.bt`")));
        std::fs::write(run.join("world.toml"), "").unwrap();
        assert!(other_kind(&run).is_some_and(|told| told.contains("/world.toml`")));
    }
}
