//! Key folder, which defines the enrolled keys and their roles. Enrolment of a key adds a `.pub` file, and revocation
//! of the key removes this file.
//!
//! ```text
//! keys/hub.key hub.pub robots/<id>.pub operators/<name>.pub observers/<name>.pub
//! ```
//! A secret key is only needed on its owner's machine, where it is stored next to the `.pub` file.

use crate::file::FileError;
use crate::keys::{Key, Public, Secret, check_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Maximum number of keys in a folder.
const MAX_KEYS: usize = 1000;

/// Role of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Key of one robot.
    Robot,
    /// Key of a person who may command the swarm and sign experiments.
    Operator,
    /// Key of a person who may read the swarm's state but may not command the swarm.
    Observer,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Robot, Role::Operator, Role::Observer];

    /// Returns the name of the role's folder.
    pub fn folder(self) -> &'static str {
        match self {
            Role::Robot => "robots",
            Role::Operator => "operators",
            Role::Observer => "observers",
        }
    }

    /// Returns the name of the role for messages to users.
    pub fn name(self) -> &'static str {
        self.folder().trim_end_matches('s')
    }
}

/// Holder of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Role of the key.
    pub role: Role,
    /// Public keys and name of the holder.
    pub public: Public,
}

/// Enrolled key holders, by CURVE public key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyring {
    holders: BTreeMap<Key, Holder>,
}

impl Keyring {
    /// Reads a key folder. Returns the enrolled holders, and the errors of skipped files. An empty folder has no
    /// enrolled holders.
    ///
    /// # Errors
    /// The folder, a role's folder or a file cannot be read, or a folder has unsafe permissions or too many keys. The
    /// enrolled keys are then unknown.
    pub fn read(folder: &Path) -> Result<(Keyring, Vec<String>), FileError> {
        Keyring::default().reload(folder)
    }

    /// Reloads a key folder. Only the removal of a `.pub` file revokes a key. If a `.pub` file is damaged, for example
    /// because of a full disk or an incomplete copy, its holder stays enrolled. A missing role folder is an error if
    /// keys were enrolled from this folder.
    ///
    /// # Errors
    /// The errors of [`Keyring::read`], or a role folder with enrolled keys is missing.
    pub fn reload(&self, folder: &Path) -> Result<(Keyring, Vec<String>), FileError> {
        let (mut ring, mut wrong) = (Keyring::default(), Vec::new());
        for (role, path) in public_files(folder)? {
            // The file's permissions are also checked, because any user with write permission could replace the key.
            let read = Public::read(&path).and_then(|public| refuse_open(&path).map(|()| public));
            match read {
                // The file was removed after the folder was listed.
                Err(FileError::Unreadable { error, .. }) if error.kind() == ErrorKind::NotFound => {}
                Err(error @ FileError::Unreadable { .. }) => return Err(error),
                Err(error) => {
                    let held = |h: &&Holder| h.role == role && path.file_stem() == Some(h.public.name.as_ref());
                    let stays = self.holders().find(held).map(|holder| {
                        ring.holders.entry(holder.public.curve).or_insert_with(|| holder.clone());
                        "; its previous key stays enrolled; remove the file to revoke it"
                    });
                    wrong.push(format!("{error}{}", stays.unwrap_or_default()));
                }
                Ok(public) => {
                    if let Err(why) = ring.add(role, public, &path) {
                        wrong.push(format!("{}: {why}", path.display()));
                    }
                }
            }
        }
        for role in Role::ALL.into_iter().filter(|role| self.holders().any(|holder| holder.role == *role)) {
            let path = folder.join(role.folder());
            std::fs::metadata(&path).map_err(|error| FileError::Unreadable { path, error })?;
        }
        Ok((ring, wrong))
    }

    fn add(&mut self, role: Role, public: Public, path: &Path) -> Result<(), String> {
        if path.file_stem().and_then(|s| s.to_str()) != Some(&public.name) {
            return Err(format!("holds the key of `{}`; rename the file to {0}.pub", public.name));
        }
        if let Some(other) = self.holders.get(&public.curve) {
            return Err(format!("holds the same key as {} `{}`", other.role.name(), other.public.name));
        }
        self.holders.insert(public.curve, Holder { role, public });
        Ok(())
    }

