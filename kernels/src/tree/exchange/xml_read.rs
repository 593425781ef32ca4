//! XML reader for trees of BehaviorTree.CPP, version 4. The files can come from this project, from other tools or
//! from users.
//!
//! A tree may consist of several files. The reader replaces each `SubTree` by the tree to which the ID of the
//! `SubTree` refers. It converts a node of BehaviorTree.CPP if this crate has a node with the same behaviour, and
//! rejects all other nodes of BehaviorTree.CPP.

use super::super::Tree;
use super::super::nodes::Kind;
use super::super::operand::{shorten, suggest};
use super::super::parse::{MAX_NODES, ParseError};
use super::super::registers::RegisterMap;
use super::xml::{NEURONS, SAME, category};
use super::xml_dom::{self, Xml};
use super::xml_foreign::{SCRIPTS, rejection_reason};
use super::{Element, Source, Word};
use std::fmt;

/// Attributes without influence on the behaviour of a node. Attributes that start with `_` have no influence either.
const NOTES: [&str; 2] = ["name", "ID"];
/// Maximum number of files of a tree.
const MAX_FILES: usize = 64;
/// Maximum number of reported errors.
const MAX_FAULTS: usize = 50;

/// Function that opens an included file. The arguments are the name of the including file (empty for the first file)
/// and the path in the `<include>` element. Returns name and text of the included file, or an error message.
pub type Include<'a> = dyn FnMut(&str, &str) -> Result<(String, String), String> + 'a;

/// Options of the XML reader.
pub struct XmlOptions<'a> {
    /// ID of the tree to read. `None` selects the main tree as described in [`read_xml`].
    pub tree: Option<&'a str>,
    /// Register map of the target robot.
    pub map: RegisterMap,
    /// Function that opens included files.
    pub include: &'a mut Include<'a>,
}

/// Errors found while reading a tree, in the order of files and positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct XmlErrors(pub Vec<ParseError>);

impl fmt::Display for XmlErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, fault) in self.0.iter().enumerate() {
            let end = if i + 1 < self.0.len() { "\n" } else { "" };
            write!(f, "{fault}{end}")?;
        }
        Ok(())
    }
}

impl std::error::Error for XmlErrors {}

impl From<ParseError> for XmlErrors {
    fn from(fault: ParseError) -> XmlErrors {
        XmlErrors(vec![fault])
    }
}

/// Reads an e-puck's tree from one file of BehaviorTree.CPP version 4; see [`read_xml`].
///
/// # Errors
/// Returns the first error in the text.
pub fn from_xml(text: &str) -> Result<Tree, ParseError> {
    let mut include = |_: &str, path: &str| {
        Err(format!("include is not supported in a single text; insert the content of {}", shorten(path)))
    };
    let ask = XmlOptions { tree: None, map: RegisterMap::Full, include: &mut include };
    read_xml(text, ask).map_err(|XmlErrors(mut faults)| faults.swap_remove(0))
}

/// Reads a tree from XML of BehaviorTree.CPP version 4. The tree is selected by `ask.tree`, otherwise by the
/// attribute `main_tree_to_execute`. Without both, it is the only tree, or the tree that no other tree uses as a
/// `SubTree`.
///
/// Custom nodes may be written as `<movcs .../>` or as `<Action ID="movcs" .../>`. Nodes of BehaviorTree.CPP without
/// an equivalent in this crate are rejected.
///
/// # Errors
/// Returns all errors up to a maximum of 50. Returns only the first error if it prevents the search for later errors.
pub fn read_xml(text: &str, ask: XmlOptions<'_>) -> Result<Tree, XmlErrors> {
    let mut source = Source::new(text)?;
    source.map = ask.map;
    let roots = roots(&mut source, ask.include)?;
    let trees: Vec<&Xml> = roots.iter().flat_map(|root| root.all("BehaviorTree")).collect();
    let main = main_tree(&source, &roots[0], &trees, ask.tree)?;
    let mut reader =
        Reader { source, trees: &trees, subtree_stack: Vec::new(), memory_siblings: 0, faults: Vec::new() };
    reader.check_names();
    let root = reader.tree(main, 0)?;
    let Reader { source, mut faults, .. } = reader;
    // The reader has collected the errors of single nodes. This call checks the rules that concern the whole tree.
    if let (Some(root), true) = (root, faults.is_empty()) {
        match source.tree_or_faults(&root) {
            Ok(tree) => return Ok(tree),
            Err(more) => faults = more,
        }
    }
    faults.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
    faults.dedup();
    faults.truncate(MAX_FAULTS);
    Err(XmlErrors(faults))
}

