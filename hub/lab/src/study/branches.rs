//! Activity map of a tree's branches: which leaf drives a robot, by distance and bearing of the frisbee (thesis
//! 8.6.3).

use super::{Budget, StudyError, study_error};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use xpuck_kernels::markup::escape;
use xpuck_kernels::math::wrap_angle;
use xpuck_kernels::tree::{CompileError, Memory, Program, Tree};
use xpuck_kernels::world::{World, WorldSpec};
use xpuck_stats::plot::{Colour, begin_svg};

/// Width of a ring of distances (m), and number of rings; larger distances count in the last ring.
const RING: f32 = 0.1;
const RINGS: usize = 15;
/// Number of bearing sectors. Sector 0 begins straight behind the robot. The numbers increase via the robot's right
/// side, its front and its left side.
const SECTORS: usize = 36;

/// Leaves that drove robots at one position relative to the frisbee.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Place {
    /// Index of the distance ring, from 0.
    pub ring: usize,
    /// Index of the bearing sector, from 0.
    pub sector: usize,
    /// Number of robot updates at this position.
    pub updates: u64,
    /// Number of robot updates in which each leaf drove the robot, by the leaf's line in the tree's text (from 1).
    pub drivers: BTreeMap<usize, u64>,
}

/// Results of the study of branch activity.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct BranchStudy {
    /// Simulations of the tree.
    pub budget: Budget,
    /// Leaves that drove robots: line in the tree's text (from 1), text of the leaf, and share of all robot updates
    /// (0..=1).
    pub branches: Vec<(usize, String, f64)>,
    /// Positions of robots relative to the frisbee, ring by ring.
    pub places: Vec<Place>,
}

/// Number of robot updates by ring, sector and driving leaf; `None` if no leaf drove the robot.
type Counts = BTreeMap<(usize, usize, Option<usize>), u64>;

/// Runs a tree on all robots with the reference engine. Counts which leaf drove each robot, by distance and bearing
/// of the frisbee, which is the first disc. `progress` is called after each run.
///
/// # Errors
/// If the world has no disc, or the tree cannot be compiled for a robot.
pub fn study(
    tree: &Tree,
    spec: &WorldSpec,
    budget: Budget,
    progress: impl Fn() + Sync,
) -> Result<BranchStudy, StudyError> {
    if spec.discs.is_empty() {
        return study_error("the world has no disc; branch activity is mapped relative to the first disc");
    }
    let program = Program::compile(tree).map_err(|error: CompileError| StudyError(error.to_string()))?;
    let updates = budget.plan(spec).updates();
    let one = |run: u32| {
        let counts = run_once(&program, World::new(spec, run as usize, budget.seed, run), updates);
        progress();
        counts
    };
    let counts: Vec<Counts> = (0..budget.runs).into_par_iter().map(one).collect();
    let mut places: BTreeMap<(usize, usize), Place> = BTreeMap::new();
    let mut whole: BTreeMap<usize, u64> = BTreeMap::new();
    let mut all = 0u64;
    for ((ring, sector, driver), n) in counts.into_iter().flatten() {
        let place = places.entry((ring, sector)).or_insert(Place { ring, sector, ..Place::default() });
        place.updates += n;
        all += n;
        if let Some(node) = driver {
            *place.drivers.entry(node + 1).or_default() += n;
            *whole.entry(node).or_default() += n;
        }
    }
    let branch = |(node, n): (usize, u64)| (node + 1, tree.nodes()[node].to_string(), n as f64 / all.max(1) as f64);
    Ok(BranchStudy {
        budget,
        branches: whole.into_iter().map(branch).collect(),
        places: places.into_values().collect(),
    })
}

