//! Births of a generation as table rows. The record stores them column by column; the export has one row per birth.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::{Birth, Emigrant};

/// Generation in the form that the export reads, with one list item per birth.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Unpacked {
    time: f64,
    robot: String,
    generation: u32,
    emigrant: Emigrant,
    births: Vec<Birth>,
    left_out: u32,
}

/// Unpacks a recorded generation. Returns `None` if the data is not a generation.
pub(crate) fn unpacked(data: &[u8]) -> Option<Value> {
    let Ok(Entry::Genes { time, robot, generation, emigrant, births }) = serde_json::from_slice(data) else {
        return None;
    };
    let (births, left_out) = (births.rows, births.left_out);
    serde_json::to_value(Unpacked { time, robot, generation, emigrant, births, left_out }).ok()
}