/// Returns the root elements of the first file and of all included files, in the order of inclusion.
fn roots(source: &mut Source, open: &mut Include<'_>) -> Result<Vec<Xml>, ParseError> {
    let mut roots = vec![xml_dom::parse(source, 0)?];
    let mut names = vec![String::new()];
    let mut next = 0;
    while next < roots.len() {
        let includes: Vec<(usize, Option<String>)> =
            roots[next].all("include").map(|include| (include.at, include.get("path").map(String::from))).collect();
        for (at, path) in includes {
            let path = path.ok_or_else(|| source.error(at, "<include> needs a path".into()))?;
            let (name, text) = open(&names[next], &path).map_err(|why| source.error(at, why))?;
            if names.contains(&name) {
                continue;
            }
            if roots.len() == MAX_FILES {
                return Err(source.error(at, format!("<include> leads to more than {MAX_FILES} files")));
            }
            let base = source.append_file(&name, &text).map_err(|why| source.error(at, why))?;
            roots.push(xml_dom::parse(source, base)?);
            names.push(name);
        }
        next += 1;
    }
    Ok(roots)
}

/// Selects the `<BehaviorTree>` to read. `first` is the root element of the first file, and `asked` is the ID of the
/// requested tree, if any.
fn main_tree<'a>(source: &Source, first: &Xml, trees: &[&'a Xml], asked: Option<&str>) -> Result<&'a Xml, ParseError> {
    let named = asked.or_else(|| first.get("main_tree_to_execute"));
    if let Some(name) = named {
        let missing = || source.error(first.at, no_tree(name, trees));
        return trees.iter().find(|tree| tree.get("ID") == Some(name)).copied().ok_or_else(missing);
    }
    if let [only] = trees {
        return Ok(only);
    }
    fn used<'a>(xml: &'a Xml, found: &mut Vec<&'a str>) {
        found.extend(xml.all("SubTree").filter_map(|subtree| subtree.get("ID")));
        xml.children.iter().for_each(|child| used(child, found));
    }
    let mut subtrees = Vec::new();
    trees.iter().for_each(|tree| used(tree, &mut subtrees));
    if let Some(missing) = subtrees.iter().find(|name| trees.iter().all(|tree| tree.get("ID") != Some(**name))) {
        return Err(source.error(first.at, format!("the tree of a SubTree is missing: {}", no_tree(missing, trees))));
    }
    let top: Vec<&&Xml> =
        trees.iter().filter(|tree| tree.get("ID").is_none_or(|name| !subtrees.contains(&name))).collect();
    let names = || top.iter().filter_map(|tree| tree.get("ID")).map(shorten).collect::<Vec<_>>().join(", ");
    match top[..] {
        [only] => Ok(only),
        [] if trees.is_empty() => Err(source.error(first.at, "<root> contains no <BehaviorTree>".into())),
        [] => Err(source.error(first.at, "each tree is a SubTree of another tree: the SubTrees form a cycle".into())),
        _ => {
            let message = format!(
                "several trees are not used by another: {}; select one with main_tree_to_execute (`xpuck check` and \
                 `convert` take --tree ID)",
                names()
            );
            Err(source.error(first.at, message))
        }
    }
}

