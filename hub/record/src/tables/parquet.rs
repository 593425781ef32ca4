//! Writer of tables as Parquet files, for pandas, Polars, R and DuckDB. Columns are scalar and may contain nulls.
//! Each batch of rows becomes a row group.

use super::table::{Column, Table};
use ::parquet::basic::{ConvertedType, LogicalType, Repetition, Type as Physical};
use ::parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int64Type};
use ::parquet::errors::Result;
use ::parquet::file::properties::WriterProperties;
use ::parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use ::parquet::schema::types::{Type, TypePtr};
use std::fs::File;
use std::sync::Arc;

/// Parquet file that is being written.
pub struct ParquetFile {
    writer: SerializedFileWriter<File>,
}

impl ParquetFile {
    /// Begins a file whose columns have the names and types of those in `table`. No row is written.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn begin(file: File, table: &Table) -> Result<ParquetFile> {
        let fields = table.iter().map(|(name, column)| field(name, column)).collect::<Result<_>>()?;
        let schema = Arc::new(Type::group_type_builder("row").with_fields(fields).build()?);
        Ok(ParquetFile { writer: SerializedFileWriter::new(file, schema, Arc::new(WriterProperties::new()))? })
    }

    /// Writes the rows of a table that has the same columns as the file.
    ///
    /// # Errors
    /// If the file cannot be written, or the columns differ.
    pub fn write(&mut self, table: &Table) -> Result<()> {
        let mut group = self.writer.next_row_group()?;
        for (_, column) in table {
            let Some(writer) = group.next_column()? else { break };
            match column {
                Column::Integers(values) => write::<Int64Type>(writer, values.iter().copied())?,
                Column::Numbers(values) => write::<DoubleType>(writer, values.iter().copied())?,
                Column::Flags(values) => write::<BoolType>(writer, values.iter().copied())?,
                Column::Texts(values) => {
                    write::<ByteArrayType>(writer, values.iter().map(|v| v.as_deref().map(ByteArray::from)))?;
                }
            }
        }
        group.close()?;
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn finish(self) -> Result<()> {
        self.writer.close()?;
        Ok(())
    }
}

fn field(name: &str, column: &Column) -> Result<TypePtr> {
    let physical = match column {
        Column::Integers(_) => Physical::INT64,
        Column::Numbers(_) => Physical::DOUBLE,
        Column::Flags(_) => Physical::BOOLEAN,
        Column::Texts(_) => Physical::BYTE_ARRAY,
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    let builder = match column {
        Column::Texts(_) => {
            builder.with_logical_type(Some(LogicalType::String)).with_converted_type(ConvertedType::UTF8)
        }
        _ => builder,
    };
    Ok(Arc::new(builder.build()?))
}

/// Writes one column. The definition level of each row is 1 if the row has a value, and 0 if it is null. Only
/// existing values are stored.
fn write<T: DataType>(
    mut writer: SerializedColumnWriter<'_>,
    values: impl Iterator<Item = Option<T::T>> + Clone,
) -> Result<()> {
    let levels: Vec<i16> = values.clone().map(|value| value.is_some().into()).collect();
    let values: Vec<T::T> = values.flatten().collect();
    writer.typed::<T>().write_batch(&values, Some(&levels), None)?;
    writer.close()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    use ::parquet::record::{Field, RowAccessor};

    #[test]
    fn every_column_type_reads_back_with_nulls() {
        let table: Table = vec![
            ("seed".into(), Column::Integers(vec![Some(i64::MIN), None, Some(3)])),
            ("settings.elite".into(), Column::Numbers(vec![Some(0.1), Some(f64::NAN), None])),
            ("flag".into(), Column::Flags(vec![None, Some(true), Some(false)])),
            ("tree".into(), Column::Texts(vec![Some("sel\n  é".into()), None, Some(String::new())])),
        ];
        let file = tempfile::tempfile().unwrap();
        let mut parquet = ParquetFile::begin(file.try_clone().unwrap(), &table).unwrap();
        parquet.write(&table).unwrap();
        parquet.write(&table).unwrap();
        parquet.finish().unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        assert_eq!((reader.num_row_groups(), reader.metadata().file_metadata().num_rows()), (2, 6));
        let rows: Vec<_> = reader.into_iter().map(Result::unwrap).collect();
        for half in rows.chunks(3) {
            let names: Vec<&str> = half[0].get_column_iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(names, ["seed", "settings.elite", "flag", "tree"]);
            assert_eq!((half[0].get_long(0).unwrap(), half[2].get_long(0).unwrap()), (i64::MIN, 3));
            assert_eq!(half[0].get_double(1).unwrap(), 0.1);
            assert!(half[1].get_double(1).unwrap().is_nan() && half[1].get_bool(2).unwrap());
            assert_eq!(
                (half[0].get_string(3).unwrap().as_str(), half[2].get_string(3).unwrap().as_str()),
                ("sel\n  é", "")
            );
            for (row, column) in [(1, 0), (2, 1), (0, 2), (1, 3)] {
                assert_eq!(half[row].get_column_iter().nth(column).unwrap().1, &Field::Null);
            }
        }
    }
}
