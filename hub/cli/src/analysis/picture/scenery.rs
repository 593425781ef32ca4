//! Static parts of an arena: walls, coloured patches, the goal, and areas of the floor.

use super::svg_bodies::Plan;
use std::fmt::Write;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Colour, Task};
use xpuck_lab::trajectories::Trajectories;

/// CSS for the elements that [`Scenery::floor`] and [`Scenery::walls`] draw.
pub const STYLE: &str = "    .wall { fill: none; stroke: #57606a; stroke-width: 2 }
    .inner-wall { stroke: #57606a; stroke-width: 4; stroke-linecap: round }
    .patch { stroke-width: 7 }
    .goal { stroke: #0b63c4; stroke-width: 5 }
    .area { fill-opacity: 0.18; fill-rule: evenodd }
";

/// Static parts of an arena.
pub struct Scenery<'a> {
    /// Inner walls.
    pub walls: &'a [Wall],
    /// Coloured patches of walls.
    pub patches: &'a [Patch],
    /// Task of the run, which determines whether there is a goal or floor areas.
    pub task: Task,
}

impl<'a> Scenery<'a> {
    /// Returns the scenery of a recorded run.
    pub fn from_trajectories(trajectories: &'a Trajectories) -> Scenery<'a> {
        Scenery { walls: &trajectories.walls, patches: &trajectories.patches, task: trajectories.task.clone() }
    }

    /// Returns whether the left wall is the goal.
    pub fn has_goal(&self) -> bool {
        self.task.moves_disc()
    }

    /// Draws the areas of the floor. Other objects must be drawn later, so that they cover the areas.
    pub fn floor(&self, svg: &mut String, plan: &Plan) {
        for (name, region) in self.task.regions(plan.half).into_iter().rev() {
            let colour = if name == "food" { "#2f7d43" } else { "#0b63c4" };
            area(svg, plan, &name, region, colour);
        }
    }

    /// Draws walls, their coloured patches, and the goal.
    pub fn walls(&self, svg: &mut String, plan: &Plan) {
        let (left, top) = (plan.left, plan.top);
        let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
        let _ =
            writeln!(svg, "  <rect class=\"wall\" x=\"{left}\" y=\"{top}\" width=\"{wide:.0}\" height=\"{high:.0}\"/>");
        for wall in self.walls {
            line(svg, plan, "inner-wall", "", wall.from, wall.to);
        }
        for patch in self.patches {
            let half = if patch.is_upright(plan.half) {
                Vec2 { x: 0.0, y: patch.half_length }
            } else {
                Vec2 { x: patch.half_length, y: 0.0 }
            };
            let colour = match patch.colour {
                Colour::Red => "#c62828",
                Colour::Green => "#2f9e44",
                Colour::Blue => "#1b4fd8",
            };
            line(svg, plan, "patch", &format!(" stroke=\"{colour}\""), patch.at - half, patch.at + half);
        }
        if self.has_goal() {
            let _ = writeln!(svg, "  <path class=\"goal\" d=\"M{left} {top}v{high:.0}\"/>");
        }
    }
}

fn line(svg: &mut String, plan: &Plan, class: &str, more: &str, from: Vec2, to: Vec2) {
    let ((x, y), (to_x, to_y)) = (plan.at(from), plan.at(to));
    let _ = writeln!(svg, "  <path class=\"{class}\"{more} d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"/>");
}

/// Draws a region of the floor with its name. The region `Beyond` is the part of the arena outside a disc.
fn area(svg: &mut String, plan: &Plan, name: &str, region: Region, colour: &str) {
    let disc = |at: Vec2, radius: f32| {
        let ((x, y), r) = (plan.at(at), radius * plan.scale);
        format!("M{:.1} {y:.1}a{r:.1} {r:.1} 0 1 0 {:.1} 0a{r:.1} {r:.1} 0 1 0 {:.1} 0z", x - r, 2.0 * r, -2.0 * r)
    };
    let rectangle = |at: Vec2, half: Vec2| {
        let (x, y) = plan.at(at + Vec2 { x: -half.x, y: half.y });
        let (wide, high) = (2.0 * half.x * plan.scale, 2.0 * half.y * plan.scale);
        format!("M{x:.1} {y:.1}h{wide:.1}v{high:.1}h{:.1}z", -wide)
    };
    let (path, at) = match region {
        Region::Rectangle { at, half } => (rectangle(at, half), at),
        Region::Disc { at, radius } => (disc(at, radius), at),
        Region::Beyond { at, radius } => {
            let arena = Vec2 { x: plan.half.0, y: plan.half.1 };
            (rectangle(Vec2 { x: 0.0, y: 0.0 }, arena) + &disc(at, radius), at + Vec2 { x: 0.0, y: 1.05 * radius })
        }
    };
    let (x, y) = plan.at(at);
    let _ = writeln!(
        svg,
        "  <path class=\"area\" fill=\"{colour}\" d=\"{path}\"/>\n  \
         <text class=\"small\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{name}</text>"
    );
}
