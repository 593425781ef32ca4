//! Trees read from files and results written to files, in the format that a file's extension says.

use anyhow::{Context, Result, bail};
use clap::ValueEnum;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use xpuck_kernels::tree::exchange::{from_binary, from_json, from_xml};
use xpuck_kernels::tree::{MAX_TEXT, RegisterMap, Tree, notes};
use xpuck_wire::{atomic, file, output};

/// Formats that can be read.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub(super) enum From {
    /// The text form (.bt).
    Text,
    /// XML of BehaviorTree.CPP version 4.
    Xml,
    /// Nested JSON objects.
    Json,
    /// The binary form.
    Bin,
}

/// Writes to a file, or prints if none is given.
pub(super) fn deliver(output: Option<&Path>, bytes: &[u8]) -> Result<()> {
    output.map_or_else(|| print(bytes), |path| write(path, bytes))
}

/// The format that a file's extension says.
pub(super) fn format_of(path: &Path) -> Result<From> {
    Ok(match path.extension().and_then(|e| e.to_str()) {
        Some("bt") => From::Text,
        Some("xml") => From::Xml,
        Some("json") => From::Json,
        Some("bin") => From::Bin,
        _ => bail!("{}: the extension is none of .bt, .xml, .json, .bin; say --from", path.display()),
    })
}

/// Reads a tree; errors name the file and the place in it.
pub(super) fn read(path: &Path, from: Option<From>, exact: bool) -> Result<Tree> {
    let name = path.display().to_string();
    let from = from.map_or_else(|| format_of(path), Ok)?;
    if from == From::Bin {
        let bytes = file::bytes(path, MAX_TEXT as u64).with_context(|| format!("{name}: cannot be read"))?;
        return from_binary(&bytes).context(name);
    }
    let text = text(path)?;
    let tree = match from {
        From::Text => Tree::parse_with(&text, RegisterMap::Full, exact),
        From::Json => from_json(&text),
        _ => from_xml(&text),
    };
    let tree = tree.context(name)?;
    if from == From::Text {
        tell_notes(path, &text);
    }
    Ok(tree)
}

/// Reads a tree of either robot, for what is done with its form alone; a Kilobot's tree has the text form alone.
pub(super) fn read_either(path: &Path, from: Option<From>, exact: bool) -> Result<Tree> {
    let is_text = from.map_or_else(|| format_of(path), Ok)? == From::Text;
    if is_text {
        let kilobots = Tree::parse_with(&text(path)?, RegisterMap::Kilobot, exact);
        if let Some(tree) = kilobots.ok().filter(|tree| tree.nodes().iter().any(|node| node.kind.is_kilobots_own())) {
            return Ok(tree);
        }
    }
    read(path, from, exact)
}

/// Reads a Kilobot's tree, which has the text form alone.
pub(super) fn read_kilobot(path: &Path, from: Option<From>) -> Result<Tree> {
    let name = path.display().to_string();
    if from.map_or_else(|| format_of(path), Ok)? != From::Text {
        bail!("{name}: a Kilobot's tree is read in the text form (.bt) alone");
    }
    Tree::parse_with(&text(path)?, RegisterMap::Kilobot, false).context(name)
}

/// Says on standard error what is worth a word in a tree's text.
pub(super) fn tell_notes(path: &Path, text: &str) {
    for note in notes(text) {
        output::note(format_args!("xpuck: {}: note: {note}", path.display()));
    }
}

/// A file's text.
pub(super) fn text(path: &Path) -> Result<String> {
    Ok(file::text(path, MAX_TEXT as u64)?)
}

/// Writes a file; one that is there is replaced only when the new one is whole.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<()> {
    atomic::output(path, bytes).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Refuses to write where something is read, under whatever name: what was read would be lost.
pub(super) fn refuse_over<'a>(
    read: impl IntoIterator<Item = &'a PathBuf>,
    written: impl IntoIterator<Item = &'a PathBuf>,
) -> Result<()> {
    let id = |path: &Path| std::fs::metadata(path).ok().filter(Metadata::is_file).map(|m| (m.dev(), m.ino()));
    let sources: Vec<(u64, u64)> = read.into_iter().filter_map(|path| id(path)).collect();
    match written.into_iter().find(|path| id(path).is_some_and(|file| sources.contains(&file))) {
        Some(path) => bail!("{} is a file that is read; name another one for what comes out", path.display()),
        None => Ok(()),
    }
}

/// Prints.
pub(super) fn print(bytes: &[u8]) -> Result<()> {
    Ok(output::bytes(bytes)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_not_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        let [tree, other, linked, new] = ["a.bt", "b.bt", "c.bt", "d.svg"].map(path);
        std::fs::write(&tree, "bleft\n").unwrap();
        std::fs::write(&other, "bleft\n").unwrap();
        std::os::unix::fs::symlink(&tree, &linked).unwrap();
        let around = path(".").join("a.bt");
        for written in [&tree, &linked, &around] {
            let error = refuse_over([&other, &tree], [&new, written]).unwrap_err().to_string();
            assert_eq!(
                error,
                format!("{} is a file that is read; name another one for what comes out", written.display())
            );
        }
        assert!(refuse_over([&tree], [&new, &other]).is_ok() && refuse_over([&new], [&new]).is_ok());
        let null = PathBuf::from("/dev/null");
        assert!(refuse_over([&null], [&null]).is_ok(), "a device is no file to lose");
    }
}
