//! Tests of XML from Groot2 and from users. The trees consist of several parts and files, and contain nodes that have
//! an equivalent in this crate. All errors of an XML text must be listed.

use xpuck_kernels::tree::exchange::{
    XmlErrors, XmlOptions, from_json, from_json_for, from_xml, read_xml, to_json, to_xml,
};
use xpuck_kernels::tree::{RegisterMap, Tree};

fn root(inner: &str) -> String {
    format!("<root BTCPP_format=\"4\">\n{inner}\n</root>\n")
}

/// Reads the tree with the ID `tree` (`None`: the main tree) from XML. `files` contains the names and texts of files
/// that the XML may include. Returns the text form of the tree.
fn read(text: &str, tree: Option<&str>, files: &[(&str, &str)]) -> Result<String, String> {
    let mut include = |from: &str, path: &str| {
        let name = from.rsplit_once('/').map_or(path.to_string(), |(folder, _)| format!("{folder}/{path}"));
        let found = files.iter().find(|(file, _)| *file == name);
        found.map(|(file, text)| ((*file).to_string(), (*text).to_string())).ok_or(format!("no file {name}"))
    };
    let tree = read_xml(text, XmlOptions { tree, map: RegisterMap::Full, include: &mut include });
    tree.map(|tree| tree.to_string()).map_err(|faults| faults.to_string())
}

const PATROL: &str = "<BehaviorTree ID=\"patrol\"><ReactiveFallback><avoiding/>\
                      <SubTree ID=\"chase\" _autoremap=\"false\" _collapsed=\"true\" speed=\"{v}\"/></ReactiveFallback></BehaviorTree>";
const CHASE: &str =
    "<BehaviorTree ID=\"chase\"><ReactiveSequence><bfront/><upfield g=\"-1\"/></ReactiveSequence></BehaviorTree>";
const BOTH: &str = "sel\n  avoiding\n  seq\n    bfront\n    upfield -1\n";

#[test]
fn subtrees_are_their_nodes() {
    // Groot2 omits main_tree_to_execute when it saves a file. The main tree is then the tree that no other tree uses.
    assert_eq!(read(&root(&format!("{PATROL}{CHASE}")), None, &[]).unwrap(), BOTH);
    assert_eq!(read(&root(&format!("{CHASE}{PATROL}")), None, &[]).unwrap(), BOTH);
    let part = "seq\n  bfront\n  upfield -1\n";
    assert_eq!(read(&root(&format!("{CHASE}{PATROL}")), Some("chase"), &[]).unwrap(), part);
    let other = "<BehaviorTree ID=\"other\"><avoiding/></BehaviorTree>";
    let several = read(&root(&format!("{PATROL}{CHASE}{other}")), None, &[]).unwrap_err();
    assert!(several.contains("several trees are not used by another: patrol, other; select one"), "{several}");
    let misspelt = read(&root(&format!("{PATROL}{CHASE}")), Some("patrul"), &[]).unwrap_err();
    assert!(misspelt.contains("<BehaviorTree ID=\"patrul\"> does not exist; did you mean `patrol`"), "{misspelt}");
    let circle = CHASE.replace("<bfront/>", "<SubTree ID=\"patrol\"/>");
    let circle = read(&root(&format!("{PATROL}{circle}")), Some("patrol"), &[]).unwrap_err();
    assert!(circle.contains("tree `patrol` is a SubTree of itself"), "{circle}");
}

#[test]
fn files_and_projects_are_read_together() {
    let project =
        root("<include path=\"trees/patrol.xml\"/><TreeNodesModel/>").replace("<root", "<root project_name=\"lab\"");
    let patrol = root(&format!("<include path=\"chase.xml\"/>{PATROL}"));
    let chase = root(&format!("<include path=\"patrol.xml\"/>{CHASE}"));
    let files = [("trees/patrol.xml", patrol.as_str()), ("trees/chase.xml", chase.as_str())];
    assert_eq!(read(&project, None, &files).unwrap(), BOTH);
    let wrong = chase.replace("bfront", "bfrnt");
    let files = [("trees/patrol.xml", patrol.as_str()), ("trees/chase.xml", wrong.as_str())];
    let error = read(&project, None, &files).unwrap_err();
    assert!(error.starts_with("trees/chase.xml: line 2, column 72: unknown node `bfrnt`; did you mean"), "{error}");
    let missing = read(&project, None, &[]).unwrap_err();
    assert!(missing.starts_with("line 2, column 1: no file trees/patrol.xml"), "{missing}");
    assert!(from_xml(&project).unwrap_err().message.contains("include is not supported in a single text"));
    let broken = [("trees/patrol.xml", "<root BTCPP_format=\"4\">")];
    assert!(read(&project, None, &broken).unwrap_err().starts_with("trees/patrol.xml: line 1, column 24: not XML"));
}

