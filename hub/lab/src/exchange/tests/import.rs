//! Tests of the import of ARGoS arenas. They cover each kind of placement, each kind of wall, and the notes.

use super::super::import;
use xpuck_experiment::world_file;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::world::start::place;
use xpuck_kernels::world::{Pose, WorldSpec};

/// Returns an ARGoS experiment with a seed. `inner` contains the arena's elements.
fn experiment(size: &str, inner: &str) -> String {
    format!(
        "<a><framework><experiment length=\"90\" random_seed=\"7\"/></framework>\n<arena size=\"{size},1\">\n{inner}</arena></a>"
    )
}

const ROBOT: &str = "<e-puck id=\"e\"><controller config=\"c\"/></e-puck>";

fn robots(count: usize, position: &str, orientation: &str) -> String {
    format!(
        "<distribute><position {position}/><orientation {orientation}/>\
         <entity quantity=\"{count}\" max_trials=\"100\">{ROBOT}</entity></distribute>\n"
    )
}

fn wall(x: f32, y: f32, length: f32, width: f32, degrees: f32) -> String {
    format!(
        "<box id=\"w\" size=\"{length},{width},0.3\" movable=\"false\"><body position=\"{x},{y},0\" orientation=\"{degrees},0,0\"/></box>\n"
    )
}

const FREE: &str = "method=\"uniform\" min=\"0,0,0\" max=\"360,0,0\"";
const NORTH: &str = "method=\"constant\" values=\"90,0,0\"";

fn world(text: &str) -> (WorldSpec, import::Imported) {
    let imported = import::argos(text).unwrap();
    (world_file::parse("imported", &imported.text).unwrap_or_else(|e| panic!("{e}\n{}", imported.text)), imported)
}

fn poses(spec: &WorldSpec, run: u32) -> Vec<Pose> {
    let bodies = place(spec, run as usize, (1, run), &mut Draws::new(1, run, 0, 0, Stream::Start));
    bodies[..spec.robots].iter().map(|body| body.pose).collect()
}

#[test]
fn places_and_lamps_of_the_file_are_kept() {
    let robot = |x: f32, y: f32, degrees: f32| {
        format!(
            "<e-puck id=\"e\"><body position=\"{x},{y},0\" orientation=\"{degrees},0,0\"/><controller config=\"c\"/></e-puck>\n"
        )
    };
    let lamp = "<light id=\"lamp\" position=\"1.2,0,0.333\" intensity=\"2.0\"/>\n";
    let walls = wall(0.0, 1.0, 3.0, 0.05, 0.0)
        + &wall(0.0, -1.0, 3.0, 0.05, 0.0)
        + &wall(1.5, 0.0, 2.0, 0.05, 90.0)
        + &wall(-1.5, 0.0, 2.0, 0.05, -90.0);
    let text = experiment("5,4", &(walls + &robot(-1.2, 0.3, 90.0) + &robot(-1.2, -0.3, 450.0) + lamp));
    let (spec, imported) = world(&text);
    assert_eq!(imported.notes, Vec::<String>::new());
    assert_eq!((spec.robots, spec.physics.walls.len(), spec.lighting.lights.len()), (2, 0, 1));
    let near = |a: f32, b: f32| assert!((a - b).abs() < 1e-4, "{a} {b}\n{}", imported.text);
    near(spec.physics.half_arena.0, 1.475);
    near(spec.physics.half_arena.1, 0.975);
    for (robot, y) in poses(&spec, 0).iter().zip([0.3, -0.3]) {
        near(robot.at.x, -1.2);
        near(robot.at.y, y);
        near(robot.heading, std::f32::consts::FRAC_PI_2);
    }
    let light = spec.lighting.lights[0];
    near(light.at.x, 1.2);
    near(light.height, 0.3);
    near(light.brightness, (-1.0_f32).exp());
    assert_eq!(spec.lighting.room, 0.0);
}

#[test]
fn robots_start_within_a_ring_of_thin_walls() {
    let ring: String = (0..12)
        .map(|i| {
            let at = Vec2::unit(std::f32::consts::TAU * i as f32 / 12.0) * 1.3062;
            wall(at.x + 1.0, at.y, 0.01, 0.71, 30.0 * i as f32)
        })
        .collect();
    let text = experiment(
        "8,8",
        &(ring.clone() + &robots(10, "method=\"uniform\" min=\"0.5,-0.5,0\" max=\"1.5,0.5,0\"", FREE)),
    );
    let (spec, imported) = world(&text);
    assert_eq!(imported.notes, Vec::<String>::new());
    assert!(imported.text.contains("polygon = { sides = 12, inradius_m = 1.3012 }"), "{}", imported.text);
    assert_eq!(spec.physics.walls.len(), 12);
    assert_eq!(spec.starts.len(), 1);
    for run in 0..20 {
        assert!(poses(&spec, run).iter().all(|pose| pose.at.x.abs() <= 0.5 && pose.at.y.abs() <= 0.5));
    }
    // Corners of this rectangle are outside the ring of walls. The import therefore draws positions instead of
    // writing a start area.
    let wide = robots(10, "method=\"uniform\" min=\"-0.3,-1.3,0\" max=\"2.3,1.3,0\"", FREE);
    let (spec, _) = world(&experiment("8,8", &(wide + &ring)));
    assert_eq!(spec.starts.len(), 8);
    for run in 0..8 {
        assert!(poses(&spec, run).iter().all(|pose| pose.at.length() < 1.31), "{:?}", poses(&spec, run));
    }
}

