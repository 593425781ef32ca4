//! Changes to a swarm's files for an additional robot. Existing content and comments are kept.

use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut, Item};
use xpuck_wire::keyring::{self, OPERATOR, Role};
use xpuck_wire::{Swarm, file, is_local, quote_input};

/// Returns the swarm with an additional robot, and the new text of the swarm file at `path`. `peer` is the address at
/// which the other robots contact the robot. `None`: the address is derived from the address of the last robot.
///
/// # Errors
/// The robot cannot be added, or its address is missing or superfluous.
pub fn with(swarm: &Swarm, robot: &str, peer: Option<&str>, path: &Path) -> Result<(Swarm, String)> {
    let name = path.display();
    let peer = match (peer, swarm.peers.last().zip(swarm.robots.last())) {
        (Some(peer), Some(_)) => Some(peer.to_string()),
        // The last robot's address contains its id. The new address contains the new robot's id in its place.
        (None, Some((last, id))) if last.contains(id.as_str()) => Some(last.replace(id.as_str(), robot)),
        // Robots on one machine have different ports, so the new robot gets the next port.
        (None, Some((last, _))) if is_local(last) => Some(next_port(last).with_context(|| {
            format!("{name}: no port is left above {last}; set the address of {robot} for other robots with --peer")
        })?),
        (None, Some(_)) => bail!("{name}: has `peers`; set the address of {robot} for other robots with --peer"),
        (Some(_), None) => {
            bail!("--peer: {name} has no `peers`, so robots do not contact each other; leave out --peer")
        }
        (None, None) => None,
    };
    let more =
        |list: &[String], one: Option<&str>| list.iter().map(String::as_str).chain(one).map(String::from).collect();
    let grown = swarm.grown(more(&swarm.robots, Some(robot)), more(&swarm.peers, peer.as_deref()));
    let grown = grown.map_err(anyhow::Error::msg)?;
    let before = file::text(path, file::MAX_TOML)?;
    let mut document: DocumentMut = before.parse().with_context(|| name.to_string())?;
    for (key, value) in [("robots", Some(robot.to_string())), ("peers", peer)] {
        let list = document.get_mut(key).and_then(Item::as_array_mut);
        if let Some((list, value)) = list.zip(value) {
            push_like_last(list, &value);
        }
    }
    let text = with_line_ends_of(&before, document.to_string());
    let read: Swarm = file::parse(&name.to_string(), &text)?;
    if read.robots != grown.robots || read.peers != grown.peers {
        bail!("{name}: cannot edit its lists of robots; add \"{robot}\" by hand and run the command again");
    }
    Ok((grown, text))
}

/// Checks that the robot of `island` has the address `peer` in the swarm file, which already lists the robot. `None`:
/// nothing is checked.
///
/// # Errors
/// The robot has a different address, or the swarm file has no addresses.
pub fn check_peer(swarm: &Swarm, island: u16, peer: Option<&str>, path: &Path) -> Result<()> {
    let listed = swarm.peers.get(usize::from(island) - 1).map(String::as_str);
    let name = path.display();
    match (peer, listed) {
        (Some(_), None) => {
            bail!("--peer: {name} has no `peers`, so robots do not contact each other; leave out --peer")
        }
        (Some(peer), Some(listed)) if peer != listed => bail!(
            "--peer {}: {name} already lists {listed}; leave out --peer, or stop the hub and change `peers` there",
            quote_input(peer)
        ),
        _ => Ok(()),
    }
}

/// Converts the line ends of `text` to CRLF if `other` has CRLF line ends.
fn with_line_ends_of(other: &str, text: String) -> String {
    match other.contains("\r\n") {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text,
    }
}

/// Returns the address with the next port. `None` if the address has no port, or if the port is 65535.
fn next_port(address: &str) -> Option<String> {
    let (host, port) = address.rsplit_once(':')?;
    Some(format!("{host}:{}", port.parse::<u16>().ok()?.checked_add(1)?))
}

/// Appends a value to a list, with the indentation of the list's last entry.
fn push_like_last(list: &mut Array, value: &str) {
    let prefix = list.iter().last().and_then(|last| last.decor().prefix().and_then(|prefix| prefix.as_str()));
    let prefix = prefix.map(String::from);
    list.push(value);
    let last = list.len() - 1;
    if let Some((value, prefix)) = list.get_mut(last).zip(prefix.filter(|_| last > 1)) {
        value.decor_mut().set_prefix(prefix);
    }
}

