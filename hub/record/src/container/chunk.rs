//! Format of MCAP records and chunks (<https://mcap.dev/spec>), as far as reading requires it. A record consists of
//! its kind, the length of its body in 8 bytes, and the body. Numbers are little-endian. All functions are pure.

use std::io::Read;

/// Magic bytes at the beginning and the end of an MCAP file.
pub(crate) const MAGIC: &[u8; 8] = b"\x89MCAP0\r\n";
/// Maximum size of a chunk's data, compressed or not (bytes). A longer chunk counts as damage.
pub(crate) const MAX_CHUNK: u64 = 64 << 20;
/// Length of a record's kind and length fields, which precede its body (bytes).
pub(crate) const HEAD: usize = 9;
/// Length of the fields of a chunk that precede the name of its compression (bytes).
const FIXED: usize = HEAD + 32;
/// Length of the fields of a message's body that precede its data (bytes).
pub(crate) const MESSAGE_HEAD: usize = 22;
/// Maximum length of the fields of a supported chunk that precede its data (bytes).
pub(crate) const LONGEST_HEAD: usize = FIXED + "zstd".len() + 8;

/// Codes of record kinds.
pub(crate) mod kind {
    pub const HEADER: u8 = 0x01;
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const CHANNEL: u8 = 0x04;
    pub const MESSAGE: u8 = 0x05;
    pub const CHUNK: u8 = 0x06;
    pub const MESSAGE_INDEX: u8 = 0x07;
    pub const ATTACHMENT: u8 = 0x09;
    pub const METADATA: u8 = 0x0c;
    pub const DATA_END: u8 = 0x0f;
}

/// Reader of numbers and texts from the front of a byte slice. Its functions return `None` if the slice is too short.
pub(crate) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    pub fn take(&mut self, bytes: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(bytes)?;
        self.0 = rest;
        Some(taken)
    }

    pub fn u16(&mut self) -> Option<u16> {
        Some(u16::from_le_bytes(self.take(2)?.try_into().ok()?))
    }

    pub fn u32(&mut self) -> Option<u32> {
        Some(u32::from_le_bytes(self.take(4)?.try_into().ok()?))
    }

    pub fn u64(&mut self) -> Option<u64> {
        Some(u64::from_le_bytes(self.take(8)?.try_into().ok()?))
    }

    /// Reads a block that is preceded by its length in 4 bytes.
    pub fn block(&mut self) -> Option<&'a [u8]> {
        let length = self.u32()?;
        self.take(length as usize)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.block()?).ok()
    }

    /// Reads the next record: its kind and its body.
    pub fn record(&mut self) -> Option<(u8, &'a [u8])> {
        let kind = self.take(1)?[0];
        let length = self.u64()?;
        Some((kind, self.take(usize::try_from(length).ok()?)?))
    }
}

/// Compression of a chunk's data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Packing {
    Not,
    Zstd,
    Lz4,
}

impl Packing {
    fn from_name(name: &[u8]) -> Option<Packing> {
        match name {
            b"" => Some(Packing::Not),
            b"zstd" => Some(Packing::Zstd),
            b"lz4" => Some(Packing::Lz4),
            _ => None,
        }
    }

    /// Decompresses data to `unpacked` bytes.
    fn unpack(self, data: Vec<u8>, unpacked: usize) -> Option<Vec<u8>> {
        match self {
            Packing::Not => Some(data),
            Packing::Zstd => zstd::bulk::decompress(&data, unpacked).ok(),
            Packing::Lz4 => {
                let mut records = Vec::new();
                // One byte more than declared is read, to detect longer data.
                let frame = lz4_flex::frame::FrameDecoder::new(&data[..]);
                frame.take(unpacked as u64 + 1).read_to_end(&mut records).ok()?;
                Some(records)
            }
        }
    }
}

/// Header of a chunk. Only the consistency of its lengths has been verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Frame {
    /// Length of the chunk before its data (bytes).
    pub head: usize,
    /// Compressed length of the data (bytes).
    pub packed: u64,
    /// Times of the first and last message according to the header (ns).
    pub bounds: (u64, u64),
    packing: Packing,
    /// Uncompressed length of the data (bytes).
    pub unpacked: u64,
    crc: u32,
}

