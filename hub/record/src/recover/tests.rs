use super::*;
use crate::container::survey::copy;
use crate::{McapFile, read::entries};
use std::collections::BTreeMap;
use std::ops::Range;
use std::os::unix::net::UnixListener;
use xpuck_hub_core::entry::Entry;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_wire::telemetry::Telemetry;

/// Undamaged record with the positions of its chunks.
struct Good {
    bytes: Vec<u8>,
    /// Byte range of each chunk, and the times of the messages in the chunk (s).
    chunks: Vec<(Range<usize>, Vec<f64>)>,
}

/// Returns a record of `chunks` chunks with four messages each.
fn good(chunks: u32) -> Good {
    let mut file = McapFile::begin(io::Cursor::new(Vec::new())).unwrap();
    for i in 0..chunks * 4 {
        let time = f64::from(i);
        let text = format!("event {i} {}", "abc".repeat(i as usize % 7));
        file.write(&match i % 3 {
            0 => Entry::event(time, text),
            1 => Entry::Poses { time, bodies: vec![] },
            _ => Entry::Telemetry { time, robot: text, round_trip_ms: None, telemetry: Box::new(Telemetry::default()) },
        })
        .unwrap();
        if i % 4 == 3 {
            file.flush().unwrap();
        }
    }
    file.finish().unwrap();
    let bytes = file.into_inner().into_inner();
    // Chunks are records of kind 6. A record has a kind, a length in 8 bytes, and data.
    let (mut at, mut found) = (8, Vec::new());
    while at + 9 <= bytes.len() - 8 {
        let length = u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap()) as usize;
        if bytes[at] == 6 {
            let first = found.len() * 4;
            found.push((at..at + 9 + length, (first..first + 4).map(|i| i as f64).collect()));
        }
        at += 9 + length;
    }
    assert_eq!(found.len() as u32, chunks);
    Good { bytes, chunks: found }
}

fn times(path: &Path) -> Vec<f64> {
    entries(path).unwrap().map(|entry| entry.unwrap().time()).collect()
}

/// Names and contents of the files that a folder contains.
type Held = Vec<(String, Vec<u8>)>;

/// Recovers a file with this name and these bytes in a new folder. Returns the result, and the files in the folder
/// after the recovery.
fn recover(name: &str, bytes: &[u8]) -> (Result<Recovered, RecordError>, Held) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let recovered = file(&path);
    let read =
        |path: &PathBuf| (path.file_name().unwrap().to_string_lossy().into_owned(), std::fs::read(path).unwrap());
    let held = files(folder.path()).unwrap().iter().map(read).collect();
    if let Ok(recovered) = &recovered {
        let bytes = std::fs::read(&recovered.path).unwrap();
        assert!(mcap::Summary::read(&bytes).unwrap().is_some(), "it has a summary");
        assert_eq!(times(&recovered.path).len() as u64, recovered.messages);
        assert_eq!(file(&recovered.path).unwrap().damage, None, "what was made whole is whole");
    }
    (recovered, held)
}

#[test]
fn truncated_file_keeps_every_complete_chunk() {
    let good = good(10);
    let (mut cuts, mut clean) = (0, 0);
    // The file is cut at every length up to 1500 bytes, and then at multiples of 13 bytes.
    for cut in (8..good.bytes.len()).filter(|cut| *cut < 1500 || cut % 13 == 0) {
        let whole: Vec<f64> = good.chunks.iter().filter(|c| c.0.end <= cut).flat_map(|c| c.1.clone()).collect();
        let (recovered, held) = recover("run.mcap.open", &good.bytes[..cut]);
        cuts += 1;
        match recovered {
            Ok(recovered) => {
                assert_eq!(recovered.messages as usize, whole.len(), "cut at {cut}");
                clean += u32::from(recovered.damage.is_none());
                let kept = held.iter().any(|(_, bytes)| *bytes == good.bytes[..cut]);
                assert!(kept || recovered.damage.is_none(), "cut at {cut}: {recovered:?}");
                assert!(held.iter().all(|(name, _)| name == "run.mcap" || name == "run.mcap.damaged"), "{held:?}");
            }
            Err(_) => assert!(whole.is_empty() && held == [("run.mcap.open".into(), good.bytes[..cut].to_vec())]),
        }
    }
    assert!(clean > 0 && clean < cuts / 10, "{clean} of {cuts} cuts were between two records");
}

