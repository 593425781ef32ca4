//! A small SimSpark agent for the tests. The agent looks for the ball and drives to it. The agent uses no code of the
//! gateway.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use xpuck_testing::patience;

pub struct Agent {
    stream: TcpStream,
    bearing: f64,
}

/// Returns the numbers between the first occurrence of `word` in `text` and the next closing bracket. Returns `None` if
/// `text` lacks the word, or if a part after the word is not a number.
pub fn after(text: &str, word: &str) -> Option<Vec<f64>> {
    let rest = text.split_once(word)?.1.split(')').next()?;
    rest.split_whitespace().map(|number| number.parse().ok()).collect()
}

impl Agent {
    pub fn connect(at: SocketAddr) -> Agent {
        Agent::try_connect(at).unwrap()
    }

    pub fn try_connect(at: SocketAddr) -> std::io::Result<Agent> {
        let stream = TcpStream::connect(at)?;
        stream.set_read_timeout(Some(patience()))?;
        Ok(Agent { stream, bearing: 90.0 })
    }

    pub fn say(&mut self, text: &str) {
        self.try_say(text).unwrap();
    }

    pub fn try_say(&mut self, text: &str) -> std::io::Result<()> {
        self.stream.write_all(&[&(text.len() as u32).to_be_bytes(), text.as_bytes()].concat())
    }

    pub fn hear(&mut self) -> String {
        self.try_hear().unwrap()
    }

    pub fn try_hear(&mut self) -> std::io::Result<String> {
        let mut head = [0; 4];
        self.stream.read_exact(&mut head)?;
        let mut text = vec![0; u32::from_be_bytes(head) as usize];
        self.stream.read_exact(&mut text)?;
        Ok(String::from_utf8(text).unwrap())
    }

    /// Returns the latest message. Drops earlier messages, which arrived while the agent was busy.
    fn newest(&mut self) -> String {
        loop {
            let told = self.hear();
            self.stream.set_nonblocking(true).unwrap();
            let more = self.stream.peek(&mut [0]).is_ok_and(|count| count > 0);
            self.stream.set_nonblocking(false).unwrap();
            if !more {
                return told;
            }
        }
    }

    /// Runs a cycle: turns until the ball is ahead, and then drives towards the ball. Returns the distance of the ball
    /// (m), or `None` if the ball is not visible.
    pub fn cycle(&mut self) -> Option<f64> {
        let told = self.newest();
        let ball = after(&told, "(B (pol ");
        if let Some(ball) = &ball {
            self.bearing = ball[1];
        } else if told.contains("(See") {
            self.bearing = 90.0;
        }
        let turn = (self.bearing / 30.0).clamp(-1.0, 1.0);
        let ahead = if self.bearing.abs() < 20.0 { 4.0 } else { 0.0 };
        self.say(&format!("(he1 {:.2})(he2 {:.2})(syn)", ahead - 2.0 * turn, ahead + 2.0 * turn));
        ball.map(|ball| ball[0])
    }
}
