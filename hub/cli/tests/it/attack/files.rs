//! Attacks with damaged configuration files and trees. `xpuck check` must reject or read each file, and must not
//! crash.

use crate::rig::xpuck;
use std::path::{Path, PathBuf};
use xpuck_kernels::random::{Draws, Stream};

/// Number of files in one call of `xpuck check`.
const BATCH: usize = 250;

/// Returns the paths of the sample files (.toml and .bt) in the documentation.
fn samples() -> Vec<PathBuf> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let mut found = Vec::new();
    let mut open = vec![docs];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension().and_then(|extension| extension.to_str()) {
                _ if path.is_dir() => open.push(path),
                Some("toml" | "bt") => found.push(path),
                _ => {}
            }
        }
    }
    found.sort();
    found
}

/// Returns a copy of the bytes with one of ten kinds of damage.
fn damage(bytes: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = draws.below(bytes.len() as u32) as usize;
    let piece: Vec<u8> = match draws.below(10) {
        0 => return bytes[..at].to_vec(),
        1 => {
            bytes[at] ^= 1 << draws.below(8);
            return bytes;
        }
        2 => bytes[at..(at + 40).min(bytes.len())].to_vec(),
        3 => b"\n[".repeat(2000),
        4 => b"1e308".to_vec(),
        5 => b"nan".to_vec(),
        6 => b"-99999999999999999999".to_vec(),
        7 => vec![0xff, 0xfe, 0],
        8 => b"x".repeat(100_000),
        _ => "\"\u{202e}\u{1b}[31m".into(),
    };
    bytes.splice(at..at, piece);
    bytes
}

#[test]
fn damaged_files_are_rejected_or_read_in_plain_lines() {
    let folder = tempfile::tempdir().unwrap();
    let samples = samples();
    assert!(samples.len() > 50, "{} samples", samples.len());
    let count = super::size(500);
    let (mut wrong, mut lines) = (0, 0);
    for batch in 0..count.div_ceil(BATCH) {
        let files: Vec<PathBuf> = (batch * BATCH..count.min((batch + 1) * BATCH))
            .map(|number| {
                let mut draws = Draws::new(number as u64, 1, 0, 0, Stream::Device);
                let sample = &samples[number % samples.len()];
                let extension = sample.extension().unwrap().to_str().unwrap();
                let path = folder.path().join(format!("{number}.{extension}"));
                std::fs::write(&path, damage(&std::fs::read(sample).unwrap(), &mut draws)).unwrap();
                path
            })
            .collect();
        let output = xpuck().arg("check").args(&files).output().unwrap();
        assert!(matches!(output.status.code(), Some(0 | 1)), "batch {batch}: {}", output.status);
        let said = String::from_utf8([output.stdout, output.stderr].concat()).expect("plain text");
        assert!(!said.contains("panicked") && !said.contains(['\u{1b}', '\u{202e}']), "batch {batch}: {said}");
        wrong += said.lines().filter(|line| line.contains(": ")).count();
        lines += said.lines().count();
        files.iter().for_each(|file| std::fs::remove_file(file).unwrap());
    }
    println!("{count} damaged files, {lines} lines, {wrong} with a reason");
    // Not every damaged file is rejected. For example, a changed letter in a comment leaves the file valid.
    assert!(wrong > count / 3, "{wrong} of {count} were rejected");
}