/// State of a robot's own file, and the action that follows.
pub enum OwnFile {
    /// The file exists. Nothing is written.
    There,
    /// The file does not exist, and no other robot has a file that can be the template. The user must write the file.
    ByHand,
    /// The file must be written. The fields are its path, its text, and the id of the robot whose file is the
    /// template.
    Copy(PathBuf, String, String),
}

impl OwnFile {
    /// Writes the file if necessary. Returns a line about the result for the user; `None` if the file exists.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<Option<String>> {
        Ok(match self {
            OwnFile::There => None,
            OwnFile::ByHand => Some("write its file (docs/robots.md); no robot has a file to copy".into()),
            OwnFile::Copy(path, text, like) => {
                crate::files::swarm_files::write_new(path, text)?;
                Some(format!("created {} from the file of {like}, without its calibration", path.display()))
            }
        })
    }
}

/// Derives the file of `robot`, unless it exists. The template is the file of robot `like`, or else of the last robot
/// that has a file.
///
/// # Errors
/// Robot `like` does not exist or has no file, or the template cannot be read or used.
pub fn robot_file(folder: &Path, swarm: &Swarm, robot: &str, like: Option<&str>) -> Result<OwnFile> {
    let path = |id: &str| folder.join("robots").join(format!("{id}.toml"));
    if let Some(like) = like.filter(|like| swarm.island(like).is_none()) {
        bail!(
            "--like {}: the swarm file does not list this robot; it lists {}",
            quote_input(like),
            swarm.robots.join(", ")
        );
    }
    let own = path(robot);
    if own.symlink_metadata().is_ok() {
        return Ok(OwnFile::There);
    }
    if let Some(like) = like.filter(|like| !path(like).exists()) {
        bail!("--like {like}: {} does not exist; choose another robot", path(like).display());
    }
    let Some(like) = like.or(swarm.robots.iter().map(String::as_str).rfind(|id| path(id).exists())) else {
        return Ok(OwnFile::ByHand);
    };
    let text = file::text(&path(like), file::MAX_TOML)?;
    let copy = copy_for(&text, like, robot)
        .with_context(|| format!("{}: cannot be copied for {robot}", path(like).display()))?;
    Ok(OwnFile::Copy(own, with_line_ends_of(&text, copy), like.into()))
}

/// Returns the file of robot `like` as a file for `robot`. Replaces the id, and removes the Groot2 port and the
/// calibration values of `like`. The name of a calibration file for all robots is kept.
fn copy_for(text: &str, like: &str, robot: &str) -> Result<String> {
    let part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let (mut renamed, mut rest) = (String::new(), text);
    while let Some(at) = rest.find(like) {
        let (before, behind) = (&rest[..at], &rest[at + like.len()..]);
        let whole = !before.ends_with(part) && !behind.starts_with(part);
        renamed += before;
        renamed += if whole { robot } else { like };
        rest = behind;
    }
    renamed += rest;
    let mut document: DocumentMut = renamed.parse()?;
    // The Groot2 port is removed, because the ports of two robots on one machine would conflict.
    document.remove("groot");
    let measured = document.get_mut("calibration").and_then(Item::as_table_like_mut);
    if let Some(table) = measured {
        let own: Vec<String> = table.iter().map(|(key, _)| key.to_string()).filter(|key| key != "file").collect();
        own.iter().for_each(|key| drop(table.remove(key)));
        if table.is_empty() {
            document.remove("calibration");
        }
    }
    if document.get("id").and_then(Item::as_str) != Some(robot) {
        bail!("the id in this file is not {like}");
    }
    Ok(document.to_string())
}

