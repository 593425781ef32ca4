//! `xpuck dev schema`: JSON Schemas of the TOML files that users write, and of the JSON that commands print.

use super::outputs;
use crate::files::file_kind::kinds;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use xpuck_kernels::tree::suggest;
use xpuck_lab::schemas::FileKind;
use xpuck_wire::{atomic, output};

/// Print the JSON Schema of a kind of TOML file, or of a command's output with --json.
///
/// Editors use the schemas to complete and check files, and programs use them to validate outputs. Without a name, the
/// command lists all names. The schema of a robot's file is printed by `xpuckd schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// Kind of file, such as `hub`, or command, such as `runs list`.
    #[arg(num_args = 0..=3, value_name = "NAME")]
    name: Vec<String>,
    /// Write all schemas to this folder, as NAME.schema.json; the folder is created if it is missing.
    #[arg(short, long = "output", alias = "out", value_name = "DIR", conflicts_with = "name")]
    out: Option<PathBuf>,
}

/// Runs `xpuck dev schema`.
pub fn run(args: &SchemaArgs) -> Result<()> {
    if let Some(folder) = &args.out {
        return write_all(folder);
    }
    if args.name.is_empty() {
        return list();
    }
    let name = args.name.join(" ");
    let name = name.strip_prefix("xpuck ").unwrap_or(&name);
    let Some(text) = schema(name)? else {
        let near = suggest(name, names().into_iter());
        bail!("`{name}` is neither a kind of file nor a command with --json{near}; `xpuck dev schema` lists both");
    };
    Ok(output::text(text)?)
}

/// Returns the schema of the kind of file or of the command's output with this name, as JSON text.
fn schema(name: &str) -> Result<Option<String>> {
    if let Some(kind) = kinds().iter().find(|kind| kind.name == name) {
        return Ok(Some(serde_json::to_string_pretty(&(kind.schema)())? + "\n"));
    }
    // The short form of a swarm command is also a valid name, such as `stop` for `swarm stop`.
    let found = outputs::schema(name).or_else(|| outputs::schema(&format!("swarm {name}")));
    Ok(found.map(|schema| serde_json::to_string_pretty(&schema)).transpose()?.map(|text| text + "\n"))
}

/// Returns the names of all schemas: first kinds of file, then commands.
fn names() -> Vec<String> {
    let files = kinds().into_iter().map(|kind| kind.name.to_string());
    let mut outputs: Vec<String> = outputs::all().into_iter().map(|output| output.command.to_string()).collect();
    outputs.dedup();
    files.chain(outputs).collect()
}

fn list() -> Result<()> {
    output::line("Files:")?;
    for FileKind { name, what, .. } in kinds() {
        output::line(format_args!("  {name:<13}  {what}"))?;
    }
    output::line("Outputs of commands with --json:")?;
    let mut all = outputs::all();
    all.dedup_by_key(|output| output.command);
    for output in all {
        let each = if output.form == outputs::Form::Lines { "  one value on each line" } else { "" };
        output::line(format_args!("  {:<24}{each}", output.command).to_string().trim_end())?;
    }
    Ok(())
}

fn write_all(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    for name in names() {
        let Some(text) = schema(&name)? else { continue };
        let path = folder.join(format!("{}.schema.json", name.replace(' ', "-")));
        atomic::write(&path, text.as_bytes()).with_context(|| path.display().to_string())?;
    }
    Ok(())
}

#[cfg(all(test, feature = "automata", feature = "bodies", feature = "gateway", feature = "kilobots"))]
mod tests;
