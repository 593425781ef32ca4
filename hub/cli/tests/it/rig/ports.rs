//! Reserves ports for programs that cannot request a free port from the kernel.

use std::collections::hash_map::RandomState;
use std::fs::{File, TryLockError};
use std::hash::BuildHasher;
use std::net::{TcpListener, UdpSocket};
use std::path::Path;

/// Number of adjacent ports that are reserved together.
const BLOCK: u16 = 4;

/// Range of the reserved ports. From 32768 on, the kernel uses ports for outgoing connections.
const RANGE: std::ops::Range<u16> = 10_000..32_000;

/// Returns the first of four adjacent free ports.
///
/// A lock on a file in the build folder reserves these ports against other tests for the lifetime of this process. A
/// bind detects ports that are in use by programs without such locks.
pub fn free_ports() -> u16 {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ports");
    std::fs::create_dir_all(&folder).unwrap();
    let blocks = (RANGE.end - RANGE.start) / BLOCK;
    // The search starts at a random block, so that processes that start at the same time rarely try the same ports.
    let start = (RandomState::new().hash_one(std::process::id()) % u64::from(blocks)) as u16;
    for i in 0..blocks {
        let first = RANGE.start + (start + i) % blocks * BLOCK;
        let file =
            File::options().create(true).truncate(false).write(true).open(folder.join(first.to_string())).unwrap();
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => continue,
            Err(TryLockError::Error(error)) => panic!("{}/{first}: {error}", folder.display()),
        }
        if (first..first + BLOCK).all(is_free) {
            // The lock is never released, so it lasts until the process ends.
            std::mem::forget(file);
            return first;
        }
    }
    panic!("no {BLOCK} free ports in a row in {RANGE:?}");
}

fn is_free(port: u16) -> bool {
    let address = ("127.0.0.1", port);
    TcpListener::bind(address).is_ok() && UdpSocket::bind(address).is_ok()
}

#[test]
fn blocks_of_ports_are_distinct_and_below_32768() {
    let mut blocks: Vec<u16> = (0..20).map(|_| free_ports()).collect();
    blocks.sort_unstable();
    assert!(blocks.windows(2).all(|pair| pair[0] + BLOCK <= pair[1]) && blocks[19] < 32_768 - BLOCK, "{blocks:?}");
}