#[test]
fn robots_of_loop_functions_start_within_their_radius() {
    let text = experiment("10,10", "")
        .replace("<arena", "<loop_functions><params dist_radius=\"0.7\" number_robots=\"5\"/></loop_functions><arena");
    let (spec, imported) = world(&text);
    assert_eq!((spec.robots, spec.starts.len()), (5, 8));
    assert!(imported.notes[0].contains("line 2: 5 robots from loop functions"), "{:?}", imported.notes);
    assert!((0..8).flat_map(|run| poses(&spec, run)).all(|pose| pose.at.length() <= 0.7001));
}

#[test]
fn grids_normal_and_constant_places_are_drawn_as_argos_does() {
    let grid = "method=\"grid\" center=\"0,0,0\" distances=\"0.3,0.4,0\" layout=\"3,2,1\"";
    let (spec, imported) = world(&experiment("3,3", &robots(6, grid, NORTH)));
    assert_eq!((spec.starts.len(), imported.notes.len()), (1, 0));
    let places = poses(&spec, 0);
    let at: Vec<[f32; 2]> = places.iter().map(|pose| [pose.at.x, pose.at.y]).collect();
    let wanted = [[0.3, 0.2], [0.0, 0.2], [-0.3, 0.2], [0.3, -0.2], [0.0, -0.2], [-0.3, -0.2]];
    for (a, b) in at.iter().flatten().zip(wanted.iter().flatten()) {
        assert!((a - b).abs() < 1e-4, "{at:?}");
    }
    let normal = "method=\"gaussian\" mean=\"0.5,0,0\" std_dev=\"0.2,0.1,0\"";
    let text = experiment("3,3", &robots(20, normal, "method=\"gaussian\" mean=\"0,0,0\" std_dev=\"360,0,0\""));
    let (spec, imported) = world(&text);
    assert_eq!(spec.starts.len(), 8);
    assert!(imported.notes[0].contains("8 starts placed with seed 7"), "{:?}", imported.notes);
    let x: Vec<f32> = (0..8).flat_map(|run| poses(&spec, run)).map(|pose| pose.at.x).collect();
    let mean = x.iter().sum::<f32>() / x.len() as f32;
    let deviation = (x.iter().map(|x| (x - mean).powi(2)).sum::<f32>() / x.len() as f32).sqrt();
    assert!((mean - 0.5).abs() < 0.06 && (0.15..0.35).contains(&deviation), "{mean} {deviation}");
    assert_eq!(import::argos(&text).unwrap(), imported, "a seed gives the same places");
    assert_ne!(import::argos(&text.replace("\"7\"", "\"8\"")).unwrap().text, imported.text);
}

#[test]
fn obstacles_are_drawn_and_what_has_no_room_is_counted() {
    let anywhere = "method=\"uniform\" min=\"-1.5,-1.5,0\" max=\"1.5,1.5,0\"";
    let obstacles = |thing: &str, count: usize| {
        format!(
            "<distribute><position {anywhere}/><orientation {FREE}/><entity quantity=\"{count}\" max_trials=\"100\">{thing}</entity></distribute>\n"
        )
    };
    let text = experiment(
        "3,3",
        &(robots(10, anywhere, FREE)
            + &obstacles("<box id=\"b\" size=\"0.3,0.3,0.5\" movable=\"false\"/>", 3)
            + &obstacles("<cylinder id=\"c\" radius=\"0.15\" height=\"1\" movable=\"false\"/>", 7)
            + "<floor id=\"f\"/>\n<eye id=\"x\"/>\n<eye id=\"y\"/>\n"),
    );
    let (spec, imported) = world(&text);
    assert_eq!(spec.physics.walls.len(), 32);
    assert_eq!(spec.starts.len(), 8, "a rectangle with boxes in it has places within them");
    let told = [
        "lines 7, 8: <eye> left out",
        "line 6: <floor> left out: its colours are unknown; add regions with `paint`",
        "8 starts placed with seed 7 by ARGoS's rules, but not with its random numbers",
        "line 5: 2 of 7 <cylinder> left out: a world has at most 32 walls",
        "line 5: fixed <cylinder> converted to a polygon of walls with its radius at the corners",
        "no walls enclose the robots: the arena is the part of ARGoS's space that they can reach, 3 by 3 m",
    ];
    assert_eq!(imported.notes, told);
    let crowded = experiment("3,3", &robots(200, "method=\"uniform\" min=\"0,0,0\" max=\"0.4,0.4,0\"", NORTH));
    let notes = world(&crowded).1.notes;
    assert!(notes.iter().any(|note| note.contains("of 200 <e-puck> left out: no free space was found")), "{notes:?}");
}

