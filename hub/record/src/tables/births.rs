//! Births as rows of a table: what is recorded in columns, a row each.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::{Birth, Emigrant};

/// A generation as the export sees it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub(crate) struct Unpacked {
    time: f64,
    robot: String,
    generation: u32,
    emigrant: Emigrant,
    births: Vec<Birth>,
    left_out: u32,
}

/// A recorded generation unpacked; none if it is none.
pub(crate) fn unpacked(data: &[u8]) -> Option<Value> {
    let Ok(Entry::Genes { time, robot, generation, emigrant, births }) = serde_json::from_slice(data) else {
        return None;
    };
    let (births, left_out) = (births.rows, births.left_out);
    serde_json::to_value(Unpacked { time, robot, generation, emigrant, births, left_out }).ok()
}
