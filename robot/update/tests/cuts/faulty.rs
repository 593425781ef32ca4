//! In-memory disk with simulated power failures. Changes that were not synchronised are stored separately. After a
//! power failure, a seed determines which of these changes are kept, and which files are truncated or partly zeroed.

use std::collections::BTreeMap;
use std::io::{Cursor, Error, ErrorKind, Read, Result};
use xpuck_update::slots::Disk;

/// Time of a power failure relative to an operation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moment {
    Before,
    Inside,
    After,
}

/// Fault at an operation of the disk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    Cut(u64, Moment),
    /// The disk is full at the write with this number or, if the flag is true, from this write on.
    Full(u64, bool),
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    File(usize),
    Folder,
    Link(String),
}

#[derive(Clone, Debug)]
enum Change {
    Set(String, Node),
    Unset(String),
    Rename(String, String, Node),
}

#[derive(Clone, Default, Debug)]
struct Contents {
    live: Vec<u8>,
    durable: Vec<u8>,
}

/// Pseudo-random numbers from a seed.
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % bound.max(1)
    }
}

#[derive(Clone)]
pub struct FaultyDisk {
    contents: Vec<Contents>,
    live: BTreeMap<String, Node>,
    durable: BTreeMap<String, Node>,
    pending: Vec<Change>,
    /// Number of operations that change the disk.
    pub operations: u64,
    /// Number of operations that need disk space.
    pub writes: u64,
    pub fault: Option<Fault>,
    dead: bool,
    random: Random,
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

fn apply(names: &mut BTreeMap<String, Node>, change: &Change) {
    match change {
        Change::Set(path, node) => drop(names.insert(path.clone(), node.clone())),
        Change::Unset(path) => drop(names.remove(path)),
        Change::Rename(from, to, node) => {
            names.remove(from);
            names.insert(to.clone(), node.clone());
        }
    }
}

impl FaultyDisk {
    pub fn new(seed: u64) -> FaultyDisk {
        FaultyDisk {
            contents: Vec::new(),
            live: BTreeMap::new(),
            durable: BTreeMap::new(),
            pending: Vec::new(),
            operations: 0,
            writes: 0,
            fault: None,
            dead: false,
            random: Random(seed),
        }
    }

    /// Creates a synchronised file.
    pub fn place(&mut self, path: &str, bytes: &[u8]) {
        self.contents.push(Contents { live: bytes.into(), durable: bytes.into() });
        let node = Node::File(self.contents.len() - 1);
        self.live.insert(path.into(), node.clone());
        self.durable.insert(path.into(), node);
    }

    pub fn exists(&self, path: &str) -> bool {
        self.live.contains_key(path)
    }

    pub fn read(&self, path: &str) -> Option<Vec<u8>> {
        match self.live.get(path)? {
            Node::File(at) => Some(self.contents[*at].live.clone()),
            _ => None,
        }
    }

    /// Returns the disk after power is restored.
    pub fn restart(mut self, seed: u64) -> FaultyDisk {
        let mut random = Random(seed);
        let in_order = random.below(2) == 0;
        let kept = random.below(self.pending.len() as u64 + 1) as usize;
        for (i, change) in self.pending.iter().enumerate() {
            if if in_order { i < kept } else { random.below(2) == 0 } {
                // A rename has no effect if the old name was lost.
                match change {
                    Change::Rename(from, ..) if !self.durable.contains_key(from) => {}
                    change => apply(&mut self.durable, change),
                }
            }
        }
        for contents in &mut self.contents {
            let Contents { live, durable } = contents;
            if live != durable {
                let torn = random.below(live.len() as u64 + 1) as usize;
                match random.below(4) {
                    0 => {}
                    1 => *durable = live.clone(),
                    2 => *durable = live[..torn].to_vec(),
                    _ => {
                        *durable = live.clone();
                        durable[torn..].fill(0);
                    }
                }
            }
            *live = durable.clone();
        }
        let folders: Vec<String> = self.durable.keys().cloned().collect();
        for path in folders {
            let above = folder(&path);
            if !above.is_empty() && self.durable.get(above) != Some(&Node::Folder) {
                self.durable.remove(&path);
            }
        }
        let names = self.durable;
        FaultyDisk { live: names.clone(), durable: names, contents: self.contents, ..FaultyDisk::new(seed) }
    }

    /// Replaces the contents of a file.
    pub fn damage(&mut self, path: &str, bytes: &[u8]) {
        if let Some(Node::File(at)) = self.live.get(path) {
            self.contents[*at] = Contents { live: bytes.into(), durable: bytes.into() };
        }
    }

    /// Whether the power has failed.
    pub fn is_dead(&self) -> bool {
        self.dead
    }

    fn cut() -> Error {
        Error::other("power is cut")
    }

