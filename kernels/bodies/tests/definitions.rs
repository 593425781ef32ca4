//! Tests of definitions and files against the instructions in pyro-corpus's README and the output of its code.

#![allow(clippy::disallowed_methods, reason = "what is compared with lies in files")]

use serde_json::Value;
use std::fs::read_to_string;
use std::path::{Path, PathBuf};
use xpuck_bodies::urdf::{Dialect, export, import};
use xpuck_bodies::{Brain, Plan, Prif};

const README: [&str; 4] = [
    "(B(), [FRONT, 1, X], None)",
    "(B(), [LEFT, 3, X], None)",
    "(B(), [LEFT, 3, X], {LEFT: (B(), [LEFT, 2, Z], None), TOP: (B(), [TOP, 2, Y], None)})",
    "(B(1), [RIGHT, 3, X], {
    BOTTOM: (B(2), [BOTTOM, 2, X], {
        RIGHT: (B(3), [RIGHT, 2, X], None),
        BOTTOM: (B(4), [BOTTOM, 2, X], None),
        LEFT: (B(5), [LEFT, 2, X], None)
    })
})",
];

fn vector(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name)
}

/// Returns the name and the JSON description of each body that pyro-corpus's code has built.
fn cases() -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(&read_to_string(vector("vectors.json")).unwrap()).unwrap();
    all.as_object().unwrap().iter().map(|(name, case)| (name.clone(), case.clone())).collect()
}

/// Returns the instruction of a case. `vectors.json` is read as text, because the order of the keys in `next` matters.
fn instruction(name: &str) -> Result<Prif, String> {
    let text = read_to_string(vector("vectors.json")).unwrap();
    let case = &text[text.find(&format!("\"{name}\"")).unwrap()..];
    let from = case.find("\"prif\":").unwrap() + "\"prif\":".len();
    let mut depth = 0;
    let end = case[from..].find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == '}' && depth == 0
    });
    Prif::from_json(case[from..from + end.unwrap() + 1].trim()).map_err(|error| error.to_string())
}

#[test]
fn readme_instructions_round_trip() {
    for text in README {
        assert_eq!(Prif::parse(text).unwrap().print(), text);
    }
}

#[test]
fn readme_bodies_match_vectors() {
    assert_eq!(Prif::parse(README[2]), Ok(instruction("v03_left3_left2_top2").unwrap()));
    assert_eq!(Prif::parse(README[3]), Ok(instruction("v04_readme_tree").unwrap()));
}

#[test]
fn text_and_json_say_the_same_of_every_vector() {
    for (name, case) in cases() {
        if case["valid"] == true {
            let prif = instruction(&name).unwrap();
            assert_eq!(Prif::parse(&prif.print()), Ok(prif.clone()), "{name}");
            assert_eq!(Prif::from_json(&prif.to_json()), Ok(prif), "{name}");
        }
    }
}

#[test]
fn names_cells_and_sensors_are_those_of_the_original() {
    for (name, case) in cases().into_iter().filter(|(_, case)| case["valid"] == true) {
        let plan = Plan::new(&instruction(&name).unwrap()).unwrap();
        let joints: Vec<String> = plan.motors().filter_map(|part| plan.joint_name(part)).collect();
        assert_eq!(serde_json::json!(joints), case["joint_names"], "{name}");
        let sensors: Vec<&str> = plan.sensors().map(|part| plan.parts()[part].name.as_str()).collect();
        assert_eq!(serde_json::json!(sensors), case["sensor_parts"], "{name}");
        let cells: Vec<[f64; 3]> = plan.parts().iter().map(|part| part.cell.map(f64::from)).collect();
        assert_eq!(serde_json::json!(cells), case["lattice_centers"], "{name}");
    }
}

#[test]
fn urdf_and_nndf_are_byte_for_byte_those_of_the_original() {
    let mut compared = 0;
    for (name, case) in cases().into_iter().filter(|(_, case)| case["valid"] == true) {
        let plan = Plan::new(&instruction(&name).unwrap()).unwrap();
        assert_eq!(
            export(&plan, Dialect::AsPublished),
            read_to_string(vector(case["urdf"].as_str().unwrap())).unwrap(),
            "{name}"
        );
        let nndf = read_to_string(vector(case["nndf"].as_str().unwrap())).unwrap();
        let brain = Brain::from_nndf(&nndf, &plan).unwrap();
        assert_eq!(brain.to_nndf(&plan, Dialect::AsPublished).unwrap(), nndf, "{name}");
        for (sensor, row) in case["weights"].as_array().unwrap().iter().enumerate() {
            for (motor, weight) in row.as_array().unwrap().iter().enumerate() {
                assert!((brain.weight(sensor, motor) - weight.as_f64().unwrap()).abs() < 1e-14, "{name}");
            }
        }
        compared += 1;
    }
    assert_eq!(compared, 13);
}

