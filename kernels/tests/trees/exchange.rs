//! Checks that every exchange format with a reader restores the written tree, and that formats without a reader are
//! well formed.

use crate::random;
use xpuck_kernels::tree::exchange::{
    Direction, from_binary, from_compact, from_json, from_xml, to_binary, to_compact, to_dot, to_json, to_svg,
    to_svg_with_usage, to_xml, to_xml_live,
};
use xpuck_kernels::tree::{Kind, RegisterMap, Tree};

/// Returns random trees of various shapes, with every kind of node.
fn trees() -> impl Iterator<Item = Tree> {
    (0..600).map(|i| random::tree(1 + i % 7, &mut random::draws(11, i)))
}

/// Checks that two trees are bitwise identical (0 differs from -0). The failure message contains both trees.
fn same(read: Tree, tree: &Tree, format: &str) {
    assert!(read.key() == tree.key(), "{format} changed a tree\n{tree}\n{read}");
}

#[test]
fn trees_survive_every_format_that_is_read() {
    for tree in trees() {
        same(from_xml(&to_xml(&tree)).unwrap(), &tree, "XML");
        same(from_json(&to_json(&tree)).unwrap(), &tree, "JSON");
        same(from_binary(&to_binary(&tree).unwrap()).unwrap(), &tree, "binary");
        same(from_compact(&to_compact(&tree)).unwrap(), &tree, "compact");
        same(Tree::parse(&tree.to_string()).unwrap(), &tree, "text");
    }
}

/// Tree with every node that reads the ground sensor, and the names of the sensor in it.
const GROUND: &str = "sel\n  seq\n    ifsect s_ground 180deg 39deg\n    ifprob s_ground 4 0.5\n    mulas s_scr s_ground 2 s_zero\n  \
                      seq\n    ifquad s_ground 0\n    mulav v_goal v_zero 2 s_ground\n  rotav v_goal s_ground 90deg s_ground\n";
const GROUND_READS: usize = 7;

#[test]
fn ground_register_survives_every_format() {
    let tree = Tree::parse(GROUND).unwrap();
    let reads = |text: &str| text.matches("s_ground").count();
    assert_eq!(reads(&tree.to_string()), GROUND_READS);
    same(Tree::parse(&tree.to_string()).unwrap(), &tree, "text");
    let xml = to_xml(&tree);
    let (nodes, models) = xml.split_once("<TreeNodesModel>").unwrap();
    assert!(reads(nodes) == GROUND_READS && reads(models) == 0, "{xml}");
    same(from_xml(&xml).unwrap(), &tree, "XML of BehaviorTree.CPP");
    same(from_xml(&to_xml_live(&tree)).unwrap(), &tree, "XML of Groot2");
    assert_eq!(reads(&to_json(&tree)), GROUND_READS);
    same(from_json(&to_json(&tree)).unwrap(), &tree, "JSON");
    same(from_binary(&to_binary(&tree).unwrap()).unwrap(), &tree, "binary");
    same(from_compact(&to_compact(&tree)).unwrap(), &tree, "compact");
    assert!(reads(&to_dot(&tree)) > 0 && reads(&to_svg(&tree, Direction::Down)) > 0);
}

#[test]
fn compact_form_is_lossless_and_small() {
    let bytes = |text: &str| to_compact(&Tree::parse(text).unwrap());
    let text = "seq\n  movcv v_goal 90deg\n  repeati 3\n    mulav v_scr v_up 0.5 v_scr\n";
    let expected = [0, 0, 2, 11, 2, 64, 8, 3, 13, 18, 6, 0, 0, 0, 0x3f, 18];
    assert_eq!(bytes(text), expected, "form, seq 2, movcv 2 64, repeati 3, mulav 18 6 0.5 18");
    let between = Tree::parse_with("ifsect v_blue 39.1deg 7.77deg", RegisterMap::Full, true).unwrap();
    // Mutation can produce -0, for example if it rounds -0.3.
    let zero = Tree::inner(Kind::Seq, &[], &[Tree::leaf(Kind::Movcv, &[2.0, -0.0]), Tree::leaf(Kind::Successl, &[])]);
    let broad = Tree::inner(Kind::Seq, &[], &vec![Tree::leaf(Kind::Successl, &[]); 300]);
    for tree in [between, zero, broad] {
        assert_eq!(to_compact(&tree)[0], 1);
        same(from_compact(&to_compact(&tree)).unwrap(), &tree, "compact");
    }
    let (sizes, nodes) =
        trees().fold((0, 0), |(bytes, nodes), tree| (bytes + to_compact(&tree).len(), nodes + tree.nodes().len()));
    assert!(sizes < 5 * nodes, "{sizes} bytes for {nodes} nodes");
}

