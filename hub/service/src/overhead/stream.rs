//! Parser that extracts JPEG files from an HTTP response, without I/O. Memory use is bounded for any data from a
//! camera.

/// Maximum lengths (bytes): header of a response (`MAX_HEAD`), and header of a part (`MAX_PART_HEAD`).
const MAX_HEAD: usize = 16 * 1024;
const MAX_PART_HEAD: usize = 4 * 1024;
/// Maximum length of the boundary between parts (bytes). The standard limits the length to 70.
const MAX_BOUNDARY: usize = 200;
/// Maximum size of a picture's file (`MAX_PICTURE`, bytes), and maximum length of a picture's longer side (`MAX_SIDE`,
/// pixels).
pub const MAX_PICTURE: usize = 4 << 20;
const MAX_SIDE: u16 = 8192;

/// Complete picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jpeg {
    /// Contents of the JPEG file.
    pub bytes: Vec<u8>,
    /// Width and height (pixels).
    pub size: [u16; 2],
}

/// State of the parser.
#[derive(Debug)]
enum ParserState {
    /// The parser is in the header of the response.
    Head,
    /// The parser is between parts and ignores bytes before the next boundary.
    Between,
    /// The parser is in the header of a part.
    PartHead,
    /// The parser is in a part of this length (bytes). `None`: the part ends at the next boundary.
    Part(Option<usize>),
    /// The response is a single picture of this length (bytes). `None`: the picture ends with the response.
    Whole(Option<usize>),
    /// The response is complete.
    Over,
}

/// Parser of an HTTP response with one or more pictures.
#[derive(Debug)]
pub struct MultipartParser {
    place: ParserState,
    /// Boundary between parts, with its two leading dashes.
    boundary: Vec<u8>,
    held: Vec<u8>,
    /// Number of bytes of `held` that are known to contain no boundary.
    searched: usize,
}

impl Default for MultipartParser {
    fn default() -> MultipartParser {
        MultipartParser { place: ParserState::Head, boundary: Vec::new(), held: Vec::new(), searched: 0 }
    }
}

impl MultipartParser {
    /// Returns whether the response is complete.
    pub fn is_over(&self) -> bool {
        matches!(self.place, ParserState::Over)
    }

    /// Processes bytes of the response, and passes the completed pictures to `deliver`.
    ///
    /// # Errors
    /// The response is invalid; the error contains the reason in one line. The connection is then unusable.
    pub fn push(&mut self, bytes: &[u8], mut deliver: impl FnMut(Jpeg)) -> Result<(), String> {
        self.held.extend_from_slice(bytes);
        while self.step(&mut deliver)? {}
        Ok(())
    }

    /// Processes the end of the response, which also ends a single picture of unknown length.
    ///
    /// # Errors
    /// The response is incomplete.
    pub fn end(&mut self, mut deliver: impl FnMut(Jpeg)) -> Result<(), String> {
        match self.place {
            ParserState::Whole(None) => deliver(jpeg(std::mem::take(&mut self.held))?),
            ParserState::Over | ParserState::Between => {}
            _ => return Err("the response ended before it was complete".into()),
        }
        self.place = ParserState::Over;
        Ok(())
    }