/// Returns the error message for a missing tree, with the most similar existing name.
fn no_tree(name: &str, trees: &[&Xml]) -> String {
    let known = trees.iter().filter_map(|tree| tree.get("ID")).map(String::from);
    format!("<BehaviorTree ID=\"{}\"> does not exist{}", shorten(name), suggest(name, known))
}

struct Reader<'a> {
    source: Source<'a>,
    trees: &'a [&'a Xml],
    /// IDs of the trees that are being read, outermost first.
    subtree_stack: Vec<&'a str>,
    /// Number of enclosing reactive composites in which an earlier child keeps state between ticks.
    memory_siblings: usize,
    faults: Vec<ParseError>,
}

impl<'a> Reader<'a> {
    fn fault(&mut self, at: usize, message: impl Into<String>) {
        if self.faults.len() < 2 * MAX_FAULTS {
            self.faults.push(self.source.error(at, message.into()));
        }
    }

    /// Reports duplicate IDs of trees as errors, because a SubTree refers to a tree by ID.
    fn check_names(&mut self) {
        let trees = self.trees;
        for (i, tree) in trees.iter().enumerate() {
            let Some(name) = tree.get("ID") else { continue };
            if trees[..i].iter().any(|other| other.get("ID") == Some(name)) {
                self.fault(tree.at, format!("duplicate tree `{}`", shorten(name)));
            }
        }
    }

    /// Reads the root node of a `<BehaviorTree>`. Returns `None` if an error was recorded, like [`Reader::element`].
    ///
    /// # Errors
    /// Returns an error if the tree is too large or too deep.
    fn tree(&mut self, tree: &'a Xml, depth: usize) -> Result<Option<Element>, ParseError> {
        self.check_text(tree);
        match &tree.children[..] {
            [only] => {
                self.subtree_stack.push(tree.get("ID").unwrap_or_default());
                let root = self.element(only, depth);
                self.subtree_stack.pop();
                root
            }
            _ => {
                self.fault(tree.at, "<BehaviorTree> must contain exactly one root node");
                Ok(None)
            }
        }
    }

    /// Reports text between nodes as an error. XML comments are allowed.
    fn check_text(&mut self, xml: &Xml) {
        if let Some(at) = xml.stray {
            self.fault(at, "unexpected text between nodes");
        }
    }

    fn element(&mut self, xml: &'a Xml, depth: usize) -> Result<Option<Element>, ParseError> {
        self.source.enter(xml.at, depth)?;
        self.check_scripts(xml);
        if xml.tag == "SubTree" {
            return self.subtree(xml, depth);
        }
        self.check_text(xml);
        let Some((name, is_generic)) = self.name(xml) else { return self.check_children(xml, depth) };
        if let Some((kind, port)) = repeated(name) {
            return self.repeated(xml, depth, kind, port);
        }
        let kind = match self.kind(xml, name, is_generic) {
            Some(kind) => kind,
            None => return self.check_children(xml, depth),
        };
        let (mut operands, mut children, mut is_whole) = (Vec::new(), Vec::new(), true);
        for attribute in &xml.attributes {
            if NOTES.contains(&attribute.name.as_str()) || attribute.name.starts_with('_') {
                continue;
            }
            if kind == Kind::Network && attribute.name == NEURONS {
                match neurons(&mut self.source, &attribute.value, attribute.at, depth)? {
                    Ok(neurons) => children.extend(neurons),
                    Err(message) => {
                        self.fault(attribute.at, message);
                        return Ok(None);
                    }
                }
                continue;
            }
            if attribute.value.starts_with('{') {
                let message = format!(
                    "`{}` points to a port or an entry of BehaviorTree.CPP's blackboard; write the value or the register",
                    shorten(&attribute.value)
                );
                self.fault(attribute.at, message);
                is_whole = false;
                continue;
            }
            operands.push(Word { name: attribute.name.clone(), text: attribute.value.clone(), at: attribute.at });
        }
        let arity = xml.children.len() + children.len();
        let outside = self.memory_siblings;
        for child in &xml.children {
            match self.element(child, depth + 1)? {
                Some(child) => {
                    if matches!(kind, Kind::Seq | Kind::Sel) && child.remembers() {
                        self.memory_siblings = outside + 1;
                    }
                    children.push(child);
                }
                None => is_whole = false,
            }
        }
        self.memory_siblings = outside;
        let element = Element { kind, at: xml.at, operands, children };
        if self.faults.len() < 2 * MAX_FAULTS {
            let (_, faults) = self.source.node(&element, arity);
            self.faults.extend(faults);
        }
        Ok(is_whole.then_some(element))
    }

