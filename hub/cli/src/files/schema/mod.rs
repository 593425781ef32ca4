//! `xpuck dev schema`: JSON Schemas of the TOML files that people write, for editors.

use crate::files::file_kind::kinds;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::path::PathBuf;
use xpuck_kernels::tree::suggest;
use xpuck_lab::schemas::FileKind;
use xpuck_wire::{atomic, output};

/// Print the JSON Schema of a kind of TOML file, by which editors complete and check keys.
///
/// Without a name the kinds are listed. A robot's file has its schema from `xpuckd schema`.
#[derive(Args)]
pub struct SchemaArgs {
    /// Which kind.
    name: Option<String>,
    /// Write all of them into this folder, as NAME.schema.json; it is made if it is missing.
    #[arg(short, long = "output", alias = "out", value_name = "DIR", conflicts_with = "name")]
    out: Option<PathBuf>,
}

fn text(kind: &FileKind) -> Result<String> {
    Ok(serde_json::to_string_pretty(&(kind.schema)())? + "\n")
}

/// Runs the command.
pub fn run(args: &SchemaArgs) -> Result<()> {
    let kinds = kinds();
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        for kind in &kinds {
            let path = folder.join(format!("{}.schema.json", kind.name));
            atomic::write(&path, text(kind)?.as_bytes()).with_context(|| path.display().to_string())?;
        }
        return Ok(());
    }
    let Some(name) = &args.name else {
        for FileKind { name, what, .. } in kinds {
            output::line(format_args!("{name:<13}  {what}"))?;
        }
        return Ok(());
    };
    let Some(kind) = kinds.iter().find(|kind| kind.name == name) else {
        let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
        let near = suggest(name, names.iter().map(|name| (*name).to_string()));
        bail!("no kind of file is called `{name}`{near}; there are {}", names.join(", "));
    };
    Ok(output::text(text(kind)?)?)
}

#[cfg(all(test, feature = "automata", feature = "bodies", feature = "kilobots"))]
mod tests;