fn run_once(program: &Program, mut world: World, updates: u32) -> Counts {
    let robots = world.robots();
    let mut memories = vec![Memory::new(program); robots];
    let mut counts = BTreeMap::new();
    for _ in 0..updates {
        let frisbee = world.bodies[robots].pose.at;
        let places: Vec<(usize, usize)> = world.bodies[..robots]
            .iter()
            .map(|body| {
                let way = frisbee - body.pose.at;
                let bearing = wrap_angle(way.y.atan2(way.x) - body.pose.heading);
                let ring = ((way.length() / RING) as usize).min(RINGS - 1);
                let turn = (bearing + std::f32::consts::PI) / std::f32::consts::TAU;
                (ring, ((turn * SECTORS as f32) as usize).min(SECTORS - 1))
            })
            .collect();
        world.update_with(|robot, senses, draws| {
            let (goal, leaf) = memories[robot].tick_driven(program, senses, draws);
            let (ring, sector) = places[robot];
            *counts.entry((ring, sector, leaf)).or_default() += 1;
            goal
        });
    }
    counts
}

/// Colours of branches, used in turn. The first branch is usually `avoiding`.
const COLOURS: [Colour; 7] =
    [Colour::Grey, Colour::Blue, Colour::Orange, Colour::Green, Colour::Red, Colour::Purple, Colour::Sky];
/// Width of a ring, and margin around the rings (px).
const WIDE: f64 = 20.0;
const ROOM: f64 = 30.0;
/// Height of a line of the legend (px).
const ROW: f64 = 20.0;

impl BranchStudy {
    /// Returns the result as a sentence.
    pub fn sentence(&self) -> String {
        let parts: Vec<String> =
            self.branches.iter().map(|(node, _, part)| format!("line {} {:.0} %", node, 100.0 * part)).collect();
        match parts.is_empty() {
            true => "No leaf drove a robot.".into(),
            false => format!("Share of the time that each leaf drove the robots: {}.", parts.join(", ")),
        }
    }

