//! Text of a new world file, with comments, from the answers to the questions.

use super::answers::{Answers, Arena, Goal};
use std::f32::consts::{PI, TAU};
use std::fmt::Write;
use xpuck_kernels::model::ROBOT_RADIUS;

/// Speed of a robot that drives straight ahead (m/s).
const SPEED: f32 = 0.0919;
/// Maximum distance of neighbours in a cluster (m).
const CLUSTER_RANGE: f32 = 0.15;
/// Side of a cell of an exploration (m).
const CELL: f32 = 0.1;

/// Parts of a world file that depend on the goal.
#[derive(Default)]
struct Mission {
    /// Comment on the score.
    what: &'static str,
    /// Formula.
    score: String,
    /// Comment on `worst` and `best`.
    scale: String,
    worst: f32,
    best: f32,
    /// Tables of regions, walls and lights.
    tables: String,
    /// Name of the region in which the robots start.
    start: &'static str,
}

/// Returns the text of a world file.
pub fn world(answers: &Answers) -> String {
    let mission = mission(answers);
    let Answers { robots, seconds, .. } = answers;
    let arena = match answers.arena {
        Arena::Rectangle { length, width } => format!("length_m = {length:?}\nwidth_m = {width:?}"),
        Arena::Polygon { sides, inradius } => format!(
            "# {sides} walls, each at this distance from the centre. The middle of one wall is at +x.\n\
             polygon = {{ sides = {sides}, inradius_m = {inradius:?} }}"
        ),
    };
    let Mission { what, score, scale, worst, best, tables, start } = mission;
    format!(
        "# World of `xpuck world new`. Keys: docs/worlds.md; formulas: docs/missions.md.\n\
         # `xpuck world explain FILE -o world.svg` draws it; `xpuck evolve --world FILE --seconds {seconds}` evolves trees.\n\
         robots = {robots}\n\n\
         [task]\nkind = \"objective\"\n# {what}\nscore = \"{score}\"\n# {scale}\nworst = {worst}\nbest = {best}\n\n\
         [arena]\n{arena}\n\n\
         # Robots start at random places of this region; `arena` is everywhere.\n[[start]]\nregion = \"{start}\"\n{tables}"
    )
}

fn mission(answers: &Answers) -> Mission {
    match answers.goal {
        Goal::Gather => gather(answers),
        Goal::Forage => forage(answers),
        Goal::Home => home(answers),
        Goal::Explore => explore(answers),
        Goal::Cover => cover(answers),
        Goal::Gate => gate(answers),
        Goal::Spread => spread(answers),
        Goal::Cluster => cluster(answers),
    }
}

/// Returns the reduction over time: the end, or the mean.
fn when(answers: &Answers) -> &'static str {
    if answers.is_end { "last" } else { "mean" }
}

/// Returns the radius of a spot on which all robots have room (m), at most a share of the distance to the walls.
fn spot_radius(answers: &Answers, share: f32) -> f32 {
    let room = 1.6 * ROBOT_RADIUS * (answers.robots as f32).sqrt();
    cm(room.max(0.1).min(share * answers.arena.inradius())).max(0.01)
}

/// Rounds to centimetres.
fn cm(metres: f32) -> f32 {
    let rounded = (metres * 100.0).round() / 100.0;
    // Without a negative zero.
    if rounded == 0.0 { 0.0 } else { rounded }
}

/// Returns the table of a painted disc.
fn disc(name: &str, [x, y]: [f32; 2], radius: f32, paint: &str) -> String {
    format!(
        "\n[[region]]\nname = \"{name}\"\ndisc = {{ at_m = [{:?}, {:?}], radius_m = {radius:?} }}\npaint = \"{paint}\"\n",
        cm(x),
        cm(y)
    )
}

/// Returns the table of a light in the south, outside of the arena.
fn light(answers: &Answers) -> String {
    let south = -(answers.arena.inradius() + 0.2);
    format!(
        "\n# A lamp in the south shows the way (v_light); remove it for a harder task.\n[[light]]\nat_m = [0.0, {:?}]\n\
         height_m = 0.4\nbrightness = 1.0\n",
        cm(south)
    )
}