#[test]
fn link_in_the_place_of_the_new_file_does_not_reach_its_target() {
    let folder = tempfile::tempdir().unwrap();
    let (path, precious) = (folder.path().join("run.mcap"), folder.path().join("precious"));
    let whole = good(3).bytes;
    std::fs::write(&path, &whole[..whole.len() - 200]).unwrap();
    std::fs::write(&precious, "precious").unwrap();
    std::os::unix::fs::symlink(&precious, folder.path().join("run.mcap.recovering")).unwrap();
    let refused = file(&path).unwrap_err().to_string();
    assert!(refused.contains("run.mcap.recovering: already exists"), "{refused}");
    assert_eq!(std::fs::read(&precious).unwrap(), b"precious");
    assert!(path.symlink_metadata().unwrap().is_file());
}

#[test]
fn recovery_replaces_own_leftovers_keeps_other_files() {
    let folder = tempfile::tempdir().unwrap();
    let (path, beside) = (folder.path().join("run.mcap"), folder.path().join("run.mcap.recovering"));
    let whole = good(3).bytes;
    std::fs::write(&path, &whole[..whole.len() - 200]).unwrap();
    std::fs::write(&beside, "mine").unwrap();
    assert!(file(&path).unwrap_err().to_string().contains("already exists"));
    assert_eq!(std::fs::read(&beside).unwrap(), b"mine");
    std::fs::write(&beside, &whole[..20]).unwrap();
    assert!(!file(&path).unwrap().untouched && !beside.exists());
}

#[test]
fn incomplete_chunk_does_not_count_as_damage() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.mcap.open");
    let mut record = McapFile::begin(File::create(&path).unwrap()).unwrap();
    let entry = |i: u32| Entry::event(i.into(), "x".repeat(i as usize));
    record.write(&entry(1)).unwrap();
    record.flush().unwrap();
    (2..400).for_each(|i| record.write(&entry(i)).unwrap());
    let killed = std::fs::read(&path).unwrap();
    std::mem::forget(record);
    let (recovered, held) = recover("run.mcap.open", &killed);
    assert_eq!(recovered.map(|r| (r.messages, r.damage)).unwrap(), (1, None));
    assert_eq!(held.len(), 1);
}

/// Damages a record at random. Returns the kind of damage, and the range of the original that is not intact.
fn damage(bytes: &mut Vec<u8>, draws: &mut Draws) -> (&'static str, Range<usize>) {
    let length = bytes.len();
    let at = draws.below(length as u32) as usize;
    let end = (at + 1 + draws.below(4096) as usize).min(length);
    match draws.below(5) {
        0 => {
            bytes[at] ^= 1 << draws.below(8);
            ("flip", at..at + 1)
        }
        1 => {
            bytes[at..end].fill(0);
            ("zero", at..end)
        }
        2 => {
            bytes.truncate(at);
            ("cut", at..length)
        }
        3 => {
            // The block is duplicated. The second copy splits the chunk that contains the position `end`.
            let block = bytes[at..end].to_vec();
            bytes.splice(end..end, block);
            ("insert", end..end)
        }
        _ => {
            // The block overwrites the bytes at another position.
            let to = draws.below(length as u32) as usize;
            let block = bytes[at..end.min(at + length - to)].to_vec();
            bytes[to..to + block.len()].copy_from_slice(&block);
            ("overwrite", to..to + block.len())
        }
    }
}

