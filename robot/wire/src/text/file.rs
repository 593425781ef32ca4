//! Reads users' files. Only regular files up to a size limit are read. TOML files with unknown keys are rejected; the
//! error names the file, the line, the key and the nearest known key.

#[cfg(unix)]
pub use super::regular_file::{append, modify, open};

use serde::de::DeserializeOwned;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// Maximum length of a name quoted in a message (characters).
const LONGEST_QUOTE: usize = 60;
/// Maximum size of a TOML file (bytes).
pub const MAX_TOML: u64 = 1 << 20;
/// UTF-8 byte order mark, which some editors write at the beginning of a file.
const BOM: &[u8] = "\u{feff}".as_bytes();

/// Error of a file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The file cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The contents of the file are invalid.
    #[error("{name}: {message}")]
    Malformed {
        /// Name of the file or text.
        name: String,
        /// Line number and description of the error.
        message: String,
    },
}

impl FileError {
    /// Creates the error for a value that can be parsed but is not allowed. `name` is the name of the file.
    pub fn value(name: &str, message: impl Into<String>) -> FileError {
        FileError::Malformed { name: name.into(), message: message.into() }
    }
}

/// Fails, because browsers have no files.
#[cfg(not(unix))]
pub fn open(_: &Path) -> io::Result<std::fs::File> {
    Err(ErrorKind::Unsupported.into())
}

/// Reads a file of at most `limit` bytes.
///
/// # Errors
/// The errors of [`open`], or the file is longer than the limit.
pub fn bytes(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    let mut bytes = Vec::new();
    if length <= limit {
        file.take(limit + 1).read_to_end(&mut bytes)?;
    }
    match length.max(bytes.len() as u64) {
        long if long > limit => {
            Err(io::Error::new(ErrorKind::InvalidData, format!("it has {long} bytes; at most {limit} are allowed")))
        }
        _ => Ok(bytes),
    }
}

/// Reads a file with UTF-8 text of at most `limit` bytes. A leading byte order mark is removed.
///
/// # Errors
/// The errors of [`bytes`], or the text is not UTF-8.
pub fn text(path: &Path, limit: u64) -> Result<String, FileError> {
    let text = bytes(path, limit).and_then(|bytes| {
        let wrong = |message| io::Error::new(ErrorKind::InvalidData, message);
        match &bytes[..] {
            [0xff, 0xfe, ..] | [0xfe, 0xff, ..] => Err(wrong("it is UTF-16 text; save it as UTF-8")),
            other => match str::from_utf8(other.strip_prefix(BOM).unwrap_or(other)) {
                Ok(text) => Ok(text.to_string()),
                Err(_) => Err(wrong("it is not UTF-8 text")),
            },
        }
    });
    text.map_err(|error| FileError::Unreadable { path: path.into(), error })
}

/// Reads a TOML file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    parse(&path.display().to_string(), &text(path, MAX_TOML)?)
}

/// Parses TOML text. `name` identifies the text in error messages.
pub fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let before = error.span().map_or("", |span| &text[..text.floor_char_boundary(span.start)]);
        let line = 1 + before.matches('\n').count();
        // The library's message may have several lines, for example with the known keys. All lines are kept, because
        // they help the user.
        let message = with_short_names(&error.message().replace('\n', "; "));
        let at = text.lines().nth(line - 1).unwrap_or_default();
        let message = describe_wrong_type(&message, before)
            .or_else(|| describe_repeated_header(&message, at))
            .or_else(|| describe_unit_or_comma(at))
            .unwrap_or_else(|| suggest_nearest(&message));
        FileError::Malformed { name: name.into(), message: format!("line {line}: {message}") }
    })
}

/// Describes an invalid value in a table that was not parsed from a file, for example from keys on the command line.
/// The description names the key and its expected type, if the type is wrong.
pub fn wrong_value(error: &toml::de::Error) -> String {
    let text = error.to_string();
    let key = text.lines().find_map(|line| line.strip_prefix("in `")?.strip_suffix('`'));
    key.and_then(|key| describe_wrong_type(error.message(), &format!("{key} =")))
        .unwrap_or_else(|| suggest_nearest(&text.trim_end().replace('\n', "; ")))
}

