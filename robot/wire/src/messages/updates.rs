//! Control updates in the form for transmission and recording: all inputs, actions and outputs of a robot's tree, bit
//! for bit.
//!
//! An update is a list of 32-bit words (see [`Update::write`]). A batch contains up to [`BATCH`] consecutive updates
//! with one tree. The memory of the tree's nodes precedes them, so that the batch can be replayed without earlier
//! batches. An update is encoded in three parts: its word count (u16), a 2-bit tag per word (four tags in a byte,
//! from the lowest bits), and data bytes. A word is encoded as its exclusive or with the same word of the previous
//! update; its tag gives the number of low bytes that follow: 0: none, 1: two, 2: three, 3: all four. Numbers are
//! little-endian.

use crate::bytes::Bytes;
use crate::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of updates in a batch, equal to one second.
pub const BATCH: usize = 10;
/// Number of cells of the blackboard.
pub const CELLS: usize = 24;
/// Number of cells in every update. The remaining cells contain v_light and v_tag; only updates with light or tags
/// contain them.
const PLAIN_CELLS: usize = 20;
/// Index of the first cell of v_tag.
const TAG_CELL: usize = 22;
/// Number of words of an update's light: v_light, and the eight sensors.
const LIGHT: usize = TAG_CELL - PLAIN_CELLS + 8;
/// Number of words of an update's tag: v_tag, and range and bearing of the nearest tag.
const TAG: usize = CELLS - TAG_CELL + 2;
/// Maximum number of nodes of a tree, and of nodes with memory.
pub const MAX_NODES: usize = 2048;
/// Maximum number of neighbours in an update.
pub const MAX_NEIGHBOURS: usize = 256;
/// Maximum length of a tree in compact form (bytes): one byte, and at most 19 bytes per node.
pub const MAX_TREE: usize = 1 + 19 * MAX_NODES;
/// Number of words in every update.
const PLAIN: usize = 6 + PLAIN_CELLS + 8 + 4 + 3;
/// Maximum number of words in an update.
const MAX_WORDS: usize = PLAIN + LIGHT + TAG + MAX_NODES / 16 + 3 * MAX_NEIGHBOURS;
/// Maximum length of an update (bytes).
const MAX_UPDATE: usize = 2 + MAX_WORDS.div_ceil(4) + 4 * MAX_WORDS;
/// Maximum length of a batch's data (bytes).
pub const MAX_DATA: usize = BATCH * MAX_UPDATE;
/// Number of data bytes by 2-bit tag.
const LENGTHS: [usize; 4] = [0, 2, 3, 4];

/// Consecutive control updates of one robot with one tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Updates {
    /// Session from the robot's hello; update numbers count from the start of its program.
    pub session: u64,
    /// Number of the experiment.
    pub run: u64,
    /// Segment of the tree; 0 before the first.
    pub segment: u32,
    /// Number of the first update. A gap between batches of a session means lost updates.
    pub first: u32,
    /// Number of updates.
    pub count: u16,
    /// Robot's time of the first update (s).
    pub start: f64,
    /// Hash of the tree in control (FNV-1a of its nodes, bit for bit), 16 hexadecimal digits; empty without a tree.
    pub tree: String,
    /// Number of nodes of the tree.
    pub nodes: u16,
    /// Tree in compact form; empty in most batches after the first batch with the tree.
    pub compact: Bytes,
    /// Memory of the tree's nodes before the first update, in preorder of the nodes with memory.
    pub memory: Vec<u16>,
    /// Bits of s_scr, v_scr.x and v_scr.y before the first update.
    pub scratch: [u32; 3],
    /// Encoded updates.
    pub data: Bytes,
}