#[test]
fn nodes_with_an_equal_are_translated() {
    let tree = |inner: &str| read(&root(&format!("<BehaviorTree ID=\"t\">{inner}</BehaviorTree>")), None, &[]);
    let repeat =
        "<Repeat num_cycles=\"2\"><RetryUntilSuccessful num_attempts=\"2\"><bleft/></RetryUntilSuccessful></Repeat>";
    let twice = "seqm\n  selm\n    bleft\n    bleft\n  selm\n    bleft\n    bleft\n";
    assert_eq!(tree(repeat).unwrap(), twice);
    assert_eq!(
        tree(&repeat.replace("<Repeat ", "<Decorator ID=\"Repeat\" ").replace("</Repeat", "</Decorator")).unwrap(),
        twice
    );
    for (inner, why) in [
        (
            "<Repeat num_cycles=\"-1\"><bleft/></Repeat>",
            "num_cycles=\"-1\": the number of copies of the child must be an integer from 1",
        ),
        (
            "<Repeat num_cycles=\"{n}\"><bleft/></Repeat>",
            "num_cycles=\"{n}\": the number of copies of the child must be an integer from 1",
        ),
        ("<Repeat num_cycles=\"2048\"><bleft/></Repeat>", "more than 2048 nodes"),
        (
            "<Script code=\"a := 1\"/>",
            "`Script` needs BehaviorTree.CPP's blackboard scripts, which Xpuck does not have",
        ),
        ("<Parallel><bleft/></Parallel>", "write <par k=\"...\">"),
        ("<WhileDoElse><bleft/><bleft/></WhileDoElse>", "returns the failure of its second child"),
        ("<Sleep msec=\"10\"/>", "`Sleep` needs BehaviorTree.CPP's timers"),
        ("<bleft _onSuccess=\"x:=1\"/>", "`_onSuccess` needs BehaviorTree.CPP's scripts"),
    ] {
        let error = tree(inner).unwrap_err();
        assert!(error.contains(why) && !error.contains("did you mean"), "{inner}: {error}");
    }
    let noted = "<Sequence name=\"n\" _uid=\"3\" _collapsed=\"1\" _fullpath=\"a/b\" _colour=\"red\"><bleft _uid=\"4\"/></Sequence>";
    assert_eq!(tree(noted).unwrap(), "seqm\n  bleft\n");
}

#[test]
fn all_xml_faults_are_listed_with_position() {
    let text = root(
        "<BehaviorTree ID=\"t\">\n<Sequence>\n<Script code=\"x\"/>\n<movcv d=\"v_gaol\" i=\"0\"/>\n<movcs d=\"s_scr\" j=\"0\"/>\n\
         <Inverter/>\n<bleft><brigth/></bleft>\n<SubTree ID=\"u\"/>\n</Sequence>\n</BehaviorTree>",
    );
    let error = read(&text, None, &[]).unwrap_err();
    let told: Vec<&str> = error.lines().filter(|line| line.starts_with("line")).collect();
    let wanted = [
        "line 4, column 1: `Script` needs",
        "line 5, column 8: unknown register `v_gaol`",
        "line 6, column 1: movcs needs operands d i; i is missing",
        "line 6, column 18: movcs has no operand `j`",
        "line 7, column 1: invert needs exactly one child, not 0",
        "line 8, column 1: bleft takes no children",
        "line 8, column 8: unknown node `brigth`",
        "line 9, column 1: <BehaviorTree ID=\"u\"> does not exist",
    ];
    assert_eq!(told.len(), wanted.len(), "{error}");
    assert!(told.iter().zip(wanted).all(|(told, wanted)| told.starts_with(wanted)), "{error}");
    let many = root(&format!("<BehaviorTree ID=\"t\"><Sequence>{}</Sequence></BehaviorTree>", "<x/>".repeat(500)));
    let mut include = |_: &str, _: &str| Err(String::new());
    let ask = XmlOptions { tree: None, map: RegisterMap::Full, include: &mut include };
    let XmlErrors(faults) = read_xml(&many, ask).unwrap_err();
    assert_eq!(faults.len(), 50);
}

#[test]
fn networks_are_leaves_with_a_port() {
    let text = "sel\n  network\n    neuron 0.5 1\n      synapse v_up.x -0.25\n      synapse n2 1e-3\n    neuron 0 2\n  avoiding\n";
    let tree = Tree::parse(text).unwrap();
    let xml = to_xml(&tree);
    assert!(xml.contains("<network neurons=\"0.5 1 v_up.x -0.25 n2 0.001; 0 2\"/>"), "{xml}");
    assert_eq!(from_xml(&xml).unwrap(), tree);
    // Older files contain networks as nested elements.
    let nested = xml.replace(
        "<network neurons=\"0.5 1 v_up.x -0.25 n2 0.001; 0 2\"/>",
        "<network><neuron b=\"0.5\" g=\"1\"><synapse s=\"v_up.x\" w=\"-0.25\"/><synapse s=\"n2\" w=\"0.001\"/></neuron>\
         <neuron b=\"0\" g=\"2\"/></network>",
    );
    assert_eq!(from_xml(&nested).unwrap(), tree);
    for (neurons, why) in [
        ("0.5 1; 0", "neuron 2: expected bias and gain"),
        ("0 1 v_up.x; 0 2", "neuron 1: expected bias and gain"),
        ("0 1 v_upp.x 1; 0 2", "unknown register `v_upp.x`"),
        ("0 1 n7 1; 0 2", "n7"),
        ("0 1", "at least two neurons"),
    ] {
        let error = from_xml(&xml.replace("0.5 1 v_up.x -0.25 n2 0.001; 0 2", neurons)).unwrap_err();
        assert!(error.message.contains(why), "{neurons}: {error}");
    }
}

#[test]
fn kilobots_trees_have_xml_and_json() {
    for (name, tree) in crate::btcpp::kilobots() {
        let xml = to_xml(&tree);
        let mut include = |_: &str, _: &str| Err(String::new());
        let ask = XmlOptions { tree: None, map: RegisterMap::Kilobot, include: &mut include };
        assert_eq!(read_xml(&xml, ask).unwrap().key(), tree.key(), "{name}");
        assert_eq!(from_json_for(&to_json(&tree), RegisterMap::Kilobot).unwrap().key(), tree.key(), "{name}");
        let refused = from_xml(&xml).unwrap_err();
        assert!(refused.message.contains("is a node of the Kilobot"), "{refused}");
        assert!(from_json(&to_json(&tree)).is_err());
        assert!(!xml.contains("movcv"), "{name}: the model has the Kilobot's nodes");
    }
}