    /// Reads the children of a rejected node only to report their errors. Always returns `None` on success.
    fn check_children(&mut self, xml: &'a Xml, depth: usize) -> Result<Option<Element>, ParseError> {
        for child in &xml.children {
            self.element(child, depth + 1)?;
        }
        Ok(None)
    }

    /// Reports conditions and scripts of a node as errors.
    fn check_scripts(&mut self, xml: &Xml) {
        for attribute in xml.attributes.iter().filter(|attribute| SCRIPTS.contains(&attribute.name.as_str())) {
            let message = format!("`{}` needs BehaviorTree.CPP's scripts, which Xpuck does not have", attribute.name);
            self.fault(attribute.at, message);
        }
    }

    /// Returns the name of a node, and whether its element is a generic type such as `Action`. Returns `None` if an
    /// error was recorded.
    fn name(&mut self, xml: &'a Xml) -> Option<(&'a str, bool)> {
        let tag = xml.tag.as_str();
        let of_type = matches!(tag, "Action" | "Condition" | "Decorator" | "Control");
        match (of_type, xml.get("ID")) {
            (true, Some(id)) => return Some((id, true)),
            (false, None) => return Some((tag, false)),
            (true, None) => self.fault(xml.at, format!("<{tag}> needs an ID")),
            (false, Some(_)) if rejection_reason(tag).is_some() => return Some((tag, false)),
            (false, Some(_)) => self.fault(
                xml.at,
                format!("<{}> cannot have an ID; only Action, Condition, Decorator and Control have one", shorten(tag)),
            ),
        }
        None
    }

    fn kind(&mut self, xml: &Xml, name: &str, is_generic: bool) -> Option<Kind> {
        if let Some((kind, _)) = SAME.iter().find(|(_, same)| *same == name) {
            return Some(*kind);
        }
        if let Some(why) = rejection_reason(name) {
            self.fault(xml.at, why);
            return None;
        }
        let Some(kind) = Kind::of_name(name) else {
            let theirs = SAME.iter().map(|(_, same)| *same).chain(["Repeat", "RetryUntilSuccessful", "SubTree"]);
            if self.faults.len() < 2 * MAX_FAULTS {
                self.faults.push(self.source.unknown_node(xml.at, name, theirs));
            }
            return None;
        };
        if is_generic && xml.tag != category(kind) {
            self.fault(xml.at, format!("{name} is a node of type {}, not {}", category(kind), xml.tag));
            return None;
        }
        Some(kind)
    }

    /// Reads the tree to which a SubTree refers by ID. The ports of a SubTree remap blackboard entries. They have no
    /// effect here, because there is only one blackboard.
    fn subtree(&mut self, xml: &'a Xml, depth: usize) -> Result<Option<Element>, ParseError> {
        let Some(name) = xml.get("ID") else {
            self.fault(xml.at, "<SubTree> needs an ID");
            return Ok(None);
        };
        if !xml.children.is_empty() {
            self.fault(xml.at, "<SubTree> takes no children");
        }
        let trees = self.trees;
        match trees.iter().find(|tree| tree.get("ID") == Some(name)) {
            _ if self.subtree_stack.contains(&name) => {
                self.fault(xml.at, format!("tree `{}` is a SubTree of itself", shorten(name)));
                Ok(None)
            }
            Some(tree) => self.tree(tree, depth),
            None => {
                self.fault(xml.at, no_tree(name, trees));
                Ok(None)
            }
        }
    }

