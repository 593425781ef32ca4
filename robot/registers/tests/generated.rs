//! Tests that the generated files in the repository match the tables.

use std::path::Path;
use xpuck_registers::{shim, spi};

/// Compares a file with its expected contents. With `XPUCK_RENEW=1` in the environment, the file is first overwritten
/// with these contents.
fn check(path: &str, text: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    if std::env::var_os("XPUCK_RENEW").is_some() {
        std::fs::write(&file, text).unwrap();
    }
    let found = std::fs::read_to_string(&file).unwrap_or_default();
    let renew = "XPUCK_RENEW=1 cargo test -p xpuck-registers --test generated";
    assert!(found == text, "{path} is not what the table says; `{renew}` renews it");
}

#[test]
fn protocol_page_matches_table() {
    check("docs/protocols/spi.md", &spi::page::page());
}

#[test]
fn firmware_header_matches_table() {
    check("robot/firmware/words.h", &spi::header::header());
}

#[test]
fn shim_page_and_header_match_table() {
    check("docs/protocols/shim.md", &shim::page::page());
    check("fpga/include/shim.vh", &shim::header::header());
}