/// Control update. Floats are stored as bits, so that they are restored exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Time since the first update of the batch (us).
    pub after_us: u32,
    /// Commanded state.
    pub state: State,
    /// Whether the tree was ticked; otherwise the wheels were commanded to stand still.
    pub ticked: bool,
    /// Whether an external controller (program or operator) drove the robot; the wheel speeds are then its commands.
    pub driven: bool,
    /// Whether the camera frame and the virtual senses were recent enough for the tree to read.
    pub used: [bool; 2],
    /// Camera blobs, one bit per colour and segment, in the order of [`Update::blob`].
    pub blobs: u16,
    /// Bits of the ages of the body's senses, the camera frame and the virtual senses (s); NaN if missing.
    pub ages: [u32; 3],
    /// Bits of the direction of the world's +x axis in the robot's frame, as received from the hub (rad).
    pub up: u32,
    /// Bits of the blackboard's cells after the tick. The tree's inputs are unchanged, the scratch registers have
    /// their values after the tick, and v_goal is NaN if no node wrote it.
    pub cells: [u32; CELLS],
    /// Bits of the eight proximity readings.
    pub proximity: [u32; 8],
    /// Bits of the brightness at the eight light sensors, if the tree reads light; otherwise v_light is 0 and not
    /// encoded.
    pub light: Option<[u32; 8]>,
    /// Bits of range (m) and bearing (rad) of the nearest tag in the camera frame, if the tree reads tags and a tag
    /// was found; otherwise v_tag is 0 and not encoded.
    pub tag: Option<[u32; 2]>,
    /// Bits of the wheel speeds, left and right (m/s): the speeds that the tree requested, then the speeds sent to
    /// the body.
    pub wheels: [u32; 4],
    /// Result of each node of the tree, in preorder: 0 not ticked, 1 running, 2 success, 3 failure.
    pub nodes: Vec<u8>,
    /// Robots in range: island, and bits of range (m) and bearing (rad).
    pub neighbours: Vec<(u16, u32, u32)>,
}

/// Error: the updates are invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("updates: {0}")]
pub struct Malformed(String);

impl Updates {
    /// Validates the limits of all fields.
    ///
    /// # Errors
    /// The first field out of bounds.
    pub fn check(&self) -> Result<(), Malformed> {
        let hash = self.tree.is_empty() || (self.tree.len() == 16 && self.tree.bytes().all(|c| c.is_ascii_hexdigit()));
        let rows = [
            ("count", (1..=BATCH).contains(&self.count.into())),
            ("start", self.start.is_finite()),
            ("tree", hash),
            ("nodes", usize::from(self.nodes) <= MAX_NODES),
            ("compact", self.compact.0.len() <= MAX_TREE),
            ("memory", self.memory.len() <= MAX_NODES),
            ("data", self.data.0.len() <= MAX_DATA),
        ];
        match rows.into_iter().find(|(_, holds)| !holds) {
            Some((key, _)) => Err(Malformed(format!("{key} is out of range"))),
            None => Ok(()),
        }
    }

    /// Decodes the updates, the oldest first.
    ///
    /// # Errors
    /// The batch is out of bounds, or its bytes are not `count` updates of a tree with `nodes` nodes.
    pub fn unpack(&self) -> Result<Vec<Update>, Malformed> {
        self.check()?;
        let bad = || Malformed(format!("the bytes are not {} updates of {} nodes", self.count, self.nodes));
        let mut bytes = &self.data.0[..];
        let (mut words, mut found) = (Vec::new(), Vec::new());
        for _ in 0..self.count {
            unpack(&mut bytes, &mut words).ok_or_else(bad)?;
            found.push(Update::read(&words, self.nodes.into()).ok_or_else(bad)?);
        }
        if bytes.is_empty() { Ok(found) } else { Err(bad()) }
    }
}

impl Update {
    /// Bit of a colour's segment in the blobs.
    pub fn blob(colour: usize, segment: usize) -> u16 {
        1 << (3 * colour + segment)
    }

