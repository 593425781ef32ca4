//! Lines on a terminal that are rewritten in place.

use ratatui::crossterm::cursor::MoveToPreviousLine;
use ratatui::crossterm::terminal::{Clear, ClearType, size};
use ratatui::text::Line;
use std::io::{self, Write};
use xpuck_wire::output::{Standard, escape_for_terminal};

/// Writer of lines on a terminal. New lines replace the previous lines of the same writer.
#[derive(Default)]
pub struct InPlace {
    /// Number of lines on the terminal that the next lines replace.
    there: u16,
}

impl InPlace {
    /// Replaces the previous lines. Long lines are truncated, and lines that do not fit on the terminal are left out.
    ///
    /// # Errors
    /// The terminal cannot be written.
    pub fn show(&mut self, lines: &[String]) -> io::Result<()> {
        let (columns, rows) = size().unwrap_or((80, 24));
        // All lines are written at once to avoid flicker.
        Standard.write_all(&self.text(lines, columns, rows)?)
    }

    fn text(&mut self, lines: &[String], columns: u16, rows: u16) -> io::Result<Vec<u8>> {
        use ratatui::crossterm::QueueableCommand;
        let mut text = Vec::new();
        if self.there > 0 {
            text.queue(MoveToPreviousLine(self.there))?;
        }
        // One row is reserved for the cursor, which is below the text.
        let fit = usize::from(rows.saturating_sub(1).max(1));
        for line in lines.iter().take(fit) {
            text.write_all(cut(&escape_for_terminal(line), usize::from(columns)).as_bytes())?;
            text.queue(Clear(ClearType::UntilNewLine))?;
            text.write_all(b"\n")?;
        }
        text.queue(Clear(ClearType::FromCursorDown))?;
        self.there = lines.len().min(fit) as u16;
        Ok(text)
    }
}

/// Truncates a line to a width of `columns`. Colour codes have no width. A truncated line with colour codes ends with
/// a reset of the colour.
fn cut(line: &str, columns: usize) -> String {
    let (mut cut, mut width, mut rest) = (String::new(), 0, line);
    while let Some(c) = rest.chars().next() {
        let colour = rest.strip_prefix("\x1b[").and_then(|numbers| numbers.find('m')).map(|end| end + 3);
        let piece = &rest[..colour.unwrap_or(c.len_utf8())];
        let wide = if colour.is_some() { 0 } else { Line::raw(piece).width() };
        if width + wide > columns {
            return if cut.contains('\x1b') { cut + "\x1b[0m" } else { cut };
        }
        width += wide;
        cut.push_str(piece);
        rest = &rest[piece.len()..];
    }
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_replace_previous_and_are_cut_to_terminal() {
        let mut place = InPlace::default();
        let mut show = |lines: &[&str], columns, rows| {
            let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
            String::from_utf8(place.text(&lines, columns, rows).unwrap()).unwrap()
        };
        assert_eq!(show(&["one", "two"], 80, 24), "one\x1b[K\ntwo\x1b[K\n\x1b[J");
        assert_eq!(show(&["a", "b", "c", "d"], 80, 3), "\x1b[2Fa\x1b[K\nb\x1b[K\n\x1b[J");
        assert_eq!(show(&["\x1b[31mabcdef\x1b[0m"], 3, 24), "\x1b[2F\x1b[31mabc\x1b[0m\x1b[K\n\x1b[J");
        assert_eq!(show(&["x\x1b[2J"], 80, 24), "\x1b[1Fx\\u{1b}[2J\x1b[K\n\x1b[J");
    }
}
