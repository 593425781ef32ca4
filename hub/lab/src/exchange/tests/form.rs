//! Tests of the form of exported files. They do not require the other simulators.

use super::super::{argos, import, webots};
use super::with_export;
use roxmltree::Document;
use xpuck_experiment::world_file;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::WorldSpec;
use xpuck_kernels::world::floor::Floor;
use xpuck_kernels::world::start::place;

/// XML elements that ARGoS 3 reads. Each has a list of required attributes and a list of optional attributes.
const READ: [(&str, &[&str], &[&str]); 26] = [
    ("argos-configuration", &[], &[]),
    ("framework", &[], &[]),
    ("system", &[], &["threads", "method", "pin_threads_to_cores"]),
    ("experiment", &["ticks_per_second"], &["length", "random_seed", "real_time", "visualization"]),
    ("controllers", &[], &[]),
    ("xpuck_controller", &["id", "library"], &[]),
    ("actuators", &[], &[]),
    ("sensors", &[], &[]),
    ("differential_steering", &["implementation"], &["bias_avg", "bias_stddev", "factor_avg", "factor_stddev"]),
    ("range_and_bearing", &[], &["implementation", "medium", "id", "check_occlusions", "noise_std_dev"]),
    ("epuck_proximity", &["implementation"], &["show_rays", "noise_level"]),
    ("ground", &["implementation"], &["noise_level"]),
    ("positioning", &["implementation"], &["pos_noise_range", "angle_noise_range"]),
    ("params", &["tree", "seed", "run"], &[]),
    ("loop_functions", &["label"], &["library", "seed", "run"]),
    ("arena", &["size"], &["center"]),
    ("floor", &["id", "source", "pixels_per_meter"], &[]),
    ("box", &["id", "size", "movable"], &["mass"]),
    ("cylinder", &["id", "radius", "height", "movable"], &["mass"]),
    ("body", &[], &["position", "orientation"]),
    ("e-puck", &["id"], &["rab_range", "rab_data_size"]),
    ("controller", &["config"], &[]),
    ("physics_engines", &[], &[]),
    ("dynamics2d", &["id"], &["iterations", "elevation"]),
    ("friction", &[], &["cylinder_linear_friction", "cylinder_angular_friction"]),
    ("media", &[], &[]),
];

#[test]
fn argos_files_have_required_elements_and_attributes() {
    let mut painted = WorldSpec::benchmark(9);
    painted.floor = Floor { level: 1.0, ..Floor::default() }.into();
    for (spec, floors) in [(&WorldSpec::benchmark(9), 0), (&painted, 1)] {
        check_argos(spec, floors);
    }
}

fn check_argos(spec: &WorldSpec, floors: usize) {
    let files = with_export(spec, argos::files);
    let runs: Vec<_> = files.iter().filter(|file| file.path.ends_with(".argos")).collect();
    assert_eq!(runs.len(), 2);
    for run in runs {
        let document = Document::parse(&run.text).unwrap();
        let mut robots = 0;
        for node in document.descendants().filter(|node| node.is_element()) {
            let name = node.tag_name().name();
            let (_, needed, read) = READ.iter().find(|(of, ..)| *of == name).unwrap_or_else(|| panic!("<{name}>"));
            assert!(needed.iter().all(|key| node.has_attribute(*key)), "<{name}> in {}", run.path);
            for key in node.attributes().map(|attribute| attribute.name()) {
                assert!(needed.contains(&key) || read.contains(&key), "<{name} {key}>");
            }
            robots += usize::from(name == "e-puck");
            if name == "controller" {
                let config = node.attribute("config").unwrap();
                assert!(
                    document
                        .descendants()
                        .any(|n| n.has_tag_name("xpuck_controller") && n.attribute("id") == Some(config))
                );
            }
        }
        assert_eq!(robots, 9);
        let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
        assert_eq!((count("floor"), count("ground")), (floors, 2 * floors), "two controllers");
    }
}

#[test]
fn exported_arena_is_imported_unchanged() {
    let text = "robots = 3\n[task]\nkind = \"transport-position\"\n[arena]\nlength_m = 3.0\nwidth_m = 2.0\n\
                [[start]]\nx_m = [-1.0, -0.5]\ny_m = [-0.5, 0.5]\n\
                [[disc]]\nx_m = [0.25, 0.25]\ny_m = [0.5, 0.5]\nradius_m = 0.2\nmass_kg = 0.3\n\
                [[wall]]\nfrom_m = [0.5, -0.5]\nto_m = [0.9, -0.2]\n";
    let spec = world_file::parse("there", text).unwrap();
    let files = with_export(&spec, argos::files);
    let experiment = files.iter().find(|file| file.path == "run-0000.argos").unwrap();
    let imported = import::argos(&experiment.text).unwrap();
    assert_eq!(imported.notes, Vec::<String>::new());
    let start = |spec: &WorldSpec| place(spec, 0, (3, 0), &mut Draws::new(3, 0, 0, 0, Stream::Start));
    let back = world_file::parse("back", &imported.text).unwrap();
    assert_eq!((back.robots, back.discs.len(), back.physics.walls.len()), (3, 1, 1));
    let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} {b}\n{}", imported.text);
    near(back.physics.half_arena.0, 1.5);
    near(back.physics.half_arena.1, 1.0);
    for (there, here) in start(&spec).iter().zip(start(&back)) {
        near(there.pose.at.x, here.pose.at.x);
        near(there.pose.at.y, here.pose.at.y);
        near(there.pose.heading, here.pose.heading);
    }
    let (there, here) = (spec.physics.walls[0], back.physics.walls[0]);
    assert!((there.from - here.from).length() < 1e-3 && (there.to - here.to).length() < 1e-3, "{here:?}");
    assert_eq!((back.discs[0].shape.radius, back.discs[0].shape.mass), (0.2, 0.3));
    assert_eq!(back.discs[0].start.low, spec.discs[0].start.low);
}