#[test]
fn invalid_compact_bytes_are_rejected_without_panic() {
    for (bytes, expected) in [
        (vec![], "byte 0: the bytes end too early"),
        (vec![2, 18], "byte 0: unknown tree format 2"),
        (vec![0, 99], "byte 1: 99 is not a node kind"),
        (vec![0, 0, 0], "byte 2: seq needs at least one child"),
        (vec![0, 18, 18], "byte 2: these bytes do not belong to a node"),
        (vec![0, 0, 2, 18], "byte 4: the bytes end too early"),
        (vec![0, 10, 26, 5], "byte 2: operand d of movcs: 26 is not allowed"),
        (vec![0, 11, 3, 5], "byte 2: operand d of movcv: 3 is not allowed"),
        (vec![0, 20, 0, 0, 0xc0, 0x7f], "byte 2: operand g of upfield: NaN is not allowed"),
        ([vec![0], vec![7; 70], vec![18]].concat(), "byte 0: the tree is deeper than 64 levels"),
        ([vec![0], [[0, 2]; 3000].concat()].concat(), "more than 2048 nodes"),
    ] {
        let refused = from_compact(&bytes).unwrap_err().to_string();
        assert!(refused.contains(expected), "{expected}: {refused}");
    }
    let mut draws = random::draws(12, 0);
    for tree in trees() {
        let mut bytes = to_compact(&tree);
        let at = draws.below(bytes.len() as u32) as usize;
        bytes[at] = draws.word() as u8;
        if let Ok(read) = from_compact(&bytes) {
            same(from_compact(&to_compact(&read)).unwrap(), &read, "compact");
        }
    }
}

#[test]
fn angles_between_steps_survive_where_they_fit() {
    let tree = Tree::parse_with("ifsect v_blue 39.1deg 7.77deg", RegisterMap::Full, true).unwrap();
    same(from_xml(&to_xml(&tree)).unwrap(), &tree, "XML");
    same(from_json(&to_json(&tree)).unwrap(), &tree, "JSON");
    let refused = to_binary(&tree).unwrap_err();
    assert!(refused.to_string().contains("operand i of ifsect is between two steps"), "{refused}");
}

#[test]
fn only_factors_tell_the_two_zeros_apart() {
    let text =
        "seq\n  ifsect v_blue -0deg -0\n  movcv v_goal -0.2deg\n  ifprob s_n -0 -0.0\n  mulas s_scr s_n -0 s_n\n";
    let tree = Tree::parse(text).unwrap();
    same(from_binary(&to_binary(&tree).unwrap()).unwrap(), &tree, "binary");
    let expected = "seq\n  ifsect v_blue 0deg 0deg\n  movcv v_goal 0deg\n  ifprob s_n 0 0\n  mulas s_scr s_n -0 s_n\n";
    assert_eq!(tree.to_string(), expected);
}

#[test]
fn largest_tree_fits_every_format() {
    let leaf = Tree::leaf(Kind::Mulav, &[18.0, 14.0, f32::MIN_POSITIVE, 10.0]);
    let row = Tree::inner(Kind::Seq, &[], &vec![leaf; 255]);
    let mut tree = Tree::inner(Kind::Sel, &[], &vec![row; 7]);
    for _ in 0..63 {
        tree = Tree::inner(Kind::Invert, &[], &[tree]);
    }
    let tree = tree.replace(tree.end(0) - 1, &Tree::leaf(Kind::Successl, &[]));
    assert_eq!((tree.nodes().len(), tree.depth()), (63 + 1 + 7 * 256, 65));
    assert!(from_xml(&to_xml(&tree)).unwrap_err().message.contains("deeper than 64"));
    let tree = tree.subtree(1);
    same(from_xml(&to_xml(&tree)).unwrap(), &tree, "XML");
    same(from_json(&to_json(&tree)).unwrap(), &tree, "JSON");
    same(from_binary(&to_binary(&tree).unwrap()).unwrap(), &tree, "binary");
    let wide = Tree::inner(Kind::Seq, &[], &vec![Tree::leaf(Kind::Successl, &[]); 256]);
    assert!(to_binary(&wide).unwrap_err().message.contains("at most 255"));
    same(from_json(&to_json(&wide)).unwrap(), &wide, "JSON");
}

#[test]
fn binary_sizes_are_those_of_the_table() {
    for tree in trees() {
        let nodes: usize = tree.nodes().iter().map(|n| n.kind.bytes(n.children.into())).sum();
        assert_eq!(to_binary(&tree).unwrap().len(), 12 + nodes);
    }
}

