//! Recording of the poses of all bodies after each controller update.

use super::block::Block;
use super::lanes::LANES;
use super::program_groups::ProgramGroups;
use super::{Simd, advance};
use crate::engine::{Job, Outcome};
use crate::tree::Program;
use crate::world::{Sensing, WorldSpec};
use rayon::prelude::*;

/// Number of values of a recorded pose: x (m), y (m) and heading (rad).
pub const POSE_FIELDS: usize = 3;

impl Simd {
    /// Returns the number of values that [`Simd::record`] writes for a job.
    pub fn trajectory_len(spec: &WorldSpec, updates: u32) -> usize {
        (updates as usize + 1) * (spec.robots + spec.discs.len()) * POSE_FIELDS
    }

    /// Runs jobs like [`Engine::run`](crate::engine::Engine::run) and writes the poses of all bodies to `poses`, an
    /// array of shape (jobs, updates + 1, bodies, [`POSE_FIELDS`]). Index 0 of the second axis is the start. Robots
    /// precede discs. Outcomes and poses do not depend on the other jobs or on the number of threads.
    ///
    /// # Panics
    /// If the jobs differ in their world's specification or number of updates, if the length of `poses` is wrong, or if
    /// walls, patches or lights of the world change.
    pub fn record(&self, programs: &[Program], jobs: &[Job<'_>], poses: &mut [f32]) -> Vec<Outcome> {
        let Some(first) = jobs.first() else { return Vec::new() };
        let same = |job: &Job<'_>| {
            job.updates == first.updates && (std::ptr::eq(job.spec, first.spec) || job.spec == first.spec)
        };
        assert!(jobs.iter().all(same), "one specification and one number of updates");
        assert!(!first.spec.conditions.change_scenery(), "the scenery does not change");
        let row = Simd::trajectory_len(first.spec, first.updates);
        assert_eq!(poses.len(), jobs.len() * row, "three numbers for each body at each time");
        let (order, sensing) = self.order(programs, jobs);
        let mut rows: Vec<Option<&mut [f32]>> = poses.chunks_mut(row).map(Some).collect();
        let mut row_of = |i: &usize| rows[*i].take().expect("each job is in one block");
        let blocks: Vec<(&[usize], Vec<&mut [f32]>)> =
            order.chunks(LANES).map(|indices| (indices, indices.iter().map(&mut row_of).collect())).collect();
        let outcomes: Vec<Vec<Outcome>> = blocks
            .into_par_iter()
            .map(|(indices, rows)| {
                let jobs: Vec<Job<'_>> = indices.iter().map(|i| jobs[*i].clone()).collect();
                let sensing = indices.iter().map(|i| sensing[*i]).fold(Sensing::NONE, Sensing::union);
                simulate(programs, &jobs, sensing, rows)
            })
            .collect();
        let mut sorted = vec![Outcome { fitness: 0.0, hash: 0 }; jobs.len()];
        for (index, outcome) in order.iter().zip(outcomes.into_iter().flatten()) {
            sorted[*index] = outcome;
        }
        sorted
    }

    /// Returns the order of the jobs in blocks, and the senses of each job. Jobs with the same senses are adjacent.
    fn order(&self, programs: &[Program], jobs: &[Job<'_>]) -> (Vec<usize>, Vec<Sensing>) {
        let wanted = |job: &Job<'_>| self.sensing.unwrap_or_else(|| job.sensing(programs));
        let sensing: Vec<Sensing> = jobs.iter().map(wanted).collect();
        let mut order: Vec<usize> = (0..jobs.len()).collect();
        order.sort_by_key(|i| sensing[*i]);
        (order, sensing)
    }
}

/// Runs up to [`LANES`] jobs, and writes the trajectory of each job to its row.
fn simulate(programs: &[Program], jobs: &[Job<'_>], sensing: Sensing, mut rows: Vec<&mut [f32]>) -> Vec<Outcome> {
    let (mut block, scene) = Block::new(jobs);
    let mut groups = ProgramGroups::new(programs, jobs, scene.robots);
    write(&block, &mut rows, 0);
    for update in 1..=jobs[0].updates as usize {
        advance(&mut block, &mut groups, &scene, sensing, 1);
        write(&block, &mut rows, update);
    }
    block.outcomes(&scene)
}

/// Writes the current poses of a block as frame number `frame` of each row.
fn write(block: &Block, rows: &mut [&mut [f32]], frame: usize) {
    let of_frame = block.bodies.len() * POSE_FIELDS;
    for (l, row) in rows.iter_mut().enumerate() {
        let out = &mut row[frame * of_frame..][..of_frame];
        for (body, out) in block.bodies.iter().zip(out.chunks_exact_mut(POSE_FIELDS)) {
            out.copy_from_slice(&[body.x[l], body.y[l], body.heading[l]]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, Team};
    use crate::tree::{Memory, Tree};
    use crate::world::World;

    #[test]
    fn recorded_poses_are_those_of_the_reference() {
        let texts = ["mulav v_goal v_zero 3 v_blue", "explore 20", "upfield 1"];
        let programs: Vec<Program> =
            texts.iter().map(|t| Program::compile(&Tree::parse(t).unwrap()).unwrap()).collect();
        let spec = WorldSpec::benchmark(3);
        let job =
            |i: usize| Job { spec: &spec, start: i, team: Team::all(i % 3), seed: 7, world: i as u32, updates: 25 };
        let jobs: Vec<Job<'_>> = (0..21).map(job).collect();
        let row = Simd::trajectory_len(&spec, 25);
        assert_eq!(row, 26 * 4 * 3, "three robots and the frisbee");
        let mut poses = vec![f32::NAN; 21 * row];
        let outcomes = Simd::default().record(&programs, &jobs, &mut poses);
        assert_eq!(outcomes, Simd::default().run(&programs, &jobs));
        for (job, row) in jobs.iter().zip(poses.chunks(row)) {
            let mut world = World::new(job.spec, job.start, job.seed, job.world);
            let program = &programs[job.team.program(0)];
            let mut memories = vec![Memory::new(program); 3];
            for frame in row.chunks(4 * 3) {
                let expected: Vec<f32> =
                    world.bodies.iter().flat_map(|b| [b.pose.at.x, b.pose.at.y, b.pose.heading]).collect();
                assert_eq!(frame, expected);
                world.update(&[program, program, program], &mut memories);
            }
        }
        let mut alone = vec![0.0; row];
        Simd::default().record(&programs, &jobs[20..], &mut alone);
        assert_eq!(alone, poses[20 * row..], "the other jobs have no effect");
    }
}
