//! XML that BehaviorTree.CPP opens: its rules, held for every tree of the library and of the tests, and its own parser
//! where it was built (tools/btcpp-test.sh).

use crate::{library, random};
use roxmltree::{Document, Node};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Output};
use xpuck_kernels::tree::Tree;
use xpuck_kernels::tree::exchange::{to_xml, to_xml_live};

/// Nodes that BehaviorTree.CPP 4.10 registers by itself, none of which has ports.
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
/// Attributes that are no ports.
const NOTES: [&str; 3] = ["name", "_uid", "_fullpath"];

/// Every tree of the library, and random ones that have every kind of node, each as a file and as Groot2 gets it.
fn files() -> Vec<(String, String)> {
    let written = |name: String, tree: Tree| {
        [(format!("{name}.xml"), to_xml(&tree)), (format!("{name}-live.xml"), to_xml_live(&tree))]
    };
    let random = (0..100).map(|i| (format!("random-{i}"), random::tree(1 + i % 7, &mut random::draws(11, i))));
    let network = Tree::parse("network\n  neuron 0 1\n    synapse v_up.x 1\n  neuron 0 1\n").unwrap();
    let network = [("network".to_string(), network)];
    library::trees().into_iter().chain(random).chain(network).flat_map(|(name, tree)| written(name, tree)).collect()
}

/// The ports of every node of a file's TreeNodesModel, by the node's ID.
fn model<'a>(document: &'a Document) -> BTreeMap<&'a str, BTreeSet<&'a str>> {
    let nodes = document.descendants().find(|n| n.has_tag_name("TreeNodesModel")).unwrap();
    let ports = |n: Node<'a, 'a>| n.children().filter_map(|port| port.attribute("name")).collect();
    nodes.children().filter_map(|n| Some((n.attribute("ID")?, ports(n)))).collect()
}

#[test]
fn every_element_is_a_node_that_its_parser_knows() {
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

/// What BehaviorTree.CPP says of files.
fn opened(program: &str, files: &[&Path]) -> Output {
    Command::new(program).args(files).output().unwrap_or_else(|e| panic!("{program}: {e}"))
}

#[test]
#[ignore = "needs the parser of BehaviorTree.CPP; tools/btcpp-test.sh builds it"]
fn its_parser_opens_every_tree() {
    let program = std::env::var("XPUCK_BTCPP").expect("XPUCK_BTCPP names the program of tools/btcpp-test.sh");
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