    fn operate(&mut self, room: bool, what: impl FnOnce(&mut FaultyDisk, bool) -> Result<()>) -> Result<()> {
        if self.dead {
            return Err(FaultyDisk::cut());
        }
        let (number, write) = (self.operations, self.writes);
        self.operations += 1;
        self.writes += u64::from(room);
        match self.fault {
            Some(Fault::Cut(at, moment)) if at == number => {
                self.dead = true;
                if moment != Moment::Before {
                    what(self, moment == Moment::Inside)?;
                }
                Err(FaultyDisk::cut())
            }
            Some(Fault::Full(at, for_good)) if room && (at == write || (for_good && at < write)) => {
                Err(ErrorKind::StorageFull.into())
            }
            _ => what(self, false),
        }
    }

    fn change(&mut self, change: Change) {
        apply(&mut self.live, &change);
        self.pending.push(change);
    }
}

impl Disk for FaultyDisk {
    fn open(&self, path: &str) -> Result<Box<dyn Read>> {
        if self.dead {
            return Err(FaultyDisk::cut());
        }
        self.read(path).map(|bytes| Box::new(Cursor::new(bytes)) as Box<dyn Read>).ok_or(ErrorKind::NotFound.into())
    }

    fn target(&self, path: &str) -> Result<String> {
        match self.live.get(path) {
            Some(Node::Link(target)) if !self.dead => Ok(target.clone()),
            _ => Err(ErrorKind::NotFound.into()),
        }
    }

    fn create(&mut self, path: &str, _: bool) -> Result<()> {
        self.operate(true, |disk, _| {
            assert!(!disk.live.contains_key(path), "{path} is there already");
            assert!(folder(path).is_empty() || disk.live.get(folder(path)) == Some(&Node::Folder), "{path}: no folder");
            disk.contents.push(Contents::default());
            disk.change(Change::Set(path.into(), Node::File(disk.contents.len() - 1)));
            Ok(())
        })
    }

    fn append(&mut self, path: &str, bytes: &[u8]) -> Result<()> {
        self.operate(true, |disk, inside| {
            let Some(Node::File(at)) = disk.live.get(path).cloned() else { return Err(ErrorKind::NotFound.into()) };
            let length = if inside { disk.random.below(bytes.len() as u64) as usize } else { bytes.len() };
            disk.contents[at].live.extend(&bytes[..length]);
            Ok(())
        })
    }

    fn make_folder(&mut self, path: &str) -> Result<()> {
        self.operate(true, |disk, _| {
            if disk.live.get(path) != Some(&Node::Folder) {
                disk.change(Change::Set(path.into(), Node::Folder));
            }
            Ok(())
        })
    }

    fn link(&mut self, target: &str, path: &str) -> Result<()> {
        self.operate(true, |disk, _| {
            assert!(!disk.live.contains_key(path), "{path} is there already");
            disk.change(Change::Set(path.into(), Node::Link(target.into())));
            Ok(())
        })
    }

    fn rename(&mut self, from: &str, to: &str) -> Result<()> {
        self.operate(false, |disk, _| {
            let node = disk.live.get(from).cloned().ok_or(ErrorKind::NotFound)?;
            disk.change(Change::Rename(from.into(), to.into(), node));
            Ok(())
        })
    }

    fn remove(&mut self, path: &str) -> Result<()> {
        let below = format!("{path}/");
        let gone: Vec<String> =
            self.live.keys().filter(|name| *name == path || name.starts_with(&below)).cloned().collect();
        if gone.is_empty() {
            return if self.dead { Err(FaultyDisk::cut()) } else { Ok(()) };
        }
        self.operate(false, |disk, inside| {
            let count = if inside { disk.random.below(gone.len() as u64) as usize } else { gone.len() };
            gone.into_iter().rev().take(count).for_each(|name| disk.change(Change::Unset(name)));
            Ok(())
        })
    }

    fn sync_file(&mut self, path: &str) -> Result<()> {
        self.operate(false, |disk, inside| {
            let Some(Node::File(at)) = disk.live.get(path).cloned() else { return Err(ErrorKind::NotFound.into()) };
            let length = disk.contents[at].live.len();
            let length = if inside { disk.random.below(length as u64) as usize } else { length };
            let contents = &mut disk.contents[at];
            contents.durable = contents.live[..length].to_vec();
            Ok(())
        })
    }

    fn sync_folder(&mut self, path: &str) -> Result<()> {
        self.operate(false, |disk, inside| {
            for change in std::mem::take(&mut disk.pending) {
                let at = match &change {
                    Change::Set(path, _) | Change::Unset(path) | Change::Rename(_, path, _) => folder(path),
                };
                if at == path && !(inside && disk.random.below(2) == 0) {
                    apply(&mut disk.durable, &change);
                } else {
                    disk.pending.push(change);
                }
            }
            Ok(())
        })
    }
}
