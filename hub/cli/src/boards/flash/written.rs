//! Record of the cards written. It is a file in the swarm's folder, which allows an interrupted batch to continue.

use super::file_of;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use xpuck_update::Manifest;
use xpuck_wire::{atomic, file};

/// Contents of the record's file.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cards {
    /// Last card of each robot, by robot id.
    #[serde(default)]
    card: BTreeMap<String, Card>,
}

/// Last card written for a robot.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Card {
    version: String,
    counter: u64,
    sha256: String,
}

/// Record of the cards written so far.
pub struct CardLog {
    path: PathBuf,
    cards: Cards,
}

impl CardLog {
    /// Reads the record in a swarm's folder. A missing file counts as an empty record.
    pub fn read(folder: &Path) -> Result<CardLog> {
        let path = file_of(folder);
        let cards = if path.exists() { file::read(&path)? } else { Cards::default() };
        Ok(CardLog { path, cards })
    }

    /// Returns the robots that have a card of the image with this digest.
    pub fn all(&self, digest: &str) -> impl Iterator<Item = &str> {
        self.cards.card.iter().filter(move |(_, card)| card.sha256 == digest).map(|(robot, _)| robot.as_str())
    }

    /// Returns whether this robot has a card of the image with this digest.
    pub fn has(&self, robot: &str, digest: &str) -> bool {
        self.cards.card.get(robot).is_some_and(|card| card.sha256 == digest)
    }

    /// Returns the highest release counter of all cards, and a robot with such a card.
    pub fn newest(&self) -> Option<(&u64, &str)> {
        self.cards.card.iter().map(|(robot, card)| (&card.counter, robot.as_str())).max()
    }

    /// Adds a robot's card to the file, and keeps the cards that other processes have added meanwhile.
    pub fn add(&mut self, robot: &str, manifest: &Manifest) -> Result<()> {
        let folder = atomic::folder(&self.path);
        let folder = std::fs::File::open(folder).with_context(|| folder.display().to_string())?;
        folder.lock().with_context(|| self.path.display().to_string())?;
        if self.path.exists() {
            self.cards = file::read(&self.path)?;
        }
        let Manifest { version, counter, sha256, .. } = manifest.clone();
        self.cards.card.insert(robot.into(), Card { version, counter, sha256 });
        let text = toml::to_string(&self.cards)?;
        atomic::write(&self.path, text.as_bytes()).with_context(|| self.path.display().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_update::Kind;

    #[test]
    fn written_cards_survive_reload_and_parallel_writes() {
        let dir = tempfile::tempdir().unwrap();
        let manifest = |counter, digest: &str| Manifest {
            kind: Kind::Image,
            boards: vec!["pi5".into()],
            arch: "arm64".into(),
            version: "0.2.0".into(),
            counter,
            size: 1,
            sha256: digest.into(),
        };
        let mut written = CardLog::read(dir.path()).unwrap();
        assert_eq!((written.has("xp01", "a"), written.newest()), (false, None));
        written.add("xp01", &manifest(7, "a")).unwrap();
        written.add("xp02", &manifest(5, "b")).unwrap();
        // Both writers read the record before either of them adds a card. No entry is lost.
        let (mut one, mut two) = (CardLog::read(dir.path()).unwrap(), CardLog::read(dir.path()).unwrap());
        one.add("xp03", &manifest(1, "a")).unwrap();
        two.add("xp04", &manifest(1, "a")).unwrap();
        assert!(CardLog::read(dir.path()).unwrap().has("xp03", "a"));
        let again = CardLog::read(dir.path()).unwrap();
        assert!(again.has("xp01", "a") && !again.has("xp01", "b") && again.has("xp02", "b"));
        assert_eq!(again.newest(), Some((&7, "xp01")));
        std::fs::write(file_of(dir.path()), "card = 1\n").unwrap();
        let error = CardLog::read(dir.path()).err().unwrap().to_string();
        assert!(error.contains("cards-written.toml"), "{error}");
    }
}
