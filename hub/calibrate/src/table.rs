//! Records as tables: CSV with one header line of column names, which carry their units.
//!
//! Lines that start with `#` are comments, columns may stand in any order, and each row's numbers have ranges. Tables of
//! spreadsheets are read as they come: semicolons or tabs between columns, commas in numbers, capitals in the header.

use serde::Serialize;
use serde::de::DeserializeOwned;
use std::ops::RangeInclusive;
use xpuck_wire::FileError;

/// Longest table, bytes.
pub const MAX_BYTES: usize = 64 << 20;
/// Most rows.
const MAX_ROWS: usize = 1_000_000;

/// A row of a table; its fields are the columns.
pub trait Row: DeserializeOwned {
    /// The numbers that have a range: column, value, what it may be.
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)>;
}

/// Reads a table; `name` is what errors call it. Each row comes with its line.
pub fn read<T: Row>(name: &str, text: &str) -> Result<Vec<(u64, T)>, FileError> {
    let fail = |message: String| FileError::value(name, message);
    if text.len() > MAX_BYTES {
        return Err(fail(format!("more than {MAX_BYTES} bytes; split the record")));
    }
    // Excel's own first line, which names what stands between columns.
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
        // Spreadsheets save rows that were once filled.
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
        return Err(fail("no rows; docs/calibration.md says what a record holds".into()));
    }
    Ok(rows)
}

/// The delimiter of the header's columns: a comma, a semicolon or a tab.
fn delimiter(text: &str) -> u8 {
    let header = text.lines().find(|line| !line.starts_with('#') && !line.trim().is_empty()).unwrap_or("");
    let count = |delimiter: u8| header.bytes().filter(|byte| *byte == delimiter).count();
    [b';', b'\t'].into_iter().find(|other| count(*other) > count(b',')).unwrap_or(b',')
}

/// A number with a decimal comma as one with a point; anything else as it is.
fn with_point(field: &str) -> String {
    let is_number = field.contains(',')
        && field.matches(',').count() == 1
        && field.chars().all(|c| c.is_ascii_digit() || ",+-eE".contains(c));
    if is_number { field.replace(',', ".") } else { field.into() }
}

/// The table as text.
pub fn write<T: Serialize>(rows: impl IntoIterator<Item = T>) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        writer.serialize(row).expect("rows are flat and memory does not fail");
    }
    String::from_utf8(writer.into_inner().expect("memory does not fail")).expect("rows are text")
}

/// What is wrong, and where.
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
