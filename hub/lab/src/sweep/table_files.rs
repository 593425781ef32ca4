//! Writes a table as CSV and as Parquet.

use super::folder::refuse_link;
use super::problem::Problem;
use std::fs::File;
use std::path::{Path, PathBuf};
use xpuck_record::parquet::ParquetFile;
use xpuck_record::table::{Table, write_rows};
use xpuck_wire::atomic::PartialFile;

/// Files `NAME.csv` and `NAME.parquet` of a table that is written in pieces. The files get these names when they are
/// complete.
pub struct Files {
    csv: csv::Writer<File>,
    parquet: ParquetFile,
    paths: [PathBuf; 2],
    parts: [PartialFile; 2],
}

impl Files {
    /// Creates both files and writes `first`, the first piece of the table. All other pieces must have the same
    /// columns.
    ///
    /// # Errors
    /// If a file cannot be written, or is a symbolic link.
    pub fn begin(folder: &Path, name: &str, first: &Table) -> Result<Files, Problem> {
        let paths = ["csv", "parquet"].map(|kind| folder.join(format!("{name}.{kind}")));
        let create = |path: &Path| {
            refuse_link(path)?;
            PartialFile::open(path).map_err(|error| Problem::new(path, error))
        };
        let ((csv_part, csv), (parquet_part, parquet)) = (create(&paths[0])?, create(&paths[1])?);
        let mut csv = csv::Writer::from_writer(csv);
        let head = csv.write_record(first.iter().map(|(name, _)| name));
        head.map_err(|error| Problem::new(&paths[0], error))?;
        let parquet = ParquetFile::begin(parquet, first).map_err(|error| Problem::new(&paths[1], error))?;
        let mut files = Files { csv, parquet, paths, parts: [csv_part, parquet_part] };
        files.write(first)?;
        Ok(files)
    }

    /// Writes a piece of the table.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&mut self, table: &Table) -> Result<(), Problem> {
        write_rows(&mut self.csv, table).map_err(|error| Problem::new(&self.paths[0], error))?;
        self.parquet.write(table).map_err(|error| Problem::new(&self.paths[1], error))
    }

    /// Completes both files.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn finish(mut self) -> Result<(), Problem> {
        self.csv.flush().map_err(|error| Problem::new(&self.paths[0], error))?;
        self.parquet.finish().map_err(|error| Problem::new(&self.paths[1], error))?;
        for (part, path) in self.parts.into_iter().zip(&self.paths) {
            part.commit().map_err(|error| Problem::new(path, error))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_record::table::Column;

    #[test]
    fn csv_is_written_in_pieces_and_appears_whole() {
        let dir = tempfile::tempdir().unwrap();
        let piece = |x: f64| -> Table {
            vec![
                ("x".into(), Column::Numbers(vec![Some(x), None])),
                ("tree".into(), Column::Texts(vec![Some("sel\n  a, \"b\"".into()), Some("é".into())])),
            ]
        };
        let mut files = Files::begin(dir.path(), "t", &piece(0.1)).unwrap();
        assert!(!dir.path().join("t.csv").exists());
        files.write(&piece(52_000_000.5)).unwrap();
        files.finish().unwrap();
        let text = std::fs::read_to_string(dir.path().join("t.csv")).unwrap();
        let tree = "\"sel\n  a, \"\"b\"\"\"";
        assert_eq!(text, format!("x,tree\n0.1,{tree}\n,é\n52000000.5,{tree}\n,é\n"));
    }
}
