//! Scripted robot simulators with invalid behaviour.

use super::serving::anywhere;
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};

/// Starts a server that accepts connections until the test ends. For each received line, `answer` returns the text to
/// send; `None` closes the connection.
pub fn peer(answer: impl Fn(&str) -> Option<String> + Send + Clone + 'static) -> SocketAddr {
    let listener = TcpListener::bind(anywhere()).unwrap();
    let at = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || serve(stream, answer));
        }
    });
    at
}

fn serve(mut stream: TcpStream, answer: impl Fn(&str) -> Option<String>) {
    let reader = BufReader::new(stream.try_clone().unwrap());
    for line in reader.lines().map_while(Result::ok) {
        let Some(answer) = answer(line.trim_end()) else { break };
        if stream.write_all(answer.as_bytes()).is_err() {
            break;
        }
    }
}