/// Returns the number of random damage cases.
fn cases() -> u64 {
    std::env::var("XPUCK_DAMAGES").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

#[test]
fn random_damage_keeps_valid_chunks_and_original() {
    let good = good(60);
    let all: Vec<f64> = good.chunks.iter().flat_map(|chunk| chunk.1.clone()).collect();
    // A killed hub leaves a file without the data-end record and without the summary.
    let unfinished = good.bytes.len() - 37 - summary_length(&good.bytes) - 13;
    let (mut kinds, mut refused, mut harmless) = (BTreeMap::<_, u32>::new(), 0, 0);
    for case in 0..cases() {
        let mut draws = Draws::new(case, 0, 0, 0, Stream::Device);
        let (name, length) = match case % 3 {
            0 => ("run.mcap.open", good.bytes.len()),
            1 => ("run.mcap.open", unfinished),
            _ => ("run.mcap", good.bytes.len()),
        };
        let mut bytes = good.bytes[..length].to_vec();
        let (kind, hit) = damage(&mut bytes, &mut draws);
        let is_whole = |place: &Range<usize>| match kind {
            "insert" => hit.start <= place.start || place.end <= hit.start,
            _ => place.end <= hit.start || hit.end <= place.start,
        };
        let whole = good.chunks.iter().filter(|(place, _)| is_whole(place));
        let expected: Vec<f64> = whole.flat_map(|(_, times)| times.clone()).collect();
        let (recovered, held) = recover(name, &bytes);
        *kinds.entry(kind).or_default() += 1;
        let kept = held.iter().any(|(_, held)| *held == bytes);
        match recovered {
            Ok(recovered) => {
                let new = &held.iter().find(|(name, _)| name == "run.mcap").unwrap().1;
                let read = read_times(new);
                assert!(
                    expected.iter().all(|time| read.contains(time)),
                    "case {case}, {kind} at {hit:?}: {recovered:?}"
                );
                assert!(read.is_sorted_by(|a, b| a < b), "case {case}, {kind}: once and in order");
                // A cut between two records is not damage. A flipped bit may also be without effect.
                let nothing_lost = recovered.damage.is_none() && (kind == "cut" || read == all);
                assert!(kept || nothing_lost, "case {case}, {kind} at {hit:?}: {recovered:?}");
                harmless += u32::from(!kept);
            }
            Err(error) => {
                assert!(expected.is_empty() && kept && held.len() == 1, "case {case}, {kind} at {hit:?}: {error}");
                refused += 1;
            }
        }
    }
    println!("{kinds:?}: {refused} held no whole chunk, {harmless} were no damage");
}

/// Returns the length of the summary before the footer (bytes).
fn summary_length(bytes: &[u8]) -> usize {
    let footer = bytes.len() - 37;
    let start = u64::from_le_bytes(bytes[footer + 9..footer + 17].try_into().unwrap()) as usize;
    footer - start
}

fn read_times(bytes: &[u8]) -> Vec<f64> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("read.mcap");
    std::fs::write(&path, bytes).unwrap();
    times(&path)
}

#[test]
fn loss_is_reported_in_bytes_and_seconds() {
    let good = good(10);
    let mut bytes = good.bytes.clone();
    bytes[good.chunks[4].0.start + 70..][..20].fill(0);
    let (recovered, held) = recover("run.mcap.open", &bytes);
    let recovered = recovered.unwrap();
    // The damage is between the messages at 15 s and 20 s.
    let told = recovered.damage.clone().unwrap();
    assert!(told.contains("in 1 place") && told.contains("at most 5.0 s of arena time"), "{told}");
    assert_eq!(recovered.messages, 36);
    assert_eq!(held[1], ("run.mcap.damaged".into(), bytes));
    // If damage affects no messages, no loss is reported.
    let mut bytes = good.bytes.clone();
    bytes[12] ^= 1;
    let told = recover("run.mcap", &bytes).0.unwrap().damage.unwrap();
    assert!(!told.contains("lost"), "{told}");
    // The damage is at the end of the file.
    let told = recover("run.mcap", &good.bytes[..good.chunks[9].0.end - 1]).0.unwrap().damage.unwrap();
    assert!(told.contains("data after 35.0 s are lost"), "{told}");
}

#[test]
fn only_what_is_an_mcap_is_touched() {
    let good = good(3);
    let text = b"what somebody wrote\n".repeat(1000);
    for (name, bytes) in [("notes.txt", &text[..]), ("empty", b""), ("tree.bt", b"sel\n")] {
        let (refused, held) = recover(name, bytes);
        assert!(refused.unwrap_err().to_string().contains("not an MCAP file"));
        assert_eq!(held, [(name.into(), bytes.to_vec())]);
    }
    for (name, bytes) in [("x.mcap", &text[..]), ("x.mcap.open", &text), ("x.mcap", b""), ("y", b"\x89MCAP0\r\nx")] {
        let (refused, held) = recover(name, bytes);
        assert!(refused.unwrap_err().to_string().contains("no message could be recovered"));
        assert_eq!(held, [(name.into(), bytes.to_vec())]);
    }
    // A complete record is unchanged, byte by byte. If its name marks it as open, it is renamed.
    for name in ["run.mcap", "run.mcap.open", "other"] {
        let (recovered, held) = recover(name, &good.bytes);
        assert_eq!(recovered.map(|r| (r.messages, r.damage)).unwrap(), (12, None));
        assert_eq!(held, [(name.trim_end_matches(".open").into(), good.bytes.clone())]);
    }
    // Chunks without a file header are recovered from a file with any name.
    let (recovered, held) = recover("found.000", &good.bytes[good.chunks[1].0.start - 3..]);
    assert_eq!(recovered.unwrap().messages, 8);
    assert_eq!((held.len(), held[1].0.as_str()), (2, "found.000.damaged"));
    let folder = tempfile::tempdir().unwrap();
    let _socket = UnixListener::bind(folder.path().join("x.mcap")).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        folder.path().join("pipe.mcap"),
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    for name in ["x.mcap", "pipe.mcap", "."] {
        assert!(file(&folder.path().join(name)).is_err());
    }
    let refused = file(&folder.path().join("pipe.mcap")).unwrap_err().to_string();
    assert!(refused.contains("pipe.mcap") && refused.contains("pipe or socket"), "{refused}");
}