#[test]
fn boxes_and_cylinders_become_walls_and_discs() {
    let body = "<body position=\"0,0.5,0\" orientation=\"90,0,0\"/>";
    let read = |inner: &str| import::argos(&experiment("4,4", inner));
    let thick = read(&format!("<box id=\"b\" size=\"0.6,0.4,0.5\" movable=\"false\">{body}</box>")).unwrap();
    let spec = world_file::parse("thick", &thick.text).unwrap();
    assert_eq!((spec.physics.walls.len(), spec.robots), (4, 1));
    let corners: Vec<Vec2> = spec.physics.walls.iter().map(|wall| wall.from).collect();
    assert!(corners.iter().any(|at| (at.x + 0.2).abs() < 1e-4 && (at.y - 0.8).abs() < 1e-4), "turned: {corners:?}");
    let column = format!("<cylinder id=\"c\" radius=\"0.2\" height=\"1\" movable=\"false\">{body}</cylinder>");
    assert_eq!(read(&column).unwrap().text.matches("[[wall]]").count(), 6);
    let discs = format!(
        "<box id=\"b\" size=\"0.4,0.2,0.1\" movable=\"true\" mass=\"0.3\">{body}</box>\
         <cylinder id=\"c\" radius=\"1.5\" height=\"1\" movable=\"true\" mass=\"1\">{body}</cylinder>"
    );
    let discs = read(&discs).unwrap();
    let spec = world_file::parse("discs", &discs.text).unwrap();
    assert_eq!(spec.discs.len(), 1);
    assert!((spec.discs[0].shape.radius - 0.15958).abs() < 1e-4);
    let told = |what: &str| assert!(discs.notes.iter().any(|note| note.contains(what)), "{:?}", discs.notes);
    told("<cylinder> left out: discs must have a radius");
    told("movable <box> converted to a disc of the same area");
}

#[test]
fn unreadable_import_is_reported_with_line() {
    let read = |inner: &str| import::argos(&experiment("4,4", inner)).unwrap_err();
    let many: String = (0..300).map(|i| format!(" a{i}=\"1\"")).collect();
    assert!(read(&format!("<box{many}/>")).contains("300 attributes"));
    let error = |text: &str| import::argos(text).unwrap_err();
    assert!(error("<a><arena size=\"-1,1,1\"/></a>").contains("size must contain only numbers greater than 0"));
    assert!(error("<a b=c/>").contains("1:"), "{}", error("<a b=c/>"));
    assert!(error("<a/>").starts_with("no <arena>"));
    assert_eq!(
        read("\n<box size=\"1,x\" movable=\"false\"/>"),
        "line 4: <box> size=\"1,x\" must be 3 numbers of at most a million, separated by commas"
    );
    assert!(read("<box size=\"1,1,1\" movable=\"perhaps\"><body/></box>").contains("needs movable"));
    assert!(read(&robots(1, "method=\"spiral\"", FREE)).contains("uniform, gaussian, constant or grid"));
    assert!(read(&robots(1, "method=\"uniform\" min=\"1,0,0\" max=\"0,0,0\"", FREE)).contains("min above its max"));
    assert!(read(&robots(300, FREE, FREE)).contains("300 robots; a world has at most 256"));
    assert!(
        read(&robots(1, "method=\"grid\" center=\"0,0,0\" distances=\"1,1,1\" layout=\"0.5,1,1\"", FREE))
            .contains("whole numbers")
    );
    // The import accepts two special cases. In the first one, rounding puts the least position above the greatest
    // position. In the second one, a robot is inside a body, and the body's walls are kept.
    assert!(import::argos("<a><arena size=\"4,4,1\" center=\"0.1,0,0\"/></a>").is_ok());
    let inside = wall(1.0, 0.0, 2.0, 0.05, 90.0)
        + "<e-puck id=\"e\"><body position=\"1,0,0\"/><controller config=\"c\"/></e-puck>";
    assert!(import::argos(&experiment("4,4", &inside)).unwrap().text.contains("[[wall]]"));
    assert!(read(&robots(1_000_000, FREE, FREE)).contains("must be a whole number from 1 to 4096"));
}
