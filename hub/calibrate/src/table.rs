//! Records as tables: CSV with one header line of column names, which include their units.
//!
//! Lines that start with `#` are comments, columns may have any order, and each row's numbers have valid ranges.
//! Spreadsheet exports are accepted: semicolons or tabs as delimiters, decimal commas, capital letters in the header.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;
use xpuck_wire::FileError;

/// Maximum size of a table (bytes).
pub const MAX_BYTES: usize = 64 << 20;
/// Maximum number of rows.
const MAX_ROWS: usize = 1_000_000;

/// A row of a table; its fields are the columns.
pub trait Row: DeserializeOwned {
    /// Returns the numbers with a valid range: column, value, range.
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)>;
}

/// Parses a table; `name` is its name in errors. Each row is returned with its line number.
pub fn read<T: Row>(name: &str, text: &str) -> Result<Vec<(u64, T)>, FileError> {
    let fail = |message: String| FileError::value(name, message);
    if text.len() > MAX_BYTES {
        return Err(fail(format!("more than {MAX_BYTES} bytes; split the record")));
    }
    // Excel's own first line, which defines the delimiter.
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
        // Spreadsheets also export empty rows.
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
        return Err(fail("no rows; docs/calibration.md describes the columns".into()));
    }
    Ok(rows)
}

/// Returns the delimiter of the header: a comma, a semicolon or a tab.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or("");
    let count = |delimiter: u8| header.bytes().filter(|byte| *byte == delimiter).count();
    [b';', b'\t'].into_iter().find(|other| count(*other) > count(b',')).unwrap_or(b',')
}

/// Replaces the decimal comma of a number by a point; other fields are unchanged.
fn with_point(field: &str) -> String {
    let is_number = field.contains(',')
        && field.matches(',').count() == 1
        && field.chars().all(|c| c.is_ascii_digit() || ",+-eE".contains(c));
    if is_number { field.replace(',', ".") } else { field.into() }
}

/// Returns the table as text.
pub fn write<T: Serialize>(rows: impl IntoIterator<Item = T>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows are flat and memory does not fail");
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("rows are text")
}

/// Returns the cause and location of an error.
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