#[test]
fn empty_open_file_is_moved_aside_once() {
    let folder = tempfile::tempdir().unwrap();
    let [broken, empty, good_one] =
        ["run.mcap.open", "run-2.mcap.open", "run-3.mcap.open"].map(|n| folder.path().join(n));
    std::fs::write(&broken, [7; 5000]).unwrap();
    std::fs::write(&empty, b"").unwrap();
    std::fs::write(&good_one, &good(2).bytes).unwrap();
    let done = run(folder.path(), &left_open(folder.path()).unwrap()).unwrap();
    let messages: Vec<u64> = done.iter().map(|r| r.messages).collect();
    assert_eq!(messages, [0, 8, 0], "{done:?}");
    assert!(left_open(folder.path()).unwrap().is_empty());
    assert_eq!(std::fs::read(folder.path().join("run.mcap.damaged")).unwrap(), [7; 5000]);
    assert_eq!(times(folder.path()).len(), 8);
}

#[test]
fn complete_record_is_never_replaced_by_open_one() {
    let folder = tempfile::tempdir().unwrap();
    let [whole, open] = ["run.mcap", "run.mcap.open"].map(|name| folder.path().join(name));
    let (one, other) = (good(3).bytes, good(4).bytes);
    std::fs::write(&whole, &one).unwrap();
    for bytes in [&other[..], &other[..other.len() - 30]] {
        std::fs::write(&open, bytes).unwrap();
        assert!(file(&open).is_err());
        assert!(std::fs::read(&whole).unwrap() == one && std::fs::read(&open).unwrap() == bytes);
        assert_eq!(files(folder.path()).unwrap().len(), 2);
    }
}

#[test]
fn bytes_resembling_records_cause_no_loss() {
    let good = good(10);
    // A length that exceeds the file is written at every position of a chunk's header.
    let start = good.chunks[2].0.start;
    for at in start..start + 60 {
        for value in [0xff, 0x7f, 0x80] {
            let mut bytes = good.bytes.clone();
            bytes[at] = value;
            let (recovered, _) = recover("run.mcap", &bytes);
            assert!(recovered.unwrap().messages >= 36, "byte {at}");
        }
    }
    // The chunk contains 16 bytes of records. The first record has nine bytes, and the second one exceeds the chunk.
    let header = [&[1][..], &24u64.to_le_bytes(), &[0; 4], &16u32.to_le_bytes(), b"mcap-rusz/0.26.0"].concat();
    let mut chunk = [&[6][..], &126u64.to_le_bytes(), &[0; 162]].concat();
    chunk[9 + 32] = 16;
    let longer = [b"\x89MCAP0\r\n", &header[..], &chunk, b"C\x04\0"].concat();
    for bad in [&b""[..], &longer, b"\x89MCAP0\r\n", b"not an mcap at all", &[0x06; 64]] {
        let (proof, _) = copy(bad, io::Cursor::new(Vec::new())).unwrap();
        assert_eq!(proof.messages, 0);
    }
}

/// Measures the recovery time in docs/performance.md.
#[test]
#[ignore = "measures"]
fn how_long_the_recovery_of_ten_megabytes_takes() {
    let mut record = McapFile::begin(io::Cursor::new(Vec::new())).unwrap();
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    for i in 0..130_000u32 {
        let text = format!("{:x}{:x}", draws.below(1 << 30), draws.below(1 << 30)).repeat(4);
        let telemetry = Box::new(Telemetry { segment: i, ..Telemetry::default() });
        record
            .write(&Entry::Telemetry { time: f64::from(i) / 90.0, robot: text, round_trip_ms: None, telemetry })
            .unwrap();
        if i % 45 == 44 {
            record.flush().unwrap();
        }
    }
    record.finish().unwrap();
    let mut bytes = record.into_inner().into_inner();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 4096].fill(0);
    let folder = tempfile::tempdir_in(".").unwrap();
    let path = folder.path().join("run.mcap.open");
    for _ in 0..5 {
        std::fs::write(&path, &bytes).unwrap();
        let began = std::time::Instant::now();
        let recovered = file(&path).unwrap();
        println!("{:.2} s for {} bytes: {}", began.elapsed().as_secs_f64(), bytes.len(), recovered.words());
        for left in files(folder.path()).unwrap() {
            std::fs::remove_file(left).unwrap();
        }
    }
}