/// Describes the expected type of a value, if `message` is the library's message about a wrong type. `before` is the
/// text before the value, from which the key's name is taken. `None` for other messages.
fn describe_wrong_type(message: &str, before: &str) -> Option<String> {
    let message = message.strip_prefix("invalid type: ").or_else(|| message.strip_prefix("invalid value: "))?;
    let (found, wanted) = message.split_once(", expected ")?;
    let found = found.strip_suffix(" as i128").unwrap_or(found);
    let wanted = match wanted {
        "u8" | "u16" | "u32" | "u64" | "usize" if found.contains('-') => "a whole number from 0",
        "any valid TOML value" => "a smaller number",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" | "i8" | "i16" | "i32" | "i64" => "a whole number",
        "a string" => "text in quotes",
        "a boolean" => "true or false",
        "a sequence" if found == "map" => "a list: write its header as `[[...]]`",
        "a sequence" => "a list, as in [1, 2]",
        other if other.starts_with("internally tagged enum") => "a table",
        other => other,
    };
    let name = before.trim_end().strip_suffix('=').and_then(|rest| rest.rsplit(['\n', '{', ',']).next());
    Some(match name.map(str::trim).filter(|name| !name.is_empty()) {
        Some(name) => format!("`{name}` must be {wanted}, not {found}"),
        None => format!("expected {wanted}, found {found}"),
    })
}

/// Describes a table whose header stands twice. `line` is the line of the second header. `None` for other messages.
fn describe_repeated_header(message: &str, line: &str) -> Option<String> {
    let name = line.trim().strip_prefix('[')?.split(']').next().filter(|name| !name.starts_with('['))?;
    let name = shorten(name);
    message
        .contains("duplicate")
        .then(|| format!("`[{name}]` stands twice; write `[[{name}]]` for each entry of a list"))
}

/// Describes the error in a TOML line whose value is a number with a unit or a decimal comma. `None` for other lines.
fn describe_unit_or_comma(line: &str) -> Option<String> {
    let (key, value) = line.split_once('=')?;
    let (key, value) = (key.trim(), value.split('#').next()?.trim());
    let end = value.find(|c: char| !(c.is_ascii_digit() || "+-._".contains(c))).unwrap_or(value.len());
    let (number, rest) = value.split_at(end);
    number.parse::<f64>().ok()?;
    let digits =
        rest.strip_prefix(',').filter(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()));
    match digits {
        Some(digits) => Some(format!("`{key} = {value}`: write decimals with a point: `{number}.{digits}`")),
        None if !rest.is_empty() && rest.chars().all(|c| c.is_alphabetic() || c == '\u{b0}') => Some(format!(
            "`{key} = {value}`: write numbers without units (the key's name contains the unit): `{number}`"
        )),
        None => None,
    }
    .filter(|_| value.len() <= LONGEST_QUOTE)
}

/// Escapes and shortens a name from a file, so that a message can quote it on one line. At most 60 characters of the
/// name are kept.
pub fn shorten(name: &str) -> String {
    let start: String = name.chars().take(LONGEST_QUOTE).collect();
    let more = if start.len() < name.len() { "..." } else { "" };
    format!("{}{more}", start.escape_debug())
}

/// Shortens long names between backquotes in a message.
fn with_short_names(message: &str) -> String {
    let cut = |(i, part): (usize, &str)| match i % 2 == 1 && part.chars().count() > LONGEST_QUOTE {
        true => shorten(part),
        false => part.to_string(),
    };
    message.split('`').enumerate().map(cut).collect::<Vec<_>>().join("`")
}

