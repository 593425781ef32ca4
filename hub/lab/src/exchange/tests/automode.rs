//! Tests of the import of ARGoS files with known loop functions.

use super::super::import::{self, Imported};
use xpuck_experiment::world_file;
use xpuck_kernels::math::vec2;
use xpuck_kernels::model::MAX_WALLS;
use xpuck_kernels::world::{Task, WorldSpec};

/// Arena with twelve sides, robots at one place, and a light, as in the files of AutoMoDe's library.
pub(super) fn experiment(label: &str, params: &str, more: &str) -> String {
    let walls: String = (0..12)
        .map(|i| {
            let (angle, at) =
                (30.0 * i as f32, xpuck_kernels::math::Vec2::unit(30.0_f32.to_radians() * i as f32) * 1.231);
            format!(
                "<box id=\"wall_{i}\" size=\"0.01,.66,0.08\" movable=\"false\"><body position=\"{},{},0\" \
                 orientation=\"{angle},0,0\"/></box>\n",
                at.x, at.y
            )
        })
        .collect();
    let robot = "<e-puck id=\"e\"><body position=\"0.4,-0.6,0\"/><controller config=\"c\"/></e-puck>\n".repeat(20);
    format!(
        "<a><framework><experiment length=\"60\" random_seed=\"1\"/></framework>\n\
         <loop_functions library=\"l.so\" label=\"{label}\">\n<params {params}/></loop_functions>\n\
         <arena size=\"10, 10, 2\" center=\"0,0,0\">\n<floor id=\"floor\" source=\"loop_functions\"/>\n\
         <light id=\"light\" position=\"0,-1.5,0.4\" intensity=\"3.0\"/>\n{walls}{more}{robot}</arena></a>"
    )
}

const PARAMS: &str = "dist_radius=\"1.2\" number_robots=\"20\"";

