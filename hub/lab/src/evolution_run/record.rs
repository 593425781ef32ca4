//! The record of a run: who was born, of whom and how, who migrated, and every sample of everybody's fitness.
//!
//! A file of blocks, one a generation, that only grows. It begins with "XPUCKREC" and the format's number, u32. A block
//! is the length of its data, u32, their CRC-32, u32, and the data: a [`Generation`] in postcard's encoding, compressed
//! with zstd. All is little endian. A file that ends within a block is read up to the block before.

use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};
use xpuck_evolve::{Id, Operator, Trial};
use xpuck_kernels::tree::Tree;

/// The format that this program writes and reads.
const FORMAT: u32 = 1;
/// What a record begins with.
const MAGIC: &[u8; 8] = b"XPUCKREC";
/// zstd's own default: at the thesis's budget it takes a few milliseconds a generation.
const LEVEL: i32 = 3;
/// Largest block, bytes, compressed or not.
const MAX_BLOCK: usize = 1 << 30;

/// A generation of the swarm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Generation {
    /// Its number, from 1.
    pub generation: u32,
    /// What happened on each island.
    pub islands: Vec<Island>,
}

/// A generation of an island.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Island {
    /// Who was new in it.
    pub births: Vec<Birth>,
    /// Who had come from another island since the last generation, and was tried here.
    pub arrivals: Vec<Id>,
    /// The generation's trials, in their order.
    pub samples: Vec<Sample>,
    /// Who led the island after it.
    pub champion: Id,
}

/// The birth of an individual.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Birth {
    /// Its name.
    pub id: Id,
    /// Mother and father; none for random trees.
    pub parents: Option<[Id; 2]>,
    /// How it came to be.
    pub operator: Operator,
    /// The genotype.
    pub tree: Tree,
}

/// A sample of an individual's fitness.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// Whose.
    pub id: Id,
    /// Which start: 0 or 1 for scenario A or B.
    pub stratum: u8,
    /// The fitness; none if the trial's result was refused because it was not a finite number.
    pub fitness: Option<f32>,
}

impl Island {
    /// What a generation tells that an island has just been tried in; to be called before the island itself takes the
    /// results, which reorders its population. The champion is not known yet: it is the first individual.
    pub fn observe(island: &xpuck_evolve::Island, trials: &[Trial], fitness: &[f32]) -> Island {
        let population = island.population();
        let mut births = Vec::new();
        let mut arrivals = Vec::new();
        for new in population.iter().filter(|i| i.born == island.generation()) {
            if new.operator == Operator::Migration {
                arrivals.push(new.id);
            } else {
                births.push(Birth { id: new.id, parents: new.parents, operator: new.operator, tree: new.tree.clone() });
            }
        }
        let sample = |(trial, fitness): (&Trial, &f32)| Sample {
            id: population[trial.individual].id,
            stratum: trial.stratum as u8,
            fitness: fitness.is_finite().then_some(*fitness),
        };
        let samples = trials.iter().zip(fitness).map(sample).collect();
        Island { births, arrivals, samples, champion: population[0].id }
    }
}

/// What stands at the beginning of every record.
pub fn header() -> Vec<u8> {
    [MAGIC.as_slice(), &FORMAT.to_le_bytes()].concat()
}

/// A generation as a block, to be appended to a record.
///
/// # Errors
/// If the generation is larger than 1 GiB, which a reader would refuse.
pub fn block(generation: &Generation) -> Result<Vec<u8>, String> {
    let plain = postcard::to_stdvec(generation).expect("plain data in memory");
    if plain.len() > MAX_BLOCK {
        return Err(format!(
            "a generation of {} bytes; at most {MAX_BLOCK} are recorded, so evolve fewer",
            plain.len()
        ));
    }
    let data = zstd::bulk::compress(&plain, LEVEL).expect("compression into memory");
    let length = (data.len() as u32).to_le_bytes();
    let checksum = crc32fast::hash(&data).to_le_bytes();
    Ok([&length, &checksum, data.as_slice()].concat())
}

/// A record that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct RecordError {
    path: PathBuf,
    message: String,
}

impl RecordError {
    /// Something else that is wrong with a record.
    pub(super) fn new(path: &Path, message: impl Into<String>) -> RecordError {
        RecordError { path: path.into(), message: message.into() }
    }
}

/// Reads a record generation by generation, up to its end or to the first block that is not whole.
pub struct Reader {
    file: BufReader<File>,
    /// Where the next block begins, bytes from the start.
    at: u64,
    length: u64,
}

impl Reader {
    /// Opens a record.
    ///
    /// # Errors
    /// If it cannot be read, or is no record of this format.
    pub fn open(path: &Path) -> Result<Reader, RecordError> {
        let fail = |message: String| RecordError::new(path, message);
        let file = xpuck_wire::file::open(path).map_err(|error| fail(format!("cannot be read: {error}")))?;
        let length = file.metadata().map_err(|error| fail(error.to_string()))?.len();
        let mut file = BufReader::new(file);
        let mut start = [0; 12];
        let begins = file.read_exact(&mut start).is_ok() && start.starts_with(MAGIC);
        if !begins {
            return Err(fail("is no record of an evolution".into()));
        }
        let format = u32::from_le_bytes([start[8], start[9], start[10], start[11]]);
        if format != FORMAT {
            return Err(fail(format!("has format {format}, and this program reads format {FORMAT}")));
        }
        Ok(Reader { file, at: start.len() as u64, length })
    }

    /// Bytes behind the last whole block, once the reader has come to the end: what was cut off or is corrupt.
    pub fn left_over(&self) -> u64 {
        self.length.saturating_sub(self.at)
    }

    fn block(&mut self) -> Option<Generation> {
        let mut head = [0; 8];
        self.file.read_exact(&mut head).ok()?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let size = u64::from(word(0));
        // A length that points past the end is not believed, so no memory is taken for it.
        if size > MAX_BLOCK as u64 || self.at + 8 + size > self.length {
            return None;
        }
        let mut data = vec![0; size as usize];
        self.file.read_exact(&mut data).ok()?;
        if crc32fast::hash(&data) != word(4) {
            return None;
        }
        let plain = zstd::bulk::decompress(&data, MAX_BLOCK).ok()?;
        let generation = postcard::from_bytes(&plain).ok()?;
        self.at += 8 + size;
        Some(generation)
    }
}

impl Iterator for Reader {
    type Item = Generation;

    fn next(&mut self) -> Option<Generation> {
        self.block()
    }
}
