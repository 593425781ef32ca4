//! Fuzzes the reader of the text tree format.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::check_read;
use xpuck_kernels::tree::{RegisterMap, Tree};

fuzz_target!(|text: &str| {
    check_read(Tree::parse(text));
    check_read(Tree::parse_with(text, RegisterMap::InSwarm, true));
});
