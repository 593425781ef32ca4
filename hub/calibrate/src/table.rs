//! Records as tables: CSV with one header line of column names, which carry their units.
//!
//! Lines that start with `#` are comments, columns may stand in any order, and each row's numbers have ranges.

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
    let mut reader = csv::ReaderBuilder::new().comment(Some(b'#')).trim(csv::Trim::All).from_reader(text.as_bytes());
    let headers = reader.headers().map_err(|e| fail(explain(&e, None)))?.clone();
    let mut rows = Vec::new();
    let mut record = csv::StringRecord::new();
    while reader.read_record(&mut record).map_err(|e| fail(explain(&e, None)))? {
        let line = record.position().map_or(0, csv::Position::line);
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