    /// Processes the next element in `held`. Returns whether `held` may contain another complete element.
    fn step(&mut self, deliver: &mut impl FnMut(Jpeg)) -> Result<bool, String> {
        match self.place {
            ParserState::Head => {
                let Some(head) = self.take_head(MAX_HEAD, "the answer's head")? else { return Ok(false) };
                (self.place, self.boundary) = read_head(&head)?;
                Ok(true)
            }
            ParserState::Between => {
                let Some(at) = find(&self.held, &self.boundary) else {
                    // The last bytes are kept, because they may be the first bytes of a boundary.
                    let keep = self.boundary.len().saturating_sub(1).min(self.held.len());
                    self.held.drain(..self.held.len() - keep);
                    return Ok(false);
                };
                let after = at + self.boundary.len();
                if self.held.len() < after + 2 {
                    self.held.drain(..at);
                    return Ok(false);
                }
                let last = self.held[after..].starts_with(b"--");
                // The line ending after a boundary is part of the boundary.
                let end = match &self.held[after..] {
                    [b'\r', b'\n', ..] => 2,
                    [b'\n', ..] => 1,
                    _ => 0,
                };
                self.held.drain(..after + end);
                self.place = if last { ParserState::Over } else { ParserState::PartHead };
                Ok(!last)
            }
            ParserState::PartHead => {
                let Some(head) = self.take_head(MAX_PART_HEAD, "a part's head")? else { return Ok(false) };
                let length = length(&head)?;
                if let Some(kind) = field(&head, "content-type").filter(|kind| !is_jpeg(kind)) {
                    return Err(format!("a part is of type {}; it must be image/jpeg", shown(kind)));
                }
                (self.place, self.searched) = (ParserState::Part(length), 0);
                Ok(true)
            }
            ParserState::Part(Some(length)) => {
                if self.held.len() < length {
                    return Ok(false);
                }
                deliver(jpeg(self.held.drain(..length).collect())?);
                self.place = ParserState::Between;
                Ok(true)
            }
            ParserState::Part(None) => {
                let from = self.searched.saturating_sub(self.boundary.len());
                let Some(at) = find(&self.held[from..], &self.boundary) else {
                    self.searched = self.held.len();
                    return too_large(self.held.len()).map(|()| false);
                };
                let mut picture: Vec<u8> = self.held.drain(..from + at).collect();
                while picture.last().is_some_and(|last| matches!(last, b'\r' | b'\n')) {
                    picture.pop();
                }
                deliver(jpeg(picture)?);
                self.place = ParserState::Between;
                Ok(true)
            }
            ParserState::Whole(Some(length)) => {
                if self.held.len() < length {
                    return Ok(false);
                }
                self.held.truncate(length);
                deliver(jpeg(std::mem::take(&mut self.held))?);
                self.place = ParserState::Over;
                Ok(false)
            }
            ParserState::Whole(None) => too_large(self.held.len()).map(|()| false),
            ParserState::Over => {
                self.held.clear();
                Ok(false)
            }
        }
    }

    /// Removes a header up to its empty line and returns it; `None` if the empty line has not been received yet.
    /// `most` is the maximum length (bytes).
    fn take_head(&mut self, most: usize, what: &str) -> Result<Option<String>, String> {
        // A part without a header starts with an empty line.
        for end in [&b"\r\n"[..], b"\n"] {
            if self.held.starts_with(end) {
                self.held.drain(..end.len());
                return Ok(Some(String::new()));
            }
        }
        let ends = [(&b"\r\n\r\n"[..], 4), (b"\n\n", 2)];
        let end = ends.iter().filter_map(|(end, length)| Some((find(&self.held, end)?, *length))).min();
        match end {
            Some((at, length)) if at <= most => {
                let head = String::from_utf8_lossy(&self.held[..at]).into_owned();
                self.held.drain(..at + length);
                Ok(Some(head))
            }
            None if self.held.len() <= most => Ok(None),
            _ => Err(format!("{what} is longer than {most} bytes")),
        }
    }
}