#[test]
fn binary_form_matches_documentation() {
    // Example of thesis Figure 5.8: a sequence of a movcv and of a repeati with a mulav as child.
    let text = "seq\n  movcv v_goal 90deg\n  repeati 3\n    mulav v_scr v_up 0.5 v_scr\n";
    let bytes = to_binary(&Tree::parse(text).unwrap()).unwrap();
    let expected = [
        b"XPBT\x01\0\x0c\0\x04\0\x30\0".as_slice(),
        &[Kind::Seq as u8, 2, 0xff, 0xff, 20, 0, 28, 0],
        &[Kind::Movcv as u8, 0, 0xff, 0xff, 2, 64, 0, 0],
        &[Kind::Repeati as u8, 1, 0, 0, 36, 0, 3, 0],
        &[Kind::Mulav as u8, 0, 0xff, 0xff, 0, 0, 0, 0x3f, 18, 6, 18, 0],
    ];
    assert_eq!(bytes, expected.concat());
}

#[test]
fn xml_is_that_of_behaviortree_cpp() {
    let text = "selm\n  seq\n    ifquad v_prox 1\n    par 2\n      movcs s_scr -3\n      successl\n  invert\n    repeati 5\n      avoiding\n";
    let xml = to_xml(&Tree::parse(text).unwrap());
    let body = r#"<root BTCPP_format="4" main_tree_to_execute="xpuck">
  <BehaviorTree ID="xpuck">
    <Fallback>
      <ReactiveSequence>
        <ifquad s="v_prox" i="1"/>
        <par k="2">
          <movcs d="s_scr" i="-3"/>
          <AlwaysSuccess/>
        </par>
      </ReactiveSequence>
      <Inverter>
        <repeati n="5">
          <avoiding/>
        </repeati>
      </Inverter>
    </Fallback>
  </BehaviorTree>
  <TreeNodesModel>
"#;
    assert!(xml.contains(body), "{xml}");
    assert!(xml.contains(r#"<input_port name="n" type="int">integer, 1 to 255</input_port>"#), "{xml}");
}

#[test]
fn files_of_editors_are_read() {
    let xml = r#"<?xml version="1.0"?>
        <root BTCPP_format="4" main_tree_to_execute="b">
          <!-- a note -->
          <BehaviorTree ID="a"><AlwaysFailure/></BehaviorTree>
          <BehaviorTree ID="b">
            <ReactiveFallback name="top" _uid="1" _fullpath="x"><avoiding/><movcv i="90deg" d="v_goal"/></ReactiveFallback>
          </BehaviorTree>
        </root>"#;
    assert_eq!(from_xml(xml).unwrap().to_string(), "sel\n  avoiding\n  movcv v_goal 90deg\n");
    let long = r#"<root BTCPP_format="4"><BehaviorTree>
          <Control ID="ReactiveSequence"><Condition ID="ifquad" s="v_prox" i="1"/><Control ID="par" k="1">
            <Action ID="movcs" d="s_scr" i="-3"/></Control><Decorator ID="repeati" n="5"><Action ID="avoiding"/></Decorator>
          </Control></BehaviorTree></root>"#;
    let expected = "seq\n  ifquad v_prox 1\n  par 1\n    movcs s_scr -3\n  repeati 5\n    avoiding\n";
    assert_eq!(from_xml(long).unwrap().to_string(), expected);
    let json =
        r#" { "children" : [ {"node":"successl"}, {"i":"90deg","node":"movcv","d":"v_go\u0061l"} ], "node":"seq"} "#;
    assert_eq!(from_json(json).unwrap().to_string(), "seq\n  successl\n  movcv v_goal 90deg\n");
}

#[test]
fn json_has_a_node_a_line() {
    let json = to_json(&Tree::parse("seq\n  mulas s_scr s_n 0.5 s_n\n  repeati 3\n    upfield 1\n").unwrap());
    let expected = r#"{"node": "seq", "children": [
  {"node": "mulas", "d": "s_scr", "s1": "s_n", "f": 0.5, "s2": "s_n"},
  {"node": "repeati", "n": 3, "children": [
    {"node": "upfield", "g": 1}
  ]}
]}
"#;
    assert_eq!(json, expected);
}

#[test]
fn drawings_hold_every_node_once() {
    for tree in trees().take(60) {
        let n = tree.nodes().len();
        let dot = to_dot(&tree);
        assert_eq!((dot.matches("label=").count(), dot.matches(" -> ").count()), (n, n - 1));
        for direction in [Direction::Down, Direction::Right] {
            let svg = to_svg(&tree, direction);
            let document = roxmltree::Document::parse(&svg).unwrap();
            let count = |name: &str| document.descendants().filter(|d| d.has_tag_name(name)).count();
            assert_eq!(count("rect") - 1 + count("polygon"), n);
            assert_eq!(count("script"), 0);
        }
    }
}

