//! Files with a behaviour tree, in the form that their extension says: text, XML, JSON or binary.

use std::path::{Path, PathBuf};
use xpuck_kernels::tree::exchange::{
    BinaryError, XmlAsk, XmlFaults, from_binary, from_json, from_json_for, from_xml, read_xml,
};
use xpuck_kernels::tree::{MAX_TEXT, ParseError, RegisterMap, Tree, notes};
use xpuck_wire::file::{self, FileError};

/// Forms that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// The text form (.bt).
    Text,
    /// XML of BehaviorTree.CPP version 4 (.xml), or a project of Groot2 (.btproj).
    Xml,
    /// Nested JSON objects (.json).
    Json,
    /// The binary form (.bin).
    Bin,
}

impl Form {
    /// The form that a file's extension says; text for others.
    pub fn of(path: &Path) -> Form {
        match path.extension().and_then(|e| e.to_str()) {
            Some("xml" | "btproj") => Form::Xml,
            Some("json") => Form::Json,
            Some("bin") => Form::Bin,
            _ => Form::Text,
        }
    }
}

/// How a file is read.
#[derive(Clone, Copy, Debug)]
pub struct Ask<'a> {
    /// The form; without it, as the extension says.
    pub form: Option<Form>,
    /// The ID of the tree, where XML has several that could be meant.
    pub tree: Option<&'a str>,
    /// Meaning of `[index]` in a text, and the robot that the tree is for.
    pub map: RegisterMap,
    /// Keep angles of a text as written instead of rounding them to steps of pi/128.
    pub exact: bool,
}

impl Default for Ask<'_> {
    fn default() -> Self {
        Ask { form: None, tree: None, map: RegisterMap::Full, exact: false }
    }
}

