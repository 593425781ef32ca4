//! Tables of typed columns, and their output as CSV rows. [`super::parquet`] writes the same tables column by column.

use serde_json::Value;
use std::fs::File;

/// Typed column with one value per row; `None` for rows without a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Column of whole numbers.
    Integers(Vec<Option<i64>>),
    /// Column of floating-point numbers.
    Numbers(Vec<Option<f64>>),
    /// Column of booleans.
    Flags(Vec<Option<bool>>),
    /// Column of text.
    Texts(Vec<Option<String>>),
}

impl Column {
    /// Returns a column with the values. Its type is the first that fits all values: whole number, floating-point
    /// number, boolean, or text. Null fits every type.
    pub fn from_values(values: &[&Value]) -> Column {
        let all = |fits: &dyn Fn(&Value) -> bool| values.iter().all(|v| v.is_null() || fits(v));
        if all(&|v| v.is_i64()) && values.iter().any(|v| !v.is_null()) {
            Column::Integers(values.iter().map(|v| v.as_i64()).collect())
        } else if all(&Value::is_number) {
            Column::Numbers(values.iter().map(|v| v.as_f64()).collect())
        } else if all(&Value::is_boolean) {
            Column::Flags(values.iter().map(|v| v.as_bool()).collect())
        } else {
            let text = |v: &&Value| match v {
                Value::Null => None,
                Value::String(text) => Some(text.clone()),
                other => Some(other.to_string()),
            };
            Column::Texts(values.iter().map(text).collect())
        }
    }

    fn len(&self) -> usize {
        match self {
            Column::Integers(v) => v.len(),
            Column::Numbers(v) => v.len(),
            Column::Flags(v) => v.len(),
            Column::Texts(v) => v.len(),
        }
    }

    /// Formats the value of a row for CSV; a row without a value yields an empty cell. A number that is read back has
    /// the same bits.
    fn cell(&self, row: usize) -> String {
        match self {
            Column::Integers(v) => v[row].map(|x| x.to_string()),
            // Numbers have a point or an exponent. Otherwise, readers would infer an integer column if the first
            // value is 0.
            Column::Numbers(v) => v[row].map(|x| format!("{x:?}")),
            Column::Flags(v) => v[row].map(|x| x.to_string()),
            Column::Texts(v) => v[row].clone(),
        }
        .unwrap_or_default()
    }
}

/// Columns of equal length, each with its name.
pub type Table = Vec<(String, Column)>;

/// Returns the number of rows of a table.
fn rows(table: &Table) -> usize {
    table.first().map_or(0, |(_, column)| column.len())
}

/// Writes a table's rows as CSV.
///
/// # Errors
/// If the file cannot be written.
pub fn write_rows(csv: &mut csv::Writer<File>, table: &Table) -> csv::Result<()> {
    (0..rows(table)).try_for_each(|row| csv.write_record(table.iter().map(|(_, column)| column.cell(row))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn column_type_is_narrowest_for_its_values() {
        let of = |values: &[Value]| Column::from_values(&values.iter().collect::<Vec<_>>());
        assert_eq!(of(&[json!(1), json!(null)]), Column::Integers(vec![Some(1), None]));
        assert_eq!(of(&[json!(1), json!(0.5)]), Column::Numbers(vec![Some(1.0), Some(0.5)]));
        assert_eq!(of(&[json!(true), json!(null)]), Column::Flags(vec![Some(true), None]));
        assert_eq!(of(&[json!("a"), json!(2)]), Column::Texts(vec![Some("a".into()), Some("2".into())]));
        assert_eq!(of(&[json!([1, 2])]), Column::Texts(vec![Some("[1,2]".into())]));
        assert_eq!(of(&[json!(null)]), Column::Numbers(vec![None]));
    }
}
