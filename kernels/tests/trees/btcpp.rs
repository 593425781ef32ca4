//! Checks that XML of the library's trees and of test trees satisfies the rules of BehaviorTree.CPP. The results of
//! BehaviorTree.CPP's own parser are recorded as one hash per file. tools/btcpp/test.sh runs this parser and writes the
//! record.

use crate::{library, random};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use xpuck_kernels::tree::exchange::{to_xml, to_xml_live};
use xpuck_kernels::tree::{RegisterMap, Tree};

/// Built-in nodes of BehaviorTree.CPP 4.10 that have no ports.
const BUILT_IN: [&str; 9] = [
    "Sequence",
    "Fallback",
    "ReactiveSequence",
    "ReactiveFallback",
    "Inverter",
    "ForceSuccess",
    "ForceFailure",
    "AlwaysSuccess",
    "AlwaysFailure",
];
/// Names of XML attributes that do not represent a port of the node.
const NOTES: [&str; 3] = ["name", "_uid", "_fullpath"];

const RECORD: &str = "btcpp-opened.txt";

/// Tree with every Kilobot node.
const KILOBOT: &str = "selm
  seqm
    ifgevar density detected_food
    ifltvar delta_density received_signal
    ifltcon delta_dist_nest -0.05853
    ifgecon carrying_food 1
    probm2 0.25
      mf
      ml
    probm3 0.25 0.5
      mr
      mf
      successl
    probm4 0.25 0.25 0.25
      failurel
      mf
      ml
      mr
  successd
    failed
      repeati 3
        set send_signal 1
";

/// Recorded results of BehaviorTree.CPP. The file contains comments, then one hash per line.
pub struct Record {
    /// Sorted hashes of the XML files that BehaviorTree.CPP opened, or one hash per case of the tick test, in the order
    /// of the cases. The hash of a case covers the tree and the results.
    pub hashes: Vec<u64>,
}

impl Record {
    fn path(name: &str) -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees").join(name)
    }

    /// Reads the record in the file `name`. A missing file results in an empty record.
    pub fn read(name: &str) -> Record {
        let text = std::fs::read_to_string(Record::path(name)).unwrap_or_default();
        let hashes = text.lines().filter(|line| !line.starts_with('#'));
        Record { hashes: hashes.map(|line| u64::from_str_radix(line, 16).unwrap()).collect() }
    }

    /// Writes the record to the file `name`, with `what` as a comment at the start.
    pub fn write(&self, name: &str, what: &str) {
        let version = std::env::var("XPUCK_BTCPP_VERSION").unwrap();
        let mut text = format!("# {what}.\n# BehaviorTree.CPP {version}; written by tools/btcpp/test.sh.\n");
        for hash in &self.hashes {
            text += &format!("{hash:016x}\n");
        }
        std::fs::write(Record::path(name), text).unwrap();
    }
}

/// Computes the 64-bit FNV-1a hash of a text.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Returns the names and contents of XML files of trees: all trees in docs, including trees for Kilobots, and random
/// trees with every kind of node. Each tree has two files: a plain file, and a file for Groot2.
fn files() -> Vec<(String, String)> {
    let written = |name: String, tree: Tree| {
        [(format!("{name}.xml"), to_xml(&tree)), (format!("{name}-live.xml"), to_xml_live(&tree))]
    };
    let random = (0..500).map(|i| (format!("random-{i}"), random::tree(1 + i % 7, &mut random::draws(11, i))));
    let network = Tree::parse("network\n  neuron 0 1\n    synapse v_up.x 1\n  neuron 0 1\n").unwrap();
    let network = [("network-without-synapses".to_string(), network)];
    let all = library::trees().into_iter().chain(kilobots()).chain(random).chain(network);
    all.flat_map(|(name, tree)| written(name, tree)).collect()
}

/// Returns trees for Kilobots with their names: the trees in docs, and a tree with every Kilobot node.
pub fn kilobots() -> Vec<(String, Tree)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/kilobots");
    let mut trees: Vec<(String, String)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "bt"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap()))
        .collect();
    trees.sort();
    trees.push(("every-kilobot-node".into(), KILOBOT.into()));
    let read = |(name, text): (String, String)| (name, Tree::parse_with(&text, RegisterMap::Kilobot, false).unwrap());
    trees.into_iter().map(read).collect()
}

