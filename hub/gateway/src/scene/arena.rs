//! Robot arena as a scene of floor, walls, lamps, frisbees and robots, for viewers of football games.
//!
//! Every robot is a cylinder with a nose in the direction of travel. In SimSpark, each robot also has a model with a
//! team and a number, by which RoboViz identifies it. In RSMP, each robot has a name. The first frisbee is the ball.

use super::{Look, Mesh, Node, Shape, ShapeKind, StandardShape, Subject, pose_matrix};

/// Heights and thicknesses of drawn objects (m), used only for drawing.
const ROBOT_HEIGHT: f64 = 0.07;
const DISC_HEIGHT: f64 = 0.03;
const WALL_HEIGHT: f64 = 0.05;
const WALL: f64 = 0.01;
const FLOOR: f64 = 0.01;
/// Highest player number in a team. Viewers have materials only for the numbers from 1 to this one.
pub const NUMBERS: u32 = 11;

/// Contents of an arena. Lengths are in metres, and the origin is the arena's centre. Headings are counter-clockwise
/// from +x (rad).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arena {
    /// Half of the arena's size along x and y (m).
    pub half: [f64; 2],
    /// End points of the inner walls (m).
    pub walls: Vec<[[f64; 2]; 2]>,
    /// Positions and heights of the lamps (m).
    pub lamps: Vec<[f64; 3]>,
    /// Frisbees and other discs.
    pub discs: Vec<Disc>,
    /// Robots.
    pub robots: Vec<Robot>,
}

/// Disc, such as a frisbee.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disc {
    /// Position of the disc's centre (m).
    pub at: [f64; 2],
    /// Radius of the disc (m).
    pub radius: f64,
    /// Red, green, blue and opacity components, each 0 to 1.
    pub colour: [f64; 4],
}

/// Robot in the arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Robot {
    /// Number of the robot, from 1.
    pub number: u32,
    /// Position of the robot's centre (m).
    pub at: [f64; 2],
    /// Heading, counter-clockwise from +x (rad).
    pub heading: f64,
    /// Radius of the robot (m).
    pub radius: f64,
    /// Colour of the robot's LEDs: red, green, blue and opacity, each 0 to 1.
    pub colour: [f64; 4],
    /// Whether the robot was tracked recently. Otherwise the robot is not drawn, but keeps its node in the scene.
    pub seen: bool,
}

/// Teams that viewers know. The left team has the first eleven robots, and the right team has the other robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Team {
    /// Left team.
    Left,
    /// Right team.
    Right,
}

impl Team {
    /// Returns the team and the player number of a robot. `robot` is its number, from 1.
    pub fn from_robot_number(robot: u32) -> (Team, u32) {
        let team = if robot <= NUMBERS { Team::Left } else { Team::Right };
        (team, (robot.max(1) - 1) % NUMBERS + 1)
    }

    /// Returns the name of the team.
    pub fn name(self) -> &'static str {
        match self {
            Team::Left => "Xpuck",
            Team::Right => "Xpuck2",
        }
    }

    fn material(self) -> &'static str {
        match self {
            Team::Left => "matLeft",
            Team::Right => "matRight",
        }
    }
}

/// Converts the arena into a scene. Arenas with equal numbers of walls, lamps, discs and robots give the same tree of
/// nodes, which differs only in the nodes' properties.
pub fn scene(arena: &Arena) -> Vec<Node> {
    let [half_x, half_y] = arena.half;
    let grey = || Look::Material("matGrey".into());
    let mut nodes = vec![
        light([-2.0, 2.0, 3.0]),
        box_node([0.0, 0.0, -0.5 * FLOOR], 0.0, [2.0 * half_x, 2.0 * half_y, FLOOR], Look::Material("matWhite".into())),
    ];
    let edges = [[-half_x, -half_y], [half_x, -half_y], [half_x, half_y], [-half_x, half_y]];
    let around = (0..edges.len()).map(|i| [edges[i], edges[(i + 1) % edges.len()]]);
    nodes.extend(around.chain(arena.walls.iter().copied()).map(|[from, to]| {
        let (across, along) = (to[0] - from[0], to[1] - from[1]);
        let middle = [0.5 * (from[0] + to[0]), 0.5 * (from[1] + to[1]), 0.5 * WALL_HEIGHT];
        box_node(middle, along.atan2(across), [across.hypot(along) + WALL, WALL, WALL_HEIGHT], grey())
    }));
    nodes.extend(arena.lamps.iter().map(|at| {
        let form = ShapeKind::Standard(StandardShape::Sphere, Vec::new());
        let lamp = shape(form, [0.03; 3], Look::Material("matYellow".into()), true);
        Node::Transform(pose_matrix(*at, 0.0), vec![lamp])
    }));
    nodes.extend(arena.discs.iter().enumerate().map(|(i, disc)| self::disc(i, disc)));
    nodes.extend(arena.robots.iter().map(robot));
    nodes
}

/// Returns a light source at a position (m).
pub(super) fn light(at: [f64; 3]) -> Node {
    Node::Transform(pose_matrix(at, 0.0), vec![Node::Light([[1.0; 4], [0.6, 0.6, 0.6, 1.0], [0.1; 4]])])
}

pub(super) fn box_node(at: [f64; 3], turn: f64, edges: [f64; 3], look: Look) -> Node {
    let form = ShapeKind::Standard(StandardShape::Box, Vec::new());
    Node::Transform(pose_matrix(at, turn), vec![shape(form, edges, look, true)])
}

