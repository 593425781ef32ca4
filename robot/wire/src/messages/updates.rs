//! Encoding of control updates for transmission and recording. An update contains all inputs, actions and outputs of a
//! robot's tree with their exact bits.
//!
//! An update is a list of 32-bit words (see [`Update::write`]). A batch contains up to [`BATCH`] consecutive updates
//! with the same tree. A batch also contains the state of the tree's memory before the first update of the batch. A
//! batch can therefore be replayed without earlier batches.
//!
//! An encoded update has three parts: the number of words (u16), a 2-bit tag per word, and the data bytes. Four tags
//! are packed into a byte, from the lowest bits. Each word is combined by exclusive or with the word at the same index
//! in the previous update of the batch. Only the low bytes of the result are stored. The tag gives the number of these
//! bytes: tag 0 stands for no byte, 1 for two, 2 for three, and 3 for all four. Numbers are little-endian.

use crate::bytes::Bytes;
use crate::state::State;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of updates in a batch. Ten updates cover one second, because the control rate is 10 Hz.
pub const BATCH: usize = 10;
/// Number of cells of the blackboard.
pub const CELLS: usize = 26;
/// Number of blackboard cells that every update contains. The remaining cells belong to v_light, v_tag and s_ground. Only
/// updates with light contain v_light, only updates with a tag contain v_tag, and only updates with a ground reading
/// contain s_ground.
const PLAIN_CELLS: usize = 20;
/// Index of the first cell of v_tag.
const TAG_CELL: usize = 22;
/// Index of s_ground. The cell after it is always zero.
const GROUND_CELL: usize = 24;
/// Number of words for light in an update: v_light, and the readings of the eight light sensors.
const LIGHT: usize = TAG_CELL - PLAIN_CELLS + 8;
/// Number of words for a tag in an update: v_tag, and range and bearing of the nearest tag.
const TAG: usize = GROUND_CELL - TAG_CELL + 2;
/// Number of words for a ground reading in an update: s_ground, and the brightness of the floor.
const GROUND: usize = 2;
/// Maximum number of nodes in a tree. The number of nodes with memory has the same limit.
pub const MAX_NODES: usize = 2048;
/// Maximum number of neighbours in an update.
pub const MAX_NEIGHBOURS: usize = 256;
/// Maximum length of a tree in compact form (bytes): one byte for the tree, and at most 19 bytes per node.
pub const MAX_TREE: usize = 1 + 19 * MAX_NODES;
/// Number of words that every update contains.
const PLAIN: usize = 6 + PLAIN_CELLS + 8 + 4 + 3;
/// Maximum number of words in an update.
const MAX_WORDS: usize = PLAIN + LIGHT + TAG + GROUND + MAX_NODES / 16 + 3 * MAX_NEIGHBOURS;
/// Maximum length of an update (bytes).
const MAX_UPDATE: usize = 2 + MAX_WORDS.div_ceil(4) + 4 * MAX_WORDS;
/// Maximum length of a batch's data (bytes).
pub const MAX_DATA: usize = BATCH * MAX_UPDATE;
/// Number of data bytes of a word, indexed by the word's 2-bit tag.
const LENGTHS: [usize; 4] = [0, 2, 3, 4];

/// Batch of consecutive control updates of a robot. The robot's tree is the same in all updates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Updates {
    /// Session number from the robot's hello message. It changes when the robot's program starts.
    pub session: u64,
    /// Number of the experiment.
    pub run: u64,
    /// Number of the experiment's segment that the tree belongs to; 0 before the first segment.
    pub segment: u32,
    /// Number of the first update in the batch, counted from the start of the robot's program. A gap between batches
    /// of a session means that updates were lost.
    pub first: u32,
    /// Number of updates in the batch.
    pub count: u16,
    /// Time of the first update by the robot's clock (s).
    pub start: f64,
    /// Hash of the tree that controls the robot, as 16 hexadecimal digits; empty without a tree. The hash is FNV-1a of
    /// the exact bits of the tree's nodes.
    pub tree: String,
    /// Number of nodes of the tree.
    pub nodes: u16,
    /// Tree in compact form. The first batch with a tree contains the compact form. In most later batches with the same
    /// tree, this field is empty.
    pub compact: Bytes,
    /// Memory of the tree's nodes before the first update, in preorder of the nodes with memory.
    pub memory: Vec<u16>,
    /// Bits of the scratch registers s_scr, v_scr.x and v_scr.y before the first update.
    pub scratch: [u32; 3],
    /// Encoded updates of the batch.
    pub data: Bytes,
}