#[test]
fn bodies_that_the_original_refuses_are_refused_with_the_place() {
    assert_eq!(instruction("v09_invalid_overlap").unwrap_err(), "root.LEFT: parts 1r1 and 0r2 are both at cell 0 0 0");
    assert_eq!(
        instruction("v10_invalid_same_dir_two_keys").unwrap_err(),
        "root.BACK: parts 2r1 and 1r1 are both at cell 0 -1 0"
    );
}

#[test]
fn imported_urdf_exports_to_same_bytes() {
    for (name, case) in cases().into_iter().filter(|(_, case)| case["valid"] == true) {
        let text = read_to_string(vector(case["urdf"].as_str().unwrap())).unwrap();
        let prif = import(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(export(&Plan::new(&prif).unwrap(), Dialect::AsPublished), text, "{name}");
        for dialect in [Dialect::Simulators, Dialect::PublishedNames] {
            let ours = export(&Plan::new(&prif).unwrap(), dialect);
            assert_eq!(import(&ours).unwrap(), prif, "{name}");
        }
    }
}

#[test]
fn invalid_definition_reports_place_and_rule() {
    let deep = |depth: usize| {
        let open: String = (0..depth).map(|_| "(B(), [FRONT, 1, X], {FRONT: ").collect();
        format!("{open}(B(), [FRONT, 1, X], None){}", "})".repeat(depth))
    };
    let cases = [
        ("(B(), [LEFT, 0, X], None)", "root: the number of repetitions is 0; it must be at least 1"),
        ("(B(), [LEFT, 10000, X], None)", "root: the body has at least 10000 parts; at most 256 are allowed"),
        (
            "(B(1), [LEFT, 1, X], {TOP: (B(1), [TOP, 1, X], None)})",
            "root.TOP: the id 1 is already in use; give each instruction its own id",
        ),
        (
            "(B(), [LEFT, 1, X], {TOP: (CPG(), [TOP, 1, X], None)})",
            "root.TOP: a brain (CPG) must be the root and a single part",
        ),
        ("(CPG(), [LEFT, 2, X], None)", "root: a brain (CPG) must be the root and a single part"),
        (
            "(Q(), [LEFT, 1, X], None)",
            "line 1, column 2: expected a part class: B, S, F, FS or CPG, found \"Q(), [LEFT, \"",
        ),
        ("(B(), [LEFT, 1, W], None)", "line 1, column 17: expected an axis: X, Y or Z, found \"W], None)\""),
        (
            "(B(),\n [UP, 1, X], None)",
            "line 2, column 3: expected a direction: FRONT, BACK, LEFT, RIGHT, TOP or BOTTOM, found \"UP, 1, X], N\"",
        ),
        (
            "(B(), [LEFT, -1, X], None)",
            "line 1, column 14: expected a number of repetitions (an integer below 2^32), found \"-1, X], None\"",
        ),
        ("(B(), [LEFT, 1, X], None", "line 1, column 25: expected ')', found the end"),
        ("(B(), [LEFT, 1, X], None) x", "line 1, column 27: unexpected text after the end of the instruction"),
        (
            "(B(), [TOP, 1, X], {TOP: (B(), [TOP, 1, X], None), TOP: (B(), [LEFT, 1, X], None)})",
            "line 1, column 52: duplicate key TOP; use each key once",
        ),
    ];
    for (text, error) in cases {
        assert_eq!(Prif::parse(text).unwrap_err().to_string(), error, "{text}");
    }
    assert!(Prif::parse(&deep(59)).is_ok());
    assert!(Prif::parse(&deep(60)).unwrap_err().rule.contains("deeper than 60"));
    assert!(Prif::parse(&deep(10_000)).unwrap_err().rule.contains("at most 65536"));
    let json = Prif::parse(&deep(59)).unwrap().to_json();
    assert!(Prif::from_json(&json).is_ok());
    let cycle = json.replace("\"next\":null", &format!("\"next\":{{\"TOP\":{json}}}"));
    assert!(Prif::from_json(&cycle).is_err(), "deeper than the reader of JSON goes");
}

#[test]
fn json_is_refused_with_line_and_column() {
    let error = |text: &str| Prif::from_json(text).unwrap_err().to_string();
    assert_eq!(error("{"), "line 1, column 1: EOF while parsing an object");
    let text = r#"{"id": 0, "part": "body", "dir": "LEFT", "reps": 1, "axis": "X", "colour": 3}"#;
    assert!(error(text).contains("unknown field `colour`"), "{}", error(text));
    let twice = r#"{"id":0,"part":"body","dir":"LEFT","reps":1,"axis":"X","next":{"TOP":{"id":1,"part":"body","dir":"TOP","reps":1,
        "axis":"X"},"TOP":{"id":2,"part":"body","dir":"LEFT","reps":1,"axis":"X"}}}"#;
    assert!(error(twice).contains("duplicate key TOP"), "{}", error(twice));
}