/// Reads the header of a response. Returns the state in which parsing continues, and the boundary between parts,
/// which is empty for a single picture.
fn read_head(head: &str) -> Result<(ParserState, Vec<u8>), String> {
    let first = head.lines().next().unwrap_or_default();
    let code = first.strip_prefix("HTTP/").and_then(|rest| rest.split(' ').nth(1)).unwrap_or_default();
    if code != "200" {
        return Err(format!("the response begins with {}; expected HTTP/1.1 200", shown(first)));
    }
    if field(head, "transfer-encoding").is_some_and(|how| !how.eq_ignore_ascii_case("identity")) {
        return Err("the response has chunked transfer encoding, which HTTP/1.0 does not allow".into());
    }
    let kind = field(head, "content-type").unwrap_or_default();
    if is_jpeg(kind) {
        return Ok((ParserState::Whole(length(head)?), Vec::new()));
    }
    if !kind.to_ascii_lowercase().starts_with("multipart/") {
        let what = if kind.is_empty() { "without a type".into() } else { format!("of type {}", shown(kind)) };
        return Err(format!(
            "the response is {what}; expected multipart/x-mixed-replace or image/jpeg; check the path"
        ));
    }
    let after = kind.to_ascii_lowercase().find("boundary=").map(|at| &kind[at + "boundary=".len()..]);
    let name =
        after.map(|text| text.split(';').next().unwrap_or_default().trim().trim_matches('"')).unwrap_or_default();
    if name.is_empty() || name.len() > MAX_BOUNDARY {
        return Err("the response does not define the boundary between its parts".into());
    }
    // Some cameras include the two leading dashes in the boundary's name.
    Ok((ParserState::Between, format!("--{}", name.trim_start_matches("--")).into_bytes()))
}

/// Returns the value of a header field, if present. The case of the field's name is ignored.
fn field<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    let pairs = head.lines().filter_map(|line| line.split_once(':'));
    pairs.into_iter().find(|(key, _)| key.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim())
}

fn length(head: &str) -> Result<Option<usize>, String> {
    let Some(text) = field(head, "content-length") else { return Ok(None) };
    let length = text.parse::<usize>().map_err(|_| format!("Content-Length is not a number: {}", shown(text)))?;
    too_large(length).map(|()| Some(length))
}

fn too_large(length: usize) -> Result<(), String> {
    match length > MAX_PICTURE {
        true => {
            Err(format!("a picture is larger than {} MiB; set a lower resolution in the camera", MAX_PICTURE >> 20))
        }
        false => Ok(()),
    }
}

fn is_jpeg(kind: &str) -> bool {
    let kind = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    matches!(kind.as_str(), "image/jpeg" | "image/jpg")
}

/// Returns text from a camera, shortened to 60 characters and escaped for one line of the log.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).collect();
    format!("\"{}\"", short.escape_debug())
}

fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let first = *wanted.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|byte| *byte == first) {
        let at = from + at;
        if bytes[at..].starts_with(wanted) {
            return Some(at);
        }
        from = at + 1;
    }
    None
}

/// Creates a picture from the contents of a JPEG file, with the size from its frame header.
fn jpeg(bytes: Vec<u8>) -> Result<Jpeg, String> {
    let size = size(&bytes).ok_or("picture is not a JPEG file")?;
    match size.iter().all(|side| (1..=MAX_SIDE).contains(side)) {
        true => Ok(Jpeg { bytes, size }),
        false => Err(format!(
            "the size of a picture, {} x {} pixels, is not supported; set another resolution in the camera",
            size[0], size[1]
        )),
    }
}

/// Returns width and height (pixels) from the frame header, which may follow other segments.
fn size(bytes: &[u8]) -> Option<[u16; 2]> {
    let mut rest = bytes.strip_prefix(&[0xff, 0xd8])?;
    loop {
        let [0xff, marker, high, low, ..] = *rest else { return None };
        // Markers 0xc0 to 0xcf are frame headers, except 0xc4, 0xc8 and 0xcc.
        if matches!(marker, 0xc0..=0xcf) && !matches!(marker, 0xc4 | 0xc8 | 0xcc) {
            let [h1, h0, w1, w0] = *rest.get(5..9)? else { return None };
            return Some([u16::from_be_bytes([w1, w0]), u16::from_be_bytes([h1, h0])]);
        }
        if marker == 0xda || marker < 0xc0 {
            return None;
        }
        rest = rest.get(2 + usize::from(u16::from_be_bytes([high, low])).max(2)..)?;
    }
}

#[cfg(test)]
mod tests;