pub(super) fn shape(form: ShapeKind, scale: [f64; 3], look: Look, visible: bool) -> Node {
    Node::Shape(Shape { form, scale, visible, transparent: false, look })
}

fn cylinder(radius: f64, length: f64, look: Look, visible: bool) -> Node {
    shape(ShapeKind::Standard(StandardShape::Cylinder, vec![1.0, 1.0]), [radius, radius, length], look, visible)
}

fn disc(place: usize, disc: &Disc) -> Node {
    let body = cylinder(disc.radius, DISC_HEIGHT, Look::Colour(disc.colour), true);
    let at = pose_matrix([disc.at[0], disc.at[1], 0.5 * DISC_HEIGHT], 0.0);
    if place > 0 {
        return Node::Transform(at, vec![body]);
    }
    let ball = Node::Mesh(Mesh {
        model: "models/soccerball.obj".into(),
        scale: [0.5 * DISC_HEIGHT; 3],
        visible: true,
        transparent: false,
        materials: vec!["soccerball_rcs-soccerball.png".into()],
    });
    Node::Subject(Subject::Ball, vec![Node::Transform(at, vec![ball, body])])
}

fn robot(robot: &Robot) -> Node {
    let (team, in_team) = Team::from_robot_number(robot.number);
    let badge = Node::Mesh(Mesh {
        model: "models/naobody.obj".into(),
        scale: [robot.radius; 3],
        visible: robot.seen,
        transparent: false,
        materials: vec![team.material().into(), format!("matNum{in_team}"), "naoblack".into(), "naowhite".into()],
    });
    let form = ShapeKind::Standard(StandardShape::Box, Vec::new());
    let nose = shape(form, [0.3 * robot.radius, 0.2 * robot.radius, 0.01], Look::Material("matRed".into()), robot.seen);
    let parts = vec![
        cylinder(robot.radius, ROBOT_HEIGHT, Look::Colour(robot.colour), robot.seen),
        Node::Transform(pose_matrix([0.8 * robot.radius, 0.0, 0.5 * ROBOT_HEIGHT], 0.0), vec![nose]),
        badge,
    ];
    let body = Node::Transform(pose_matrix([robot.at[0], robot.at[1], 0.5 * ROBOT_HEIGHT], robot.heading), parts);
    Node::Subject(Subject::Agent(team.name().into(), in_team), vec![body])
}

#[cfg(test)]
mod tests {
    use super::super::sender::{Sender, Update};
    use super::super::{Graph, apply, rsmp, simspark};
    use super::*;

    fn arena(x: f64) -> Arena {
        let robot = |i: u32| Robot {
            number: i + 1,
            at: [x + 0.1 * f64::from(i), 0.1],
            heading: x,
            radius: 0.0375,
            colour: [0.0, 0.0, 1.0, 1.0],
            seen: true,
        };
        let disc = Disc { at: [0.5 - x, 0.0], radius: 0.105, colour: [0.0, 0.0, 1.0, 1.0] };
        Arena {
            half: [1.0, 0.75],
            walls: vec![[[0.0, -0.2], [0.0, 0.2]]],
            lamps: vec![[0.0, 0.0, 0.5]],
            discs: vec![disc],
            robots: (0..16).map(robot).collect(),
        }
    }

    #[test]
    fn sixteen_robots_are_two_teams_whose_diffs_are_short() {
        let mut sender = Sender::default();
        let first = scene(&arena(0.0));
        assert_eq!(sender.update(&first), Update::Full);
        let text = simspark::full(&[("time".into(), vec!["0".into()])], &first);
        for word in ["matNum1 ", "matNum11 ", "matRight matNum5 ", "models/soccerball.obj", "StdUnitCylinder 1 1"] {
            assert!(text.contains(word), "{word}");
        }
        let Update::Changes(changes) = sender.update(&scene(&arena(0.01))) else { panic!("the same nodes") };
        let told = sender.sent_scene().unwrap();
        for diff in [simspark::changed(&[], told, &changes), rsmp::changed(0.0, &[], told, &changes)] {
            assert!(diff.len() < 3000, "{} bytes", diff.len());
        }
    }

    #[test]
    fn both_protocols_send_changes_to_viewer_with_scene() {
        let (mut sender, before) = (Sender::default(), scene(&arena(0.0)));
        sender.update(&before);
        let mut after = arena(0.3);
        after.robots[3].seen = false;
        let Update::Changes(changes) = sender.update(&scene(&after)) else { panic!("the same nodes") };
        let told = sender.sent_scene().unwrap();
        let read = |full: Graph, diff: Graph| {
            let (Graph::Full(mut nodes), Graph::Changes(changes)) = (full, diff) else {
                panic!("a scene, then changes")
            };
            assert!(apply(&mut nodes, &changes));
            nodes
        };
        let simspark = read(
            simspark::read(simspark::full(&[], &before).as_bytes()).unwrap().graph,
            simspark::read(simspark::changed(&[], told, &changes).as_bytes()).unwrap().graph,
        );
        assert_eq!(simspark::full(&[], &simspark), simspark::full(&[], told));
        let rsmp = read(
            rsmp::read(rsmp::full(0.0, &[], &[], &before).as_bytes()).unwrap().graph,
            rsmp::read(rsmp::changed(0.0, &[], told, &changes).as_bytes()).unwrap().graph,
        );
        assert_eq!(rsmp::full(0.0, &[], &[], &rsmp), rsmp::full(0.0, &[], &[], told));
    }
}
