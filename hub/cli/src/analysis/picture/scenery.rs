//! Static parts of an arena: floor with its regions, walls, coloured patches, lights, and the goal.

use super::svg_bodies::Plan;
use super::svg_floor::FloorView;
use super::{svg_floor, svg_names};
use std::borrow::Cow;
use std::fmt::Write;
use std::sync::Arc;
use xpuck_kernels::markup::escape;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::areas::{FloorArea, Held};
use xpuck_kernels::world::conditions::Conditions;
use xpuck_kernels::world::floor::Floor;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::light::Light;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Colour, Task, WorldSpec};
use xpuck_lab::trajectories::Trajectories;

const STYLE: &str = "    .wall { fill: none; stroke: #57606a; stroke-width: 2 }
    .inner-wall { stroke: #30363d; stroke-width: 4; stroke-linecap: round }
    .patch { stroke-width: 7 }
    .conditional { stroke-opacity: 0.5; fill-opacity: 0.5 }
    .goal { stroke: #0b63c4; stroke-width: 5 }
";

/// CSS for lights.
const LIGHT_STYLE: &str = "    .light { fill: #ffd43b; stroke: #8a6d00 }\n";
/// Radius of a light (pixels).
const LIGHT_RADIUS: f32 = 8.0;

/// Returns the CSS for the elements that [`Scenery::floor`] and [`Scenery::walls`] draw.
pub fn style() -> String {
    [LIGHT_STYLE, STYLE, svg_floor::STYLE, svg_names::STYLE].concat()
}

/// Static parts of an arena.
pub struct Scenery<'a> {
    /// Inner walls.
    pub walls: &'a [Wall],
    /// Coloured patches of walls.
    pub patches: &'a [Patch],
    /// Lights.
    pub lights: &'a [Light],
    /// Paint of the floor.
    pub floor: Arc<Floor>,
    /// Task of the run, which determines whether there is a goal, and the regions.
    pub task: Task,
    /// Conditions of walls, patches and lights.
    pub conditions: Cow<'a, Conditions>,
    /// Conditions that held in the time that the picture shows.
    pub held: Held,
}

impl<'a> Scenery<'a> {
    /// Returns the scenery of a recorded run. Walls, patches and lights are those at the end of
    /// the run.
    pub fn from_trajectories(trajectories: &'a Trajectories) -> Scenery<'a> {
        Scenery {
            walls: &trajectories.walls,
            patches: &trajectories.patches,
            lights: &trajectories.lights,
            floor: trajectories.floor.clone(),
            task: trajectories.task.clone(),
            conditions: Cow::default(),
            held: trajectories.held,
        }
    }

    /// Returns the scenery of a world without a run. Parts with a condition are drawn as such.
    pub fn from_world(spec: &'a WorldSpec) -> Scenery<'a> {
        Scenery {
            walls: &spec.physics.walls,
            patches: &spec.patches,
            lights: &spec.lighting.lights,
            floor: spec.floor.clone(),
            task: spec.task.clone(),
            conditions: Cow::Borrowed(&spec.conditions),
            held: Held::UNKNOWN,
        }
    }

    /// Returns the scenery of an arena with an unknown world.
    pub fn unknown() -> Scenery<'a> {
        Scenery {
            walls: &[],
            patches: &[],
            lights: &[],
            floor: Arc::default(),
            task: Task::Transport,
            conditions: Cow::default(),
            held: Held::UNKNOWN,
        }
    }

    /// Returns whether the left wall is the goal.
    pub fn has_goal(&self) -> bool {
        self.task.moves_disc()
    }

    /// Regions of the floor that existed in the time that the picture shows.
    fn areas(&self) -> Vec<FloorArea> {
        let areas = self.floor.areas(&self.task).into_iter();
        areas.filter(|area| self.held.exists(area.condition)).collect()
    }

    /// Draws the floor. Other objects must be drawn later, so that they cover it.
    pub fn floor(&self, svg: &mut String, plan: &Plan) {
        let view = FloorView { floor: &self.floor, task: &self.task, areas: &self.areas(), held: self.held };
        svg_floor::draw(svg, plan, &view);
    }

    /// Returns the CSS for the elements of this scenery. It has no rule for lights if there are none.
    pub fn style(&self) -> String {
        let lights = if self.lights.is_empty() { "" } else { LIGHT_STYLE };
        [lights, STYLE, svg_floor::STYLE, svg_names::STYLE].concat()
    }

    /// Draws lights, walls, their coloured patches, the goal, and the names of regions.
    pub fn walls(&self, svg: &mut String, plan: &Plan) {
        self.lights(svg, plan);
        let (left, top) = (plan.left, plan.top);
        let (wide, high) = (2.0 * plan.half.0 * plan.scale, 2.0 * plan.half.1 * plan.scale);
        let _ =
            writeln!(svg, "  <rect class=\"wall\" x=\"{left}\" y=\"{top}\" width=\"{wide:.0}\" height=\"{high:.0}\"/>");
        for (index, wall) in self.walls.iter().enumerate() {
            self.line(svg, plan, "inner-wall", "", (wall.from, wall.to), condition(&self.conditions.walls, index));
        }
        for (index, patch) in self.patches.iter().enumerate() {
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
            let (ends, condition) = ((patch.at - half, patch.at + half), condition(&self.conditions.patches, index));
            self.line(svg, plan, "patch", &format!(" stroke=\"{colour}\""), ends, condition);
        }
        if self.has_goal() {
            let _ = writeln!(svg, "  <path class=\"goal\" d=\"M{left} {top}v{high:.0}\"/>");
        }
        let middle = |(from, to): (Vec2, Vec2)| plan.at((from + to) * 0.5);
        let lines = self.task.crossed_lines().into_iter().map(middle);
        let taken = lines.map(|(x, y)| [x - 14.0, y - 14.0, x + 14.0, y + 14.0]).collect();
        svg_names::draw(svg, plan, &self.areas(), taken);
    }

    /// Draws lights. Those outside the arena are drawn at its border.
    fn lights(&self, svg: &mut String, plan: &Plan) {
        let at = |value: f32, half: f32| value.clamp(-half, half);
        for (index, light) in self.lights.iter().enumerate() {
            let (x, y) = plan.at(vec2(at(light.at.x, plan.half.0), at(light.at.y, plan.half.1)));
            let (state, title) = self.condition_markup(condition(&self.conditions.lights, index));
            let _ = writeln!(
                svg,
                "  <circle class=\"light{state}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{LIGHT_RADIUS}\">{title}</circle>"
            );
        }
    }

    /// Returns the class and the title of an element with a condition.
    fn condition_markup(&self, condition: Option<u8>) -> (&'static str, String) {
        match self.held.doubt(condition) {
            None => ("", String::new()),
            Some(condition) => {
                (" conditional", format!("<title>{}</title>", escape(&svg_floor::while_words(&self.task, condition))))
            }
        }
    }

    fn line(&self, svg: &mut String, plan: &Plan, class: &str, more: &str, ends: (Vec2, Vec2), condition: Option<u8>) {
        let ((x, y), (to_x, to_y)) = (plan.at(ends.0), plan.at(ends.1));
        let (state, title) = self.condition_markup(condition);
        let end = if title.is_empty() { "/>".into() } else { format!(">{title}</path>") };
        let _ = writeln!(svg, "  <path class=\"{class}{state}\"{more} d=\"M{x:.1} {y:.1}L{to_x:.1} {to_y:.1}\"{end}");
    }
}

/// Condition of a part of a world.
fn condition(conditions: &[Option<u8>], index: usize) -> Option<u8> {
    conditions.get(index).copied().flatten()
}
