//! Recording of one run for figures: poses of all bodies, driving leaf of each robot, and fitness over time.

use std::collections::BTreeMap;
use std::sync::Arc;
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::areas::Held;
use xpuck_kernels::world::floor::Floor;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::light::Light;
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::{Pose, Shape, Task, World};

/// Maximum number of frames after the first one. Longer runs are recorded only at every n-th controller update.
pub const MAX_FRAMES: u32 = 3000;

/// Recorded run.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectories {
    /// Half length of the arena along x and y (m).
    pub half_arena: (f32, f32),
    /// Inner walls.
    pub walls: Vec<Wall>,
    /// Coloured patches on the arena's walls.
    pub patches: Vec<Patch>,
    /// Lights.
    pub lights: Vec<Light>,
    /// Paint of the floor.
    pub floor: Arc<Floor>,
    /// Task for which the run is scored.
    pub task: Task,
    /// Conditions of the task that held in the run.
    pub held: Held,
    /// Number of robots. They are the first bodies.
    pub robots: usize,
    /// Shapes of the bodies: robots, then discs. The first disc is the frisbee.
    pub shapes: Vec<Shape>,
    /// Leaves that drove robots, in the order of the tree.
    pub branches: Vec<Branch>,
    /// Share of robot updates in which no leaf wrote v_goal (0..=1).
    pub undriven: f64,
    /// Number of controller updates between frames.
    pub stride: u32,
    /// Frame at the start, then a frame every `stride` updates, and a frame at the end.
    pub frames: Vec<Frame>,
    /// Number of times that the frisbee was put back near the centre.
    pub relocations: u32,
}

/// Leaf that drove robots: the first leaf that wrote v_goal in a tick (thesis 8.6.3).
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Index of the leaf in [`Tree::nodes`].
    pub node: usize,
    /// Text form of the leaf.
    pub text: String,
    /// Share of all robot updates in which the leaf drove the robot (0..=1).
    pub share: f64,
}

/// State of the world at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// Simulated time (s).
    pub seconds: f32,
    /// Poses of the bodies.
    pub poses: Vec<Pose>,
    /// Leaf that drove each robot in the most updates since the previous frame, as an index in
    /// [`Trajectories::branches`]. `None` if updates without a driving leaf prevail.
    pub drivers: Vec<Option<usize>>,
    /// Fitness of the run up to this frame: f_raw (Eq. 8.3), or that of another task. In tasks other than missions, it
    /// is 0 at the start.
    pub fitness: f32,
    /// Whether the frisbee was put back since the previous frame.
    pub put_back: bool,
}

impl Trajectories {
    /// Returns f_raw (Eq. 8.3) of the whole run.
    pub fn fitness(&self) -> f32 {
        self.frames[self.frames.len() - 1].fitness
    }

    /// Returns the simulated time of the whole run (s).
    pub fn seconds(&self) -> f32 {
        self.frames[self.frames.len() - 1].seconds
    }
}

/// Runs a world for `updates` controller updates and records it. All robots run `program`, which was compiled from
/// `tree`. Every engine gives the same run for the same world.
pub fn record(mut world: World, tree: &Tree, program: &Program, updates: u32) -> Trajectories {
    let robots = world.robots();
    let stride = updates.div_ceil(MAX_FRAMES).max(1);
    let mut memories = vec![Memory::new(program); robots];
    let mut total = BTreeMap::new();
    let mut recent: Vec<BTreeMap<Option<usize>, u32>> = vec![BTreeMap::new(); robots];
    let mut frames = vec![frame(&world, vec![None; robots], 0)];
    let mut relocations = 0;
    let mut held = Held::now(world.score().active());
    for update in 1..=updates {
        world.update_with(|robot, senses, draws| {
            let (goal, leaf) = memories[robot].tick_driven(program, senses, draws);
            *recent[robot].entry(leaf).or_default() += 1;
            *total.entry(leaf).or_insert(0u64) += 1;
            goal
        });
        held.add(world.score().active());
        if update.is_multiple_of(stride) || update == updates {
            let drivers = recent.iter_mut().map(|counts| most(&std::mem::take(counts))).collect();
            frames.push(frame(&world, drivers, relocations));
            relocations = world.relocations();
        }
    }
    let share = |count: u64| count as f64 / (f64::from(updates) * robots as f64);
    let undriven = share(total.remove(&None).unwrap_or(0));
    let leaves = total.into_iter().filter_map(|(leaf, count)| Some((leaf?, count)));
    let branches: Vec<Branch> = leaves
        .map(|(node, count)| Branch { node, text: tree.nodes()[node].to_string(), share: share(count) })
        .collect();
    for driver in frames.iter_mut().flat_map(|frame| &mut frame.drivers) {
        *driver = driver.and_then(|node| branches.binary_search_by_key(&node, |b| b.node).ok());
    }
    Trajectories {
        half_arena: world.physics.half_arena,
        walls: world.physics.walls.clone(),
        patches: world.patches.clone(),
        lights: world.lighting.lights.clone(),
        floor: world.floor,
        task: world.task,
        held,
        robots,
        shapes: world.bodies.iter().map(|b| b.shape).collect(),
        branches,
        undriven,
        stride,
        frames,
        relocations,
    }
}