/// Returns the paths of the files that must be copied to the robot's board.
pub fn board_files(path: &Path, swarm: &Swarm, robot: &str) -> Vec<PathBuf> {
    let folder = xpuck_wire::atomic::folder(path);
    let mut files = vec![path.to_path_buf(), folder.join("robots").join(format!("{robot}.toml"))];
    if !swarm.security.dev_mode {
        let keys = &swarm.security.keys;
        files.push(keys.join("hub.pub"));
        files.push(keyring::path(keys, Role::Robot, robot, "key"));
        files.push(keyring::path(keys, Role::Operator, OPERATOR, "pub"));
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    const SWARM: &str = "# Ours.\nrobots = [\"xp01\", \"xp02\"] # two\npeers = [\"tcp://xp01:7606\", \"tcp://xp02:7606\"]\n\
                         [hub]\nrobots = \"tcp://a:1\"\noperator = \"tcp://a:2\"\n";

    #[test]
    fn added_robot_leaves_rest_of_swarm_file_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("swarm.toml");
        std::fs::write(&path, SWARM).unwrap();
        let swarm = Swarm::read(&path).unwrap();
        let (grown, text) = with(&swarm, "xp03", None, &path).unwrap();
        assert_eq!((grown.island("xp03"), grown.peers[2].as_str()), (Some(3), "tcp://xp03:7606"));
        assert!(
            text.contains("robots = [\"xp01\", \"xp02\", \"xp03\"] # two") && text.starts_with("# Ours."),
            "{text}"
        );
        assert!(with(&swarm, "Xp03", None, &path).unwrap_err().to_string().contains("`Xp03` is not a valid id"));
        let windows = SWARM.replace('\n', "\r\n");
        std::fs::write(&path, &windows).unwrap();
        let (_, text) = with(&swarm, "xp03", None, &path).unwrap();
        assert_eq!(text.matches("\r\n").count(), windows.lines().count(), "{text:?}");
        assert_eq!(text.matches('\n').count(), windows.lines().count(), "{text:?}");
        let peer = |peer| check_peer(&swarm, 2, Some(peer), &path);
        assert!(
            peer("tcp://xp02:7606").is_ok() && peer("garbage").unwrap_err().to_string().contains("tcp://xp02:7606")
        );
        assert!(with(&swarm, "xp03", Some("a:1"), &path).unwrap_err().to_string().contains("must look like"));
        let alone = Swarm { peers: Vec::new(), ..swarm };
        assert!(with(&alone, "xp03", Some("tcp://a:1"), &path).unwrap_err().to_string().contains("has no `peers`"));
        assert_eq!(next_port("tcp://127.0.0.1:7610").unwrap(), "tcp://127.0.0.1:7611");
        assert_eq!(next_port("tcp://127.0.0.1:65535"), None);
        let list = |text: &str| text.parse::<DocumentMut>().unwrap();
        let mut lines = list("robots = [\n  \"xp01\",\n  \"xp02\",\n]\n");
        push_like_last(lines["robots"].as_array_mut().unwrap(), "xp03");
        assert_eq!(lines.to_string(), "robots = [\n  \"xp01\",\n  \"xp02\",\n  \"xp03\",\n]\n");
    }

    #[test]
    fn last_existing_robot_file_is_template() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("swarm.toml");
        std::fs::write(&path, SWARM).unwrap();
        let swarm = Swarm::read(&path).unwrap();
        let of = |id: &str, like| robot_file(dir.path(), &swarm, id, like);
        assert!(
            of("xp03", Some("xp77"))
                .err()
                .unwrap()
                .to_string()
                .contains("does not list this robot; it lists xp01, xp02")
        );
        assert!(matches!(of("xp03", None).unwrap(), OwnFile::ByHand));
        std::fs::create_dir(dir.path().join("robots")).unwrap();
        std::fs::write(dir.path().join("robots/xp01.toml"), "id = \"xp01\"\n").unwrap();
        assert!(of("xp03", Some("xp02")).err().unwrap().to_string().contains("does not exist"));
        for id in ["xp02", "xp03"] {
            let OwnFile::Copy(_, text, like) = of(id, None).unwrap() else { panic!("no copy for {id}") };
            assert_eq!((text, like.as_str()), (format!("id = \"{id}\"\n"), "xp01"));
        }
        assert!(matches!(of("xp01", None).unwrap(), OwnFile::There));
    }

    #[test]
    fn copied_robot_file_omits_calibration() {
        let text = "# The robot xp01.\nid = \"xp01\"\nswarm = \"../swarm.toml\"\ngroot = \"tcp://127.0.0.1:1667\"\n\n\
                    [devices]\nkind = \"xpuck\"\n\n[evolution]\nstate = \"../state/xp01\" # not xp011\n\n[calibration]\n\
                    file = \"c.toml\"\ndrive.left = 1.01\n";
        let made = copy_for(text, "xp01", "xp10").unwrap();
        assert!(made.starts_with("# The robot xp10.\nid = \"xp10\""), "{made}");
        assert!(made.contains("\"../state/xp10\" # not xp011") && made.contains("file = \"c.toml\""), "{made}");
        assert!(!made.contains("groot") && !made.contains("drive"), "{made}");
        assert!(copy_for(text, "xp02", "xp10").is_err());
    }
}
