//! Server that provides the card as a network block device on a Unix socket. It uses the NBD protocol with the
//! handshake "fixed newstyle", and serves one virtual machine at a time.

use crate::card::Card;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

const HELLO: &[u8] = b"NBDMAGICIHAVEOPT";
const OPTION: &[u8] = b"IHAVEOPT";
const REPLY_MAGIC: u64 = 0x0003_e889_0455_65a9;
const REQUEST: u32 = 0x2560_9513;
const ANSWER: u32 = 0x6744_6698;
/// Maximum length of a request (bytes).
const MAX_REQUEST: u32 = 32 << 20;
/// Transmission flags of the export. They state that the flags are valid, and that flush requests are supported.
const FLAGS: u16 = 1 | 1 << 2;
const INVALID: u32 = 22;
const BROKEN: u32 = 5;

/// Starts a thread that serves a card until the process ends. The thread handles one connection at a time. `card` is
/// `None` while the card has no power.
///
/// # Errors
/// The socket cannot be bound.
pub fn serve(path: &Path, card: Arc<Mutex<Option<Card>>>) -> io::Result<()> {
    let listener = UnixListener::bind(path)?;
    std::thread::Builder::new().name("card".into()).spawn(move || {
        for stream in listener.incoming().flatten() {
            // An error is ignored, because it is expected: the test kills the virtual machine during requests.
            let _ = serve_client(stream, &card);
        }
    })?;
    Ok(())
}

fn serve_client(mut stream: UnixStream, card: &Mutex<Option<Card>>) -> io::Result<()> {
    let size = with(card, |card| Ok(card.size))?;
    stream.write_all(HELLO)?;
    // The handshake flags announce "fixed newstyle" without padding.
    stream.write_all(&3u16.to_be_bytes())?;
    let mut flags = [0; 4];
    stream.read_exact(&mut flags)?;
    loop {
        let mut head = [0; 16];
        stream.read_exact(&mut head)?;
        let number = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (option, length) = (number(8), number(12));
        if head[..8] != *OPTION || length > 65_536 {
            return Err(ErrorKind::InvalidData.into());
        }
        let mut data = vec![0; length as usize];
        stream.read_exact(&mut data)?;
        let mut reply = |kind: u32, data: &[u8]| {
            let mut bytes = REPLY_MAGIC.to_be_bytes().to_vec();
            for word in [option, kind, data.len() as u32] {
                bytes.extend(word.to_be_bytes());
            }
            bytes.extend(data);
            stream.write_all(&bytes)
        };
        let export = [&size.to_be_bytes()[..], &FLAGS.to_be_bytes()].concat();
        match option {
            // Option EXPORT_NAME. The server answers with the export, and the transmission of data begins.
            1 => {
                stream.write_all(&export)?;
                break;
            }
            // Option GO. The server answers with an info reply and an acknowledgement, and the transmission begins.
            7 => {
                reply(3, &[&0u16.to_be_bytes()[..], &export].concat())?;
                reply(1, &[])?;
                break;
            }
            // Option ABORT. The server acknowledges it and closes the connection.
            2 => return reply(1, &[]),
            // Any other option gets the reply "unsupported", and the client continues without the option.
            _ => reply(1 << 31 | 1, &[])?,
        }
    }
    while transmit(&mut stream, card)? {}
    Ok(())
}

/// Handles one request. Returns false if the client ends the connection or the card has no power.
fn transmit(stream: &mut UnixStream, card: &Mutex<Option<Card>>) -> io::Result<bool> {
    let mut head = [0; 28];
    stream.read_exact(&mut head)?;
    let word = |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (kind, length) = (u16::from_be_bytes([head[6], head[7]]), word(24));
    let at = u64::from(word(16)) << 32 | u64::from(word(20));
    if word(0) != REQUEST || length > MAX_REQUEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut data = vec![0; if kind < 2 { length as usize } else { 0 }];
    if kind == 1 {
        stream.read_exact(&mut data)?;
    }
    let done = with(card, |card| match kind {
        0 | 1 if !card.has(at, length.into()) => Err(ErrorKind::InvalidInput.into()),
        0 => card.read(&mut data, at),
        1 => {
            card.write(&data, at);
            Ok(())
        }
        3 => card.flush(),
        _ => Err(ErrorKind::InvalidInput.into()),
    });
    if kind == 2 {
        return Ok(false);
    }
    let error = match &done {
        Ok(()) => 0,
        Err(error) if error.kind() == ErrorKind::InvalidInput => INVALID,
        Err(error) if error.kind() == ErrorKind::NotConnected => return Ok(false),
        Err(_) => BROKEN,
    };
    let mut answer = [ANSWER.to_be_bytes(), error.to_be_bytes()].concat();
    answer.extend(&head[8..16]);
    if kind == 0 && error == 0 {
        answer.extend(&data);
    }
    stream.write_all(&answer)?;
    Ok(true)
}

/// Runs an action on the card. Returns the error `NotConnected` if the card has no power.
fn with<T>(card: &Mutex<Option<Card>>, act: impl FnOnce(&mut Card) -> io::Result<T>) -> io::Result<T> {
    match &mut *card.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(card) => act(card),
        None => Err(ErrorKind::NotConnected.into()),
    }
}