    /// Converts `Repeat` and `RetryUntilSuccessful` to a composite with copies of their child. This is equivalent,
    /// because BehaviorTree.CPP ticks the child repeatedly within one `tickOnce`.
    ///
    /// For each repetition, BehaviorTree.CPP ticks the whole tree again. Each enclosing reactive composite then ticks
    /// its earlier children again. An earlier child with memory restarts if it has already ended in this tick. No node
    /// of Xpuck restarts a child in this way, so this case is rejected.
    fn repeated(
        &mut self,
        xml: &'a Xml,
        depth: usize,
        kind: Kind,
        port: &'static str,
    ) -> Result<Option<Element>, ParseError> {
        let word = xml.get(port).unwrap_or_default();
        let [child] = &xml.children[..] else {
            self.fault(xml.at, format!("{} needs exactly one child", shorten(&xml.tag)));
            return self.check_children(xml, depth);
        };
        if self.memory_siblings > 0 {
            let message = format!(
                "`{}` after a child with memory in a reactive node is not supported: BehaviorTree.CPP restarts that child in each cycle",
                shorten(&xml.tag)
            );
            self.fault(xml.at, message);
            return self.check_children(xml, depth);
        }
        let count = word.parse::<usize>().ok().filter(|count| (1..=MAX_NODES).contains(count));
        let Some(count) = count else {
            let given = if xml.get(port).is_some() { "" } else { " is missing" };
            let message = format!(
                "{port}=\"{}\"{given}: the number of copies of the child must be an integer from 1 to {MAX_NODES}",
                shorten(word)
            );
            self.fault(xml.at, message);
            return self.check_children(xml, depth);
        };
        let mut children = Vec::new();
        let faults = self.faults.len();
        for _ in 0..count {
            match self.element(child, depth + 1)? {
                // Stops after the first copy with errors, because each further copy would report the same errors.
                Some(child) if self.faults.len() == faults => children.push(child),
                _ => return Ok(None),
            }
        }
        Ok(Some(Element { kind, at: xml.at, operands: Vec::new(), children }))
    }
}

/// Returns the composite that replaces a repeating node of BehaviorTree.CPP, and the port with the number of
/// repetitions; `None` for other nodes.
fn repeated(name: &str) -> Option<(Kind, &'static str)> {
    match name {
        "Repeat" => Some((Kind::Seqm, "num_cycles")),
        "RetryUntilSuccessful" => Some((Kind::Selm, "num_attempts")),
        _ => None,
    }
}

/// Reads the neurons of a network from the text of its port. Semicolons separate the neurons. Each neuron consists of
/// bias and gain, followed by source and weight of each synapse.
fn neurons(
    source: &mut Source,
    text: &str,
    at: usize,
    depth: usize,
) -> Result<Result<Vec<Element>, String>, ParseError> {
    let mut neurons = Vec::new();
    for part in text.split(';') {
        source.enter(at, depth + 1)?;
        let words: Vec<&str> = part.split_whitespace().collect();
        if words.len() < 2 || !words.len().is_multiple_of(2) {
            return Ok(Err(format!(
                "neuron {}: expected bias and gain, then a source and a weight for each synapse, not `{}`",
                neurons.len() + 1,
                shorten(part.trim())
            )));
        }
        let element = |kind: Kind, words: &[&str], children| {
            let names = kind.spec().operands.iter().map(|operand| operand.name);
            let operands = names.zip(words).map(|(name, word)| Word { name: name.into(), text: (*word).into(), at });
            Element { kind, at, operands: operands.collect(), children }
        };
        let mut synapses = Vec::new();
        for pair in words[2..].chunks_exact(2) {
            source.enter(at, depth + 2)?;
            synapses.push(element(Kind::Synapse, pair, Vec::new()));
        }
        neurons.push(element(Kind::Neuron, &words[..2], synapses));
    }
    Ok(Ok(neurons))
}
