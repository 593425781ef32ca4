//! The folder of keys: who may do what. Enrolment puts a `.pub` file there, revocation removes it.
//!
//! ```text
//! keys/hub.key hub.pub robots/<id>.pub operators/<name>.pub observers/<name>.pub
//! ```
//! A secret lies beside its public half, on the machine of its owner only.

use crate::file::FileError;
use crate::keys::{Key, Public, Secret, check_name};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Most keys in a folder.
const MAX_KEYS: usize = 1000;

/// What a key is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Speaks as one robot.
    Robot,
    /// Commands the swarm and signs experiments.
    Operator,
    /// Looks, and commands nothing.
    Observer,
}

impl Role {
    /// All roles.
    pub const ALL: [Role; 3] = [Role::Robot, Role::Operator, Role::Observer];

    /// Its folder's name.
    pub fn folder(self) -> &'static str {
        match self {
            Role::Robot => "robots",
            Role::Operator => "operators",
            Role::Observer => "observers",
        }
    }

    /// As people read it.
    pub fn name(self) -> &'static str {
        self.folder().trim_end_matches('s')
    }
}

/// Whose key one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Holder {
    /// Its role.
    pub role: Role,
    /// What it may be known by.
    pub public: Public,
}

/// Everybody who is enrolled, by CURVE key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Keyring {
    holders: BTreeMap<Key, Holder>,
}

impl Keyring {
    /// Reads a folder: those who are enrolled, and what is wrong with files that are left out.
    ///
    /// # Errors
    /// If the folder, a role's folder or a file that is there cannot be read: who is enrolled is not known then, which is
    /// not the same as nobody.
    pub fn read(folder: &Path) -> Result<(Keyring, Vec<String>), FileError> {
        Keyring::default().read_again(folder)
    }

    /// Reads a folder again. Removing a `.pub` file revokes a key, and nothing else does: not a role's folder that held keys
    /// and is gone, and not a file that holds nonsense now, as a full disk or an unfinished copy leaves it.
    ///
    /// # Errors
    /// As [`Keyring::read`], and if such a folder is gone.
    pub fn read_again(&self, folder: &Path) -> Result<(Keyring, Vec<String>), FileError> {
        let (mut ring, mut wrong) = (Keyring::default(), Vec::new());
        for (role, path) in public_files(folder)? {
            // Who may write the file may put a key of their own there.
            let read = Public::read(&path).and_then(|public| refuse_open(&path).map(|()| public));
            match read {
                // Removed a moment ago.
                Err(FileError::Unreadable { error, .. }) if error.kind() == ErrorKind::NotFound => {}
                Err(error @ FileError::Unreadable { .. }) => return Err(error),
                Err(error) => {
                    let held = |h: &&Holder| h.role == role && path.file_stem() == Some(h.public.name.as_ref());
                    let stays = self.holders().find(held).map(|holder| {
                        ring.holders.entry(holder.public.curve).or_insert_with(|| holder.clone());
                        "; the key that it held stays good: remove the file to revoke it"
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
            return Err(format!("holds the key of `{}`; name it {0}.pub", public.name));
        }
        if let Some(other) = self.holders.get(&public.curve) {
            return Err(format!("the same key as {} `{}`", other.role.name(), other.public.name));
        }
        self.holders.insert(public.curve, Holder { role, public });
        Ok(())
    }

    /// A ring that holds these.
    pub fn of(holders: impl IntoIterator<Item = (Role, Public)>) -> Keyring {
        let by_key = |(role, public): (Role, Public)| (public.curve, Holder { role, public });
        Keyring { holders: holders.into_iter().map(by_key).collect() }
    }

    /// Whose CURVE key this is.
    pub fn holder(&self, key: &Key) -> Option<&Holder> {
        self.holders.get(key)
    }

    /// All holders.
    pub fn holders(&self) -> impl Iterator<Item = &Holder> {
        self.holders.values()
    }
}

/// What tells that a folder changed: its files with their sizes and times.
pub type Fingerprint = Vec<(PathBuf, u64, Option<std::time::SystemTime>)>;

/// The fingerprint of a folder as it is now.
///
/// # Errors
/// If the folder cannot be read, or a file in it.
pub fn fingerprint(folder: &Path) -> Result<Fingerprint, FileError> {
    let mut print = Fingerprint::new();
    for (_, path) in public_files(folder)? {
        match std::fs::metadata(&path) {
            Ok(data) => print.push((path, data.len(), data.modified().ok())),
            // Removed a moment ago.
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(FileError::Unreadable { path, error }),
        }
    }
    Ok(print)
}

/// Rejects a file or folder that anybody may write: they could put a key of their own there.
fn refuse_open(place: &Path) -> Result<(), FileError> {
    refuse_modes(place, |mode| mode & 0o002 != 0)
}

/// Rejects a key folder whose parent allows anybody to replace it. Folders such as /tmp, where only owners rename (the sticky
/// bit), are fine.
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
        format!("anybody on this machine may put keys there: look for keys that are not yours, then chmod o-w {name}"),
    ))
}

/// The `.pub` files of all roles in the order of their names. In a folder of keys a role's folder that is not there is
/// empty. A folder with more keys than there may be is refused as a whole: which of them count would be chance.
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
                let why = format!("more than {MAX_KEYS} .pub files: remove those of nobody");
                return Err(FileError::value(&folder.display().to_string(), why));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// A file of a folder of keys: `extension` is `pub` or `key`.
pub fn path(folder: &Path, role: Role, name: &str, extension: &str) -> PathBuf {
    folder.join(role.folder()).join(format!("{name}.{extension}"))
}

/// Makes a pair of this name unless one is there; returns whether it was made. A public half that is missing is made from
/// its secret half.
///
/// # Errors
/// The name is invalid, a half is there and damaged or cannot be looked at, or the files cannot be written.
pub fn make(folder: &Path, role: Option<Role>, name: &str) -> Result<bool, FileError> {
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

/// Revokes a key: puts its secret half aside, if that is there, then removes its `.pub` file. Returns the new place of the
/// secret half. After an error it may be called again.
///
/// # Errors
/// The name is invalid, no such key is there, or the disk refuses. A secret half that cannot be put aside does not keep the
/// `.pub` file.
pub fn revoke(folder: &Path, role: Role, name: &str) -> Result<Option<PathBuf>, FileError> {
    check_name(&folder.display().to_string(), name)?;
    let (key, public) = (path(folder, role, name, "key"), path(folder, role, name, "pub"));
    let trouble = |path: &Path, error| FileError::Unreadable { path: path.into(), error };
    let there = key.symlink_metadata().is_ok();
    // The owner alone has it, so it is not deleted. Left in its place it would be enrolled again with the next keys.
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
        let what = format!("the key is revoked, but {error}: move this file away, or revoke again when that is mended");
        FileError::value(&key.display().to_string(), what)
    })
}

