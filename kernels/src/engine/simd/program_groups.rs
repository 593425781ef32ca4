//! Ticks of the robots of a block. Robots that run the same program are ticked together, up to sixteen at a time.

use super::lanes::{LANES, Lanes, SenseLanes};
use crate::engine::Job;
use crate::tree::Program;
use crate::tree::lanes::{DrawLanes, DrawPlace, LaneMemory, MemoryLanes};
use crate::tree::registers::{CELLS, GOAL};

/// All robots of a block, grouped by program.
pub(super) struct ProgramGroups<'a> {
    groups: Vec<ProgramGroup<'a>>,
    /// Buffer for the registers of the robots of a [`Robots::Picked`] group.
    gathered: Box<Gathered>,
}

#[repr(align(64))]
struct Gathered([Lanes; CELLS]);

/// Up to sixteen robots that run the same program.
struct ProgramGroup<'a> {
    program: &'a Program,
    robots: Robots,
    memory: MemoryLanes,
    draws: DrawLanes,
    /// Bit masks of the registers that are copied to the buffer before a tick (`needs`), and back after it (`leaves`).
    needs: u32,
    leaves: u32,
}

/// Selection of the robots of a group.
enum Robots {
    /// The robot with the given index in each world, and the bit mask of the lanes that have a job.
    Row(usize, u32),
    /// Robots with any indices, as pairs of robot index and lane.
    Picked(Vec<(usize, usize)>),
}

impl<'a> ProgramGroups<'a> {
    /// Creates the groups for up to [`LANES`] jobs, whose worlds have `robots` robots each.
    pub fn new(programs: &'a [Program], jobs: &[Job<'_>], robots: usize) -> ProgramGroups<'a> {
        let mut crews = Vec::new();
        let mut others: Vec<(usize, Vec<(usize, usize)>)> = Vec::new();
        let place = |i: usize, l: usize| {
            let job = &jobs[l.min(jobs.len() - 1)];
            DrawPlace { seed: job.seed, world: job.world, robot: i as u32 }
        };
        for i in 0..robots {
            let first = jobs[0].team.program(i);
            if jobs.iter().all(|job| job.team.program(i) == first) {
                let row = Robots::Row(i, (1 << jobs.len()) - 1);
                crews.push(ProgramGroup::new(&programs[first], row, &std::array::from_fn(|l| place(i, l))));
                continue;
            }
            for (l, job) in jobs.iter().enumerate() {
                let number = job.team.program(i);
                match others.iter_mut().find(|(program, _)| *program == number) {
                    Some((_, picked)) => picked.push((i, l)),
                    None => others.push((number, vec![(i, l)])),
                }
            }
        }
        for (number, picked) in others {
            for picked in picked.chunks(LANES) {
                let places = std::array::from_fn(|k| {
                    let (i, l) = picked[k.min(picked.len() - 1)];
                    place(i, l)
                });
                crews.push(ProgramGroup::new(&programs[number], Robots::Picked(picked.to_vec()), &places));
            }
        }
        ProgramGroups { groups: crews, gathered: Box::new(Gathered([[0.0; LANES]; CELLS])) }
    }

    /// Returns the memories of the robots of each world, by lane and robot.
    pub fn memories(&self, robots: usize) -> Vec<Vec<LaneMemory>> {
        let mut all = vec![vec![LaneMemory::default(); robots]; LANES];
        for ProgramGroup { robots, memory, .. } in &self.groups {
            robots.each(|i, l, k| all[l][i] = memory.lane(k));
        }
        all
    }

    /// Sets the memories of the robots of each world. `kept` contains the memories of a world's robots for each job.
    pub fn set_memories(&mut self, kept: &[&[LaneMemory]]) {
        for ProgramGroup { robots, memory, .. } in &mut self.groups {
            robots.each(|i, l, k| memory.set_lane(k, &kept[l][i]));
        }
    }

    /// Ticks every robot's tree once.
    #[inline(always)]
    pub fn tick(&mut self, senses: &mut [SenseLanes], update: u32) {
        let ProgramGroups { groups: crews, gathered } = self;
        for ProgramGroup { program, robots, memory, draws, needs, leaves } in crews {
            draws.begin(update);
            match robots {
                Robots::Row(i, mask) => memory.tick(program, *mask, &mut senses[*i].cells, draws),
                Robots::Picked(picked) => {
                    let cells = &mut gathered.0;
                    for cell in cells_of(*needs) {
                        for (k, (i, l)) in picked.iter().enumerate() {
                            cells[cell][k] = senses[*i].cells[cell][*l];
                        }
                    }
                    memory.tick(program, (1u32 << picked.len()) - 1, cells, draws);
                    for cell in cells_of(*leaves) {
                        for (k, (i, l)) in picked.iter().enumerate() {
                            senses[*i].cells[cell][*l] = cells[cell][k];
                        }
                    }
                }
            }
        }
    }
}

impl Robots {
    /// Calls `visit` with the index, the lane and the place in the group of each robot.
    fn each(&self, mut visit: impl FnMut(usize, usize, usize)) {
        match self {
            Robots::Row(i, mask) => (0..LANES).filter(|l| mask >> l & 1 != 0).for_each(|l| visit(*i, l, l)),
            Robots::Picked(picked) => picked.iter().enumerate().for_each(|(k, (i, l))| visit(*i, *l, k)),
        }
    }
}

impl<'a> ProgramGroup<'a> {
    fn new(program: &'a Program, robots: Robots, places: &[DrawPlace; LANES]) -> ProgramGroup<'a> {
        let goal = 0b11 << GOAL;
        ProgramGroup {
            needs: (program.register_reads() & !goal) | program.scratch_writes(),
            leaves: program.scratch_writes() | goal,
            memory: MemoryLanes::new(program),
            draws: DrawLanes::new(places),
            program,
            robots,
        }
    }
}

/// Returns the indices of the registers whose bits are set.
fn cells_of(mut bits: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let cell = bits.trailing_zeros() as usize;
        bits &= bits.wrapping_sub(1);
        (cell < CELLS).then_some(cell)
    })
}