/// Why a file gives no tree; the message begins with the file's name.
#[derive(Debug)]
pub enum TreeError {
    /// It cannot be read.
    File(FileError),
    /// A text or JSON is wrong.
    Text(String, ParseError),
    /// XML is wrong, with all its faults.
    Xml(String, XmlFaults),
    /// Bytes are wrong.
    Bytes(String, BinaryError),
    /// A request that does not fit the form.
    Asked(String),
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TreeError::File(error) => write!(f, "{error}"),
            TreeError::Text(name, error) => write!(f, "{name}: {error}"),
            TreeError::Xml(name, error) => write!(f, "{name}: {error}"),
            TreeError::Bytes(name, error) => write!(f, "{name}: {error}"),
            TreeError::Asked(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for TreeError {}

/// Reads a tree.
///
/// # Errors
/// The file's name, the place in it and the fault.
pub fn read(path: &Path, ask: &Ask<'_>) -> Result<Tree, TreeError> {
    Ok(read_with_notes(path, ask)?.0)
}

/// Reads a tree, with the notes on a text that can be read but is probably meant otherwise.
///
/// # Errors
/// As [`read`].
pub fn read_with_notes(path: &Path, ask: &Ask<'_>) -> Result<(Tree, Vec<ParseError>), TreeError> {
    let name = path.display().to_string();
    let form = ask.form.unwrap_or_else(|| Form::of(path));
    if ask.tree.is_some() && form != Form::Xml {
        return Err(TreeError::Asked(format!("{name}: holds one tree; --tree chooses among those of XML")));
    }
    if form == Form::Bin {
        if ask.map == RegisterMap::Kilobot {
            return Err(TreeError::Asked(format!(
                "{name}: a Kilobot's tree has no binary form; use .bt, .xml or .json"
            )));
        }
        let bytes = file::bytes(path, MAX_TEXT as u64)
            .map_err(|error| TreeError::Asked(format!("{name}: cannot be read: {error}")))?;
        let tree = from_binary(&bytes).map_err(|error| TreeError::Bytes(name, error))?;
        return Ok((tree, Vec::new()));
    }
    let text = file::text(path, MAX_TEXT as u64).map_err(TreeError::File)?;
    let fault = |error| TreeError::Text(name.clone(), error);
    let tree = match form {
        Form::Json => from_json_for(&text, ask.map).map_err(fault),
        Form::Xml => {
            let mut include = |from: &str, path: &str| included(&name, from, path);
            let asked = XmlAsk { tree: ask.tree, map: ask.map, include: &mut include };
            read_xml(&text, asked).map_err(|faults| TreeError::Xml(name.clone(), faults))
        }
        _ => Tree::parse_with(&text, ask.map, ask.exact).map_err(fault),
    }?;
    Ok((tree, if form == Form::Text { notes(&text) } else { Vec::new() }))
}

/// A file that another includes, by a path from that other's folder. The first file has an empty name, by which its reader
/// knows that it has it already.
fn included(first: &str, from: &str, path: &str) -> Result<(String, String), String> {
    let from = Path::new(if from.is_empty() { first } else { from });
    let path = from.parent().unwrap_or(Path::new("")).join(path);
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.into());
    let name = real(&path);
    if name == real(Path::new(first)) {
        return Ok((String::new(), String::new()));
    }
    let text = file::text(&path, MAX_TEXT as u64).map_err(|error| error.to_string())?;
    Ok((name.display().to_string(), text))
}

/// Files that a file of XML includes, as far as they can be read; none for other forms.
pub fn includes(path: &Path) -> Vec<PathBuf> {
    let name = path.display().to_string();
    let mut found = Vec::new();
    if Form::of(path) != Form::Xml {
        return found;
    }
    let Ok(text) = file::text(path, MAX_TEXT as u64) else { return found };
    let mut include = |from: &str, path: &str| {
        let file = included(&name, from, path)?;
        found.push(PathBuf::from(&file.0));
        Ok(file)
    };
    // What is wrong with them is told where they are read.
    let _ = read_xml(&text, XmlAsk { tree: None, map: RegisterMap::Full, include: &mut include });
    found
}

/// Reads a tree that was sent along with an experiment, in the form that its name says.
///
/// # Errors
/// The first fault.
pub fn parse(name: &str, text: &str) -> Result<Tree, ParseError> {
    match Form::of(Path::new(name)) {
        Form::Xml => from_xml(text),
        Form::Json => from_json(text),
        _ => Tree::parse(text),
    }
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests write the files that are read")]
mod tests {
    use super::*;
    use xpuck_kernels::tree::exchange::{to_binary, to_json, to_xml};

    #[test]
    fn forms_are_read_by_their_extension() {
        let place = tempfile::tempdir().unwrap();
        let tree = Tree::parse("sel\n  avoiding\n  movcv v_goal 90deg\n").unwrap();
        let write = |name: &str, bytes: &[u8]| {
            let path = place.path().join(name);
            std::fs::write(&path, bytes).unwrap();
            path
        };
        let files = [
            write("t.bt", tree.to_string().as_bytes()),
            write("t.txt", tree.to_string().as_bytes()),
            write("t.xml", to_xml(&tree).as_bytes()),
            write("t.json", to_json(&tree).as_bytes()),
            write("t.bin", &to_binary(&tree).unwrap()),
        ];
        for path in &files {
            assert_eq!(read(path, &Ask::default()).unwrap(), tree, "{}", path.display());
        }
        std::fs::create_dir(place.path().join("parts")).unwrap();
        write("parts/t.xml", to_xml(&tree).as_bytes());
        let project = write("p.btproj", b"<root BTCPP_format=\"4\"><include path=\"parts/t.xml\"/></root>");
        assert_eq!(read(&project, &Ask::default()).unwrap(), tree);
        let asked = read(&project, &Ask { tree: Some("u"), ..Ask::default() }).unwrap_err().to_string();
        assert!(asked.contains("p.btproj: line 1, column 1: there is no <BehaviorTree ID=\"u\">"), "{asked}");
        let one = read(&files[0], &Ask { tree: Some("u"), ..Ask::default() }).unwrap_err().to_string();
        assert!(one.ends_with("t.bt: holds one tree; --tree chooses among those of XML"), "{one}");
        let kilobots = read(&files[4], &Ask { map: RegisterMap::Kilobot, ..Ask::default() }).unwrap_err().to_string();
        assert!(kilobots.contains("no binary form"), "{kilobots}");
        let lost = write("lost.xml", b"<root BTCPP_format=\"4\"><include path=\"none.xml\"/></root>");
        let lost = read(&lost, &Ask::default()).unwrap_err().to_string();
        assert!(lost.contains("lost.xml: line 1, column 24: ") && lost.contains("none.xml"), "{lost}");
        assert_eq!(parse("a.xml", &to_xml(&tree)).unwrap(), parse("a.bt", &tree.to_string()).unwrap());
    }
}