/// Control update of a robot. Floating-point values are stored as their bits, so that they are restored exactly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Update {
    /// Time since the first update of the batch (us).
    pub after_us: u32,
    /// State that the hub commanded.
    pub state: State,
    /// Whether the tree was ticked. Otherwise the wheels were stopped, unless an external controller drove the robot.
    pub ticked: bool,
    /// Whether an external controller (program or operator) drove the robot. The wheel speeds are then the commands of
    /// this controller.
    pub driven: bool,
    /// Whether the tree used the camera frame, and whether it used the virtual senses. Stale values are not used.
    pub used: [bool; 2],
    /// Blobs that the camera sees, with one bit per colour and image segment (see [`Update::blob`]).
    pub blobs: u16,
    /// Bits of the ages of the body's senses, the camera frame and the virtual senses (s). The age of a missing value
    /// is NaN.
    pub ages: [u32; 3],
    /// Bits of the direction of the world's +x axis in the robot's frame (rad). The hub sends this direction.
    pub up: u32,
    /// Bits of the blackboard's cells after the tick. A tick changes only the scratch registers and v_goal. v_goal is
    /// NaN if no node wrote it.
    pub cells: [u32; CELLS],
    /// Bits of the eight proximity readings.
    pub proximity: [u32; 8],
    /// Bits of the brightness at the eight light sensors. `None` if the tree does not read light; v_light is then 0 and
    /// not encoded.
    pub light: Option<[u32; 8]>,
    /// Bits of range (m) and bearing (rad) of the nearest tag in the camera frame. `None` if the tree does not read
    /// tags or no tag was found; v_tag is then 0 and not encoded.
    pub tag: Option<[u32; 2]>,
    /// Bits of the brightness of the floor under the ground sensor (0 to 1). `None` if the tree does not read the ground
    /// or there is no reading; s_ground is then 0 and not encoded.
    pub ground: Option<u32>,
    /// Bits of four wheel speeds (m/s): left and right speed that the tree requested, then left and right speed that
    /// were sent to the body.
    pub wheels: [u32; 4],
    /// Result of each node of the tree, in preorder: 0 not ticked, 1 running, 2 success, 3 failure.
    pub nodes: Vec<u8>,
    /// Robots in range. A robot is described by its island number, and the bits of its range (m) and bearing (rad).
    pub neighbours: Vec<(u16, u32, u32)>,
}

/// Error for invalid updates.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("updates: {0}")]
pub struct Malformed(String);

impl Updates {
    /// Checks that all fields are within their limits.
    ///
    /// # Errors
    /// A field is out of bounds. The error names the first such field.
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

    /// Decodes the updates, sorted from the oldest to the newest.
    ///
    /// # Errors
    /// A field is out of bounds, or the data are not `count` updates of a tree with `nodes` nodes.
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
    /// Returns the bit in `blobs` for a colour and an image segment.
    pub fn blob(colour: usize, segment: usize) -> u16 {
        1 << (3 * colour + segment)
    }

