//! Detects a GPU by the kernel's device nodes. No graphics driver is loaded, because loading drivers is slow.

use std::path::Path;

/// Folders and name prefixes of device nodes for GPUs that support computations. They belong to DRM, NVIDIA's driver,
/// the host's GPU in WSL, Mali and Adreno.
const NODES: [(&str, &[&str]); 2] = [("/dev/dri", &["renderD"]), ("/dev", &["nvidiactl", "dxg", "mali", "kgsl-3d"])];

/// Returns whether a device node of a GPU exists. Also returns true if a folder exists but cannot be read, because a
/// GPU is then possible. In both cases, only the driver shows whether the GPU is usable.
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