    /// Writes the words of the update:
    ///
    /// - 0: state in the order of [`State`], with flags 16 ticked, 32 camera used, 64 virtual senses used, 128 light,
    ///   256 driven, 512 tag
    ///
    /// - 1: time; 2: blobs; 3: number of neighbours; 4: number of node words; 5: direction of +x
    ///
    /// - then the first twenty cells, proximity, wheels and ages; with light v_light and eight sensors; with a tag
    ///   v_tag, range and bearing; nodes (sixteen in a word, from the lowest bits); neighbours (island, range,
    ///   bearing)
    pub fn write(&self, words: &mut Vec<u32>) {
        words.clear();
        let nodes = self.nodes.len().div_ceil(16) as u32;
        let [camera, virtual_senses] = self.used.map(u32::from);
        let flags = self.state as u32
            | u32::from(self.ticked) << 4
            | camera << 5
            | virtual_senses << 6
            | u32::from(self.light.is_some()) << 7
            | u32::from(self.driven) << 8
            | u32::from(self.tag.is_some()) << 9;
        words.extend([flags, self.after_us, self.blobs.into(), self.neighbours.len() as u32, nodes, self.up]);
        words.extend_from_slice(&self.cells[..PLAIN_CELLS]);
        words.extend_from_slice(&self.proximity);
        words.extend_from_slice(&self.wheels);
        words.extend_from_slice(&self.ages);
        if let Some(light) = &self.light {
            words.extend_from_slice(&self.cells[PLAIN_CELLS..TAG_CELL]);
            words.extend_from_slice(light);
        }
        if let Some(tag) = &self.tag {
            words.extend_from_slice(&self.cells[TAG_CELL..]);
            words.extend_from_slice(tag);
        }
        let packed = |nodes: &[u8]| nodes.iter().rev().fold(0, |word, node| word << 2 | u32::from(node & 3));
        words.extend(self.nodes.chunks(16).map(packed));
        words.extend(self.neighbours.iter().flat_map(|(island, range, bearing)| [(*island).into(), *range, *bearing]));
    }

    /// Parses the words of an update of a tree with `nodes` nodes; `None` if they are invalid.
    fn read(words: &[u32], nodes: usize) -> Option<Update> {
        let (head, rest) = words.split_first_chunk::<6>()?;
        let (cells, rest) = rest.split_first_chunk::<PLAIN_CELLS>()?;
        let (proximity, rest) = rest.split_first_chunk::<8>()?;
        let (wheels, rest) = rest.split_first_chunk::<4>()?;
        let (ages, rest) = rest.split_first_chunk::<3>()?;
        let [flags, after_us, blobs, neighbours, node_words, up] = *head;
        let mut all_cells = [0; CELLS];
        all_cells[..PLAIN_CELLS].copy_from_slice(cells);
        let (light, rest) = match flags & 128 != 0 {
            false => (None, rest),
            true => {
                let (told, rest) = rest.split_first_chunk::<LIGHT>()?;
                let (vector, sensors) = told.split_at(TAG_CELL - PLAIN_CELLS);
                all_cells[PLAIN_CELLS..TAG_CELL].copy_from_slice(vector);
                (Some(sensors.try_into().ok()?), rest)
            }
        };
        let (tag, rest) = match flags & 512 != 0 {
            false => (None, rest),
            true => {
                let ([x, y, range, bearing], rest) = rest.split_first_chunk::<TAG>()?;
                all_cells[TAG_CELL..].copy_from_slice(&[*x, *y]);
                (Some([*range, *bearing]), rest)
            }
        };
        let (packed, heard) = rest.split_at_checked(nodes.div_ceil(16))?;
        let states = [State::Idle, State::Ready, State::Run, State::Pause, State::Stop];
        let whole = packed.len() == node_words as usize
            && heard.len() == (neighbours as usize).checked_mul(3)?
            && neighbours as usize <= MAX_NEIGHBOURS;
        if !whole {
            return None;
        }
        let neighbour = |words: &[u32]| Some((u16::try_from(words[0]).ok()?, words[1], words[2]));
        Some(Update {
            after_us,
            state: *states.get((flags & 15) as usize)?,
            ticked: flags & 16 != 0,
            driven: flags & 256 != 0,
            used: [flags & 32 != 0, flags & 64 != 0],
            blobs: blobs.try_into().ok()?,
            ages: *ages,
            up,
            cells: all_cells,
            light,
            tag,
            proximity: *proximity,
            wheels: *wheels,
            nodes: (0..nodes).map(|node| (packed[node / 16] >> (2 * (node % 16)) & 3) as u8).collect(),
            neighbours: heard.chunks_exact(3).map(neighbour).collect::<Option<_>>()?,
        })
    }
}