/// Returns the current frame. Its drivers are node indices, which the caller converts.
fn frame(world: &World, drivers: Vec<Option<usize>>, relocations_before: u32) -> Frame {
    let seconds = world.seconds();
    Frame {
        seconds,
        poses: world.bodies.iter().map(|b| b.pose).collect(),
        drivers,
        fitness: if seconds > 0.0 || matches!(world.task, Task::Objective(_)) { world.fitness() } else { 0.0 },
        put_back: world.relocations() > relocations_before,
    }
}

/// Returns the leaf that drove a robot in the most updates. `counts` contains the number of updates by leaf, and under
/// `None` the updates without a driving leaf. If several counts are equal, the last leaf in the tree is returned.
/// Returns `None` if updates without a driving leaf are the most frequent.
fn most(counts: &BTreeMap<Option<usize>, u32>) -> Option<usize> {
    counts.iter().max_by_key(|(_, count)| **count).and_then(|(leaf, _)| *leaf)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::engine::{Engine, Job, Reference, Team};
    use xpuck_kernels::world::{Scenario, WorldSpec};

    const CALIBRATION: &str = include_str!("../../../docs/trees/806768.bt");

    fn recorded(text: &str, updates: u32) -> Trajectories {
        let tree = Tree::parse(text).unwrap();
        let program = Program::compile(&tree).unwrap();
        record(World::new(&WorldSpec::scenario(9, Scenario::B), 0, 4, 2), &tree, &program, updates)
    }

    #[test]
    fn recorded_run_matches_measured_run() {
        let program = Program::compile(&Tree::parse(CALIBRATION).unwrap()).unwrap();
        let spec = WorldSpec::scenario(9, Scenario::B);
        let job = Job { spec: &spec, start: 0, team: Team::all(0), seed: 4, world: 2, updates: 300 };
        let outcome = Reference::default().run(&[program], &[job])[0];
        let trajectories = recorded(CALIBRATION, 300);
        assert_eq!(trajectories.fitness(), outcome.fitness);
        assert_eq!((trajectories.frames.len(), trajectories.stride, trajectories.shapes.len()), (301, 1, 10));
        assert_eq!(trajectories.frames.iter().filter(|f| f.put_back).count(), trajectories.relocations as usize);
    }

    #[test]
    fn robots_of_806768_are_driven_by_its_three_branches() {
        let trajectories = recorded(CALIBRATION, 300);
        let texts: Vec<&str> = trajectories.branches.iter().map(|b| b.text.as_str()).collect();
        assert_eq!(texts[0], "avoiding");
        assert!(texts.len() == 3 && texts[1].starts_with("mulas v_goal.y") && texts[2].starts_with("mulav v_goal"));
        let shares: f64 = trajectories.branches.iter().map(|b| b.share).sum();
        assert!(
            (shares + trajectories.undriven - 1.0).abs() < 1e-9 && trajectories.branches.iter().all(|b| b.share > 0.01)
        );
        let counted = trajectories.frames[1..].iter().flat_map(|f| &f.drivers).filter(|d| **d == Some(1)).count();
        assert_eq!(
            counted as f64 / 2700.0,
            trajectories.branches[1].share,
            "with a stride of 1 frames tell every update"
        );
    }

    #[test]
    fn tree_that_drives_no_robot_has_no_branches() {
        let trajectories = recorded("movcv v_scr 0deg\n", 5);
        assert!(trajectories.branches.is_empty() && trajectories.undriven == 1.0);
        assert!(trajectories.frames.iter().all(|f| f.drivers.iter().all(Option::is_none)));
    }

    #[test]
    fn long_runs_have_no_more_frames_and_still_end_at_their_end() {
        let trajectories = recorded("avoiding\n", 2 * MAX_FRAMES + 1);
        assert_eq!(trajectories.stride, 3);
        assert_eq!(trajectories.frames.len(), 2002, "the start, 2000 of three updates, and the last");
        assert!((trajectories.seconds() - 600.1).abs() < 1e-3);
    }

    #[test]
    fn frame_driver_is_branch_that_drove_most_updates() {
        assert_eq!(most(&BTreeMap::from([(None, 1), (Some(2), 4), (Some(7), 3)])), Some(2));
        assert_eq!(most(&BTreeMap::from([(None, 5), (Some(2), 4)])), None);
    }
}