/// Parses a world file.
pub(super) fn world(text: &str) -> WorldSpec {
    world_file::parse("imported", text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn imported(label: &str) -> (WorldSpec, Imported) {
    let imported = import::argos(&experiment(label, PARAMS, "")).unwrap();
    (world(&imported.text), imported)
}

/// Labels of the known missions, with a part of the formula and the number of walls that the loop functions add.
const KNOWN: [(&str, &str, usize); 30] = [
    ("aggregation_loop_functions", "last(max(n(left), n(right))) / N", 0),
    ("aggregation_xor", "last(max(n(left), n(right))) / N", 0),
    ("aggregation_xor2", "mean(max(share(left), share(right)))", 0),
    ("aggregation_5050", "last(min(n(left), n(right))) / (N / 2)", 0),
    ("aggregation_single", "last(share(home))", 0),
    ("homing", "mean(share(home))", 0),
    ("example_aggregation_loop_functions", "last(share(black))", 0),
    ("aggregation_white_and_black_loopfunc", "mean(share(black))", 0),
    ("marker_aggregation_loop_function", "mean(share(near-marker))", 0),
    ("n-aggregation_loop_function", "floor(N / 5)", 0),
    ("foraging_loop_functions", "last(delivered(source, nest))", 0),
    ("chocolate_aac_loop_functions", "mean(share(black))", 0),
    ("aac_loop_functions", "mean(share(black))", 0),
    ("chocolate_sca_loop_functions", "mean(share(shelter))", 3),
    ("chocolate_lcn_loop_functions", "last(covered(disc, 0.25, 0.35)) * area(disc)", 0),
    ("chocolate_cfa_loop_functions", "last(distance(disc, 2.5, -black))", 0),
    ("chocolate_spc_loop_functions", "last(distance(square, 0.85, square)) / 0.08", 0),
    ("shelter_constrained_access_loop_functions", "mean(share(shelter))", 3),
    ("sca_around_loop_functions", "mean(share(shelter))", 3),
    ("sca_bis_loop_functions", "mean(share(shelter))", 3),
    ("sca_black_loop_functions", "mean(share(shelter))", 3),
    ("guided_shelter_loopfunc", "mean(share(shelter))", 0),
    ("directional_gate", "max(0, last(crossed(-0.25, 0, 0.25, 0)))", 2),
    ("gianduja_aggregation_loop_functions", "mean(share(white))", 0),
    ("gianduja_aggregation_2spots_loop_functions", "last(max(n(left), n(right))) / N", 0),
    ("gianduja_stop_loop_functions", "1 - mean(if(ever(n(spot))", 0),
    ("mate_spd8_loop_functions", "last(distance(square, 0.67, square))", 0),
    ("mate_lcf_loop_functions", "mean(covered(zone, 0.3, 0.3))", 0),
    ("exploration_loop_functions", "mean(visited(0.05))", 0),
    ("repulsion_loop_functions", "mean(nearest())", 0),
];

#[test]
fn known_loop_functions_become_formulas() {
    for (label, formula, walls) in KNOWN {
        let (spec, imported) = imported(label);
        assert!(imported.is_task_known, "{label}");
        let Task::Objective(objective) = &spec.task else { panic!("{label}: {:?}", spec.task) };
        assert!(objective.formula.contains(formula), "{label}: {}", objective.formula);
        assert_eq!((spec.robots, spec.starts.len(), spec.physics.walls.len()), (20, 1, 12 + walls), "{label}");
        assert!(imported.text.contains("polygon = { sides = 12, inradius_m = 1.226 }"), "{}", imported.text);
        assert!(imported.text.contains(&format!("loop functions {label}.")), "{}", imported.text);
        assert_eq!(imported.notes.len(), 1, "{:?}", imported.notes);
        assert!(imported.notes[0].ends_with("place the robots; their places in the arena are ignored"));
    }
}

#[test]
fn all_walls_of_two_pens_have_room() {
    let (spec, imported) = imported("shelter_fifty_fifty_loop_functions");
    assert!(imported.text.contains("score = \"mean(share(pen))\""), "{}", imported.text);
    assert!(!imported.notes.iter().any(|note| note.contains("left out")), "{:?}", imported.notes);
    // With a limit of 16 walls, the arena is a rectangle, whose edges are four of the twelve sides.
    let walls = if MAX_WALLS < 18 { 14 } else { 18 };
    assert_eq!((spec.physics.walls.len(), spec.starts.len()), (walls, 1), "{}", imported.text);
}

#[test]
fn regions_have_the_paint_of_the_loop_functions() {
    let painted = |label: &str, name: &str| {
        let text = imported(label).1.text;
        let region = text.split(&format!("name = \"{name}\"\n")).nth(1).unwrap_or_else(|| panic!("{text}")).to_string();
        region.split("\n\n").next().unwrap().trim().replace('\n', "; ")
    };
    let aac = painted("chocolate_aac_loop_functions", "black");
    assert_eq!(aac, "disc = { at_m = [0.0, 0.6], radius_m = 0.3 }; paint = \"black\"");
    let other = painted("aac_loop_functions", "black");
    assert_eq!(other, "disc = { at_m = [0.0, -0.6], radius_m = 0.3 }; paint = \"black\"");
    let nest = painted("foraging_loop_functions", "nest");
    assert_eq!(nest, "half_plane = { towards_deg = -90.0, from_m = 0.6 }; paint = \"white\"");
    assert_eq!(
        painted("marker_aggregation_loop_function", "near-marker"),
        "disc = { at_m = [0.0, 0.7], radius_m = 0.4 }"
    );
    let text = imported("chocolate_aac_loop_functions").1.text;
    assert!(text.contains("# Version of the branch master"), "{text}");
}

#[test]
fn parameters_change_gate_and_shelter() {
    let gate = format!("{PARAMS} gate_width=\"0.6\" gate_length=\"0.9\"");
    let text = import::argos(&experiment("directional_gate", &gate, "")).unwrap().text;
    assert!(text.contains("crossed(-0.3, 0, 0.3, 0)") && text.contains("y_m = [-0.3, 0.3]"), "{text}");
    let spec = world(&text);
    assert!(spec.physics.walls.iter().any(|wall| (wall.from - vec2(0.3, -0.3)).length() < 1e-3), "{text}");
    let shelter = format!("{PARAMS} w=\"0.6\" d=\"0.3\" o=\"0.3\"");
    let text = import::argos(&experiment("guided_shelter_loopfunc", &shelter, "")).unwrap().text;
    assert!(text.contains("rectangle = { x_m = [-0.3, 0.3], y_m = [-0.931, -0.631] }\npaint = \"black\""), "{text}");
    assert!(text.contains("name = \"wedge\"\npolygon_m = [[-0.3, -0.631], [0.3, -0.631], "), "{text}");
    world(&text);
}

#[test]
fn unknown_loop_functions_leave_the_task_to_the_user() {
    let unknown = import::argos(&experiment("my_own_functions", PARAMS, "")).unwrap();
    assert!(!unknown.is_task_known && unknown.text.contains("[task] is a guess"), "{}", unknown.text);
    let told = |notes: &[String], expected: &str| assert!(notes.iter().any(|n| n.contains(expected)), "{notes:?}");
    told(&unknown.notes, "line 2: the loop functions my_own_functions are unknown");
    told(&unknown.notes, "<floor> left out: its colours are unknown; add regions with `paint`");
    told(&unknown.notes, "line 3: 20 robots from loop functions");
    assert_eq!(world(&unknown.text).robots, 20, "robots at one place start within dist_radius");
    let drawn = import::argos(&experiment("gianduja_decision_loop_functions", PARAMS, "")).unwrap();
    assert!(!drawn.is_task_known);
    told(&drawn.notes, "are known, but their mission is not imported: begin with `xpuck world new decision`");
}

#[test]
fn mg1_experiments_have_walls_obstacles_and_mission() {
    let line = "--m homing --a hexagon --as 1.29 --el 60 --r 20 --l 'off' --ip 'uniform' --tof 'endtime' --colhome black \
                --coldistration white --np 1 --p0 Circle --ps0 0.3 --pcx0 0.7 --pcy0 0 --pc0 black";
    let params = format!("dist_radius=\"1.2\" number_robots=\"5\" mission_description=\"{line}\"");
    let obstacle = "<box id=\"obst_0\" size=\"0.026,0.35,0.07\" movable=\"false\"><body position=\"-0.3,0,0\" \
                    orientation=\"0,0,0\"/></box>\n";
    let text = experiment("generic_homing", &params, obstacle);
    let imported = import::argos(&text).unwrap();
    let spec = world(&imported.text);
    assert!(imported.is_task_known && imported.text.contains("last(share(home))"), "{}", imported.text);
    assert_eq!((spec.robots, spec.physics.walls.len()), (20, 13), "the obstacle is one wall");
    let error = |from: &str, to: &str| import::argos(&text.replace(from, to)).unwrap_err();
    assert_eq!(
        error("--r 20", "--r 19"),
        "line 3: <params> mission_description has --r 19, but the arena has 20 robots"
    );
    assert!(error("--np 1", "--np 2").starts_with("line 3: <params> --p1 is missing"));
}

#[test]
fn invalid_parameters_are_errors_with_line() {
    let error = |label: &str, params: &str| import::argos(&experiment(label, params, "")).unwrap_err();
    let cases = [
        ("aggregation_loop_functions", "dist_radius=\"nan\"", "line 3: <params> dist_radius=\"nan\" must be 1 numbers"),
        (
            "aggregation_loop_functions",
            "dist_radius=\"1e5\"",
            "line 3: <params> dist_radius=\"100000\" must be 0.05 to 9",
        ),
        (
            "aggregation_loop_functions",
            "number_robots=\"0\"",
            "number_robots=\"0\" must be a whole number from 1 to 256",
        ),
        ("directional_gate", "gate_width=\"-1\"", "gate_width=\"-1\" must be 0.1 to 2"),
        ("guided_shelter_loopfunc", "w=\"0\"", "w=\"0\" must be 0.05 to 2.4"),
        ("sca_around_loop_functions", "dist_radius=\"0.3\"", "dist_radius=\"0.3\" must be above 0.35"),
        (&"x".repeat(101), "", "has a label with more than 100 characters"),
    ];
    for (label, params, expected) in cases {
        let error = error(label, params);
        assert!(error.contains(expected), "{error}");
    }
    let other = experiment("aggregation_xor", "number_robots=\"5\"", "");
    let notes = import::argos(&other).unwrap().notes;
    assert!(notes[0].contains("number_robots is 5, but the arena has 20 robots"), "{notes:?}");
}

#[test]
fn missions_in_other_arenas_are_noted() {
    let wall = |x: f32, y: f32, size: &str| {
        format!("<box id=\"w\" size=\"{size}\" movable=\"false\"><body position=\"{x},{y},0\"/></box>")
    };
    let walls = wall(0.0, 0.4, "0.9,0.02,0.1") + &wall(0.0, -0.4, "0.9,0.02,0.1");
    let walls = walls + &wall(0.4, 0.0, "0.02,0.9,0.1") + &wall(-0.4, 0.0, "0.02,0.9,0.1");
    let text = format!(
        "<a><loop_functions label=\"foraging_loop_functions\"><params {PARAMS}/></loop_functions>\n\
         <arena size=\"3,3,1\">{walls}</arena></a>"
    );
    let imported = import::argos(&text).unwrap();
    let expected = "robots cannot reach a part of the mission's region nest; check the arena";
    assert!(imported.notes.iter().any(|note| note == expected), "{:?}", imported.notes);
    assert_eq!(world(&imported.text).robots, 20);
    assert!(imported.text.contains("length_m = 0.78") && imported.text.contains("in 120 s"), "{}", imported.text);
}