/// Encoder of a batch. Its buffers are reused for the next batch.
#[derive(Clone, Debug, Default)]
pub struct Packer {
    words: Vec<u32>,
    before: Vec<u32>,
    data: Vec<u8>,
}

impl Packer {
    /// Appends an update.
    pub fn push(&mut self, update: &Update) {
        update.write(&mut self.words);
        let difference = |i: usize, word: u32| word ^ self.before.get(i).copied().unwrap_or(0);
        let tag = |i: usize, word: u32| match difference(i, word) {
            0 => 0,
            0x1..=0xffff => 1,
            0x1_0000..=0xff_ffff => 2,
            _ => 3usize,
        };
        self.data.extend((self.words.len() as u16).to_le_bytes());
        for (four, words) in self.words.chunks(4).enumerate() {
            let tags = words.iter().enumerate().map(|(i, word)| (tag(4 * four + i, *word) as u8) << (2 * i));
            self.data.push(tags.fold(0, |byte, tag| byte | tag));
        }
        for (i, word) in self.words.iter().enumerate() {
            self.data.extend_from_slice(&difference(i, *word).to_le_bytes()[..LENGTHS[tag(i, *word)]]);
        }
        std::mem::swap(&mut self.words, &mut self.before);
    }

    /// Returns the encoded updates and starts a new batch.
    pub fn finish_batch(&mut self) -> Bytes {
        let data = Bytes(self.data.clone());
        self.data.clear();
        self.before.clear();
        data
    }
}