#[test]
fn rewritten_urdf_imports_as_same_body() {
    let prif =
        Prif::parse("(CPG(0), [FRONT, 1, X], {LEFT: (B(2), [LEFT, 2, X], None), TOP: (F(1), [TOP, 1, X], None)})")
            .unwrap();
    let ours = export(&Plan::new(&prif).unwrap(), Dialect::Simulators);
    let fixed = ours.find("type=\"fixed\"").expect("a brain's child is fixed, or a sensor's");
    let axis = fixed + ours[fixed..].find("<axis").unwrap();
    let without = format!("{}{}", &ours[..axis], &ours[axis + ours[axis..].find('\n').unwrap()..]);
    let changed = [
        ("blanks", ours.replace(" = ", "=").replace(" />", "/>")),
        ("continuous", ours.replace("type=\"revolute\"", "type=\"continuous\"")),
        ("floats", ours.replace("size=\"1 1 1\"", "size=\"1.0 1.0 1.0\"").replace("value=\"1\"", "value=\"1.0\"")),
        ("no rpy", ours.replace("rpy=\"0 0 0\"", "")),
        ("a fixed joint without axis", without),
        ("a tag of Gazebo", ours.replace("</robot>", "<gazebo reference=\"p0r1B\"><mu1>1</mu1></gazebo></robot>")),
        ("materials of other names", ours.replace("name=\"Blue\"", "name=\"material_3\"")),
        ("materials at the top", {
            let name = "<material name=\"Blue\">";
            let (top, rest) = ours.split_once('\n').unwrap();
            let colour = "<color rgba=\"0.0 0.0 1.0 1.0\"/>";
            format!("{top}\n{name}{colour}</material>\n{}", rest.replace(colour, ""))
        }),
    ];
    for (what, text) in changed {
        assert_ne!(text, ours, "{what}");
        let read = import(&text).unwrap_or_else(|error| panic!("{what}: {error}\n{text}"));
        assert_eq!(read, prif, "{what}");
    }
    let names = ours.split("name=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    assert!(names.clone().count() > 8 && names.clone().all(|name| name.starts_with(|c: char| c.is_ascii_alphabetic())));
    assert_eq!(ours.matches("<transmission ").count(), ours.matches("type=\"revolute\"").count());
    assert!(ours.contains("effort=\"25.0\"") && ours.contains("velocity=\"9.6\"") && !ours.contains("effort=\"0.0\""));
    let published = export(&Plan::new(&prif).unwrap(), Dialect::PublishedNames);
    assert!(published.contains("link name=\"0r1B\"") && published.contains("effort=\"25.0\""));
}

#[test]
fn foreign_urdf_is_rejected_with_all_reasons() {
    let robot = "<robot name=\"arm\"><link name=\"base_link\"/><link name=\"tool\"/>\n\
                 <joint name=\"j\" type=\"prismatic\"><parent link=\"base_link\"/><child link=\"tool\"/></joint></robot>";
    let told = import(robot).unwrap_err().to_string();
    assert!(
        told.starts_with(
            "line 1, column 1: only URDF written by Xpuck or pyro-corpus is supported: line 1, column 19: "
        ),
        "{told}"
    );
    let reasons =
        ["the link name \"base_link\"", "the link name \"tool\"", "line 2, column 1: the joint type is prismatic"];
    assert!(reasons.iter().all(|reason| told.contains(reason)), "{told}");
    assert!(import("<robot/>").unwrap_err().rule.contains("<link> is missing"));
}

#[test]
fn invalid_urdf_is_rejected_with_line_and_rule() {
    let ours = read_to_string(vector("v02_left3.urdf")).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(ours.contains(from), "{from}");
        import(&ours.replacen(from, to, 1)).unwrap_err().to_string()
    };
    assert_eq!(
        import("<sdf/>").unwrap_err().to_string(),
        "line 1, column 1: found <sdf>; a URDF must begin with <robot>"
    );
    assert!(import("<robot>").unwrap_err().rule.starts_with("not XML"));
    assert_eq!(refused("box size=\"1 1 1\"", "box size=\"1 1 2\""), "line 11, column 17: the box must be a unit cube");
    assert!(refused("<box size=\"1 1 1\" />", "<sphere radius=\"1\"/>").contains("<geometry> has no <box>"));
    assert!(refused("type=\"revolute\"", "type=\"prismatic\"").contains("the joint type is prismatic"));
    assert!(refused("type=\"revolute\"", "type=\"fixed\"").contains("0r2 is Blue, so its joint must be revolute"));
    assert!(refused("axis xyz=\"1 0 0\"", "axis xyz=\"1 1 0\"").contains("the axis must be x, y or z"));
    assert!(refused("axis xyz=\"1 0 0\"", "axis xyz=\"0 1 0\"").contains("0r1 is not the next part of 0r3's chain"));
    assert!(refused("rpy=\"0 0 0\"", "rpy=\"0 0 1\"").contains("rotated frames"));
    assert!(refused("xyz=\"0.0 -1.0 2.0\"", "xyz=\"0.0 -1.5 2.0\"").contains("not on its parent's side"));
    assert!(refused("<mass value=\"1\" />", "<mass value=\"2\" />").contains("the mass of a cube must be 1 kg"));
    assert!(refused("<link name=\"0r3\">", "<link name=\"torso\">").contains("as in PRIF"));
    let mauve = ours.replace("Blue", "Mauve").replace("0.0 0.0 1.0 1.0", "0.9 0.7 1.0 1.0");
    assert!(import(&mauve).unwrap_err().rule.contains("\"Mauve\" is not the colour of a part class"));
    // The joints form a cycle: the first link is a child of the last link.
    let joint = concat!(
        "<joint name=\"0r1_0r3\" type=\"revolute\"><parent link=\"0r1\"/><child link=\"0r3\"/>",
        "<origin rpy=\"0 0 0\" xyz=\"0 -1 0\"/><axis xyz=\"1 0 0\"/></joint></robot>"
    );
    let cycle = import(&ours.replace("</robot>", joint)).unwrap_err();
    assert!(cycle.rule.contains("form a cycle"), "{cycle}");
}

