//! Upload of a bundle to the hub. An interrupted upload is resumed.

use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::time::Duration;
use xpuck_update::bundle::Head;
use xpuck_wire::bytes::Bytes;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::rollout::MAX_PIECE;
use xpuck_wire::socket::{AskError, OperatorLink};

/// Maximum number of attempts to upload a piece of the bundle. An attempt may fail because the hub's disk is busy, or
/// because the hub is verifying received data.
const TRIES: u32 = 20;
/// Waiting time between two attempts.
const PAUSE: Duration = Duration::from_millis(200);

/// Uploads a bundle's payload. The payload has `size` bytes, and starts at the byte offset `begins` in `file`.
pub fn upload(link: &OperatorLink, head: Head, size: u64, mut file: File, begins: u64) -> Result<()> {
    let progress = Progress::bytes("uploading", false);
    let mut there = ask(link, &head, 0, Vec::new())?;
    progress.begin_at(there);
    let mut stood = 0;
    while there < size {
        let mut bytes = vec![0; (size - there).min(MAX_PIECE as u64) as usize];
        file.seek(SeekFrom::Start(begins + there))?;
        file.read_exact(&mut bytes)?;
        let next = ask(link, &head, there, bytes)?;
        stood = if next > there { 0 } else { stood + 1 };
        if stood > TRIES {
            bail!("the hub accepts only {next} of {size} bytes of the bundle; try again");
        }
        there = next;
        progress.set(there, size);
    }
    Ok(())
}

fn ask(link: &OperatorLink, head: &Head, offset: u64, bytes: Vec<u8>) -> Result<u64> {
    let request = Request::Upload { bundle: head.clone().into(), offset, bytes: Bytes(bytes) };
    let mut tries = 0;
    loop {
        tries += 1;
        match link.ask(&request) {
            Ok(Reply::Uploaded(there)) => return Ok(there),
            Ok(Reply::Refused(why)) if tries >= TRIES || !why.contains("try again") => bail!("refused: {why}"),
            Ok(Reply::Refused(_)) => {}
            Err(AskError::NoAnswer(_)) if tries < TRIES / 4 => {}
            Err(error) => return Err(error.into()),
            Ok(_) => bail!("unexpected answer from the hub"),
        }
        std::thread::sleep(PAUSE);
    }
}
