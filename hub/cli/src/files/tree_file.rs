//! Reads trees and writes results, in the format of the file's extension.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_experiment::tree_file::{self, Form, ReadOptions};
use xpuck_kernels::tree::{MAX_TEXT, RegisterMap, Tree};
use xpuck_wire::{atomic, file, output};

/// Formats that can be read.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum From {
    /// Text form (.bt).
    Text,
    /// XML of BehaviorTree.CPP version 4, or a project of Groot2.
    Xml,
    /// Nested JSON objects.
    Json,
    /// Binary form (.bin).
    Bin,
}

impl From {
    fn form(self) -> Form {
        match self {
            From::Text => Form::Text,
            From::Xml => Form::Xml,
            From::Json => Form::Json,
            From::Bin => Form::Bin,
        }
    }
}

/// Writes bytes to a file, or to standard output if `output` is `None`.
pub fn deliver(output: Option<&Path>, bytes: &[u8]) -> Result<()> {
    output.map_or_else(|| print(bytes), |path| write(path, bytes))
}

/// Reads an e-puck's tree. Errors state the file and the place in it.
pub fn read(path: &Path, from: Option<From>, exact: bool) -> Result<Tree> {
    read_asked(path, &ask(from, exact))
}

/// Returns the options for reading an e-puck's tree.
pub fn ask<'a>(from: Option<From>, exact: bool) -> ReadOptions<'a> {
    ReadOptions { form: from.map(From::form), exact, ..ReadOptions::default() }
}

/// Reads a tree, and prints notes about its text on standard error.
pub fn read_asked(path: &Path, ask: &ReadOptions<'_>) -> Result<Tree> {
    let (tree, notes) = tree_file::read_with_notes(path, ask)?;
    for note in notes {
        output::print_error(format_args!("xpuck: {}: note: {note}", path.display()));
    }
    Ok(tree)
}

/// Reads a tree of an e-puck or a Kilobot, for commands that use only the structure of the tree.
pub fn read_either(path: &Path, ask: &ReadOptions<'_>) -> Result<Tree> {
    let kilobots = tree_file::read(path, &ReadOptions { map: RegisterMap::Kilobot, ..*ask });
    match kilobots.ok().filter(|tree| tree.nodes().iter().any(|node| node.kind.is_kilobots_own())) {
        Some(tree) => Ok(tree),
        None => read_asked(path, ask),
    }
}

/// Reads a Kilobot's tree.
pub fn read_kilobot(path: &Path, from: Option<From>) -> Result<Tree> {
    Ok(tree_file::read(path, &ReadOptions { map: RegisterMap::Kilobot, ..ask(from, false) })?)
}

/// Reads the text of a file.
pub fn text(path: &Path) -> Result<String> {
    Ok(file::text(path, MAX_TEXT as u64)?)
}

/// Writes a file. An existing file is replaced only when the new one is complete.
pub fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    atomic::output(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Rejects an output file that is also an input file, even under another name, because the input would be lost.
pub fn refuse_over<'a>(
    read: impl IntoIterator<Item = &'a PathBuf>,
    written: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<()> {
    let id = |path: &Path| std::fs::metadata(path).ok().filter(Metadata::is_file).map(|m| (m.dev(), m.ino()));
    let sources: Vec<(u64, u64)> = read.into_iter().filter_map(|path| id(path)).collect();
    match written.into_iter().find(|path| id(path).is_some_and(|file| sources.contains(&file))) {
        Some(path) => bail!("{} is an input file; choose another output file", path.display()),
        None => Ok(()),
    }
}

/// Prints bytes on standard output.
pub fn print(bytes: &[u8]) -> Result<()> {
    Ok(output::bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_files_are_not_overwritten() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let [tree, other, linked, new] = ["a.bt", "b.bt", "c.bt", "d.svg"].map(path);
        std::fs::write(&tree, "bleft\n").unwrap();
        std::fs::write(&other, "bleft\n").unwrap();
        std::os::unix::fs::symlink(&tree, &linked).unwrap();
        let around = path(".").join("a.bt");
        for written in [&tree, &linked, &around] {
            let error = refuse_over([&other, &tree], [&new, written]).unwrap_err().to_string();
            assert_eq!(error, format!("{} is an input file; choose another output file", written.display()));
        }
        assert!(refuse_over([&tree], [&new, &other]).is_ok() && refuse_over([&new], [&new]).is_ok());
        let null = PathBuf::from("/dev/null");
        assert!(refuse_over([&null], [&null]).is_ok(), "a device is no file to lose");
    }
}
