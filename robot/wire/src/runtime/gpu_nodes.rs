//! Whether this machine has a GPU, as far as the kernel tells: drivers are slow to load, and not every machine needs them.

use std::path::Path;

/// Where the kernel shows GPUs that compute: those of DRM, NVIDIA's own driver, the host's in WSL, Mali's and Adreno's own.
const NODES: [(&str, &[&str]); 2] = [("/dev/dri", &["renderD"]), ("/dev", &["nvidiactl", "dxg", "mali", "kgsl-3d"])];

/// True if there is a node of a GPU. One that cannot be looked for counts as there: the drivers will tell.
pub fn any() -> bool {
    NODES.iter().any(|(folder, names)| holds(Path::new(folder), names))
}

fn holds(folder: &Path, names: &[&str]) -> bool {
    match std::fs::read_dir(folder) {
        Ok(entries) => entries.flatten().any(|entry| {
            let name = entry.file_name();
            names.iter().any(|start| name.to_string_lossy().starts_with(start))
        }),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_known_by_how_their_names_begin() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!holds(&dir.path().join("dri"), &["renderD"]), "no folder, no GPU");
        std::fs::write(dir.path().join("card0"), "").unwrap();
        assert!(!holds(dir.path(), &["renderD"]), "a screen alone does not compute");
        std::fs::write(dir.path().join("renderD128"), "").unwrap();
        assert!(holds(dir.path(), &["renderD"]));
    }
}
