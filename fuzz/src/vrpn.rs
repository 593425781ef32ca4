//! Fuzzes the hub's VRPN client and its pose filter. The first byte gives the length of the pieces into which the
//! stream is divided.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::feed_chunks;
use xpuck_hub_service::mocap::vrpn::Client;

fuzz_target!(|bytes: &[u8]| feed_chunks(&mut Client::new(), bytes));
