//! Behaviour trees.

use crate::errors;
use pyo3::prelude::*;
use std::path::PathBuf;
use xpuck_kernels::analysis::explain::{explain, to_markdown, to_text};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::tree::exchange::{
    Direction, from_compact, from_json, from_xml, to_compact, to_dot, to_json, to_svg, to_xml,
};
use xpuck_kernels::tree::{MAX_TEXT, Program, RegisterMap, Tree as KernelTree};
use xpuck_wire::file;

/// Behaviour tree.
#[pyclass(frozen, module = "xpuck", eq, hash)]
#[derive(Clone, PartialEq)]
pub struct Tree {
    /// Tree as represented in the kernels.
    pub tree: KernelTree,
}

impl std::hash::Hash for Tree {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.tree.key().hash(state);
    }
}

impl Tree {
    /// Compiles the reduced tree, which has the same behaviour.
    ///
    /// # Errors
    /// If the tree or the reduced tree cannot be compiled, for example because it is too large for a robot.
    pub fn program(&self) -> PyResult<Program> {
        // As on a robot, the unreduced tree must also fit.
        Program::compile(&self.tree).map_err(errors::value)?;
        Program::compile(&reduce(&self.tree, Options { executable: false }).tree).map_err(errors::value)
    }
}

#[pymethods]
impl Tree {
    /// Creates a tree from text in one of three forms: "text", "xml" (BehaviorTree.CPP 4) or "json".
    #[new]
    #[pyo3(signature = (text, *, form = "text", exact = false))]
    fn new(text: &str, form: &str, exact: bool) -> PyResult<Tree> {
        if text.len() > MAX_TEXT {
            return Err(errors::value(format!("the tree has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let tree = match form {
            "text" => KernelTree::parse_with(text, RegisterMap::Full, exact),
            "xml" => from_xml(text),
            "json" => from_json(text),
            other => return Err(errors::value(format!("form {other:?}: must be text, xml or json"))),
        };
        Ok(Tree { tree: tree.map_err(errors::value)? })
    }

    /// Loads a tree from a file with the extension .bt, .xml or .json.
    #[staticmethod]
    #[pyo3(signature = (path, *, exact = false))]
    fn load(path: PathBuf, exact: bool) -> PyResult<Tree> {
        let text = file::text(&path, MAX_TEXT as u64).map_err(|error| errors::of_file(&path, error))?;
        let form = match path.extension().and_then(|extension| extension.to_str()) {
            Some("xml") => "xml",
            Some("json") => "json",
            _ => "text",
        };
        Tree::new(&text, form, exact)
            .map_err(|error| Python::attach(|py| errors::value(format!("{}: {}", path.display(), error.value(py)))))
    }

    fn __str__(&self) -> String {
        self.tree.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<xpuck.Tree of {} nodes>", self.tree.nodes().len())
    }

    fn __len__(&self) -> usize {
        self.tree.nodes().len()
    }

    /// Pickles the tree as bytes that contain all constants exactly.
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Vec<u8>,))> {
        Ok((py.get_type::<Tree>().getattr("_of_bytes")?, (to_compact(&self.tree),)))
    }

    #[staticmethod]
    fn _of_bytes(bytes: Vec<u8>) -> PyResult<Tree> {
        Ok(Tree { tree: from_compact(&bytes).map_err(errors::value)? })
    }

    /// Number of levels of the tree.
    #[getter]
    fn depth(&self) -> usize {
        self.tree.depth()
    }

    /// Share of a robot's tree memory that stays free (0..=1).
    #[getter]
    fn free_memory(&self) -> PyResult<f32> {
        Ok(Program::compile(&self.tree).map_err(errors::value)?.parsimony())
    }

    /// Returns a tree with the same behaviour and fewer nodes.
    fn reduce(&self) -> Tree {
        Tree { tree: reduce(&self.tree, Options { executable: true }).tree }
    }

    /// Returns `sel2(avoiding, tree)`, the form in which evolution executes a tree.
    fn under_avoiding(&self) -> Tree {
        Tree { tree: self.tree.under_avoiding() }
    }

    /// Explains the tree in plain English, as text or Markdown.
    #[pyo3(signature = (*, markdown = false))]
    fn explain(&self, markdown: bool) -> String {
        let account = explain(&self.tree);
        if markdown { to_markdown(&account, |_| None) } else { to_text(&account, |_| None, |_, part| part.into()) }
    }

    /// Converts the tree to text, xml (for Groot2), json, dot (for Graphviz) or svg.
    #[pyo3(signature = (form = "text", *, left = false))]
    fn to(&self, form: &str, left: bool) -> PyResult<String> {
        match form {
            "text" => Ok(self.tree.to_string()),
            "xml" => Ok(to_xml(&self.tree)),
            "json" => Ok(to_json(&self.tree)),
            "dot" => Ok(to_dot(&self.tree)),
            "svg" => Ok(self.svg(left)),
            other => Err(errors::value(format!("form {other:?}: must be text, xml, json, dot or svg"))),
        }
    }

    /// Draws the tree, with its root at the top or on the left.
    #[pyo3(signature = (*, left = false))]
    fn svg(&self, left: bool) -> String {
        to_svg(&self.tree, if left { Direction::Right } else { Direction::Down })
    }

    /// Returns the picture that notebooks display.
    fn _repr_svg_(&self) -> String {
        self.svg(false)
    }
}
