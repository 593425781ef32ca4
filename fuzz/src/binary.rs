//! Fuzzes the reader of the binary tree format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::check;
use xpuck_kernels::tree::exchange::from_binary;

fuzz_target!(|bytes: &[u8]| {
    match from_binary(bytes) {
        Ok(tree) => check(&tree),
        Err(error) => assert!(!error.message.is_empty() && error.at <= bytes.len().max(12)),
    }
});
