//! Format of log lines. The prefix of a line for journald is only a priority, because journald adds the time. The
//! prefix of other lines is time and level.

use crate::{escape, file, output};
use std::io::{self, BufRead, BufReader, IsTerminal, Read};
use std::os::fd::AsFd;
use std::path::Path;
use tracing::Level;

/// Maximum length of a log line (bytes); longer lines are truncated.
const LINE: usize = 8192;
/// Length of a time such as `2026-03-01T09:30:00.250Z` (bytes).
const TIME: usize = 24;
/// Levels with their names, and with the syslog priorities that journald reads.
const LEVELS: [(Level, &str, u8); 5] = [
    (Level::ERROR, "ERROR", 3),
    (Level::WARN, "WARN", 4),
    (Level::INFO, "INFO", 6),
    (Level::DEBUG, "DEBUG", 7),
    (Level::TRACE, "TRACE", 7),
];

/// Format of a log line's prefix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineFormat {
    /// A priority for journald, such as `<6>`.
    Journal,
    /// Time and level.
    Plain,
    /// Time and level, with colours for warnings and errors.
    Coloured,
}

impl LineFormat {
    /// Chooses the format for the log's destination. `journal` is the value of `JOURNAL_STREAM`, which identifies the
    /// connection to journald as `device:inode`.
    pub fn detect(log: impl AsFd + IsTerminal, journal: Option<&str>) -> LineFormat {
        let here = rustix::fs::fstat(&log).ok().map(|stat| format!("{}:{}", stat.st_dev, stat.st_ino));
        if here.is_some() && here.as_deref() == journal {
            LineFormat::Journal
        } else if output::shows_colours(&log) {
            LineFormat::Coloured
        } else {
            LineFormat::Plain
        }
    }

    /// Formats a log line without its line end. Control characters, invisible characters and characters that change
    /// the writing direction are escaped. Parts of `text` may be untrusted, and one event must be one line. `unix_ms`
    /// is the wall time since 1970 (ms).
    pub fn line(self, unix_ms: u64, level: Level, text: &str) -> String {
        let (_, name, priority) = LEVELS.into_iter().find(|(other, ..)| *other == level).unwrap_or(LEVELS[0]);
        let mut line = match self {
            LineFormat::Journal => format!("<{priority}>"),
            LineFormat::Coloured if level == Level::ERROR => format!("{} \x1b[31m{name:<5}\x1b[0m ", time(unix_ms)),
            LineFormat::Coloured if level == Level::WARN => format!("{} \x1b[33m{name:<5}\x1b[0m ", time(unix_ms)),
            LineFormat::Plain | LineFormat::Coloured => format!("{} {name:<5} ", time(unix_ms)),
        };
        line += &escape(text);
        line.truncate(cut(&line).len());
        line
    }
}

/// Truncates a text to the maximum length of a log line.
pub(super) fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LINE)]
}

/// Returns the text of a log line. Time and level are removed if the line has them.
pub fn text_of(line: &str) -> &str {
    let stamped = line.split_at_checked(TIME).filter(|(time, _)| time.get(10..11) == Some("T") && time.ends_with('Z'));
    let level = stamped.and_then(|(_, rest)| rest.strip_prefix(' ')?.split_once(' '));
    match level {
        Some((level, text)) if LEVELS.iter().any(|(_, name, _)| *name == level) => text.trim_start(),
        _ => line,
    }
}

/// Returns the text of the first line of a log file, without time and level. At most 8 KiB are read. `None` if the file
/// is empty.
///
/// # Errors
/// The errors of [`file::open`].
pub fn first_line(path: &Path) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    BufReader::new(file::open(path)?.take(8192)).read_until(b'\n', &mut line)?;
    let text = String::from_utf8_lossy(&line);
    Ok((!line.is_empty()).then(|| text_of(text.trim_end()).to_string()))
}

/// Formats the time `unix_ms` since 1970 (ms) as UTC in ISO 8601, for example `2026-03-01T09:30:00.250Z`.
pub fn time(unix_ms: u64) -> String {
    let (days, ms) = (unix_ms / 86_400_000, unix_ms % 86_400_000);
    let (year, month, day) = date(days);
    let (seconds, ms) = (ms / 1000, ms % 1000);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{ms:03}Z")
}

/// Returns year, month and day from the number of days since 1970. For the calculation, years begin in March, so that a
/// leap day is the last day of its year.
fn date(days: u64) -> (u64, u64, u64) {
    // Converts to days since 0000-03-01. The calendar has a period of 400 years, or 146 097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, next) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (400 * era + year + next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: u64 = 1_700_000_000_123;

    #[test]
    fn times_are_of_the_calendar() {
        for (unix_ms, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (1_709_251_199_999, "2024-02-29T23:59:59.999Z"),
            (1_709_251_200_000, "2024-03-01T00:00:00.000Z"),
            (NOW, "2023-11-14T22:13:20.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(time(unix_ms), expected);
        }
    }

    #[test]
    fn journald_gets_priorities_and_all_others_time_and_level() {
        assert_eq!(LineFormat::Journal.line(NOW, Level::WARN, "hub: no poses"), "<4>hub: no poses");
        assert_eq!(LineFormat::Plain.line(NOW, Level::INFO, "hub: RUN"), "2023-11-14T22:13:20.123Z INFO  hub: RUN");
        let red = LineFormat::Coloured.line(NOW, Level::ERROR, "hub: no disk");
        assert_eq!(red, "2023-11-14T22:13:20.123Z \x1b[31mERROR\x1b[0m hub: no disk");
    }

    #[test]
    fn journal_format_needs_matching_journal_stream() {
        let of = |journal| LineFormat::detect(std::fs::File::open("/dev/null").unwrap(), journal);
        let null = rustix::fs::stat("/dev/null").unwrap();
        assert_eq!((of(None), of(Some("8:1"))), (LineFormat::Plain, LineFormat::Plain));
        assert_eq!(of(Some(&format!("{}:{}", null.st_dev, null.st_ino))), LineFormat::Journal);
    }

    #[test]
    fn control_characters_in_log_text_are_escaped() {
        let line = LineFormat::Journal.line(NOW, Level::INFO, "robot a\n<3>hub: \x1b[2J\u{9b}ä");
        assert_eq!(line, "<6>robot a\\n<3>hub: \\u{1b}[2J\\u{9b}ä");
        let turned = LineFormat::Plain.line(NOW, Level::INFO, "hub: note of bob: \u{202e}POTS\u{200b}\u{2066}");
        assert!(turned.ends_with("hub: note of bob: \\u{202e}POTS\\u{200b}\\u{2066}"), "{turned}");
    }

    #[test]
    fn log_line_length_is_bounded() {
        assert_eq!(cut(&format!("x{}", "ä".repeat(LINE))).len(), LINE - 1);
        assert_eq!(cut("ä"), "ä");
        assert_eq!(LineFormat::Plain.line(NOW, Level::INFO, &"\n".repeat(LINE)).len(), LINE);
    }

    #[test]
    fn log_text_is_recovered_from_line() {
        for level in [Level::ERROR, Level::WARN, Level::INFO, Level::DEBUG] {
            assert_eq!(text_of(&LineFormat::Plain.line(NOW, level, "hub: RUN")), "hub: RUN");
        }
        for plain in ["", "xpuck: hub.toml: no such file", "2023-11-14T22:13:20.123Z is a time", "ääääääääääääääääää"]
        {
            assert_eq!(text_of(plain), plain);
        }
    }
}
