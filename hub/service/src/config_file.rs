//! Reads the hub's file and the swarm file to which it refers.

use std::path::Path;
use xpuck_hub_core::config::{Config, HubFile, TlsFiles};
use xpuck_wire::{FileError, Swarm, atomic, file};

/// Reads the hub's file and its swarm file. Paths are relative to the file that contains them.
///
/// # Errors
/// If a file is unreadable or contains an invalid value.
pub fn read(path: &Path) -> Result<Config, FileError> {
    let name = path.display().to_string();
    let mut hub: HubFile = file::read(path)?;
    let here = path.parent().unwrap_or(Path::new("."));
    hub.swarm = here.join(&hub.swarm);
    hub.record.directory = here.join(&hub.record.directory);
    hub.mocap.file = hub.mocap.file.map(|file| here.join(file));
    hub.console.key = hub.console.key.map(|file| here.join(file));
    hub.console.experiments =
        Some(hub.console.experiments.map_or_else(|| atomic::folder(path).into(), |folder| here.join(folder)));
    hub.console.runs = hub.console.runs.map(|folder| here.join(folder));
    if let Some(folder) = hub.console.runs.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(FileError::value(&name, format!("console.runs = {folder:?}: the folder does not exist")));
    }
    hub.console.tls =
        hub.console.tls.map(|tls| TlsFiles { certificate: here.join(tls.certificate), key: here.join(tls.key) });
    hub.check(&name)?;
    let swarm = Swarm::read(&hub.swarm)
        .map_err(|error| FileError::value(&name, format!("swarm = {:?}: {error}", hub.swarm)))?;
    if let Some(fault) = hub.mocap.fault_among(&swarm.robots) {
        return Err(FileError::value(&name, fault));
    }
    Ok(Config { hub, swarm })
}