#[test]
fn file_being_written_is_left_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let open = directory.path().join("run.mcap.open");
    let held = File::create(&open).unwrap();
    held.lock().unwrap();
    assert!(file(&open).unwrap_err().to_string().contains("being written by a hub"));
    assert!(open.exists() && is_written(&open).unwrap());
}

#[test]
fn pipe_instead_of_file_does_not_block() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("run.mcap.open");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    assert!(is_written(&pipe).unwrap_err().to_string().contains("named pipe"));
}

/// Rewrites the messages of a record as other programs do: without chunks, with another compression, or with added
/// records.
fn rewritten(good: &Good, options: mcap::WriteOptions, is_annotated: bool) -> Vec<u8> {
    let mut writer = options.profile("lab").library("another program 1.0").create(io::Cursor::new(Vec::new())).unwrap();
    if is_annotated {
        let metadata = BTreeMap::from([("light".to_string(), "dimmed".to_string())]);
        writer.write_metadata(&mcap::records::Metadata { name: "lab".into(), metadata }).unwrap();
        let name = "arena.mcap".to_string();
        // A chunk in an attachment does not belong to the record.
        let data = good.bytes.clone().into();
        let media_type = "application/octet-stream".into();
        writer.attach(&mcap::Attachment { log_time: 1, create_time: 1, name, media_type, data }).unwrap();
    }
    for message in mcap::MessageStream::new(&good.bytes).unwrap() {
        writer.write(&message.unwrap()).unwrap();
    }
    writer.finish().unwrap();
    writer.into_inner().into_inner()
}

#[test]
fn foreign_records_are_valid_and_keep_attachments() {
    let good = good(6);
    let plain = || mcap::WriteOptions::new().compression(None);
    let lz4 = {
        let mut bytes = rewritten(&good, plain().chunk_size(Some(1 << 20)), true);
        // The MCAP library cannot write LZ4 here, so the only chunk is compressed by this test.
        let from = chunk_behind_attachment(&bytes);
        let body = u64::from_le_bytes(bytes[from + 1..from + 9].try_into().unwrap()) as usize;
        let data = bytes[from + 9 + 40..from + 9 + body].to_vec();
        let mut packed = lz4_flex::frame::FrameEncoder::new(Vec::new());
        io::Write::write_all(&mut packed, &data).unwrap();
        let packed = packed.finish().unwrap();
        let mut chunk = vec![6];
        chunk.extend((43 + packed.len() as u64).to_le_bytes());
        chunk.extend(&bytes[from + 9..from + 9 + 28]);
        chunk.extend(3u32.to_le_bytes());
        chunk.extend(b"lz4");
        chunk.extend((packed.len() as u64).to_le_bytes());
        chunk.extend(packed);
        bytes.splice(from..from + 9 + body, chunk);
        bytes
    };
    let files = [
        ("uncompressed", rewritten(&good, plain(), true)),
        ("zstd", rewritten(&good, mcap::WriteOptions::new(), true)),
        ("chunkless", rewritten(&good, plain().use_chunks(false), false)),
        ("chunkless, annotated", rewritten(&good, plain().use_chunks(false), true)),
        ("LZ4", lz4),
    ];
    for (what, bytes) in files {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        std::fs::write(&path, &bytes).unwrap();
        assert_eq!(times(&path), (0..24).map(f64::from).collect::<Vec<_>>(), "{what}");
        if what != "LZ4" {
            let recovered = file(&path).unwrap();
            assert!(recovered.untouched && recovered.damage.is_none(), "{what}: {recovered:?}");
        }
        // A truncated file is recovered with all added records.
        let end = bytes.len() - 30;
        std::fs::write(&path, &bytes[..end]).unwrap();
        let recovered = file(&path).unwrap();
        assert_eq!(recovered.messages, 24, "{what}: {recovered:?}");
        let new = std::fs::read(&recovered.path).unwrap();
        let summary = mcap::Summary::read(&new).unwrap().unwrap();
        let annotated = usize::from(what != "chunkless");
        assert_eq!(
            (summary.metadata_indexes.len(), summary.attachment_indexes.len()),
            (annotated, annotated),
            "{what}"
        );
        let header = String::from_utf8_lossy(&new[..80]).into_owned();
        assert!(header.contains("another program 1.0") && header.contains("lab"), "{what}");
    }
}

/// Returns the offset of the first chunk that is not part of an attachment.
fn chunk_behind_attachment(bytes: &[u8]) -> usize {
    let mut at = 8;
    while bytes[at] != 6 {
        at += 9 + u64::from_le_bytes(bytes[at + 1..at + 9].try_into().unwrap()) as usize;
    }
    at
}
