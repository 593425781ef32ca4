//! World of a run and the scale of its fitness, in the format for pages.

use crate::floor::FloorView;
use crate::rounded;
use serde::Serialize;
use std::borrow::Cow;
use xpuck_kernels::model::ROBOT_RADIUS;
use xpuck_kernels::tree::registers::CELLS;
use xpuck_kernels::tree::scalar_name;
use xpuck_kernels::world::{Colour, Task, WorldSpec};

/// Fitness of the hand-tuned controller in the transport task (thesis Table 7.8). Pages mark it as a reference.
const HAND_TUNED: f32 = 0.3;

#[derive(Serialize)]
struct Mark {
    value: f32,
    label: &'static str,
}

#[derive(Serialize)]
struct Scale {
    /// Meaning of fitness 1, or the description of a mission's value.
    one: Cow<'static, str>,
    marks: Vec<Mark>,
}

#[derive(Serialize)]
struct PatchView {
    x: f32,
    y: f32,
    half_length: f32,
    colour: &'static str,
}

/// World in the format for pages.
#[derive(Serialize)]
pub struct World<'a> {
    half: [f32; 2],
    robot_radius: f32,
    frisbee_radius: f32,
    discs: Vec<f32>,
    patches: Vec<PatchView>,
    walls: Vec<[f32; 4]>,
    floor: FloorView,
    task: &'static str,
    /// Side to which the task moves objects; `None` if the task moves no objects.
    goal: Option<&'static str>,
    scale: Scale,
    robots: &'a [String],
    cells: Vec<String>,
}

fn scale(task: Option<&Task>) -> Scale {
    let one = match task {
        None | Some(Task::Transport) => {
            "1: the frisbee moves towards the goal at 0.13 m/s, the full speed of a wheel; robots drive at 0.092 m/s, \
             so continuous pushing scores 0.71"
        }
        Some(Task::TransportOnce) => {
            "1: the frisbee moves towards the goal, once, at 0.13 m/s, the full speed of a wheel; robots drive at \
             0.092 m/s, so continuous pushing scores 0.71"
        }
        Some(Task::TransportPosition) => "1: the frisbee is at the goal",
        Some(Task::Aggregation { .. }) => "1: all robots are in one cluster",
        Some(Task::Dispersion) => "1: the robots are as far apart as possible",
        Some(Task::Coverage { .. }) => "1: every part of the arena was visited",
        Some(Task::Objective(objective)) => {
            return Scale { one: objective.description().into(), marks: Vec::new() };
        }
        Some(Task::Foraging { .. }) => "1: the maximum number of items was carried to the nest",
    };
    let transport = matches!(task, None | Some(Task::Transport | Task::TransportOnce));
    let marks = transport.then_some(Mark { value: HAND_TUNED, label: "hand-tuned tree" });
    Scale { one: one.into(), marks: marks.into_iter().collect() }
}

/// Returns the world of a phase in the format for pages. `half` is the half size of the arena (m). `spec` is `None`
/// if there is no run.
pub fn world<'a>(spec: Option<&WorldSpec>, half: [f32; 2], frisbee_radius: f32, robots: &'a [String]) -> World<'a> {
    let colour = |colour: Colour| match colour {
        Colour::Red => "red",
        Colour::Green => "green",
        Colour::Blue => "blue",
    };
    let patch = |p: &xpuck_kernels::world::senses::Patch| PatchView {
        x: rounded(p.at.x, 4),
        y: rounded(p.at.y, 4),
        half_length: rounded(p.half_length, 4),
        colour: colour(p.colour),
    };
    let task = spec.map(|spec| &spec.task);
    let walls = spec.map_or(Vec::new(), |spec| {
        let ends = |wall: &xpuck_kernels::world::wall::Wall| [wall.from.x, wall.from.y, wall.to.x, wall.to.y];
        spec.physics.walls.iter().map(ends).collect()
    });
    let moves = task.is_none_or(Task::moves_disc);
    World {
        half,
        robot_radius: spec.map_or(ROBOT_RADIUS, |spec| spec.robot.radius),
        frisbee_radius,
        discs: spec.map_or(vec![frisbee_radius], |spec| spec.discs.iter().map(|disc| disc.shape.radius).collect()),
        patches: spec.map_or(Vec::new(), |spec| spec.patches.iter().map(patch).collect()),
        walls,
        floor: spec.map_or_else(FloorView::default, FloorView::new),
        task: task.map_or("", Task::name),
        goal: moves.then_some("left"),
        scale: scale(task),
        robots,
        cells: (0..CELLS as u8).map(scalar_name).collect(),
    }
}
