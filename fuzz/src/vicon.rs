//! Fuzzes the hub's Vicon DataStream client and its pose filter. The first byte gives the length of the pieces into
//! which the stream is divided.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_fuzz::feed_chunks;
use xpuck_hub_core::config::ViconMode;
use xpuck_hub_service::mocap::vicon::Client;

fuzz_target!(|bytes: &[u8]| feed_chunks(&mut Client::new(ViconMode::Push, false), bytes));
