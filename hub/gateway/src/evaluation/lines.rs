//! Splits the byte stream of a connection into lines.

/// Maximum length of a line without its line ending (bytes).
pub const LINE_LIMIT: usize = 1 << 20;

/// Reason why a connection provides no more lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// More than [`LINE_LIMIT`] bytes were received without a line ending.
    #[error("a line is longer than {LINE_LIMIT} bytes")]
    TooLong,
    /// The line contains a byte above 127.
    #[error("a line contains bytes that are not ASCII")]
    NotAscii,
}

/// Splits received bytes into lines that end with CR LF (section 2.2 of the specification) or with LF alone.
///
/// The lines do not depend on the division of the bytes into pushed pieces. The run time is linear in the number of
/// bytes.
#[derive(Debug, Default)]
pub struct Lines {
    buffer: Vec<u8>,
    /// Start of the next line in the buffer.
    start: usize,
    /// Position in the buffer up to which no line ending was found.
    searched: usize,
    failed: bool,
}

impl Lines {
    /// Creates an empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends received bytes. Read all complete lines before the next push, because the buffer keeps unread bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.failed {
            return;
        }
        // Moves the remaining bytes only when at least as many bytes are dropped, so that the total time is linear.
        if self.start >= self.buffer.len() - self.start {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// Returns the next complete line without its line ending; `None` if more bytes are needed.
    ///
    /// # Errors
    /// The line is too long or not ASCII. The error is returned once and no line follows it, because the connection
    /// must be closed.
    pub fn next_line(&mut self) -> Option<Result<String, LineError>> {
        if self.failed {
            return None;
        }
        let found = self.buffer[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(distance) = found else {
            self.searched = self.buffer.len();
            // Allows one extra byte, because the buffer may already contain the CR of the line ending.
            let too_long = self.buffer.len() - self.start > LINE_LIMIT + 1;
            return too_long.then(|| self.fail(LineError::TooLong));
        };
        let end = self.searched + distance;
        let line = &self.buffer[self.start..end];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.len() > LINE_LIMIT {
            return Some(self.fail(LineError::TooLong));
        }
        let Some(text) = std::str::from_utf8(line).ok().filter(|text| text.is_ascii()).map(str::to_owned) else {
            return Some(self.fail(LineError::NotAscii));
        };
        self.start = end + 1;
        self.searched = self.start;
        Some(Ok(text))
    }

    fn fail(&mut self, error: LineError) -> Result<String, LineError> {
        *self = Self { failed: true, ..Self::default() };
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Pushes the bytes in pieces of `piece` bytes, and returns all lines.
    fn lines(bytes: &[u8], piece: usize) -> Vec<Result<String, LineError>> {
        let mut lines = Lines::new();
        let mut all = Vec::new();
        for piece in bytes.chunks(piece) {
            lines.push(piece);
            all.extend(std::iter::from_fn(|| lines.next_line()));
        }
        all
    }

    #[test]
    fn pieces_of_every_size_give_the_same_lines() {
        let bytes = b"CreateRobot\r\nKillRobot  7\n\r\n\nFitness 1 1\r2\r\nleft over";
        let whole = lines(bytes, bytes.len());
        let texts: Vec<&str> = whole.iter().flatten().map(String::as_str).collect();
        assert_eq!(texts, ["CreateRobot", "KillRobot  7", "", "", "Fitness 1 1\r2"]);
        for piece in 1..bytes.len() {
            assert_eq!(lines(bytes, piece), whole, "pieces of {piece}");
        }
    }

    #[test]
    fn non_ascii_line_ends_input() {
        let bytes = "CreateRobot\nCr\u{e9}ateRobot\nCreateRobot\n".as_bytes();
        for piece in 1..bytes.len() {
            assert_eq!(lines(bytes, piece), [Ok("CreateRobot".to_owned()), Err(LineError::NotAscii)]);
        }
    }

    #[test]
    fn line_limit_excludes_line_end() {
        for end in ["\n", "\r\n"] {
            let bytes = [&vec![b'1'; LINE_LIMIT], end.as_bytes(), b"CreateRobot\n"].concat();
            for piece in [1, 1000, LINE_LIMIT, LINE_LIMIT + 1, bytes.len()] {
                let lines = lines(&bytes, piece);
                assert_eq!(lines.len(), 2);
                assert_eq!(lines[0].as_ref().map(String::len), Ok(LINE_LIMIT));
            }
        }
        for end in ["", "\n", "\r\n", "1111\r\n"] {
            let bytes = [&vec![b'1'; LINE_LIMIT + 2], end.as_bytes(), b"CreateRobot\n"].concat();
            for piece in [1, 1000, LINE_LIMIT, bytes.len()] {
                assert_eq!(lines(&bytes, piece), [Err(LineError::TooLong)]);
            }
        }
        assert_eq!(lines(&[&vec![b'1'; LINE_LIMIT + 1][..], b"\n"].concat(), 1), [Err(LineError::TooLong)]);
    }

    #[test]
    fn many_lines_in_one_piece_are_not_moved_for_each() {
        let bytes = b"CreateRobot\r\n".repeat(100_000);
        assert_eq!(lines(&bytes, bytes.len()).len(), 100_000);
        assert_eq!(lines(&bytes, 1).len(), 100_000);
    }
}