    /// Replaces the contents of `words` by the words of the update:
    ///
    /// - word 0: index of the state in [`State`], plus the flags 16 (ticked), 32 (camera used), 64 (virtual senses
    ///   used), 128 (light follows), 256 (driven), 512 (tag
    ///   follows) and 1024 (ground follows)
    ///
    /// - words 1 to 5: time, blobs, number of neighbours, number of words with node results, direction of +x
    ///
    /// - first twenty cells, proximity, wheels, ages
    ///
    /// - only with light: v_light, eight sensors
    ///
    /// - only with a tag: v_tag, range, bearing
    ///
    /// - only with a ground reading: s_ground, brightness of the floor
    ///
    /// - results of the nodes (sixteen in a word, from the lowest bits)
    ///
    /// - island, range and bearing of each neighbour
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
            | u32::from(self.tag.is_some()) << 9
            | u32::from(self.ground.is_some()) << 10;
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
            words.extend_from_slice(&self.cells[TAG_CELL..GROUND_CELL]);
            words.extend_from_slice(tag);
        }
        if let Some(level) = self.ground {
            words.extend([self.cells[GROUND_CELL], level]);
        }
        let packed = |nodes: &[u8]| nodes.iter().rev().fold(0, |word, node| word << 2 | u32::from(node & 3));
        words.extend(self.nodes.chunks(16).map(packed));
        words.extend(self.neighbours.iter().flat_map(|(island, range, bearing)| [(*island).into(), *range, *bearing]));
    }

    /// Parses the words of an update of a tree with `nodes` nodes. Returns `None` if the words are invalid.
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
                all_cells[TAG_CELL..GROUND_CELL].copy_from_slice(&[*x, *y]);
                (Some([*range, *bearing]), rest)
            }
        };
        let (ground, rest) = match flags & 1024 != 0 {
            false => (None, rest),
            true => {
                let ([shade, level], rest) = rest.split_first_chunk::<GROUND>()?;
                all_cells[GROUND_CELL] = *shade;
                (Some(*level), rest)
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
            ground,
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
    /// Encodes an update and appends it to the batch.
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

    /// Returns the encoded updates of the batch and starts a new batch.
    pub fn finish_batch(&mut self) -> Bytes {
        let data = Bytes(self.data.clone());
        self.data.clear();
        self.before.clear();
        data
    }
}

/// Decodes the next update and removes it from `bytes`. `words` contains the words of the previous update, and receives
/// the words of the next update. Returns `None` if the bytes do not contain a complete update.
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
                TAG_CELL..GROUND_CELL if i.is_multiple_of(3) => 0,
                GROUND_CELL if i.is_multiple_of(5) => 0,
                25.. => 0,
                _ => cell as u32 * i,
            }),
            proximity: [u32::MAX.wrapping_mul(i); 8],
            light: (!i.is_multiple_of(2)).then_some([7 * i; 8]),
            tag: (!i.is_multiple_of(3)).then_some([i, 9 * i]),
            ground: (!i.is_multiple_of(5)).then_some(11 * i),
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
        // An update that equals the previous update is encoded without data bytes.
        let still = [update(2), update(2)];
        let longer = batch(&still).data.0.len() - batch(&still[..1]).data.0.len();
        assert_eq!(longer, 2 + (PLAIN + TAG + GROUND + 3 + 3 * 2usize).div_ceil(4));
    }

    #[test]
    fn truncated_changed_or_extended_updates_are_detected() {
        let whole = batch(&[update(1), update(2)]);
        let with = |data: Vec<u8>| Updates { data: Bytes(data), ..whole.clone() };
        for end in 0..whole.data.0.len() {
            assert!(with(whole.data.0[..end].to_vec()).unpack().is_err(), "cut at {end}");
        }
        assert!(with([&whole.data.0[..], &[0]].concat()).unpack().is_err());
        // A changed byte makes the batch invalid or changes an update. Only unused bits, such as the bits after the
        // last node, have no effect.
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
            // The last cell is always zero, and not encoded.
            cells: std::array::from_fn(|cell| if cell > GROUND_CELL { 0 } else { word(i) }),
            proximity: [word(i); 8],
            light: Some([word(i); 8]),
            tag: Some([word(i); 2]),
            ground: Some(word(i)),
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