/// Splits VRML into words, numbers, strings and brackets. Comments are skipped.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    for line in text.lines() {
        let mut rest =
            line.split_once('#').filter(|(before, _)| before.matches('"').count() % 2 == 0).map_or(line, |l| l.0);
        while let Some(first) = rest.trim_start().chars().next() {
            rest = rest.trim_start();
            let end = match first {
                '"' => rest[1..].find('"').expect("a string ends on its line") + 2,
                '{' | '}' | '[' | ']' => 1,
                _ => rest.find(|c: char| c.is_whitespace() || "{}[]\"".contains(c)).unwrap_or(rest.len()),
            };
            tokens.push(rest[..end].to_string());
            rest = &rest[end..];
        }
    }
    tokens
}

/// Fields of exported VRML nodes, with the number of their numeric values; 0 for non-numeric fields.
const FIELDS: [(&str, usize); 38] = [
    ("info", 0),
    ("title", 0),
    ("basicTimeStep", 1),
    ("coordinateSystem", 0),
    ("orientation", 4),
    ("position", 3),
    ("floorSize", 2),
    ("wallHeight", 1),
    ("floorAppearance", 0),
    ("coord", 0),
    ("point", 0),
    ("coordIndex", 0),
    ("groundSensorsSlot", 0),
    ("translation", 3),
    ("rotation", 4),
    ("children", 0),
    ("appearance", 0),
    ("baseColor", 3),
    ("roughness", 1),
    ("metalness", 1),
    ("geometry", 0),
    ("height", 1),
    ("radius", 1),
    ("name", 0),
    ("boundingObject", 0),
    ("physics", 0),
    ("density", 1),
    ("mass", 1),
    ("controller", 0),
    ("controllerArgs", 0),
    ("camera_fieldOfView", 1),
    ("turretSlot", 0),
    ("top", 0),
    ("bottom", 0),
    ("size", 3),
    ("DEF", 0),
    ("USE", 0),
    ("EXTERNPROTO", 0),
];

#[test]
fn worlds_of_webots_are_vrml_with_known_fields() {
    let spec = world_file::parse(
        "clutter",
        "robots = 4\n[task]\nkind = \"transport\"\n[[start]]\nx_m = [-0.9, -0.5]\ny_m = [-0.5, 0.5]\n\
         [[disc]]\nx_m = [0.0, 0.0]\ny_m = [0.0, 0.0]\n[[wall]]\nfrom_m = [0.5, -0.5]\nto_m = [0.5, 0.5]\n\
         [[patch]]\nat_m = [1.0, 0.0]\nlength_m = 0.4\ncolour = \"green\"\n\
         [[region]]\nname = \"spot\"\ndisc = { at_m = [0.5, 0.0], radius_m = 0.2 }\npaint = \"black\"\n",
    );
    let files = with_export(&spec.unwrap(), webots::files);
    let world = files.iter().find(|file| file.path == "worlds/run-0001.wbt").unwrap();
    assert!(world.text.starts_with("#VRML_SIM R2023b utf8\n"));
    let tokens = tokens(&world.text);
    let (mut open, mut defined) = (Vec::new(), Vec::new());
    for (i, token) in tokens.iter().enumerate() {
        let after = tokens.get(i + 1).map_or("", String::as_str);
        match token.as_str() {
            "{" | "[" => open.push(token.clone()),
            "}" => assert_eq!(open.pop().as_deref(), Some("{"), "token {i}"),
            "]" => assert_eq!(open.pop().as_deref(), Some("["), "token {i}"),
            "DEF" => defined.push(after.to_string()),
            "USE" => assert!(defined.iter().any(|name| name == after), "{after}"),
            "TRUE" | "FALSE" => {}
            word if word.starts_with('"') || word.parse::<f32>().is_ok_and(f32::is_finite) => {}
            word if after == "{" || (i > 0 && ["DEF", "USE"].contains(&tokens[i - 1].as_str())) => {
                assert!(word.starts_with(|c: char| c.is_ascii_uppercase()), "{word}");
            }
            word => {
                let (_, wanted) = FIELDS.iter().find(|(field, _)| *field == word).unwrap_or_else(|| panic!("{word}"));
                let given = tokens[i + 1..].iter().take_while(|next| next.parse::<f32>().is_ok()).count();
                assert_eq!(given, *wanted, "{word}");
            }
        }
    }
    assert!(open.is_empty());
    let count = |what: &str| tokens.iter().filter(|token| *token == what).count();
    assert_eq!((count("E-puck"), count("Compass"), count("Cylinder"), count("Box")), (4, 4, 5, 2));
    assert_eq!((count("E-puckGroundSensors"), count("IndexedFaceSet")), (4, 1));
    let protos = ["TexturedBackground", "TexturedBackgroundLight", "RectangleArena", "E-puck", "E-puckGroundSensors"];
    assert!(protos.iter().all(|proto| world.text.contains(&format!("/{proto}.proto\""))));
}
