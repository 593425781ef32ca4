//! Fuzzes the recovery of a record that was cut off or damaged: what is written can be read again, all of it.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::io::Cursor;
use xpuck_hub::recorder::{read, recover};

fuzz_target!(|bytes: &[u8]| {
    let mut whole = Cursor::new(Vec::new());
    if let Ok((messages, _)) = recover::copy(bytes, &mut whole) {
        let again = read::messages(whole.get_ref().as_slice()).filter_map(Result::ok).count();
        assert_eq!(again as u64, messages);
    }
});
