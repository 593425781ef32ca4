//! Export of run records as tables.

use crate::errors;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::path::PathBuf;
use xpuck_lab::evolution_run::{RECORD, record};
use xpuck_record::export::{Format, export as write_tables};

/// Writes the tables of the run in the folder `run` as Parquet files into `folder`. Returns the name and number of
/// rows of each table, and descriptions of the record's damage.
#[pyfunction]
#[allow(clippy::type_complexity, reason = "two lists")]
pub fn export(py: Python<'_>, run: PathBuf, folder: PathBuf) -> PyResult<(Vec<(&'static str, u64)>, Vec<String>)> {
    let mut interrupted = false;
    let exported = py.detach(|| {
        write_tables(&run, &folder, Format::Parquet, |_, _| {
            interrupted = Python::attach(|py| py.check_signals().is_err());
            !interrupted
        })
    });
    match exported {
        Ok(exported) => Ok((exported.tables, exported.damage)),
        Err(_) if interrupted => Err(PyKeyboardInterrupt::new_err("")),
        Err(error) => Err(errors::of_file(&run, error)),
    }
}

/// Iterator over the generations of an evolution run. Each generation is a JSON text.
#[pyclass(module = "xpuck")]
pub struct Generations {
    reader: record::Reader,
}

#[pymethods]
impl Generations {
    /// Opens the record in the folder of an evolution run.
    #[new]
    fn new(run: PathBuf) -> PyResult<Generations> {
        let path = run.join(RECORD);
        Ok(Generations { reader: record::Reader::open(&path).map_err(|error| errors::of_file(&path, error))? })
    }

    fn __iter__(this: PyRef<'_, Self>) -> PyRef<'_, Self> {
        this
    }

    fn __next__(&mut self) -> Option<String> {
        self.reader.next().map(|generation| serde_json::to_string(&generation).expect("plain data"))
    }

    /// Number of bytes after the last valid generation, which are truncated or corrupt. The number is final when all
    /// generations have been read.
    #[getter]
    fn left_over(&self) -> u64 {
        self.reader.left_over()
    }
}
