//! Exports a record as tables for tools such as pandas. Each table is one Parquet or CSV file. The columns are
//! derived from the schemas of the topics.

use super::parquet::ParquetFile;
use super::table::{Column, Table, write_rows};
use super::{births, updates};
use crate::{RecordError, read, schema};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use xpuck_wire::atomic::PartialFile;

/// Number of rows buffered before they are written.
const BATCH: usize = 20_000;

/// File format of the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Parquet.
    Parquet,
    /// Comma-separated values.
    Csv,
}

/// Specification of a table: its name, its topic, the list that contains its rows (`None`: one row per message), and
/// the fields to leave out.
struct Spec(&'static str, &'static str, Option<&'static str>, &'static [&'static str]);

const TABLES: [Spec; 16] = [
    Spec("poses", "/poses", Some("bodies"), &[]),
    Spec("telemetry", "/telemetry", None, &[]),
    Spec("genes", GENES, None, &["births"]),
    Spec("births", GENES, Some("births"), &["emigrant", "left_out"]),
    Spec("loaded", "/loaded", None, &[]),
    Spec("run", "/run", None, &["segments"]),
    Spec(SEGMENTS, "/run", Some("segments"), OF_RUN),
    Spec("segment_samples", "/run", Some("segments"), OF_RUN),
    Spec("events", "/events", None, &[]),
    Spec("updates", UPDATES, Some("updates"), &[]),
    Spec("logs", "/logs", None, &[]),
    Spec("samples", "/samples", Some("samples"), &[]),
    Spec("populations", "/populations", None, &["from"]),
    Spec("tags", "/tags", Some("tags"), &[]),
    Spec("sensors", "/sensors", None, &[]),
    Spec("estimates", "/estimates", Some("estimates"), &[]),
];

/// Name of the table with one row per segment. Each row has the latest values of its segment. The table
/// `segment_samples` has all recorded values.
const SEGMENTS: &str = "segments";
/// Fields that concern the whole run. The tables of segments omit these fields.
const OF_RUN: &[&str] = &["segment", "phase", "evolved", "slow_round_trips", "dead"];
/// Columns that were added later, with their topic. They are the last ones, so that the positions of the others are
/// those of earlier versions.
const ADDED: &[(&str, &str)] = &[("/run", "value")];
/// Topics with packed messages, which the export unpacks before it writes the rows.
const UPDATES: &str = "/updates";
const GENES: &str = "/genes";

/// Column names for elements of lists: position in the list, and name of the column.
const NAMES: [(&str, &str); 27] = [
    ("pose.0", "x"),
    ("pose.1", "y"),
    ("pose.2", "heading"),
    ("parents.0.0", "mother_island"),
    ("parents.0.1", "mother"),
    ("parents.1.0", "father_island"),
    ("parents.1.1", "father"),
    ("v_goal.0", "v_goal.x"),
    ("v_goal.1", "v_goal.y"),
    ("v_prox.0", "v_prox.x"),
    ("v_prox.1", "v_prox.y"),
    ("v_up.0", "v_up.x"),
    ("v_up.1", "v_up.y"),
    ("v_attr.0", "v_attr.x"),
    ("v_attr.1", "v_attr.y"),
    ("v_red.0", "v_red.x"),
    ("v_red.1", "v_red.y"),
    ("v_green.0", "v_green.x"),
    ("v_green.1", "v_green.y"),
    ("v_blue.0", "v_blue.x"),
    ("v_blue.1", "v_blue.y"),
    ("v_scr.0", "v_scr.x"),
    ("v_scr.1", "v_scr.y"),
    ("wanted.0", "wanted.left"),
    ("wanted.1", "wanted.right"),
    ("sent.0", "sent.left"),
    ("sent.1", "sent.right"),
];

/// Result of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Exported {
    /// Name and number of rows of each table.
    pub tables: Vec<(&'static str, u64)>,
    /// Damage of the record, one line per damaged file.
    pub damage: Vec<String>,
}

/// Writes the tables of a run into a folder. `progress` receives the number of bytes read so far and the total number
/// of bytes. If it returns false, the export stops.
///
/// # Errors
/// If the record is missing or cannot be read, or `progress` stopped the export. Also if the folder is the run's own
/// or cannot be written.
pub fn export(
    run: &Path,
    folder: &Path,
    format: Format,
    mut progress: impl FnMut(u64, u64) -> bool,
) -> Result<Exported, RecordError> {
    if folder.canonicalize().is_ok_and(|folder| run.canonicalize().is_ok_and(|run| run == folder)) {
        return Err(RecordError::new(folder, "is the folder of the run's record; choose another folder"));
    }
    if folder.exists() && !folder.is_dir() {
        return Err(RecordError::new(folder, "not a folder; choose a new or existing folder for the tables"));
    }
    let mut messages = read::Messages::open(run)?;
    std::fs::create_dir_all(folder).map_err(|error| RecordError::new(folder, error))?;
    let mut outputs = TABLES.iter().map(|spec| Output::begin(spec, folder, format)).collect::<Result<Vec<_>, _>>()?;
    let mut told = None;
    while let Some(message) = messages.next() {
        let message = message?;
        let (done, total) = messages.progress();
        // The number of bytes read changes once per chunk, so progress is reported once per chunk.
        if told.replace(done) != Some(done) && !progress(done, total) {
            return Err(RecordError::new(folder, "stopped; nothing was written"));
        }
        let mut value: Option<Value> = None;
        for output in outputs.iter_mut().filter(|o| o.topic == message.topic) {
            if value.is_none() {
                value = match output.topic {
                    UPDATES => updates::unpacked(&message.data),
                    GENES => births::unpacked(&message.data),
                    _ => serde_json::from_slice(&message.data).ok(),
                };
            }
            if let Some(value) = &value {
                output.add_message(value)?;
            }
        }
    }
    if outputs.iter().all(|output| output.rows == 0 && output.waiting == 0 && output.latest.is_empty()) {
        return Err(RecordError::new(run, "not the record of a run, or empty; no file was written"));
    }
    let tables = outputs.into_iter().map(Output::finish).collect::<Result<_, _>>()?;
    Ok(Exported { tables, damage: messages.damage().to_vec() })
}

/// Location and type of a column's value.
struct Field {
    name: String,
    pointer: String,
    /// Whether the value is part of the row's item rather than of the message.
    of_item: bool,
    kind: &'static str,
}

enum Writer {
    Parquet(Box<ParquetFile>),
    Csv(Box<csv::Writer<File>>),
}

struct Output {
    name: &'static str,
    topic: &'static str,
    each: Option<&'static str>,
    fields: Vec<Field>,
    columns: Vec<Column>,
    waiting: usize,
    /// Latest message and item of each segment, by segment number. Only the table of segments uses this field.
    latest: BTreeMap<u64, (Value, Value)>,
    rows: u64,
    writer: Writer,
    path: PathBuf,
    part: PartialFile,
}

impl Output {
    fn begin(spec: &Spec, folder: &Path, format: Format) -> Result<Output, RecordError> {
        let Spec(name, topic, each, without) = *spec;
        let fields = fields(topic, each, without);
        let extension = if format == Format::Parquet { "parquet" } else { "csv" };
        let path = folder.join(format!("{name}.{extension}"));
        let fail = |error: String| RecordError::new(&path, error);
        let (part, file) = PartialFile::open(&path).map_err(|e| fail(e.to_string()))?;
        let columns = empty(&fields);
        let writer = match format {
            Format::Parquet => {
                let table = table(&fields, columns.clone());
                Writer::Parquet(Box::new(ParquetFile::begin(file, &table).map_err(|e| fail(e.to_string()))?))
            }
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(file);
                writer.write_record(fields.iter().map(|f| &f.name)).map_err(|e| fail(e.to_string()))?;
                Writer::Csv(Box::new(writer))
            }
        };
        Ok(Output {
            name,
            topic,
            each,
            fields,
            columns,
            waiting: 0,
            latest: BTreeMap::new(),
            rows: 0,
            writer,
            path,
            part,
        })
    }

    fn add_message(&mut self, message: &Value) -> Result<(), RecordError> {
        let items = match self.each {
            None => std::slice::from_ref(message),
            Some(list) => message[list].as_array().map_or(&[][..], Vec::as_slice),
        };
        for item in items {
            match item["number"].as_u64().filter(|_| self.name == SEGMENTS) {
                // Each message contains all segments so far. An unchanged segment keeps its row, so that the row has
                // the time of the segment's last change.
                Some(number) if self.latest.get(&number).is_some_and(|(_, known)| known == item) => {}
                Some(number) => {
                    let of_run = message.as_object().into_iter().flatten().filter(|(key, _)| *key != SEGMENTS);
                    let of_run = of_run.map(|(key, value)| (key.clone(), value.clone())).collect();
                    self.latest.insert(number, (Value::Object(of_run), item.clone()));
                }
                None => self.row(message, item),
            }
        }
        if self.waiting >= BATCH { self.write() } else { Ok(()) }
    }

    fn row(&mut self, message: &Value, item: &Value) {
        for (field, column) in self.fields.iter().zip(&mut self.columns) {
            let value = if field.of_item { item } else { message }.pointer(&field.pointer).unwrap_or(&Value::Null);
            push(column, value);
        }
        self.waiting += 1;
    }

    fn write(&mut self) -> Result<(), RecordError> {
        if self.waiting == 0 {
            return Ok(());
        }
        let columns = std::mem::replace(&mut self.columns, empty(&self.fields));
        let table = table(&self.fields, columns);
        let written = match &mut self.writer {
            Writer::Parquet(file) => file.write(&table).map_err(|e| e.to_string()),
            Writer::Csv(writer) => write_rows(writer, &table).map_err(|e| e.to_string()),
        };
        self.rows += self.waiting as u64;
        self.waiting = 0;
        written.map_err(|error| RecordError::new(&self.path, error))
    }

    fn finish(mut self) -> Result<(&'static str, u64), RecordError> {
        for (message, item) in std::mem::take(&mut self.latest).into_values() {
            self.row(&message, &item);
        }
        self.write()?;
        let ended = match self.writer {
            Writer::Parquet(file) => file.finish().map_err(|e| e.to_string()),
            Writer::Csv(mut writer) => writer.flush().map_err(|e| e.to_string()),
        };
        let moved = ended.and_then(|()| self.part.commit().map_err(|e| e.to_string()));
        moved.map(|()| (self.name, self.rows)).map_err(|error| RecordError::new(&self.path, error))
    }
}

fn table(fields: &[Field], columns: Vec<Column>) -> Table {
    fields.iter().map(|f| f.name.clone()).zip(columns).collect()
}

fn empty(fields: &[Field]) -> Vec<Column> {
    let one = |field: &Field| match field.kind {
        "integer" => Column::Integers(Vec::new()),
        "number" => Column::Numbers(Vec::new()),
        "boolean" => Column::Flags(Vec::new()),
        _ => Column::Texts(Vec::new()),
    };
    fields.iter().map(one).collect()
}

fn push(column: &mut Column, value: &Value) {
    match column {
        Column::Integers(values) => values.push(value.as_i64()),
        Column::Numbers(values) => values.push(value.as_f64()),
        Column::Flags(values) => values.push(value.as_bool()),
        Column::Texts(values) => values.push(value.as_str().map(String::from)),
    }
}

/// Returns the columns of a table: one for every scalar of the schema, and one for each element of a fixed-length
/// list.
fn fields(topic: &str, each: Option<&str>, without: &[&str]) -> Vec<Field> {
    let schema: Value = match topic {
        UPDATES => xpuck_wire::schema::json_schema::<updates::Unpacked>().to_value(),
        GENES => xpuck_wire::schema::json_schema::<births::Unpacked>().to_value(),
        _ => serde_json::from_str(schema::for_topic(topic)).unwrap_or_default(),
    };
    let mut found = Vec::new();
    // Stack of schema parts to visit; the next part is on top.
    let mut open = vec![(&schema, String::new(), false)];
    while let Some((schema, pointer, of_item)) = open.pop() {
        let name = pointer.trim_start_matches('/').replace('/', ".");
        if without.contains(&name.as_str()) && !of_item {
            continue;
        }
        if let Some(properties) = schema["properties"].as_object() {
            let inner = properties.iter().rev().map(|(key, schema)| (schema, format!("{pointer}/{key}"), of_item));
            open.extend(inner);
        } else if each.is_some_and(|list| name == list) && !of_item {
            open.push((&schema["items"], String::new(), true));
        } else if schema["type"] == "array" || schema["type"][0] == "array" {
            let length = schema["maxItems"].as_u64().unwrap_or(0);
            // Either all items have the same schema, or each item has its own.
            let item = |i: u64| schema["items"].get(i as usize).unwrap_or(&schema["items"]);
            open.extend((0..length).rev().map(|i| (item(i), format!("{pointer}/{i}"), of_item)));
        } else {
            let kind = match &schema["type"] {
                Value::Array(kinds) => kinds[0].as_str(),
                kind => kind.as_str(),
            };
            let kind = ["integer", "number", "boolean"].into_iter().find(|k| Some(*k) == kind).unwrap_or("string");
            let name = NAMES.iter().find(|n| n.0 == name).map_or(name, |n| n.1.into());
            found.push(Field { name, pointer, of_item: of_item || each.is_none(), kind });
        }
    }
    found.sort_by_key(|field| ADDED.contains(&(topic, field.name.as_str())));
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::McapFile;
    use xpuck_hub_core::entry::Entry;
    use xpuck_wire::Body;

    /// Users' scripts refer to the columns, so no column's name, position or type may change.
    #[test]
    fn tables_have_the_columns_that_scripts_name() {
        let mut columns = String::new();
        for Spec(name, topic, each, without) in TABLES {
            columns += &format!("{name}:\n");
            for field in fields(topic, each, without) {
                columns += &format!("  {} {}\n", field.name, field.kind);
            }
        }
        assert_eq!(columns, include_str!("columns.txt"));
    }

    #[test]
    fn record_is_exported_to_tables() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.mcap");
        let mut file = McapFile::begin(File::create(&path).unwrap()).unwrap();
        for i in 0..3 {
            let body = |name: &str| Body { name: name.into(), pose: [i as f32, 0.5, 0.0] };
            file.write(&Entry::Poses { time: i.into(), bodies: vec![body("xp01"), body("frisbee")] }).unwrap();
            file.write(&Entry::event(i.into(), "a, \"b\"")).unwrap();
        }
        file.finish().unwrap();
        drop(file);
        let mut seen = (0, 0);
        let tables = folder.path().join("tables");
        let mut watch = |done, total| {
            seen = (done, total);
            true
        };
        let rows = export(folder.path(), &tables, Format::Csv, &mut watch).unwrap();
        assert_eq!((rows.tables[0], rows.damage.len()), (("poses", 6), 0));
        assert!(seen.0 > 0 && seen.0 <= seen.1 && seen.1 == path.metadata().unwrap().len(), "{seen:?}");
        let text = std::fs::read_to_string(tables.join("poses.csv")).unwrap();
        assert!(text.starts_with("name,x,y,heading,time\nxp01,0.0,0.5,0.0,0.0\nfrisbee,0.0,"), "{text}");
        assert_eq!(export(folder.path(), &tables, Format::Parquet, |_, _| true).unwrap(), rows);
        assert!(tables.join("births.parquet").exists());
        let other = folder.path().join("other");
        let stopped = export(folder.path(), &other, Format::Csv, |_, _| false).unwrap_err().to_string();
        assert!(stopped.ends_with("stopped; nothing was written"), "{stopped}");
        assert_eq!(std::fs::read_dir(&other).unwrap().count(), 0, "no half files stay");
        let own = export(folder.path(), folder.path(), Format::Csv, |_, _| true).unwrap_err().to_string();
        assert!(own.contains("is the folder of the run's record"), "{own}");
    }
}