    /// Creates a keyring from holders.
    pub fn from_holders(holders: impl IntoIterator<Item = (Role, Public)>) -> Keyring {
        let by_key = |(role, public): (Role, Public)| (public.curve, Holder { role, public });
        Keyring { holders: holders.into_iter().map(by_key).collect() }
    }

    /// Returns the holder of a CURVE public key; `None` if the key is not enrolled.
    pub fn holder(&self, key: &Key) -> Option<&Holder> {
        self.holders.get(key)
    }

    /// Returns all enrolled holders.
    pub fn holders(&self) -> impl Iterator<Item = &Holder> {
        self.holders.values()
    }
}

/// Fingerprint of a key folder: path, size (bytes) and modification time of each `.pub` file. A different fingerprint
/// means that the folder has changed.
pub type Fingerprint = Vec<(PathBuf, u64, Option<std::time::SystemTime>)>;

/// Returns the current fingerprint of a key folder.
///
/// # Errors
/// The folder or a file in it cannot be read.
pub fn fingerprint(folder: &Path) -> Result<Fingerprint, FileError> {
    let mut print = Fingerprint::new();
    for (_, path) in public_files(folder)? {
        match std::fs::metadata(&path) {
            Ok(data) => print.push((path, data.len(), data.modified().ok())),
            // The file was removed after the folder was listed.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::Unreadable { path, error }),
        }
    }
    Ok(print)
}

/// Rejects a file or folder that all users can write to, because other users could add their own keys.
fn refuse_open(place: &Path) -> Result<(), FileError> {
    refuse_modes(place, |mode| mode & 0o002 != 0)
}

/// Rejects a key folder in a parent folder that all users can write to, because other users could replace the key
/// folder. A parent folder with the sticky bit, such as /tmp, is accepted, because only owners can rename its files.
fn refuse_open_parent(folder: &Path) -> Result<(), FileError> {
    let real = folder.canonicalize().map_err(|error| FileError::Unreadable { path: folder.into(), error })?;
    real.parent().map_or(Ok(()), |parent| refuse_modes(parent, |mode| mode & 0o1002 == 0o002))
}

fn refuse_modes(place: &Path, is_open: impl FnOnce(u32) -> bool) -> Result<(), FileError> {
    let data = place.metadata().map_err(|error| FileError::Unreadable { path: place.into(), error })?;
    if !is_open(data.permissions().mode()) {
        return Ok(());
    }
    let name = place.display().to_string();
    Err(FileError::value(
        &name,
        format!("is writable by all users; check for unknown keys, then run `chmod o-w {name}`"),
    ))
}