#[test]
fn straight_back_is_drawn_as_people_write_it() {
    let tree = Tree::parse("seq\n  ifsect v_up 180deg 180deg\n  movcv v_goal -90deg\n").unwrap();
    for drawing in [to_svg(&tree, Direction::Down), to_dot(&tree)] {
        assert!(drawing.contains("ifsect v_up 180deg 180deg") && drawing.contains("v_goal -90deg"), "{drawing}");
    }
}

#[test]
fn memory_is_a_dot_within_its_box() {
    let tree = Tree::parse("seqm\n  selm\n    bleft\n    explore 3\n  seq\n    bright\n").unwrap();
    let svg = to_svg(&tree, Direction::Down);
    let document = roxmltree::Document::parse(&svg).unwrap();
    let dots: Vec<_> = document.descendants().filter(|d| d.has_tag_name("circle")).collect();
    assert_eq!(dots.len(), 2, "{svg}");
    let number = |d: roxmltree::Node, name: &str| d.attribute(name).unwrap().parse::<f32>().unwrap();
    for dot in dots {
        let (x, y) = (number(dot, "cx"), number(dot, "cy"));
        let boxes = document.descendants().filter(|d| d.has_tag_name("rect") && d.has_attribute("x"));
        let holds = |b: &roxmltree::Node| {
            let inside =
                |at: f32, low: &str, size: &str| (number(*b, low)..number(*b, low) + number(*b, size)).contains(&at);
            inside(x, "x", "width") && inside(y, "y", "height")
        };
        assert_eq!(boxes.filter(holds).count(), 1, "{svg}");
    }
}

#[test]
fn use_is_drawn() {
    let tree = Tree::parse("sel\n  avoiding\n  invert\n    bleft\n").unwrap();
    for direction in [Direction::Down, Direction::Right] {
        let svg = to_svg_with_usage(&tree, direction, &[1.0, 0.25, 0.0, 0.0]);
        roxmltree::Document::parse(&svg).unwrap();
        for part in
            [">100.0 %<", ">25.0 %<", ">never<", "stroke-width: 2.2", "class=\"inner never\"", "class=\"line never\""]
        {
            assert!(svg.contains(part), "{part} is not in {svg}");
        }
    }
}

#[test]
fn drawn_boxes_do_not_overlap() {
    for (i, tree) in trees().take(60).enumerate() {
        let svg = to_svg(&tree, if i % 2 == 0 { Direction::Down } else { Direction::Right });
        let document = roxmltree::Document::parse(&svg).unwrap();
        let boxes: Vec<[f32; 4]> = document
            .descendants()
            .filter(|d| d.has_tag_name("rect") && d.has_attribute("x"))
            .map(|d| ["x", "y", "width", "height"].map(|a| d.attribute(a).unwrap().parse().unwrap()))
            .collect();
        for (i, a) in boxes.iter().enumerate() {
            for b in &boxes[..i] {
                let apart = a[0] >= b[0] + b[2] || b[0] >= a[0] + a[2] || a[1] >= b[1] + b[3] || b[1] >= a[1] + a[3];
                assert!(apart, "{a:?} and {b:?} overlap in\n{tree}");
            }
        }
    }
}

#[test]
fn xml_for_a_viewer_numbers_every_node_and_reads_back() {
    let tree = Tree::parse("sel\n  avoiding\n  par 1\n    movcv v_goal 90deg\n    successl\n").unwrap();
    let xml = to_xml_live(&tree);
    let document = roxmltree::Document::parse(&xml).unwrap();
    let root = document.descendants().find(|n| n.has_tag_name("BehaviorTree")).unwrap();
    assert_eq!(root.attribute("_fullpath"), Some(""));
    let nodes: Vec<_> = root.descendants().skip(1).filter(|n| n.is_element()).collect();
    let shown: Vec<_> = nodes.iter().map(|n| (n.tag_name().name(), n.attribute("_uid").unwrap())).collect();
    let expected = [("ReactiveFallback", "1"), ("avoiding", "2"), ("par", "3"), ("movcv", "4"), ("AlwaysSuccess", "5")];
    assert_eq!(shown, expected);
    let paths: Vec<_> = nodes.iter().map(|n| n.attribute("_fullpath").unwrap()).collect();
    assert_eq!(paths, ["sel::1", "avoiding::2", "par::3", "movcv::4", "successl::5"]);
    same(from_xml(&xml).unwrap(), &tree, "XML for a viewer");
}