impl Frame {
    /// Reads the header of a chunk at the beginning of `bytes`. Returns `None` if no chunk begins there, its header is
    /// invalid, or it is longer than `left`, the remaining length of the file (bytes).
    pub fn read(bytes: &[u8], left: u64) -> Option<Frame> {
        let mut fields = Fields(bytes);
        if fields.take(1)?[0] != kind::CHUNK {
            return None;
        }
        let length = fields.u64()?;
        let bounds = (fields.u64()?, fields.u64()?);
        let (unpacked, crc) = (fields.u64()?, fields.u32()?);
        let name = fields.block()?;
        let packing = Packing::from_name(name)?;
        let packed = fields.u64()?;
        let head = FIXED + 8 + name.len();
        let plain = packing == Packing::Not;
        let fits = packed <= MAX_CHUNK && unpacked <= MAX_CHUNK && (!plain || packed == unpacked);
        let agree = length.checked_sub(packed) == Some((head - HEAD) as u64) && head as u64 + packed <= left;
        (fits && agree).then_some(Frame { head, packed, bounds, packing, unpacked, crc })
    }

    /// Decompresses the chunk's records. `None` if the uncompressed size or the checksum differs from the header. Also
    /// `None` unless the data consists of complete records of kinds that are allowed in a chunk.
    pub fn unpack(&self, data: Vec<u8>) -> Option<Vec<u8>> {
        let records = self.packing.unpack(data, self.unpacked as usize)?;
        let right = records.len() as u64 == self.unpacked
            // Programs that write no checksums write 0.
            && (self.crc == 0 || crc32fast::hash(&records) == self.crc)
            && are_records(&records);
        right.then_some(records)
    }
}

fn are_records(bytes: &[u8]) -> bool {
    let mut fields = Fields(bytes);
    while !fields.0.is_empty() {
        match fields.record() {
            Some((kind::MESSAGE, body)) if body.len() >= MESSAGE_HEAD => {}
            Some((kind::SCHEMA | kind::CHANNEL | 0x80.., _)) => {}
            _ => return false,
        }
    }
    true
}

/// Whether `bytes` begin with the placeholder of an unfinished chunk, in which no length is set.
pub(crate) fn is_begun(bytes: &[u8]) -> bool {
    let mut fields = Fields(bytes);
    let mut read = || {
        let open = fields.take(1)?[0] == kind::CHUNK && fields.u64()? == u64::MAX;
        let empty = fields.u64()? == 0 && fields.u64()? == 0;
        let unknown = fields.u64()? == u64::MAX && fields.u32()? == u32::MAX;
        let named = matches!(fields.block()?, b"" | b"zstd");
        Some(open && empty && unknown && named && fields.u64()? == u64::MAX)
    };
    read().unwrap_or(false)
}

/// Message in a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message<'a> {
    /// Offset of the message in the chunk's records (bytes).
    pub offset: usize,
    /// Id of the message's channel.
    pub channel: u16,
    /// Sequence number that the writer assigned.
    pub sequence: u32,
    /// Time of recording (ns).
    pub log_time: u64,
    /// Time of sending (ns).
    pub publish_time: u64,
    /// Contents of the message.
    pub data: &'a [u8],
}

/// Returns the messages in a chunk's records, in the order of the chunk.
pub(crate) fn messages(records: &[u8]) -> impl Iterator<Item = Message<'_>> {
    let mut fields = Fields(records);
    std::iter::from_fn(move || {
        loop {
            let offset = records.len() - fields.0.len();
            let (kind, body) = fields.record()?;
            if kind == kind::MESSAGE {
                return message(offset, body);
            }
        }
    })
}

/// Returns the minimum and maximum time of the messages (ns). `None` without messages.
pub(crate) fn bounds(records: &[u8]) -> Option<(u64, u64)> {
    messages(records).map(|m| (m.log_time, m.log_time)).reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}

fn message(offset: usize, body: &[u8]) -> Option<Message<'_>> {
    let mut fields = Fields(body);
    let (channel, sequence) = (fields.u16()?, fields.u32()?);
    let (log_time, publish_time) = (fields.u64()?, fields.u64()?);
    Some(Message { offset, channel, sequence, log_time, publish_time, data: fields.0 })
}
