//! What the tests of real processes share.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::sync::atomic::{AtomicU32, Ordering};

/// The operator's tool, freshly built.
pub fn xpuck() -> Command {
    Command::new(env!("CARGO_BIN_EXE_xpuck"))
}

/// Processes that end with the test.
#[derive(Default)]
pub struct Children(pub Vec<Child>);

impl Drop for Children {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // One that has ended already needs no kill.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// All that a program has said.
pub fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// First of four free ports that no other test of this process gets. They lie below those that the kernel gives to
/// connections (from 32768 on), one of which could take them before they are used.
pub fn free_ports() -> u16 {
    const ROOM: u32 = 22_000;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let start = std::process::id() % 1000 * 16;
    for _ in 0..500 {
        let base = (10_000 + (start + NEXT.fetch_add(4, Ordering::Relaxed)) % ROOM) as u16;
        if (base..base + 4).all(|port| TcpListener::bind(("127.0.0.1", port)).is_ok()) {
            return base;
        }
    }
    panic!("no four free ports in a row");
}

/// Process ids whose command line holds every one of `words`.
pub fn processes(words: &[&str]) -> Vec<u32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        // A process may end while it is looked at; a zombie has an empty command line.
        let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if words.iter().all(|w| line.contains(w)) {
            found.push(id);
        }
    }
    found
}

/// The only directory below `dir` whose name starts with `prefix`.
pub fn only(dir: &Path, prefix: &str) -> PathBuf {
    let matching = |e: &std::fs::DirEntry| e.file_name().to_string_lossy().starts_with(prefix);
    let found: Vec<PathBuf> = std::fs::read_dir(dir).unwrap().flatten().filter(matching).map(|e| e.path()).collect();
    assert_eq!(found.len(), 1, "{prefix}* in {}: {found:?}", dir.display());
    found.into_iter().next().unwrap()
}

/// Messages of a record by topic; an unfinished file is read as far as it goes.
pub fn record(file: &Path) -> Vec<(String, serde_json::Value)> {
    let bytes = std::fs::read(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
    let stream = mcap::MessageStream::new_with_options(&bytes, mcap::read::Options::IgnoreEndMagic.into()).unwrap();
    stream.map_while(Result::ok).map(|m| (m.channel.topic.clone(), serde_json::from_slice(&m.data).unwrap())).collect()
}
