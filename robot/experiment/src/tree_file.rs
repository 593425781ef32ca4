//! Files of behaviour trees in text, XML, JSON or binary form. The file's extension selects the form.

use std::path::{Path, PathBuf};
use xpuck_kernels::tree::exchange::{
    BinaryError, XmlErrors, XmlOptions, from_binary, from_json, from_json_for, from_xml, read_xml,
};
use xpuck_kernels::tree::{MAX_TEXT, ParseError, RegisterMap, Tree, hints};
use xpuck_wire::file::{self, FileError};

/// Form of a tree file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text form (.bt).
    Text,
    /// XML of BehaviorTree.CPP version 4 (.xml), or a Groot2 project (.btproj).
    Xml,
    /// Nested JSON objects (.json).
    Json,
    /// Binary form (.bin).
    Bin,
}

impl Form {
    /// Returns the form for a file's extension; [`Form::Text`] for unknown extensions.
    pub fn from_path(path: &Path) -> Form {
        match path.extension().and_then(|e| e.to_str()) {
            Some("xml" | "btproj") => Form::Xml,
            Some("json") => Form::Json,
            Some("bin") => Form::Bin,
            _ => Form::Text,
        }
    }
}

/// Options for reading a tree file.
#[derive(Clone, Copy, Debug)]
pub struct ReadOptions<'a> {
    /// Form of the file. `None`: the file's extension selects the form.
    pub form: Option<Form>,
    /// ID of the tree to read, for an XML file with several trees.
    pub tree: Option<&'a str>,
    /// Register map, which determines the register that `[index]` in a tree's text refers to.
    pub map: RegisterMap,
    /// Whether angles in text keep their written values. Otherwise they are rounded to steps of pi/128.
    pub exact: bool,
}

impl Default for ReadOptions<'_> {
    fn default() -> Self {
        ReadOptions { form: None, tree: None, map: RegisterMap::Full, exact: false }
    }
}

/// Reason why a file does not contain a valid tree. The message begins with the file's name.
#[derive(Debug)]
pub enum TreeError {
    /// Unreadable file.
    File(FileError),
    /// Invalid text or JSON: file name and error.
    Text(String, ParseError),
    /// Invalid XML: file name, and all errors in the file.
    Xml(String, XmlErrors),
    /// Invalid binary form: file name and error.
    Bytes(String, BinaryError),
    /// Options that do not fit the form, or an unreadable binary file. The string is the whole message.
    BadOptions(String),
}

