//! Checks that invalid input results in one error with its position, and never in a panic, a partial tree or a long
//! delay.

use crate::random;
use std::time::{Duration, Instant};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::Tree;
use xpuck_kernels::tree::exchange::{from_binary, from_json, from_xml, to_binary, to_json, to_xml};

const SLOW: Duration = Duration::from_secs(5);

fn xml(body: &str) -> String {
    format!("<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"t\">\n{body}\n  </BehaviorTree>\n</root>\n")
}

#[test]
fn xml_errors_name_place_and_rule() {
    let cases = [
        (xml("<avoidin/>"), 3, 1, "did you mean `avoiding`"),
        (xml("<Sequence>\n</Sequence>"), 3, 1, "seqm needs at least one child"),
        (xml("<Inverter><avoiding/><avoiding/></Inverter>"), 3, 1, "exactly one child, not 2"),
        (xml("<Action ID=\"movcv\" d=\"v_gaol\" i=\"0\"/>"), 3, 20, "did you mean `v_goal`"),
        (xml("<Action ID=\"movcv\" d=\"v_goal\"/>"), 3, 1, "i is missing"),
        (xml("<Action ID=\"movcv\" d=\"v_goal\" i=\"0\" x=\"1\"/>"), 3, 37, "movcv has no operand `x`"),
        (xml("<Condition ID=\"movcv\" d=\"v_goal\" i=\"0\"/>"), 3, 1, "of type Action"),
        (xml("<Parallel success_count=\"1\"><avoiding/></Parallel>"), 3, 1, "remembers which children"),
        (xml("<Repeat num_cycles=\"0\"><avoiding/></Repeat>"), 3, 1, "an integer from 1 to"),
        (xml("<SubTree ID=\"x\"/>"), 3, 1, "<BehaviorTree ID=\"x\"> does not exist"),
        (xml("<avoiding ID=\"x\"/>"), 3, 1, "cannot have an ID"),
        (xml("<Action/>"), 3, 1, "needs an ID"),
        ("<root BTCPP_format=\"4\"><include path=\"x\"/></root>".into(), 1, 24, "a single text"),
        (xml("<avoiding _skipIf=\"x\"/>"), 3, 11, "scripts, which Xpuck does not have"),
        (xml("<avoiding>"), 4, 3, "not XML"),
        (xml("<Sequence> avoiding <bleft/></Sequence>"), 3, 11, "text between"),
        (xml("<avoiding/><avoiding/>"), 2, 3, "exactly one root"),
        (xml(""), 2, 3, "exactly one root"),
        (xml("<avoiding/>").replace("\"4\"", "\"3\""), 1, 1, "only format 4"),
        (
            xml("<avoiding/>").replace("\"4\"", "\"4\" main_tree_to_execute=\"u\""),
            1,
            1,
            "<BehaviorTree ID=\"u\"> does not exist",
        ),
        ("<root BTCPP_format=\"4\"/>".into(), 1, 1, "contains no <BehaviorTree>"),
        ("<!DOCTYPE x [<!ENTITY a \"b\">]><root/>".into(), 1, 1, "not XML"),
        (String::new(), 1, 1, "not XML"),
    ];
    for (text, line, column, message) in cases {
        let error = from_xml(&text).expect_err(&text);
        assert_eq!((error.line, error.column), (line, column), "{error}\n{text}");
        assert!(error.message.contains(message), "{error}");
    }
}

