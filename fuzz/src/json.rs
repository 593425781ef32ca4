//! Fuzzes the reader of the JSON tree format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::check_read;
use xpuck_kernels::tree::exchange::from_json;

fuzz_target!(|text: &str| check_read(from_json(text)));