fn gather(answers: &Answers) -> Mission {
    let r = answers.arena.inradius();
    let count = answers.spots;
    let (distance, share) = match count {
        1 => (0.0, 0.45),
        2 => (0.5 * r, 0.4),
        _ => (0.55 * r, 0.3),
    };
    let radius = spot_radius(answers, share);
    let mut tables = String::from("\n# Black spots. A robot is on a spot if its centre is.\n");
    for i in 0..count {
        let angle = TAU * i as f32 / count as f32;
        let at = [distance * angle.cos(), distance * angle.sin()];
        tables +=
            disc(&format!("spot-{}", i + 1), at, radius, "black").trim_start_matches(if i == 0 { "\n" } else { "" });
    }
    // `max` has two arguments.
    let fullest = (1..count).fold("share(spot-1)".to_string(), |text, i| format!("max({text}, share(spot-{}))", i + 1));
    Mission {
        what: if answers.is_end {
            "At the end, the share of the robots on the fullest spot."
        } else {
            "The mean share of the robots on the fullest spot."
        },
        score: format!("{}({fullest})", when(answers)),
        scale: "1: all robots are on one spot.".into(),
        best: 1.0,
        tables,
        start: "arena",
        ..Mission::default()
    }
}

fn forage(answers: &Answers) -> Mission {
    let r = answers.arena.inradius();
    let radius = cm(0.15 * r).max(0.06);
    let places = match answers.spots {
        1 => vec![[0.0, 0.55 * r]],
        2 => vec![[-0.55 * r, 0.2 * r], [0.55 * r, 0.2 * r]],
        _ => vec![[-0.55 * r, 0.2 * r], [0.0, 0.6 * r], [0.55 * r, 0.2 * r]],
    };
    let border = cm(0.5 * r);
    let lowest = places.iter().map(|[_, y]| cm(*y)).fold(f32::INFINITY, f32::min);
    let gap = (lowest - radius + border).max(0.1);
    let most = answers.robots as f32 * SPEED * answers.seconds / (2.0 * gap);
    let best = (0.25 * most).round().max(1.0);
    let mut tables = String::from("\n# Black sources. They are one region, because they have one name.\n");
    let sources: Vec<String> = places.iter().map(|at| disc("source", *at, radius, "black")).collect();
    tables += sources.concat().trim_start_matches('\n');
    let _ = write!(
        tables,
        "\n# White nest: everything south of y = -{border}.\n[[region]]\nname = \"nest\"\nhalf_plane = {{ towards_deg = -90.0, \
         from_m = {border:?} }}\npaint = \"white\"\n"
    );
    Mission {
        what: "The number of items that robots carry from a source to the nest, one at a time.",
        score: "last(delivered(source, nest))".into(),
        scale: format!(
            "Robots that drive straight deliver about {most:.0} items in {} s; best is a quarter of this number.",
            answers.seconds
        ),
        best,
        tables: tables + &light(answers),
        start: "arena",
        ..Mission::default()
    }
}

fn home(answers: &Answers) -> Mission {
    let r = answers.arena.inradius();
    let radius = spot_radius(answers, 0.4);
    let tables = format!(
        "\n# Black home in the south.\n{}\n# Robots start in the north.\n[[region]]\nname = \"start\"\nhalf_plane = {{ \
         towards_deg = 90.0, from_m = 0.0 }}\n{}",
        disc("home", [0.0, -0.5 * r], radius, "black").trim_start_matches('\n'),
        light(answers)
    );
    Mission {
        what: if answers.is_end {
            "At the end, the share of the robots in the home."
        } else {
            "The mean share of the robots in the home."
        },
        score: format!("{}(share(home))", when(answers)),
        scale: "1: all robots are at home.".into(),
        best: 1.0,
        tables,
        start: "start",
        ..Mission::default()
    }
}