impl std::fmt::Display for TreeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TreeError::File(error) => write!(f, "{error}"),
            TreeError::Text(name, error) => write!(f, "{name}: {error}"),
            TreeError::Xml(name, error) => write!(f, "{name}: {error}"),
            TreeError::Bytes(name, error) => write!(f, "{name}: {error}"),
            TreeError::BadOptions(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for TreeError {}

/// Reads a tree from a file.
///
/// # Errors
/// The file name, the position in the file and the error.
pub fn read(path: &Path, ask: &ReadOptions<'_>) -> Result<Tree, TreeError> {
    Ok(read_with_notes(path, ask)?.0)
}

/// Reads a tree from a file. Also returns warnings about valid text whose meaning is probably unintended.
///
/// # Errors
/// The errors of [`read`].
pub fn read_with_notes(path: &Path, ask: &ReadOptions<'_>) -> Result<(Tree, Vec<ParseError>), TreeError> {
    let name = path.display().to_string();
    let form = ask.form.unwrap_or_else(|| Form::from_path(path));
    if ask.tree.is_some() && form != Form::Xml {
        return Err(TreeError::BadOptions(format!("{name}: the file contains one tree; use --tree only with XML")));
    }
    if form == Form::Bin {
        if ask.map == RegisterMap::Kilobot {
            return Err(TreeError::BadOptions(format!(
                "{name}: a Kilobot's tree has no binary form; use .bt, .xml or .json"
            )));
        }
        let bytes = file::bytes(path, MAX_TEXT as u64)
            .map_err(|error| TreeError::BadOptions(format!("{name}: cannot be read: {error}")))?;
        let tree = from_binary(&bytes).map_err(|error| TreeError::Bytes(name, error))?;
        return Ok((tree, Vec::new()));
    }
    let text = file::text(path, MAX_TEXT as u64).map_err(TreeError::File)?;
    let fault = |error| TreeError::Text(name.clone(), error);
    let tree = match form {
        Form::Json => from_json_for(&text, ask.map).map_err(fault),
        Form::Xml => {
            let mut include = |from: &str, path: &str| included(&name, from, path);
            let asked = XmlOptions { tree: ask.tree, map: ask.map, include: &mut include };
            read_xml(&text, asked).map_err(|faults| TreeError::Xml(name.clone(), faults))
        }
        _ => Tree::parse_with(&text, ask.map, ask.exact).map_err(fault),
    }?;
    Ok((tree, if form == Form::Text { hints(&text) } else { Vec::new() }))
}

/// Reads an included file by its path relative to the including file. Returns the canonical path and the text of the
/// included file. Returns empty strings for the file `first`, because the XML reader has already loaded it.
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

/// Returns the paths of the readable files that an XML file includes. Returns an empty list for other forms.
pub fn includes(path: &Path) -> Vec<PathBuf> {
    let name = path.display().to_string();
    let mut found = Vec::new();
    if Form::from_path(path) != Form::Xml {
        return found;
    }
    let Ok(text) = file::text(path, MAX_TEXT as u64) else { return found };
    let mut include = |from: &str, path: &str| {
        let file = included(&name, from, path)?;
        found.push(PathBuf::from(&file.0));
        Ok(file)
    };
    // Errors in the XML are ignored here, because they are reported when the tree is read.
    let _ = read_xml(&text, XmlOptions { tree: None, map: RegisterMap::Full, include: &mut include });
    found
}

/// Parses a tree file that was sent with an experiment. The extension of `name` selects the form.
///
/// # Errors
/// The first error found.
pub fn parse(name: &str, text: &str) -> Result<Tree, ParseError> {
    match Form::from_path(Path::new(name)) {
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
            assert_eq!(read(path, &ReadOptions::default()).unwrap(), tree, "{}", path.display());
        }
        std::fs::create_dir(place.path().join("parts")).unwrap();
        write("parts/t.xml", to_xml(&tree).as_bytes());
        let project = write("p.btproj", b"<root BTCPP_format=\"4\"><include path=\"parts/t.xml\"/></root>");
        assert_eq!(read(&project, &ReadOptions::default()).unwrap(), tree);
        let asked = read(&project, &ReadOptions { tree: Some("u"), ..ReadOptions::default() }).unwrap_err().to_string();
        assert!(asked.contains("p.btproj: line 1, column 1: <BehaviorTree ID=\"u\"> does not exist"), "{asked}");
        let one = read(&files[0], &ReadOptions { tree: Some("u"), ..ReadOptions::default() }).unwrap_err().to_string();
        assert!(one.ends_with("t.bt: the file contains one tree; use --tree only with XML"), "{one}");
        let kilobots = read(&files[4], &ReadOptions { map: RegisterMap::Kilobot, ..ReadOptions::default() })
            .unwrap_err()
            .to_string();
        assert!(kilobots.contains("no binary form"), "{kilobots}");
        let lost = write("lost.xml", b"<root BTCPP_format=\"4\"><include path=\"none.xml\"/></root>");
        let lost = read(&lost, &ReadOptions::default()).unwrap_err().to_string();
        assert!(lost.contains("lost.xml: line 1, column 24: ") && lost.contains("none.xml"), "{lost}");
        assert_eq!(parse("a.xml", &to_xml(&tree)).unwrap(), parse("a.bt", &tree.to_string()).unwrap());
    }
}
