//! Sweep file. docs/sweeps.md describes every key.

use super::curves::Axes;
use super::point::{self, Point};
use super::printed::{self, Printed};
use crate::evolution_run::file::EvolutionFile;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toml::{Table, Value};
use xpuck_wire::file::{self, FileError};

/// Maximum length of a sweep file (bytes).
const MAX_TEXT: usize = 256 * 1024;
/// Maximum number of runs of a sweep.
pub const MAX_RUNS: usize = 10_000;
/// Maximum number of parallel processes, and of threads per process.
pub const MAX_PARALLEL: usize = 256;
/// Maximum length of a sweep's name (characters).
const MAX_NAME: usize = 60;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SweepFile {
    /// Title of the results, and name of the folder below `runs/`: 1 to 60 letters, digits, `-` and `_`.
    #[schemars(length(min = 1, max = MAX_NAME))]
    name: String,
    /// Seeds: a range like "1-20" or a list. Each point is run once with each seed.
    #[schemars(schema_with = "seeds_schema")]
    seeds: Value,
    /// Number of parallel processes.
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = MAX_PARALLEL))]
    jobs: usize,
    /// Number of threads per process (default: all cores).
    #[schemars(range(min = 1, max = MAX_PARALLEL))]
    threads: Option<usize>,
    /// Common settings of all runs: keys of an evolution file, except `seed`.
    #[serde(default)]
    #[schemars(with = "EvolutionFile")]
    base: Table,
    /// Lists of values for keys of an evolution file. Each combination of values is a point. A dotted key refers to a
    /// nested table.
    #[schemars(schema_with = "grid_schema")]
    grid: Option<Table>,
    /// Points as an alternative to a grid. Each point has keys of an evolution file, and optionally a `label` for the
    /// legend.
    #[schemars(schema_with = "points_schema")]
    points: Option<Vec<Table>>,
    /// Quantities on the axes of the curves.
    #[serde(default)]
    curves: Axes,
    /// Published numbers of the same experiment, for comparison with the results of the runs.
    #[serde(default)]
    #[schemars(schema_with = "printed_schema")]
    printed: Vec<Printed>,
}

fn printed_schema(generator: &mut SchemaGenerator) -> Schema {
    let entry = Printed::json_schema(generator);
    json_schema!({ "type": "array", "items": entry })
}

fn seeds_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": [
        { "type": "string", "pattern": "^[0-9]+-[0-9]+$" },
        { "type": "array", "items": { "type": "integer", "minimum": 0 }, "minItems": 1, "maxItems": MAX_RUNS },
    ] })
}

fn grid_schema(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "object", "additionalProperties": { "type": ["array", "object"] } })
}

fn points_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut point = EvolutionFile::json_schema(generator).to_value();
    point["properties"]["label"] = json_schema!({ "type": "string", "description": "Name in legends." }).to_value();
    json_schema!({ "type": "array", "items": point })
}

fn one() -> usize {
    1
}

/// Sweep whose own keys are valid. The evolution file of each point is validated later.
#[derive(Clone, Debug, PartialEq)]
pub struct Sweep {
    /// Name of the sweep file in errors.
    pub file: String,
    /// Name of the sweep: letters, digits, `-` and `_`.
    pub name: String,
    /// Distinct seeds.
    pub seeds: Vec<u64>,
    /// Number of parallel processes.
    pub jobs: usize,
    /// Number of threads per process; `None` for all cores.
    pub threads: Option<usize>,
    /// Settings to compare, at least one, with distinct labels.
    pub points: Vec<Point>,
    /// Quantities on the axes of the curves.
    pub axes: Axes,
    /// Published numbers of the same experiment.
    pub printed: Vec<Printed>,
    /// Folder of the sweep file. File names in the points are relative to this folder.
    pub home: PathBuf,
}

/// Reads a sweep file.
///
/// # Errors
/// If the file cannot be read or is invalid. The message contains the file, the key, and its valid values.
pub fn read(path: &Path) -> Result<Sweep, FileError> {
    let text = file::text(path, file::MAX_TOML)?;
    let home = xpuck_wire::atomic::folder(path);
    parse(&path.display().to_string(), &text, home)
}

/// Parses a sweep from text. Errors refer to the text by `name`. File names in the points are relative to `home`.
///
/// # Errors
/// If the text is invalid. The message contains the name, the key, and its valid values.
pub fn parse(name: &str, text: &str, home: &Path) -> Result<Sweep, FileError> {
    if text.len() > MAX_TEXT {
        return Err(FileError::value(
            name,
            format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len()),
        ));
    }
    sweep(name, file::parse(name, text)?, home).map_err(|message| FileError::value(name, message))
}