#[test]
fn mismatched_nndf_reports_line_and_rule() {
    let plan = Plan::new(&instruction("v08_key_differs_from_dir").unwrap()).unwrap();
    let ours = read_to_string(vector("v08_key_differs_from_dir.nndf")).unwrap();
    let refused = |from: &str, to: &str| {
        assert!(ours.contains(from), "{from}");
        Brain::from_nndf(&ours.replacen(from, to, 1), &plan).unwrap_err().to_string()
    };
    assert!(refused("type = \"sensor\"", "type = \"hidden\"").starts_with("line 2, column 5: a hidden neuron"));
    assert!(refused("linkName = \"1r1\"", "linkName = \"9r9\"").contains("no sensor or joint 9r9"));
    assert!(refused("sourceNeuronName = \"SNx1r1x\"", "sourceNeuronName = \"SNx0r1Bx\"").contains("duplicate synapse"));
    assert!(refused("weight = \"", "weight = \"nan").contains("not a finite number"));
    assert!(refused("linkName = \"0r1B\"", "linkName = \"0r1B\" period = \"0\"").contains("it must be 0.05 to 100 s"));
    assert!(refused("linkName = \"1r1\"", "linkName = \"1r1\" period = \"1\"").contains("only the neuron of a brain"));
    let other = Plan::new(&Prif::seed()).unwrap();
    assert!(Brain::from_nndf(&ours, &other).is_err());
    assert!(
        Brain::from_nndf("<neuralNetwork/>", &plan).unwrap_err().rule.contains("the sensor neuron of 0r1B is missing")
    );
}

#[test]
fn own_rhythm_period_round_trips_through_nndf() {
    let plan = Plan::new(&instruction("v08_key_differs_from_dir").unwrap()).unwrap();
    let common = Brain::from_nndf(&read_to_string(vector("v08_key_differs_from_dir.nndf")).unwrap(), &plan).unwrap();
    assert_eq!(common.period, None);
    let own = Brain { period: Some(0.31), ..common };
    let text = own.to_nndf(&plan, Dialect::PublishedNames).unwrap();
    assert!(text.contains("linkName = \"0r1B\" period = \"0.31\" />"), "{text}");
    assert_eq!(Brain::from_nndf(&text, &plan).unwrap(), own);
    let lettered = own.to_nndf(&plan, Dialect::Simulators).unwrap();
    assert!(lettered.contains("linkName = \"p0r1B\" period"), "{lettered}");
    assert_eq!(Brain::from_nndf(&lettered, &plan).unwrap(), own);
    assert!(
        Brain { period: Some(0.01), ..own }
            .to_nndf(&plan, Dialect::Simulators)
            .unwrap_err()
            .to_string()
            .contains("0.05 to 100 s")
    );
}
