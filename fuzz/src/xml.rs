//! Fuzzes the reader of the XML tree format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::check_read;
use xpuck_kernels::tree::exchange::from_xml;

fuzz_target!(|text: &str| check_read(from_xml(text)));