/// Adds "did you mean" with the nearest known word to a library message about an unknown word. Returns the message
/// unchanged if it does not list the known words, or if no known word is similar to the unknown word.
pub fn suggest_nearest(message: &str) -> String {
    let Some((before, known)) = message.split_once(", expected ") else { return message.into() };
    let Some(word) = ["unknown field `", "unknown variant `"].into_iter().find_map(|what| before.split_once(what))
    else {
        return message.into();
    };
    let wrong = word.1.trim_end_matches('`');
    let names = known.split('`').skip(1).step_by(2);
    let common = |known: &str| wrong.chars().zip(known.chars()).take_while(|(a, b)| a == b).count();
    // If several known names have the same edit distance, the name with the longest common prefix is preferred.
    let far = |known| (strsim::damerau_levenshtein(wrong, known), std::cmp::Reverse(common(known)));
    let near = names.map(|known| (far(known), known)).min();
    match near {
        // A known word is suggested only up to a maximum edit distance. The maximum is 3 if at least the first four
        // characters of both words are equal. Otherwise it increases with the length of the unknown word, from 1 to 3.
        Some(((far, std::cmp::Reverse(common)), name))
            if far <= (if common >= 4 { 3 } else { (1 + wrong.chars().count() / 4).min(3) }) && far < name.len() =>
        {
            format!("{before}; did you mean `{name}`? expected {known}")
        }
        _ => message.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_key_error_names_line_and_nearest_key() {
        #[derive(Debug, serde::Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Run {
            #[serde(rename = "minutes")]
            _minutes: f64,
            #[serde(rename = "task")]
            _task: Option<Task>,
        }
        #[derive(Debug, serde::Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum Task {
            Transport,
            Aggregation,
        }
        let said = |text: &str| parse::<Run>("a.toml", text).unwrap_err().to_string();
        assert_eq!(
            said("\nminuets = 1.0"),
            "a.toml: line 2: unknown field `minuets`; did you mean `minutes`? expected `minutes` or `task`"
        );
        let wrong = |text: &str| parse::<toml::Table>("a.toml", text).unwrap_err().to_string();
        assert!(
            wrong("b = 1.6m\n").contains("line 1: `b = 1.6m`: write numbers without units"),
            "{}",
            wrong("b = 1.6m\n")
        );
        assert!(wrong("\nb = 1,6 # wide\n").contains("line 2: `b = 1,6`: write decimals with a point: `1.6`"));
        let far = said("minutes = 1.0\ntemperature = 1.0");
        assert!(far.contains("unknown field `temperature`, expected") && !far.contains("did you mean"), "{far}");
        assert_eq!(said("\nminutes = \"ten\""), "a.toml: line 2: `minutes` must be a number, not string \"ten\"");
        let task = said("minutes = 1.0\ntask = \"trasnport\"");
        assert!(task.contains("line 2: unknown variant `trasnport`; did you mean `transport`?"), "{task}");
        let near = suggest_nearest("unknown variant `forage`, expected one of `coverage`, `foraging`");
        assert!(near.contains("did you mean `foraging`?"), "{near}");
    }

    #[test]
    fn repeated_header_of_a_table_suggests_a_list() {
        let error = parse::<toml::Table>("w.toml", "[region]\nname = \"a\"\n\n[region]\nname = \"b\"\n").unwrap_err();
        let expected = "w.toml: line 4: `[region]` stands twice; write `[[region]]` for each entry of a list";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn wrong_value_type_is_reported_with_key() {
        #[derive(Debug, serde::Deserialize)]
        struct Run {
            #[serde(rename = "steps")]
            _steps: u32,
        }
        #[derive(Debug, serde::Deserialize)]
        struct Runs {
            #[serde(rename = "inner")]
            _inner: Run,
        }
        let said = |text: &str| wrong_value(&toml::Value::Table(text.parse().unwrap()).try_into::<Runs>().unwrap_err());
        assert_eq!(said("inner.steps = \"many\""), "`inner.steps` must be a whole number, not string \"many\"");
        assert_eq!(said("inner.steps = -1"), "`inner.steps` must be a whole number from 0, not integer `-1`");
    }

    #[test]
    fn text_is_bounded_and_must_be_utf8() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        let read = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            text(&path, 8).map_err(|error| error.to_string())
        };
        assert_eq!(read(b"12345678").unwrap(), "12345678");
        assert!(
            read(b"123456789").unwrap_err().contains("a.txt: cannot be read: it has 9 bytes; at most 8 are allowed")
        );
        assert_eq!(read("\u{feff}name".as_bytes()).unwrap(), "name");
        assert!(read(&[0xff, 0xfe, b'n', 0]).unwrap_err().contains("UTF-16"));
        assert!(read(&[b'n', 0xff]).unwrap_err().contains("not UTF-8"));
        // The kernel reports size 0 for files in /proc.
        assert!(text(Path::new("/proc/self/status"), 8).unwrap_err().to_string().contains("it has 9 bytes"));
        assert!(text(Path::new("/proc/self/status"), 1 << 16).unwrap().contains("Name:"));
    }
}