/// Returns this path, or the first with a number behind it that is free.
fn free_name(path: &Path) -> std::io::Result<PathBuf> {
    let numbered = (2..1000).map(|number| PathBuf::from(format!("{}-{number}", path.display())));
    std::iter::once(path.to_path_buf())
        .chain(numbered)
        .find(|path| path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound))
        .ok_or_else(|| std::io::Error::other("no name is free to put it aside"))
}

/// Roles in which a name has a key, or a secret half that a revocation left.
///
/// # Errors
/// The name is invalid, or a file cannot be looked at.
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

/// The operator who is made with a folder.
pub const OPERATOR: &str = "operator";

/// Makes what a swarm needs and its folder lacks: pairs for the hub, one operator and every robot. Tells whose were made.
///
/// # Errors
/// If a file cannot be written.
pub fn make_all(folder: &Path, robots: &[String]) -> Result<Vec<String>, FileError> {
    let mut made = Vec::new();
    let who = [(None, "hub"), (Some(Role::Operator), OPERATOR)];
    for (role, name) in who.into_iter().chain(robots.iter().map(|id| (Some(Role::Robot), id.as_str()))) {
        if make(folder, role, name)? {
            made.push(name.to_string());
        }
    }
    Ok(made)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_says_who_may_do_what_and_bad_files_are_left_out() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path();
        assert!(make(keys, Some(Role::Robot), "xp01").unwrap());
        assert!(!make(keys, Some(Role::Robot), "xp01").unwrap(), "there already");
        make(keys, Some(Role::Observer), "visitor").unwrap();
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
        assert!(wrong.iter().any(|w| w.contains("name it xp01.pub")), "{wrong:?}");
        assert!(wrong.iter().any(|w| w.contains("the same key as robot `xp01`")), "{wrong:?}");
    }

    #[test]
    fn revoked_key_is_neither_enrolled_again_nor_outside_the_folder() {
        let dir = tempfile::tempdir().unwrap();
        let keys = &dir.path().join("keys");
        make(keys, None, "hub").unwrap();
        make(keys, Some(Role::Robot), "xp01").unwrap();
        for outside in ["../hub", "../../x", "/tmp/x", "", "a/b", "a\nb"] {
            for refused in [revoke(keys, Role::Robot, outside).map(drop), roles(keys, outside).map(drop)] {
                assert!(refused.unwrap_err().to_string().contains("is not a key's name"), "{outside}");
            }
            assert!(make(keys, None, outside).is_err());
        }
        assert!(keys.join("hub.pub").exists() && !dir.path().join("x.pub").exists());
        // A crash after the first step: the rest is done when it is asked for again.
        let key = path(keys, Role::Robot, "xp01", "key");
        std::fs::remove_file(path(keys, Role::Robot, "xp01", "pub")).unwrap();
        assert_eq!(roles(keys, "xp01").unwrap(), [Role::Robot]);
        let aside = revoke(keys, Role::Robot, "xp01").unwrap().unwrap();
        assert!(aside.exists() && !key.exists());
        assert!(roles(keys, "xp01").unwrap().is_empty() && revoke(keys, Role::Robot, "xp01").is_err());
        let other = Secret::read(&aside).unwrap().public;
        make(keys, Some(Role::Robot), "xp01").unwrap();
        assert_ne!(Public::read(&path(keys, Role::Robot, "xp01", "pub")).unwrap(), other);
    }

    #[test]
    fn damaged_public_half_is_reported_and_not_taken_for_a_key() {
        let dir = tempfile::tempdir().unwrap();
        make(dir.path(), None, "hub").unwrap();
        std::fs::write(dir.path().join("hub.pub"), "").unwrap();
        assert!(make(dir.path(), None, "hub").unwrap_err().to_string().contains("hub.pub"));
    }

    /// A folder that is gone, a role's folder that is gone or is none, and a file that cannot be opened: who is enrolled is
    /// not known then. A role that never had a folder has no keys, and a file that is gone is a key revoked.
    #[test]
    fn what_cannot_be_read_is_not_taken_for_empty() {
        let dir = tempfile::tempdir().unwrap();
        let keys = dir.path().join("keys");
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err());
        make(&keys, Some(Role::Robot), "xp01").unwrap();
        make(&keys, Some(Role::Operator), "alice").unwrap();
        let (ring, _) = Keyring::read(&keys).unwrap();
        assert_eq!((ring.holders().count(), ring.read_again(&keys).unwrap().0), (2, ring.clone()));
        let (robots, aside) = (keys.join("robots"), dir.path().join("aside"));
        std::fs::rename(&robots, &aside).unwrap();
        assert!(ring.read_again(&keys).unwrap_err().to_string().contains("robots"));
        std::fs::write(&robots, "").unwrap();
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err(), "a file is no folder");
        std::fs::remove_file(&robots).unwrap();
        std::fs::rename(&aside, &robots).unwrap();
        // A link to itself is there and cannot be opened, whoever asks.
        std::os::unix::fs::symlink("xp02.pub", path(&keys, Role::Robot, "xp02", "pub")).unwrap();
        assert!(Keyring::read(&keys).is_err() && fingerprint(&keys).is_err());
        std::fs::remove_file(path(&keys, Role::Robot, "xp02", "pub")).unwrap();
        // What a full disk leaves of a file revokes nothing, and enrols nobody either.
        std::fs::write(path(&keys, Role::Operator, "alice", "pub"), "").unwrap();
        let (again, wrong) = ring.read_again(&keys).unwrap();
        assert_eq!((&again, wrong.len()), (&ring, 1));
        assert!(wrong[0].contains("alice.pub") && wrong[0].contains("stays good"), "{wrong:?}");
        assert_eq!(Keyring::read(&keys).unwrap().0.holders().count(), 1);
        std::fs::remove_file(path(&keys, Role::Operator, "alice", "pub")).unwrap();
        assert_eq!(ring.read_again(&keys).unwrap().0.holders().count(), 1);
        std::fs::remove_dir_all(&keys).unwrap();
        assert!(ring.read_again(&keys).is_err());
    }

    #[test]
    fn a_folder_with_too_many_keys_or_open_to_anybody_is_refused_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let keys = &dir.path().join("keys");
        make(keys, Some(Role::Robot), "xp01").unwrap();
        let (ring, _) = Keyring::read(keys).unwrap();
        std::fs::create_dir(keys.join("observers")).unwrap();
        for number in 0..MAX_KEYS {
            std::fs::write(path(keys, Role::Observer, &number.to_string(), "pub"), "").unwrap();
        }
        for refused in [ring.read_again(keys).map(drop), fingerprint(keys).map(drop)] {
            assert!(refused.unwrap_err().to_string().contains("more than 1000 .pub files"));
        }
        std::fs::remove_file(path(keys, Role::Observer, "0", "pub")).unwrap();
        assert!(ring.read_again(keys).is_ok());
        let file = path(keys, Role::Robot, "xp01", "pub");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o666)).unwrap();
        let (again, wrong) = Keyring::default().read_again(keys).unwrap();
        assert!(again.holders().count() == 0 && wrong.iter().any(|why| why.contains("xp01.pub")), "{wrong:?}");
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        // Whoever may rename the folder may put another one in its place, also behind a link to it.
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
            assert!(ring.read_again(keys).unwrap_err().to_string().contains("chmod o-w"), "{}", folder.display());
            std::fs::set_permissions(&folder, closed).unwrap();
        }
    }
}