/// Returns the ports of every node in the `TreeNodesModel` of a document, by the node's ID.
fn model<'a>(document: &'a Document) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let nodes = document.descendants().find(|n| n.has_tag_name("TreeNodesModel")).unwrap();
    let ports = |n: Node<'a, 'a>| n.children().filter_map(|port| port.attribute("name")).collect();
    nodes.children().filter_map(|n| Some((n.attribute("ID")?, ports(n)))).collect()
}

#[test]
fn exported_elements_are_known_to_btcpp() {
    let mut used = BTreeSet::new();
    let mut known = BTreeSet::new();
    for (name, xml) in files() {
        let document = Document::parse(&xml).unwrap();
        let model = model(&document);
        let tree = document.descendants().find(|n| n.has_tag_name("BehaviorTree")).unwrap();
        for node in tree.descendants().skip(1).filter(Node::is_element) {
            let element = node.tag_name().name();
            let ports = model.get(element).cloned().unwrap_or_default();
            assert!(BUILT_IN.contains(&element) || model.contains_key(element), "{name}: <{element}>");
            assert!(!node.has_attribute("ID"), "{name}: the ID of <{element}> is its name");
            let attributes: BTreeSet<&str> =
                node.attributes().map(|a| a.name()).filter(|a| !NOTES.contains(a)).collect();
            assert_eq!(attributes, ports, "{name}: <{element}>");
            used.insert(element.to_string());
        }
        known.extend(model.into_keys().map(String::from));
    }
    known.extend(BUILT_IN.map(String::from));
    assert_eq!(used, known, "the trees have every kind of node");
}

#[test]
fn its_parser_has_opened_every_tree() {
    let record = Record::read(RECORD);
    for (name, xml) in files() {
        assert!(
            record.hashes.binary_search(&hash(&xml)).is_ok(),
            "{name}: BehaviorTree.CPP has not been asked about this file; sh tools/btcpp/test.sh DIR asks it"
        );
    }
}

/// Runs a program that reads `files` with BehaviorTree.CPP's parser. Returns the output of the program.
fn opened(program: &str, files: &[&Path]) -> Output {
    Command::new(program).args(files).output().unwrap_or_else(|e| panic!("{program}: {e}"))
}

#[test]
#[ignore = "needs the parser of BehaviorTree.CPP; tools/btcpp/test.sh builds it"]
fn its_parser_opens_every_tree() {
    let program = std::env::var("XPUCK_BTCPP").expect("XPUCK_BTCPP names the program of tools/btcpp/test.sh");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let file = |name: &str, xml: &str| {
        let path = folder.join(name);
        std::fs::write(&path, xml).unwrap();
        path
    };
    let paths: Vec<_> = files().iter().map(|(name, xml)| file(name, xml)).collect();
    let output = opened(&program, &paths.iter().map(|p| p.as_path()).collect::<Vec<_>>());
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(said.trim_end(), format!("{} files opened", paths.len()));
    let mut hashes: Vec<u64> = files().iter().map(|(_, xml)| hash(xml)).collect();
    hashes.sort();
    hashes.dedup();
    Record { hashes }.write(RECORD, "Files that the parser of BehaviorTree.CPP opened, a hash of each");

    let good = to_xml(&Tree::parse("seq\n  movcv v_goal 90deg\n  repeati 3\n    successl\n").unwrap());
    let wrong = [
        ("value.xml", "n=\"3\"", "n=\"three\"", "\"three\""),
        ("name.xml", "<movcv ", "<movcw ", "movcw"),
        ("port.xml", "i=\"90deg\"", "j=\"90deg\"", "[j]"),
    ];
    for (name, from, to, why) in wrong {
        let output = opened(&program, &[&file(name, &good.replace(from, to))]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(!output.status.success() && said.contains(why), "{name}: {said}");
    }
}