fn sweep(called: &str, file: SweepFile, home: &Path) -> Result<Sweep, String> {
    let SweepFile { name, seeds, jobs, threads, base, grid, points, curves, printed } = file;
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if name.is_empty() || name.len() > MAX_NAME || !name.chars().all(plain) {
        return Err(format!("name = {name:?}: must be 1 to {MAX_NAME} letters, digits, `-` and `_`"));
    }
    for (key, value) in [("jobs", jobs), ("threads", threads.unwrap_or(1))] {
        if !(1..=MAX_PARALLEL).contains(&value) {
            return Err(format!("{key} = {value} is outside 1 to {MAX_PARALLEL}"));
        }
    }
    let seeds = self::seeds(&seeds)?;
    let points = match (grid, points) {
        (Some(_), Some(_)) => return Err("both [grid] and [[points]] are present; use one of them".into()),
        (Some(grid), None) => point::of_grid(&base, &grid, MAX_RUNS)?,
        (None, Some(points)) => point::of_list(&base, points)?,
        // Without grid and points, the base is the only setting. It is run with each seed.
        (None, None) => point::of_list(&base, vec![Table::new()])?,
    };
    let runs = points.len() * seeds.len();
    if runs > MAX_RUNS {
        let (p, s) = (points.len(), seeds.len());
        return Err(format!("{p} points x {s} seeds are {runs} runs; at most {MAX_RUNS} are allowed"));
    }
    curves.check()?;
    printed::check(&printed, &points)?;
    Ok(Sweep { file: called.into(), name, seeds, jobs, threads, points, axes: curves, printed, home: home.into() })
}

/// Parses seeds from a range in text or from a list.
fn seeds(value: &Value) -> Result<Vec<u64>, String> {
    let wrong = || format!("seeds = {value}: must be a range such as \"1-20\" or a list such as [1, 2, 5]");
    let seeds: Vec<u64> = match value {
        Value::String(text) => {
            let (first, last) = text.split_once('-').ok_or_else(wrong)?;
            // As in TOML, integers are below 2^63.
            let end =
                |text: &str| text.trim().parse::<u64>().ok().filter(|s| i64::try_from(*s).is_ok()).ok_or_else(wrong);
            let (first, last) = (end(first)?, end(last)?);
            if last < first || last - first >= MAX_RUNS as u64 {
                return Err(format!(
                    "seeds = {value}: must go from the smallest to the greatest seed, at most {MAX_RUNS} seeds"
                ));
            }
            (first..=last).collect()
        }
        Value::Array(list) if !list.is_empty() && list.len() <= MAX_RUNS => {
            let seed = |v: &Value| v.as_integer().and_then(|i| u64::try_from(i).ok()).ok_or_else(wrong);
            list.iter().map(seed).collect::<Result<_, _>>()?
        }
        _ => return Err(wrong()),
    };
    match seeds.iter().collect::<BTreeSet<_>>().len() == seeds.len() {
        true => Ok(seeds),
        false => Err(format!("seeds = {value}: duplicate seed; remove it")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let error = parse("s.toml", text, Path::new(".")).unwrap_err().to_string();
        assert!(error.starts_with("s.toml: ") && error.lines().count() == 1, "{error}");
        error
    }

    #[test]
    fn seeds_are_a_range_or_a_list() {
        let seeds = |text: &str| {
            let text = format!("name = \"s\"\nseeds = {text}\n[[points]]\n");
            parse("s.toml", &text, Path::new(".")).map(|s| s.seeds).map_err(|e| e.to_string())
        };
        assert_eq!(seeds("\"3-6\"").unwrap(), [3, 4, 5, 6]);
        assert_eq!(seeds("[9, 1]").unwrap(), [9, 1]);
        for wrong in
            ["\"6-3\"", "\"1-\"", "\"one\"", "[]", "[-1]", "[1.5]", "7", "[4, 4]", "\"0-18446744073709551615\""]
        {
            assert!(seeds(wrong).unwrap_err().contains("seeds = "), "{wrong}");
        }
    }

    #[test]
    fn seeds_alone_are_one_setting() {
        let sweep = parse("s.toml", "name = \"s\"\nseeds = \"1-3\"\n", Path::new(".")).unwrap();
        assert_eq!((sweep.points.len(), sweep.points[0].label.as_str()), (1, "base"));
    }

    #[test]
    fn sweep_file_errors_are_reported_in_one_line() {
        let good = "name = \"s\"\nseeds = \"1-3\"\n";
        assert!(refusal(&format!("{good}[[points]]\n[bass]\n")).contains("unknown field `bass`"));
        assert!(refusal(&format!("{good}[grid]\nx = [1]\n[[points]]\n")).contains("use one of them"));
        assert!(refusal(&format!("{good}jobs = 0\n[[points]]\n")).contains("jobs = 0 is outside 1 to 256"));
        assert!(refusal("name = \"a/b\"\nseeds = \"1-3\"\n[[points]]\n").contains("name = \"a/b\""));
        let many = "name = \"s\"\nseeds = \"1-5001\"\n[grid]\nx = [1, 2]\n";
        assert!(refusal(many).contains("2 points x 5001 seeds are 10002 runs; at most 10000"));
        assert!(refusal(&format!("{good}[[points]]\n[curves]\nx = \"years\"\n")).contains("unknown variant `years`"));
    }
}