#[test]
fn json_errors_name_place_and_rule() {
    let cases = [
        ("{\"node\": \"avoidin\"}", 10, "did you mean `avoiding`"),
        ("{\"node\": \"seq\"}", 1, "at least one child"),
        ("{\"node\": \"avoiding\", \"node\": \"red\"}", 22, "duplicate key"),
        ("{\"node\": \"movcs\", \"d\": \"s_scr\", \"i\": 200}", 38, "-128 to 127"),
        ("{\"node\": \"movcs\", \"d\": \"s_scr\", \"i\": true}", 38, "a number or a string"),
        ("{\"node\": \"movcs\", \"d\": \"s_scr\"}", 1, "i is missing"),
        ("{\"node\": \"avoiding\"} x", 22, "after the tree"),
        ("{\"node\": \"avoiding\"", 20, "not JSON: EOF while parsing an object"),
        ("{\"d\": 1}", 1, "has no \"node\""),
        ("{\"node\": \"avoi", 10, "not JSON: EOF while parsing a string"),
        ("{\"node\": \"\\q\"}", 12, "not JSON: invalid escape"),
        ("{\"node\": \"\\ud800\"}", 10, "half a surrogate pair"),
        ("{\"node\": 5}", 10, "where a string begins"),
        ("{\"node\": \"avoiding\" \"b\": 1}", 21, "not JSON: expected `,` or `}`"),
        ("{\"node\": \"seq\", \"children\": [{\"node\": \"avoiding\"}, 5]}", 52, "where a node begins"),
        ("{\"node\": \"seq\", \"children\": [{\"node\": \"avoiding\"},]}", 51, "not JSON: trailing comma"),
        ("{\"node\": \"seq\", \"children\": {}}", 29, "where children begin"),
        ("{\"node\": \"movcs\", \"d\": \"s_scr\", \"i\": 01}", 39, "not JSON: invalid number"),
        ("{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1}", 26, "too many operands"),
        ("[]", 1, "where a node begins"),
        ("", 1, "where a node begins"),
    ];
    for (text, column, message) in cases {
        let error = from_json(text).expect_err(text);
        assert_eq!((error.line, error.column), (1, column), "{error}");
        assert!(error.message.contains(message), "{error}");
    }
    let error = from_json("{\"node\": \"seq\", \"children\": [\n  {\"node\": \"\u{e4}\", \"b\": x}\n]}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 12), "{error}");
    let error = from_json("{\"node\": \"seq\", \"children\": [\n  {\"\u{e4}\": 1, \"b\": x}\n]}").unwrap_err();
    assert_eq!((error.line, error.column), (2, 17), "{error}");
}

#[test]
fn binary_errors_name_place_and_rule() {
    let tree = Tree::parse("seqm\n  movcv v_goal 90deg\n  avoiding\n").unwrap();
    let good = to_binary(&tree).unwrap();
    let with = |changes: &[(usize, u8)]| {
        let mut bytes = good.clone();
        changes.iter().for_each(|(at, byte)| bytes[*at] = *byte);
        from_binary(&bytes).expect_err("the bytes are wrong").to_string()
    };
    // The nodes are at offsets 12 (seqm), 20 (movcv) and 28 (avoiding).
    assert!(with(&[(0, b'Y')]).starts_with("byte 0: not a tree"));
    assert!(with(&[(4, 9)]).starts_with("byte 4: version 9"));
    assert!(with(&[(8, 2)]).starts_with("byte 8: the header announces 2 nodes, but there are 3"));
    assert!(with(&[(10, 99)]).starts_with("byte 10: the header announces 99 bytes"));
    assert!(with(&[(6, 13)]).starts_with("byte 6: offset 13 does not point to a node"));
    assert!(with(&[(16, 12)]).starts_with("byte 16: offset 12 points into another node"));
    assert!(with(&[(18, 20)]).starts_with("byte 18: offset 20 points into another"));
    assert!(with(&[(18, 200)]).starts_with("byte 18: offset 200 does not point to a node"));
    assert!(with(&[(6, 20), (8, 1)]).starts_with("byte 12: these bytes do not belong to a node"));
    assert!(with(&[(12, 99)]).starts_with("byte 12: 99 is not a node kind"));
    assert!(with(&[(13, 0)]).starts_with("byte 13: seqm needs at least one child"));
    assert!(with(&[(14, 255), (15, 255)]).starts_with("byte 14: state index 65535"));
    assert!(with(&[(22, 0)]).starts_with("byte 22: this node has no state"));
    assert!(with(&[(24, 77)]).starts_with("byte 24: operand d of movcv: 77"));
    assert!(with(&[(24, 3)]).starts_with("byte 24: operand d of movcv: 3"));
    assert!(with(&[(26, 1)]).starts_with("byte 26: a byte after the operands"));
    for end in 0..good.len() {
        assert!(from_binary(&good[..end]).is_err());
    }
}

#[test]
fn deep_wide_and_long_inputs_are_refused_soon() {
    let started = Instant::now();
    let deep = xml(&format!("{}{}", "<Inverter>".repeat(30_000), "</Inverter>".repeat(30_000)));
    assert!(from_xml(&deep).is_err());
    let tiny = format!("{}{}", "<a>".repeat(140_000), "</a>".repeat(140_000));
    assert!(from_xml(&tiny).is_err());
    let wide = xml(&format!("<Sequence>{}</Sequence>", "<avoiding/>".repeat(2048)));
    assert!(from_xml(&wide).unwrap_err().message.contains("2048 nodes"));
    let attributes: String = (0..60_000).map(|i| format!(" a{i}=\"\"")).collect();
    assert!(from_xml(&xml(&format!("<avoiding{attributes}/>"))).unwrap_err().message.contains("attributes"));
    let fewer: String = (0..1025).map(|i| format!(" a{i}=\"\"")).collect();
    assert!(from_xml(&xml(&format!("<avoiding{fewer}/>"))).unwrap_err().message.contains("1024 attributes"));
    let deep = "{\"node\":\"invert\",\"children\":[".repeat(30_000);
    assert!(from_json(&deep).unwrap_err().message.contains("deeper than 64"));
    let wide = format!("{{\"node\":\"seq\",\"children\":[{}{{}}]}}", "{\"node\":\"red\",\"b\":0},".repeat(2047));
    assert!(from_json(&wide).unwrap_err().message.contains("2048 nodes"));
    assert!(from_json(&" ".repeat((1 << 20) + 1)).unwrap_err().message.contains("bytes"));
    assert!(from_json(&format!("{{\"node\":\"{}\"}}", "x".repeat(1 << 19))).is_err());
    assert!(started.elapsed() < SLOW, "{:?}", started.elapsed());
}

/// Changes, removes or duplicates one to three random bytes.
fn damage(bytes: &[u8], draws: &mut Draws) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=draws.below(3) {
        let at = draws.below(bytes.len() as u32) as usize;
        match draws.below(3) {
            0 => bytes[at] = draws.below(256) as u8,
            1 if bytes.len() > 1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, bytes[at]),
        }
    }
    bytes
}

#[test]
fn damaged_files_are_refused_or_whole() {
    let readable = |tree: Tree| assert!(Tree::parse(&tree.to_string()).is_ok(), "{tree}");
    for i in 0..4000 {
        let draws = &mut random::draws(23, i);
        let tree = random::tree(3, draws);
        if let Ok(tree) = from_binary(&damage(&to_binary(&tree).unwrap(), draws)) {
            readable(tree);
        }
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        let json = text(damage(to_json(&tree).as_bytes(), draws));
        let read = from_json(&json);
        let errors = [read.as_ref().err().cloned(), from_xml(&text(damage(to_xml(&tree).as_bytes(), draws))).err()];
        for error in errors.into_iter().flatten() {
            assert!(error.line >= 1 && error.column >= 1 && error.to_string().contains("line "));
        }
        let bytes: Vec<u8> = (0..40).map(|_| draws.below(256) as u8).collect();
        assert!(from_binary(&bytes).is_err());
    }
}
