//! Tables of recorded data: CSV files with one header line. Column names include the units.
//!
//! Lines that start with `#` are comments. Columns may have any order, and numbers outside their valid ranges are
//! rejected. Exports of spreadsheets may have semicolons or tabs as delimiters, decimal commas, and capital letters in
//! the header.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;
use xpuck_wire::FileError;

/// Maximum size of a table (bytes).
pub const MAX_BYTES: usize = 64 << 20;
/// Maximum number of rows of a table.
const MAX_ROWS: usize = 1_000_000;

/// Row of a table, whose fields correspond to the columns.
pub trait Row: DeserializeOwned {
    /// Returns the name, the value and the valid range of each column that has a valid range.
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)>;
}

/// Parses a table and returns its rows with their line numbers. Errors refer to the table by `name`.
pub fn read<T: Row>(name: &str, text: &str) -> Result<Vec<(u64, T)>, FileError> {
    let fail = |message: String| FileError::value(name, message);
    if text.len() > MAX_BYTES {
        return Err(fail(format!("more than {MAX_BYTES} bytes; split the record")));
    }
    // Excel may write a first line that defines the delimiter. It is skipped.
    let text = if text.starts_with("sep=") { text.split_once('\n').map_or("", |(_, rest)| rest) } else { text };
    let delimiter = delimiter(text);
    let mut reader = csv::ReaderBuilder::new()
        .comment(Some(b'#'))
        .delimiter(delimiter)
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|e| fail(explain(&e, None)))?;
    let headers: csv::StringRecord = headers.iter().map(str::to_lowercase).collect();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| fail(explain(&e, None)))? {
        let line = record.position().map_or(0, csv::Position::line);
        // Empty rows are skipped, because spreadsheets export them as well.
        if record.iter().all(str::is_empty) {
            continue;
        }
        if delimiter != b',' {
            let place = record.position().cloned();
            record = record.iter().map(with_point).collect();
            record.set_position(place);
        }
        let row: T = record.deserialize(Some(&headers)).map_err(|e| fail(explain(&e, Some(&headers))))?;
        for (column, value, range) in row.numbers() {
            if !range.contains(&value) {
                let (low, high) = range.into_inner();
                return Err(fail(format!("line {line}, column `{column}`: {value} is outside {low} to {high}")));
            }
        }
        rows.push((line, row));
        if rows.len() > MAX_ROWS {
            return Err(fail(format!("more than {MAX_ROWS} rows; split the record")));
        }
    }
    if rows.is_empty() {
        return Err(fail("the table has no rows; docs/calibration.md describes the columns".into()));
    }
    Ok(rows)
}

/// Returns the delimiter of a table, by the characters in its header: a comma, a semicolon or a tab.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or("");
    let count = |delimiter: u8| header.bytes().filter(|byte| *byte == delimiter).count();
    [b';', b'\t'].into_iter().find(|other| count(*other) > count(b',')).unwrap_or(b',')
}

/// Returns the field, with a decimal point in place of a decimal comma if the field is a number.
fn with_point(field: &str) -> String {
    let is_number = field.contains(',')
        && field.matches(',').count() == 1
        && field.chars().all(|c| c.is_ascii_digit() || ",+-eE".contains(c));
    if is_number { field.replace(',', ".") } else { field.into() }
}

/// Returns a table with these rows as text.
pub fn write<T: Serialize>(rows: impl IntoIterator<Item = T>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows are flat and memory does not fail");
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("rows are text")
}

/// Returns a message with the location and the cause of an error.
fn explain(error: &csv::Error, headers: Option<&csv::StringRecord>) -> String {
    let line = error.position().map_or(1, csv::Position::line);
    match error.kind() {
        csv::ErrorKind::Deserialize { err, .. } => {
            let column = err.field().and_then(|i| headers?.get(i as usize));
            let place = column.map_or(String::new(), |c| format!(", column `{c}`"));
            format!("line {line}{place}: {}", err.kind())
        }
        csv::ErrorKind::UnequalLengths { expected_len, len, .. } => {
            format!("line {line}: {len} values for {expected_len} columns")
        }
        _ => format!("line {line}: {error}"),
    }
}