fn explore(answers: &Answers) -> Mission {
    let inside = match answers.arena {
        Arena::Rectangle { .. } => 1.0,
        Arena::Polygon { sides, inradius } => {
            // Extent of the polygon along x and along y. The middle of one side is at +x.
            let corner = |i: usize| (2.0 * i as f32 + 1.0) * PI / sides as f32;
            let reach = inradius / (PI / sides as f32).cos();
            let most = |along: fn(f32) -> f32| (0..sides).map(|i| along(corner(i)).abs()).fold(0.0, f32::max) * reach;
            answers.arena.area() / (4.0 * most(f32::cos) * most(f32::sin))
        }
    };
    Mission {
        what: "At the end, the share of the cells of 0.1 m that robots have visited.",
        score: format!("last(visited({CELL}))"),
        scale: "Robots reach about 95 % of the cells between the walls, and none beyond the walls of a polygon.".into(),
        best: cm(0.95 * inside),
        start: "arena",
        ..Mission::default()
    }
}

fn cover(answers: &Answers) -> Mission {
    let (robots, area) = (answers.robots as f32, answers.arena.area());
    // A radius with which the robots' discs together have the area of the arena.
    let radius = cm((area / (PI * robots)).sqrt()).max(0.05);
    let r = cm(answers.arena.inradius());
    let (region, tables) = match answers.arena {
        Arena::Rectangle { .. } => ("arena", String::new()),
        Arena::Polygon { .. } => (
            "floor",
            format!(
                "\n# Region to cover. It is not painted.\n[[region]]\nname = \"floor\"\ndisc = {{ at_m = [0.0, 0.0], radius_m = {r:?} }}\n"
            ),
        ),
    };
    Mission {
        what: if answers.is_end {
            "At the end, the share of the floor that is near a robot. The second number is the radius (m)."
        } else {
            "The mean share of the floor that is near a robot. The second number is the radius (m)."
        },
        score: format!("{}(covered({region}, {radius}))", when(answers)),
        scale: "Robots at random places cover about 0.6.".into(),
        worst: 0.6,
        best: 1.0,
        tables,
        start: "arena",
    }
}

fn gate(answers: &Answers) -> Mission {
    let r = answers.arena.inradius();
    let half = cm(0.2 * r).clamp(0.06, 0.25);
    let (low, high) = (-cm(0.15 * r).max(0.05), cm(0.3 * r).max(0.1));
    let wall = |x: f32| format!("\n[[wall]]\nfrom_m = [{x:?}, {low:?}]\nto_m = [{x:?}, {high:?}]\n");
    let tables = format!(
        "\n# The floor of the gate is white.\n[[region]]\nname = \"gate\"\nrectangle = {{ x_m = [{:?}, {half:?}], y_m = \
         [{low:?}, {high:?}] }}\npaint = \"white\"\n\n# Walls of the gate.{}{}",
        -half,
        wall(-half).replacen("\n\n", "\n", 1),
        wall(half)
    );
    let best = 2 * answers.robots;
    Mission {
        what: "Passages of the line in the gate from north to south, minus passages in the other direction.",
        score: format!("max(0, last(crossed(-{half}, 0, {half}, 0)))"),
        scale: format!("{best}: each robot passes the gate twice."),
        best: best as f32,
        tables,
        start: "arena",
        ..Mission::default()
    }
}

fn spread(answers: &Answers) -> Mission {
    // Mean distance to the nearest of points at random places of a plane, and on a hexagonal lattice.
    let each = (answers.arena.area() / answers.robots as f32).sqrt();
    Mission {
        what: if answers.is_end {
            "At the end, the mean distance of a robot to the nearest other robot (m)."
        } else {
            "The mean distance of a robot to the nearest other robot (m)."
        },
        score: format!("{}(nearest())", when(answers)),
        scale: "Mean distances of robots at random places, and of evenly spread robots.".into(),
        worst: cm(0.5 * each),
        best: cm(1.07 * each),
        start: "arena",
        ..Mission::default()
    }
}

fn cluster(answers: &Answers) -> Mission {
    Mission {
        what: if answers.is_end {
            "At the end, the share of the robots in the largest cluster. Neighbours are at most 0.15 m apart."
        } else {
            "The mean share of the robots in the largest cluster. Neighbours are at most 0.15 m apart."
        },
        score: format!("{}(cluster({CLUSTER_RANGE})) / N", when(answers)),
        scale: "1: all robots form one cluster.".into(),
        best: 1.0,
        start: "arena",
        ..Mission::default()
    }
}