/// Decodes the next update; `words` contains the words of the previous update and receives the words of the next.
/// `None` if the bytes do not contain a complete update.
fn unpack(bytes: &mut &[u8], words: &mut Vec<u32>) -> Option<()> {
    let (count, rest) = bytes.split_first_chunk::<2>()?;
    let count = usize::from(u16::from_le_bytes(*count));
    if count > MAX_WORDS {
        return None;
    }
    let (tags, mut rest) = rest.split_at_checked(count.div_ceil(4))?;
    words.resize(count, 0);
    for (i, word) in words.iter_mut().enumerate() {
        let length = LENGTHS[usize::from(tags[i / 4] >> (2 * (i % 4)) & 3)];
        let (low, behind) = rest.split_at_checked(length)?;
        let mut difference = [0; 4];
        difference[..length].copy_from_slice(low);
        *word ^= u32::from_le_bytes(difference);
        rest = behind;
    }
    *bytes = rest;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::encode;
    use crate::message::RobotMessage;

    fn update(i: u32) -> Update {
        Update {
            after_us: 100_000 * i,
            state: State::Run,
            ticked: !i.is_multiple_of(3),
            driven: i.is_multiple_of(4),
            used: [i.is_multiple_of(2), i > 4],
            blobs: 0b101 << i,
            ages: [0.01f32.to_bits(), f32::NAN.to_bits(), 0x7fc0_0001 + i],
            up: (-1.5f32 + i as f32).to_bits(),
            cells: std::array::from_fn(|cell| match cell {
                2 => f32::NAN.to_bits(),
                PLAIN_CELLS..TAG_CELL if i.is_multiple_of(2) => 0,
                TAG_CELL.. if i.is_multiple_of(3) => 0,
                _ => cell as u32 * i,
            }),
            proximity: [u32::MAX.wrapping_mul(i); 8],
            light: (!i.is_multiple_of(2)).then_some([7 * i; 8]),
            tag: (!i.is_multiple_of(3)).then_some([i, 9 * i]),
            wheels: [0x8000_0000, 1, 0xff00, 0xff_ff00].map(|word: u32| word.wrapping_mul(i)),
            nodes: (0..37).map(|node| ((node + i) % 4) as u8).collect(),
            neighbours: (0..i % 4).map(|n| (n as u16, 7 * n, f32::NAN.to_bits() - n)).collect(),
        }
    }

    fn batch(updates: &[Update]) -> Updates {
        let mut packer = Packer::default();
        updates.iter().for_each(|update| packer.push(update));
        let nodes = updates[0].nodes.len() as u16;
        Updates { count: updates.len() as u16, nodes, data: packer.finish_batch(), ..Updates::default() }
    }

    #[test]
    fn updates_round_trip_bit_for_bit() {
        let updates: Vec<Update> = (0..BATCH as u32).map(update).collect();
        let packed = batch(&updates);
        assert_eq!(packed.unpack().unwrap(), updates);
        let message = RobotMessage::Updates(Box::new(packed.clone()));
        assert_eq!(crate::codec::decode::<RobotMessage>(&encode(&message)).unwrap(), message);
        let json = serde_json::to_string(&packed).unwrap();
        assert_eq!(serde_json::from_str::<Updates>(&json).unwrap(), packed);
        // An update equal to the previous update is encoded as its length and tags only.
        let still = [update(2), update(2)];
        let longer = batch(&still).data.0.len() - batch(&still[..1]).data.0.len();
        assert_eq!(longer, 2 + (PLAIN + TAG + 3 + 3 * 2usize).div_ceil(4));
    }

    #[test]
    fn truncated_changed_or_extended_updates_are_detected() {
        let whole = batch(&[update(1), update(2)]);
        let with = |data: Vec<u8>| Updates { data: Bytes(data), ..whole.clone() };
        for end in 0..whole.data.0.len() {
            assert!(with(whole.data.0[..end].to_vec()).unpack().is_err(), "cut at {end}");
        }
        assert!(with([&whole.data.0[..], &[0]].concat()).unpack().is_err());
        // A changed byte makes the batch invalid or changes an update. Only unused bits, such as those after the last
        // node, have no effect.
        let changed = |i: usize| {
            let mut data = whole.data.0.clone();
            data[i] ^= 0x41;
            with(data).unpack() != whole.unpack()
        };
        let unnoticed = (0..whole.data.0.len()).filter(|i| !changed(*i)).count();
        assert!(unnoticed <= 4, "{unnoticed}");
        for bad in [
            Updates { count: 0, ..whole.clone() },
            Updates { count: 3, ..whole.clone() },
            Updates { nodes: 70, ..whole.clone() },
            Updates { start: f64::NAN, ..whole.clone() },
            Updates { tree: "x".into(), ..whole.clone() },
            Updates { memory: vec![0; MAX_NODES + 1], ..whole.clone() },
        ] {
            assert!(bad.unpack().is_err(), "{bad:?}");
        }
    }

    /// Tests that the largest batch is far below the maximum length of a message.
    #[test]
    fn largest_batch_stays_within_bound() {
        let word = |i: u32| if i.is_multiple_of(2) { u32::MAX } else { 0 };
        let largest = |i: u32| Update {
            after_us: word(i),
            state: State::Run,
            ticked: i.is_multiple_of(2),
            driven: i.is_multiple_of(2),
            used: [true, false],
            blobs: word(i) as u16,
            ages: [word(i); 3],
            up: word(i),
            cells: [word(i); CELLS],
            proximity: [word(i); 8],
            light: Some([word(i); 8]),
            tag: Some([word(i); 2]),
            wheels: [word(i); 4],
            nodes: vec![word(i) as u8 & 3; MAX_NODES],
            neighbours: vec![(word(i) as u16, word(i), word(i)); MAX_NEIGHBOURS],
        };
        let updates: Vec<Update> = (0..BATCH as u32).map(largest).collect();
        let batch = Updates {
            session: u64::MAX,
            run: u64::MAX,
            segment: u32::MAX,
            first: u32::MAX,
            start: f64::MAX,
            tree: "f".repeat(16),
            compact: Bytes(vec![255; MAX_TREE]),
            memory: vec![u16::MAX; MAX_NODES],
            scratch: [u32::MAX; 3],
            ..batch(&updates)
        };
        assert_eq!(batch.unpack().unwrap(), updates);
        let bytes = encode(&RobotMessage::Updates(Box::new(batch))).len();
        println!("{bytes} bytes at most");
        assert!(bytes < 100_000, "{bytes} bytes");
    }
}