/// Lists the `.pub` files of all roles, sorted by role and path. A missing role folder counts as empty. A key folder
/// with more than [`MAX_KEYS`] keys is rejected completely, because any subset of the keys would be arbitrary.
fn public_files(folder: &Path) -> Result<Vec<(Role, PathBuf)>, FileError> {
    let unreadable = |path: &Path, error| FileError::Unreadable { path: path.into(), error };
    std::fs::read_dir(folder).map_err(|error| unreadable(folder, error))?;
    refuse_open(folder)?;
    refuse_open_parent(folder)?;
    let mut files = Vec::new();
    for role in Role::ALL {
        let path = folder.join(role.folder());
        let entries = match std::fs::read_dir(&path) {
            Ok(entries) => entries,
            Err(error) if error.kind() == ErrorKind::NotFound => continue,
            Err(error) => return Err(unreadable(&path, error)),
        };
        refuse_open(&path)?;
        for entry in entries {
            let file = entry.map_err(|error| unreadable(&path, error))?.path();
            if file.extension().is_some_and(|e| e == "pub") {
                files.push((role, file));
            }
            if files.len() > MAX_KEYS {
                let why = format!("has more than {MAX_KEYS} .pub files; remove unused ones");
                return Err(FileError::value(&folder.display().to_string(), why));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Returns the path of a key file; `extension` is `pub` or `key`.
pub fn path(folder: &Path, role: Role, name: &str, extension: &str) -> PathBuf {
    folder.join(role.folder()).join(format!("{name}.{extension}"))
}

/// Creates a key pair with this name, in the role's folder or, without a role, in the key folder itself. Returns false
/// if the `.pub` file exists already. If only the secret half exists, the `.pub` file is derived from it.
///
/// # Errors
/// The name is invalid, an existing half is damaged or unreadable, or the files cannot be written.
pub fn create_pair(folder: &Path, role: Option<Role>, name: &str) -> Result<bool, FileError> {
    check_name(&folder.display().to_string(), name)?;
    let file = |extension: &str| match role {
        Some(role) => path(folder, role, name, extension),
        None => folder.join(format!("{name}.{extension}")),
    };
    let (key, public) = (file("key"), file("pub"));
    let unreadable = |path: &Path, error| FileError::Unreadable { path: path.into(), error };
    if public.try_exists().map_err(|error| unreadable(&public, error))? {
        Public::read(&public)?;
        return Ok(false);
    }
    let parent = key.parent().unwrap_or(folder);
    std::fs::create_dir_all(parent).map_err(|error| unreadable(parent, error))?;
    let secret = match key.try_exists().map_err(|error| unreadable(&key, error))? {
        true => Secret::read(&key)?,
        false => {
            let secret = Secret::generate(name)?;
            secret.write(&key)?;
            secret
        }
    };
    secret.public.write(&public)?;
    Ok(true)
}

/// Revokes a key: renames its secret half if present, then removes its `.pub` file. Returns the new path of the secret
/// half; `None` if the folder has no secret half. The call may be repeated after an error.
///
/// # Errors
/// The name is invalid, the key does not exist, or a file cannot be renamed or removed. The `.pub` file is removed even
/// if the secret half cannot be renamed.
pub fn revoke(folder: &Path, role: Role, name: &str) -> Result<Option<PathBuf>, FileError> {
    check_name(&folder.display().to_string(), name)?;
    let (key, public) = (path(folder, role, name, "key"), path(folder, role, name, "pub"));
    let trouble = |path: &Path, error| FileError::Unreadable { path: path.into(), error };
    let there = key.symlink_metadata().is_ok();
    // The secret half is kept under a new name, because no other copy exists. Under its old name, it would be enrolled
    // again when missing keys are created.
    let aside = match there {
        true => free_name(&key.with_extension("key.revoked"))
            .and_then(|aside| std::fs::rename(&key, &aside).map(|()| Some(aside))),
        false => Ok(None),
    };
    match std::fs::remove_file(&public) {
        Err(error) if error.kind() == ErrorKind::NotFound && there => {}
        removed => removed.map_err(|error| trouble(&public, error))?,
    }
    crate::atomic::sync_folder(&public).map_err(|error| trouble(&public, error))?;
    aside.map_err(|error| {
        let what = format!(
            "the key is revoked, but its secret half could not be renamed: {error}; move this file away or revoke again"
        );
        FileError::value(&key.display().to_string(), what)
    })
}

/// Returns `path` if no file has this path. Otherwise appends the first of the suffixes `-2`, `-3`, ... `-999` that
/// makes the path free. Returns an error if all these paths are in use.
fn free_name(path: &Path) -> std::io::Result<PathBuf> {
    let numbered = (2..1000).map(|number| PathBuf::from(format!("{}-{number}", path.display())));
    std::iter::once(path.to_path_buf())
        .chain(numbered)
        .find(|path| path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound))
        .ok_or_else(|| std::io::Error::other("no free name for the renamed file"))
}

/// Returns the roles in which this name has a `.pub` or a `.key` file. A `.key` file alone remains after an incomplete
/// revocation.
///
/// # Errors
/// The name is invalid, or a file's metadata cannot be read.
pub fn roles(folder: &Path, name: &str) -> Result<Vec<Role>, FileError> {
    check_name(&folder.display().to_string(), name)?;
    let mut found = Vec::new();
    for role in Role::ALL {
        for extension in ["pub", "key"] {
            let path = path(folder, role, name, extension);
            match path.symlink_metadata() {
                Ok(_) => found.push(role),
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(FileError::Unreadable { path, error }),
            }
        }
    }
    found.dedup();
    Ok(found)
}

/// Name of the operator whose key is created together with the keys of a swarm.
pub const OPERATOR: &str = "operator";

/// Creates the missing key pairs of a swarm, for the hub, one operator and every robot. Returns the names of the new
/// pairs.
///
/// # Errors
/// A robot's name is invalid, an existing key file is damaged, or a file cannot be read or written.
pub fn create_missing_pairs(folder: &Path, robots: &[String]) -> Result<Vec<String>, FileError> {
    let mut made = Vec::new();
    let who = [(None, "hub"), (Some(Role::Operator), OPERATOR)];
    for (role, name) in who.into_iter().chain(robots.iter().map(|id| (Some(Role::Robot), id.as_str()))) {
        if create_pair(folder, role, name)? {
            made.push(name.to_string());
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_folders_define_roles_and_bad_files_are_skipped() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path();
        assert!(create_pair(keys, Some(Role::Robot), "xp01").unwrap());
        assert!(!create_pair(keys, Some(Role::Robot), "xp01").unwrap(), "there already");
        create_pair(keys, Some(Role::Observer), "visitor").unwrap();
        let before = fingerprint(keys).unwrap();
        std::fs::copy(path(keys, Role::Robot, "xp01", "pub"), path(keys, Role::Robot, "xp02", "pub")).unwrap();
        std::fs::create_dir_all(keys.join("operators")).unwrap();
        std::fs::copy(path(keys, Role::Robot, "xp01", "pub"), path(keys, Role::Operator, "xp01", "pub")).unwrap();
        assert_ne!(fingerprint(keys).unwrap(), before);
        let (ring, wrong) = Keyring::read(keys).unwrap();
        let found: Vec<_> = ring.holders().map(|h| (h.role, h.public.name.as_str())).collect();
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found.contains(&(Role::Robot, "xp01")) && found.contains(&(Role::Observer, "visitor")));
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong.iter().any(|w| w.contains("rename the file to xp01.pub")), "{wrong:?}");
        assert!(wrong.iter().any(|w| w.contains("holds the same key as robot `xp01`")), "{wrong:?}");
    }

    #[test]
    fn revoked_key_is_neither_enrolled_again_nor_outside_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let keys = &dir.path().join("keys");
        create_pair(keys, None, "hub").unwrap();
        create_pair(keys, Some(Role::Robot), "xp01").unwrap();
        for outside in ["../hub", "../../x", "/tmp/x", "", "a/b", "a\nb"] {
            for refused in [revoke(keys, Role::Robot, outside).map(drop), roles(keys, outside).map(drop)] {
                assert!(refused.unwrap_err().to_string().contains("is not a valid key name"), "{outside}");
            }
            assert!(create_pair(keys, None, outside).is_err());
        }
        assert!(keys.join("hub.pub").exists() && !dir.path().join("x.pub").exists());
        // An earlier revocation stopped after it removed the `.pub` file. A second call completes the revocation.
        let key = path(keys, Role::Robot, "xp01", "key");
        std::fs::remove_file(path(keys, Role::Robot, "xp01", "pub")).unwrap();
        assert_eq!(roles(keys, "xp01").unwrap(), [Role::Robot]);
        let aside = revoke(keys, Role::Robot, "xp01").unwrap().unwrap();
        assert!(aside.exists() && !key.exists());
        assert!(roles(keys, "xp01").unwrap().is_empty() && revoke(keys, Role::Robot, "xp01").is_err());
        let other = Secret::read(&aside).unwrap().public;
        create_pair(keys, Some(Role::Robot), "xp01").unwrap();
        assert_ne!(Public::read(&path(keys, Role::Robot, "xp01", "pub")).unwrap(), other);
    }

    #[test]
    fn damaged_public_half_is_reported_and_not_taken_for_a_key() {
        let dir = tempfile::tempdir().unwrap();
        create_pair(dir.path(), None, "hub").unwrap();
        std::fs::write(dir.path().join("hub.pub"), "").unwrap();
        assert!(create_pair(dir.path(), None, "hub").unwrap_err().to_string().contains("hub.pub"));
    }

    /// Tests that reading fails if the key folder or a role folder is missing or invalid, or if a file cannot be
    /// opened. In contrast, a role that never had a folder has no keys, and the key of a removed file is revoked.
    #[test]
    fn unreadable_keyring_is_an_error_not_empty() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path().join("keys");
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err());
        create_pair(&keys, Some(Role::Robot), "xp01").unwrap();
        create_pair(&keys, Some(Role::Operator), "alice").unwrap();
        let (ring, _) = Keyring::read(&keys).unwrap();
        assert_eq!((ring.holders().count(), ring.reload(&keys).unwrap().0), (2, ring.clone()));
        let (robots, aside) = (keys.join("robots"), dir.path().join("aside"));
        std::fs::rename(&robots, &aside).unwrap();
        assert!(ring.reload(&keys).unwrap_err().to_string().contains("robots"));
        std::fs::write(&robots, "").unwrap();
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err(), "a file is no folder");
        std::fs::remove_file(&robots).unwrap();
        std::fs::rename(&aside, &robots).unwrap();
        // A symbolic link to itself exists, but no user can open it.
        std::os::unix::fs::symlink("xp02.pub", path(&keys, Role::Robot, "xp02", "pub")).unwrap();
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err());
        std::fs::remove_file(path(&keys, Role::Robot, "xp02", "pub")).unwrap();
        // An empty file, for example after a full disk, neither revokes nor enrols a key.
        std::fs::write(path(&keys, Role::Operator, "alice", "pub"), "").unwrap();
        let (again, wrong) = ring.reload(&keys).unwrap();
        assert_eq!((&again, wrong.len()), (&ring, 1));
        assert!(wrong[0].contains("alice.pub") && wrong[0].contains("stays enrolled"), "{wrong:?}");
        assert_eq!(Keyring::read(&keys).unwrap().0.holders().count(), 1);
        std::fs::remove_file(path(&keys, Role::Operator, "alice", "pub")).unwrap();
        assert_eq!(ring.reload(&keys).unwrap().0.holders().count(), 1);
        std::fs::remove_dir_all(&keys).unwrap();
        assert!(ring.reload(&keys).is_err());
    }

    #[test]
    fn oversized_or_writable_key_folder_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let keys = &dir.path().join("keys");
        create_pair(keys, Some(Role::Robot), "xp01").unwrap();
        let (ring, _) = Keyring::read(keys).unwrap();
        std::fs::create_dir(keys.join("observers")).unwrap();
        for number in 0..MAX_KEYS {
            std::fs::write(path(keys, Role::Observer, &number.to_string(), "pub"), "").unwrap();
        }
        for refused in [ring.reload(keys).map(drop), fingerprint(keys).map(drop)] {
            assert!(refused.unwrap_err().to_string().contains("more than 1000 .pub files"));
        }
        std::fs::remove_file(path(keys, Role::Observer, "0", "pub")).unwrap();
        assert!(ring.reload(keys).is_ok());
        let file = path(keys, Role::Robot, "xp01", "pub");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        let (again, wrong) = Keyring::default().reload(keys).unwrap();
        assert!(again.holders().count() == 0 && wrong.iter().any(|why| why.contains("xp01.pub")), "{wrong:?}");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        // The parent of the real folder is checked, even if the path of the key folder is a symbolic link.
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(keys, &link).unwrap();
        let parent = dir.path();
        std::fs::set_permissions(parent, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert!(Keyring::read(&link).unwrap_err().to_string().contains("chmod o-w"));
        std::fs::set_permissions(parent, std::fs::Permissions::from_mode(0o1777)).unwrap();
        assert!(Keyring::read(&link).is_ok());
        for folder in [keys.clone(), keys.join("robots")] {
            let closed = std::fs::metadata(&folder).unwrap().permissions();
            std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o777)).unwrap();
            assert!(ring.reload(keys).unwrap_err().to_string().contains("chmod o-w"), "{}", folder.display());
            std::fs::set_permissions(&folder, closed).unwrap();
        }
    }
}
