//! Fuzzes the recovery of a truncated or damaged recording: the recovered file must be completely readable.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use xpuck_record::survey::{copy, read_back};

fuzz_target!(|bytes: &[u8]| {
    let mut whole = Cursor::new(Vec::new());
    if let Ok((proof, _)) = copy(bytes, &mut whole) {
        assert_eq!(read_back(whole.get_ref().as_slice()).expect("what was written is whole"), proof);
    }
});
