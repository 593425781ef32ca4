//! Puts the WGSL together: constants from the Rust sources, then the stages; parses and validates it.

#![allow(clippy::print_stdout, reason = "Cargo reads it")]

use naga::valid::{Capabilities, ValidationFlags, Validator};
use std::fmt::Write;
use std::fs;
use std::path::Path;

#[allow(dead_code, missing_docs, reason = "the crate documents and uses the rest")]
#[path = "src/engine/gpu/layout.rs"]
mod layout;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/world/model.rs"]
mod model;
#[allow(dead_code, reason = "the crate uses the rest")]
#[path = "src/tree/registers.rs"]
mod registers;

/// Stages after what they use.
const SOURCES: [&str; 10] =
    ["state", "math", "random", "integrate", "contacts", "proximity", "camera", "task", "tick", "advance"];

fn main() {
    let mut source = String::new();
    constants(&mut source);
    for name in SOURCES {
        let path = format!("wgsl/{name}.wgsl");
        println!("cargo::rerun-if-changed={path}");
        source += &fs::read_to_string(&path).unwrap_or_else(|e| panic!("{path}: {e}"));
        source.push('\n');
    }
    for path in ["build.rs", "src/engine/gpu/layout.rs", "src/world/model.rs", "src/tree", "src/random.rs"] {
        println!("cargo::rerun-if-changed={path}");
    }
    let module = naga::front::wgsl::parse_str(&source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::empty());
    validator.validate(&module).unwrap_or_else(|e| panic!("{}", e.emit_to_string(&source)));
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("kernels.wgsl"), source).expect("OUT_DIR can be written");
}

fn constants(out: &mut String) {
    let mut integer = |name: &str, value: usize| {
        let _ = writeln!(out, "const {name}: u32 = {value}u;");
    };
    integer("SLOTS", layout::SLOTS);
    integer("NODE_WORDS", layout::NODE_WORDS);
    integer("MAX_PATCHES", layout::MAX_PATCHES);
    integer("HEADER_WORDS", layout::HEADER.len());
    integer("WORLD_WORDS", layout::WORLD_WORDS);
    layout::HEADER.iter().enumerate().for_each(|(i, name)| integer(&format!("H_{name}"), i));
    layout::QUANTITIES.iter().enumerate().for_each(|(i, name)| integer(&format!("Q_{name}"), i));
    integer("MAX_BODIES", model::MAX_BODIES);
    integer("MAX_CONTACTS", model::MAX_BODIES * 6);
    integer("CONTACT_ITERATIONS", model::CONTACT_ITERATIONS);
    integer("STEPS_PER_UPDATE", model::STEPS_PER_UPDATE as usize);
    integer("CAMERA_COLUMNS", model::CAMERA_COLUMNS);
    integer("RELOCATION_TRIES", model::RELOCATION_TRIES);
    integer("CELLS_TIMES_SLOTS", registers::CELLS * layout::SLOTS);
    integer("CELL_GOAL", registers::GOAL);
    integer("CELL_PROX", registers::PROX);
    integer("CELL_UP", registers::UP);
    integer("CELL_ATTR", registers::ATTR);
    integer("CELL_RED", registers::RED);
    integer("CELL_NEIGHBOURS", registers::NEIGHBOURS);
    integer("CELL_SCRATCH_FIRST", registers::NEIGHBOURS + 1);
    for (i, kind) in variants("src/tree/nodes.rs", "pub enum Kind {").iter().enumerate() {
        integer(&format!("KIND_{}", kind.to_uppercase()), i);
    }
    for stream in variants("src/random.rs", "pub enum Stream {") {
        let (name, number) = stream.split_once(" = ").expect("streams are numbered");
        integer(&format!("STREAM_{}", name.to_uppercase()), number.parse().expect("a number"));
    }
    for (name, value) in [
        ("DT", model::DT),
        ("FRICTION_STEEPNESS", model::FRICTION_STEEPNESS),
        ("PENETRATION_SLOP", model::PENETRATION_SLOP),
        ("PENETRATION_CORRECTION", model::PENETRATION_CORRECTION),
        ("ROBOT_RADIUS", model::ROBOT_RADIUS),
        ("PROX_RANGE", model::PROX_RANGE),
        ("CAMERA_FOV", model::CAMERA_FOV),
        ("NEIGHBOUR_RANGE", model::NEIGHBOUR_RANGE),
        ("NEIGHBOUR_MIN", model::NEIGHBOUR_MIN),
        ("V_MAX", model::V_MAX),
        ("RELOCATION_RADIUS", model::RELOCATION_RADIUS),
    ] {
        let _ = writeln!(out, "const {name}: f32 = {value:?};");
    }
}

/// The variants of an enum, as they stand in its source.
fn variants(path: &str, start: &str) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{path}: {e}"));
    let body = text.split_once(start).unwrap_or_else(|| panic!("{path}: no `{start}`")).1;
    let body = body.split_once('}').expect("an end of the enum").0;
    let lines = body.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with("//"));
    lines.map(|l| l.trim_end_matches(',').to_string()).collect()
}