    /// Draws the map with the robot facing up. Rings show the distance of the frisbee, and sectors its bearing. The
    /// colour shows the leaf that drove most often; a paler colour shows a smaller share of this leaf.
    pub fn draw(&self) -> String {
        let middle = ROOM + WIDE * RINGS as f64;
        let below = 2.0 * middle + 10.0;
        let height = below + ROW * (self.branches.len() + 2) as f64;
        let width = (2.0 * middle).max(720.0);
        let mut svg = begin_svg(width, height);
        let colour = |node: usize| {
            let at = self.branches.iter().position(|(other, ..)| *other == node).unwrap_or(0);
            COLOURS[at % COLOURS.len()].code()
        };
        for place in &self.places {
            let Some((node, most)) = place.drivers.iter().max_by_key(|(_, n)| **n) else { continue };
            let part = *most as f64 / place.updates as f64;
            let sector = std::f64::consts::TAU / SECTORS as f64;
            // Bearing 0 is up, and positive bearings are on the left.
            let corner = |ring: usize, turn: usize| {
                let angle = turn as f64 * sector - std::f64::consts::PI;
                let r = WIDE * ring as f64;
                (middle - r * angle.sin(), middle - r * angle.cos())
            };
            let [a, b, c, d] = [
                corner(place.ring, place.sector),
                corner(place.ring + 1, place.sector),
                corner(place.ring + 1, place.sector + 1),
                corner(place.ring, place.sector + 1),
            ];
            let list: Vec<String> = place
                .drivers
                .iter()
                .map(|(node, n)| format!("line {}: {:.0} %", node, 100.0 * *n as f64 / place.updates as f64))
                .collect();
            let degrees = (place.sector as f64 + 0.5) * 360.0 / SECTORS as f64 - 180.0;
            let _ = writeln!(
                svg,
                "<path class=\"place\" d=\"M{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}L{:.1} {:.1}Z\" fill=\"{}\" fill-opacity=\"{part:.2}\">\
                 <title>{:.2} m, {degrees:.0} degrees: {}; {} updates</title></path>",
                a.0,
                a.1,
                b.0,
                b.1,
                c.0,
                c.1,
                d.0,
                d.1,
                colour(*node),
                (place.ring as f64 + 0.5) * f64::from(RING),
                escape(&list.join(", ")),
                place.updates
            );
        }
        for ring in [5, 10, 15] {
            let r = WIDE * f64::from(ring);
            let _ =
                writeln!(svg, "<circle cx=\"{middle}\" cy=\"{middle}\" r=\"{r}\" fill=\"none\" stroke=\"#8a929a\"/>");
            let _ = writeln!(
                svg,
                "<text x=\"{}\" y=\"{:.0}\">{} m</text>",
                middle + 4.0,
                middle - r - 3.0,
                f64::from(ring) * 0.1
            );
        }
        let _ = writeln!(svg, "<path d=\"M{middle} {}l6 14h-12z\" fill=\"#1b1f24\"/>", middle - 9.0);
        for (i, (node, text, part)) in self.branches.iter().enumerate() {
            let y = below + ROW * i as f64;
            let _ =
                writeln!(svg, "<rect x=\"{ROOM}\" y=\"{y}\" width=\"12\" height=\"12\" fill=\"{}\"/>", colour(*node));
            let words = escape(&format!("line {}: {text}, {:.1} %", node, 100.0 * part));
            let _ = writeln!(svg, "<text x=\"{}\" y=\"{}\">{words}</text>", ROOM + 20.0, y + 11.0);
        }
        let y = below + ROW * self.branches.len() as f64 + 14.0;
        let _ = writeln!(
            svg,
            "<text x=\"{ROOM}\" y=\"{y}\">Position of the frisbee relative to the robot, which faces upwards. The \
             colour shows the leaf that drove most often; paler colours show more driving by other leaves.</text>"
        );
        svg.push_str("</svg>\n");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_of_806768_are_where_their_conditions_hold() {
        let tree = Tree::parse(include_str!("../../../../docs/trees/806768.bt")).unwrap();
        let budget = Budget { seconds: 20.0, runs: 8, seed: 1 };
        let found = study(&tree, &WorldSpec::benchmark(9), budget, || {}).unwrap();
        let all: u64 = found.places.iter().map(|place| place.updates).sum();
        assert_eq!(all, 8 * 200 * 9);
        // The branch after `bfront` drives if the frisbee is straight ahead, and rarely if the frisbee is behind.
        let ahead = |place: &Place| (SECTORS / 2 - 1..=SECTORS / 2).contains(&place.sector) && place.ring < 6;
        let behind = |place: &Place| [0, SECTORS - 1].contains(&place.sector) && place.ring < 6;
        let front = found.branches.iter().find(|(_, text, _)| text.starts_with("mulas")).unwrap().0;
        let part = |of: &dyn Fn(&Place) -> bool| {
            let here: Vec<&Place> = found.places.iter().filter(|place| of(place)).collect();
            let drove: u64 = here.iter().map(|place| place.drivers.get(&front).copied().unwrap_or(0)).sum();
            drove as f64 / here.iter().map(|place| place.updates).sum::<u64>() as f64
        };
        assert!(part(&ahead) > 0.5 && part(&behind) < 0.1, "{} {}", part(&ahead), part(&behind));
        let svg = found.draw();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let drawn = document.descendants().filter(|n| n.attribute("class") == Some("place")).count();
        assert_eq!(drawn, found.places.iter().filter(|place| !place.drivers.is_empty()).count());
        assert_eq!(study(&tree, &WorldSpec::benchmark(9), budget, || {}).unwrap(), found);
    }

    #[test]
    fn worlds_without_a_disc_are_refused() {
        let mut spec = WorldSpec::benchmark(2);
        spec.discs.clear();
        let tree = Tree::parse("avoiding\n").unwrap();
        let budget = Budget { seconds: 1.0, runs: 2, seed: 1 };
        assert!(study(&tree, &spec, budget, || {}).unwrap_err().to_string().contains("no disc"));
        assert!(study(&tree, &WorldSpec::benchmark(2), budget, || {}).is_ok());
    }
}
