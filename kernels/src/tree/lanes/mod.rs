//! Ticks of up to sixteen robots that run the same program, one robot per lane.
//!
//! All robots traverse the tree together. A visit of a node gets the subset of robots that tick the node, and returns
//! the subsets for which the node succeeded, failed or is running. Subsets are bit masks. Each robot visits its nodes
//! in the order of [`Memory::tick`](super::Memory::tick). It therefore draws the same random numbers, and the results
//! are bitwise identical.

#![allow(clippy::needless_range_loop, reason = "a lane's number selects from several arrays at once")]

mod draws;
mod leaf;
mod network;

use super::nodes::Kind;
use super::program::{Instruction, Program};
use super::registers::{CELLS, GOAL};
use super::tick::{PAR_RUNNING, RUNNING_FLAG};
use crate::random::below;
pub use draws::{DrawLanes, DrawPlace};
use leaf::leaf;
use network::network;

/// Number of lanes, one per robot or world. It is the number of 32-bit lanes in a 512-bit register; CPUs with
/// narrower registers process the lanes in several steps.
pub const LANES: usize = 16;

/// One number per lane.
pub type Lanes = [f32; LANES];

/// Expands a bit mask to one word per lane. The word of a lane has all bits set if the lane is in the mask, otherwise
/// all bits clear.
#[inline(always)]
fn lanes_of(mask: u32) -> [u32; LANES] {
    let mut on = [0; LANES];
    for l in 0..LANES {
        on[l] = 0u32.wrapping_sub(mask >> l & 1);
    }
    on
}

/// Returns the bit mask of the lanes in which `holds` is not zero.
#[inline(always)]
fn mask_of(holds: &[u32; LANES]) -> u32 {
    let mut mask = 0;
    for l in 0..LANES {
        mask |= u32::from(holds[l] != 0) << l;
    }
    mask
}

/// Bit masks of the robots for which a node succeeded, failed or is running.
#[derive(Clone, Copy, Debug, Default)]
struct Results {
    success: u32,
    failure: u32,
    running: u32,
}

/// State of an inner node while its children are ticked.
#[derive(Clone, Copy, Debug)]
struct Frame {
    at: u16,
    /// Bit mask of the robots that tick the node.
    robots: u32,
    /// Bit mask of the robots that resume at a later child than the current child.
    waiting: u32,
    /// Results of the node for the robots whose result is already known.
    results: Results,
}

/// Memory of the nodes of a program for each robot; see [`Memory`](super::Memory).
#[derive(Clone, Debug)]
pub struct MemoryLanes {
    nodes: Vec<[u16; LANES]>,
    /// Previous outputs of the neurons. `fired` is the buffer for the next outputs.
    neurons: Vec<Lanes>,
    fired: Vec<Lanes>,
    /// Stack of nodes from the root to the current node.
    visits: Vec<Frame>,
}

/// Memory of the nodes of a program for one robot.
#[derive(Clone, Debug, Default)]
pub struct LaneMemory {
    nodes: Vec<u16>,
    neurons: Vec<f32>,
}

impl MemoryLanes {
    /// Creates the initial memory of robots that run `program`. All values are zero.
    pub fn new(program: &Program) -> MemoryLanes {
        MemoryLanes {
            nodes: vec![[0; LANES]; program.memories],
            neurons: vec![[0.0; LANES]; program.neurons()],
            fired: vec![[0.0; LANES]; program.neurons()],
            visits: Vec::with_capacity(program.depth()),
        }
    }

    /// Returns the memory of the robot in a lane.
    pub fn lane(&self, l: usize) -> LaneMemory {
        let nodes = self.nodes.iter().map(|node| node[l]).collect();
        LaneMemory { nodes, neurons: self.neurons.iter().map(|neuron| neuron[l]).collect() }
    }

    /// Sets the memory of the robot in a lane, which runs the same program.
    pub fn set_lane(&mut self, l: usize, memory: &LaneMemory) {
        self.nodes.iter_mut().zip(&memory.nodes).for_each(|(node, kept)| node[l] = *kept);
        self.neurons.iter_mut().zip(&memory.neurons).for_each(|(neuron, kept)| neuron[l] = *kept);
    }

    /// Ticks the trees of the robots in the bit mask `robots`. `cells` contains the registers of all robots, with new
    /// sensor values. After the tick, v_goal contains the goal velocity that each robot wrote, or NaN if the robot
    /// wrote none.
    #[inline(always)]
    pub fn tick(&mut self, program: &Program, robots: u32, cells: &mut [Lanes; CELLS], draws: &mut DrawLanes) {
        for node in &mut self.nodes {
            for l in 0..LANES {
                node[l] = if node[l] & RUNNING_FLAG != 0 { node[l] & !RUNNING_FLAG } else { 0 };
            }
        }
        cells[GOAL] = [f32::NAN; LANES];
        cells[GOAL + 1] = [f32::NAN; LANES];
        self.update(program, robots, cells, draws);
    }

    /// Executes the update phase of a tick. The loop descends to a leaf, then ascends until a parent has another
    /// child that at least one robot ticks.
    #[inline(always)]
    fn update(&mut self, program: &Program, robots: u32, cells: &mut [Lanes; CELLS], draws: &mut DrawLanes) {
        let MemoryLanes { nodes, neurons, fired, visits } = self;
        let code: &[Instruction] = &program.code;
        visits.clear();
        let (mut at, mut robots) = (0, robots);
        loop {
            let node = &code[at];
            let mut results = if node.kind == Kind::Network {
                network(&program.networks[usize::from(node.memory)], robots, cells, neurons, fired)
            } else if node.kind.is_leaf() {
                leaf(node, robots, cells, draws)
            } else {
                let waiting = enter(node, at, robots, nodes, draws);
                visits.push(Frame { at: at as u16, robots, waiting, results: Results::default() });
                at += 1;
                robots &= !waiting;
                if robots != 0 {
                    continue;
                }
                Results::default()
            };
            loop {
                let Some(visit) = visits.last_mut() else { return };
                let parent = &code[usize::from(visit.at)];
                let go_on = apply_child_result(parent, visit, at, results, nodes);
                match next_child(code, parent, visit, at, go_on, nodes) {
                    Some(next) => {
                        (at, robots) = next;
                        break;
                    }
                    None => {
                        results = final_result(parent, visit, go_on, nodes);
                        at = usize::from(visit.at);
                        visits.pop();
                    }
                }
            }
        }
    }
}

/// Starts the tick of a node with children. Returns the robots that resume at a child after the first child.
#[inline(always)]
fn enter(node: &Instruction, at: usize, robots: u32, nodes: &mut [[u16; LANES]], draws: &mut DrawLanes) -> u32 {
    match node.kind {
        Kind::Seqm | Kind::Selm => {
            let memory = &nodes[usize::from(node.memory)];
            let mut later = [0; LANES];
            for l in 0..LANES {
                later[l] = u32::from(memory[l] > at as u16 + 1);
            }
            mask_of(&later) & robots
        }
        Kind::Par => {
            nodes[usize::from(node.memory)] = [0; LANES];
            0
        }
        Kind::Repeati | Kind::Repeatr => {
            let memory = &mut nodes[usize::from(node.memory)];
            let mut idle = [0; LANES];
            for l in 0..LANES {
                idle[l] = u32::from(memory[l] == 0);
            }
            let idle = mask_of(&idle) & robots;
            if idle != 0 {
                let (n, on) = (node.a as u32, lanes_of(idle));
                let words = if node.kind == Kind::Repeatr { draws.word(idle) } else { [0; LANES] };
                for l in 0..LANES {
                    let drawn = 1 + below(words[l], n);
                    let count = if node.kind == Kind::Repeatr { drawn } else { n };
                    memory[l] = if on[l] != 0 { count as u16 } else { memory[l] };
                }
            }
            0
        }
        _ => 0,
    }
}

/// Applies the results of the child at index `child` to its parent. Returns the robots that continue with the next
/// child.
#[inline(always)]
fn apply_child_result(
    parent: &Instruction,
    visit: &mut Frame,
    child: usize,
    of: Results,
    nodes: &mut [[u16; LANES]],
) -> u32 {
    if matches!(parent.kind, Kind::Seqm | Kind::Selm) {
        store_resume(&mut nodes[usize::from(parent.memory)], child, of);
    }
    let all = &mut visit.results;
    match parent.kind {
        Kind::Seq | Kind::Seqm => {
            all.failure |= of.failure;
            all.running |= of.running;
            of.success
        }
        Kind::Sel | Kind::Selm => {
            all.success |= of.success;
            all.running |= of.running;
            of.failure
        }
        Kind::Par => {
            let memory = &mut nodes[usize::from(parent.memory)];
            let (succeeded, running) = (lanes_of(of.success), lanes_of(of.running));
            for l in 0..LANES {
                memory[l] += (succeeded[l] & 1) as u16 + (running[l] & u32::from(PAR_RUNNING)) as u16;
            }
            visit.robots
        }
        Kind::Repeati | Kind::Repeatr => {
            *all = repeat(&mut nodes[usize::from(parent.memory)], of);
            0
        }
        Kind::Successd => {
            *all = Results { success: of.success | of.failure, failure: 0, running: of.running };
            0
        }
        Kind::Invert => {
            *all = Results { success: of.failure, failure: of.success, running: of.running };
            0
        }
        _ => {
            *all = Results { success: 0, failure: of.success | of.failure, running: of.running };
            0
        }
    }
}

/// Updates a node's memory for the robots that ticked the child at index `child`. If the child is running, the memory
/// becomes this index with [`RUNNING_FLAG`]. Otherwise the memory becomes 0.
#[inline(always)]
fn store_resume(memory: &mut [u16; LANES], child: usize, of: Results) {
    let ticked = lanes_of(of.success | of.failure | of.running);
    let running = lanes_of(of.running);
    for l in 0..LANES {
        let word = if running[l] != 0 { RUNNING_FLAG | child as u16 } else { 0 };
        memory[l] = if ticked[l] != 0 { word } else { memory[l] };
    }
}

/// Updates the memory of a `repeati` or `repeatr` node after a tick of its child, and returns the node's results
/// (Algorithms 9 and 10). Apart from the running flag, the memory is the number of successes that are still required.
#[inline(always)]
fn repeat(memory: &mut [u16; LANES], of: Results) -> Results {
    let (success, failure, running) = (lanes_of(of.success), lanes_of(of.failure), lanes_of(of.running));
    let mut done = [0; LANES];
    for l in 0..LANES {
        let last = (success[l] != 0) & (memory[l] == 1);
        done[l] = u32::from(last);
        let less = memory[l].wrapping_sub((success[l] & 1) as u16) | RUNNING_FLAG;
        let word = if (failure[l] != 0) | last { 0 } else { less };
        memory[l] = if (success[l] | failure[l] | running[l]) != 0 { word } else { memory[l] };
    }
    let done = mask_of(&done);
    Results { success: done, failure: of.failure, running: of.running | (of.success & !done) }
}

/// Returns the next child that at least one robot ticks, and the robots that tick this child; `None` after the last
/// child.
#[inline(always)]
fn next_child(
    code: &[Instruction],
    parent: &Instruction,
    visit: &mut Frame,
    child: usize,
    go_on: u32,
    nodes: &[[u16; LANES]],
) -> Option<(usize, u32)> {
    let mut next = code[child].end;
    while next != parent.end && (go_on | visit.waiting) != 0 {
        let mut robots = go_on;
        if visit.waiting != 0 {
            let memory = &nodes[usize::from(parent.memory)];
            let mut here = [0; LANES];
            for l in 0..LANES {
                here[l] = u32::from(memory[l] == next);
            }
            let resumed = mask_of(&here) & visit.waiting;
            visit.waiting &= !resumed;
            robots |= resumed;
        }
        if robots != 0 {
            return Some((usize::from(next), robots));
        }
        next = code[usize::from(next)].end;
    }
    None
}

/// Returns the results of a node after the results of its children were applied. `go_on` is the bit mask of the robots
/// that would tick a further child.
#[inline(always)]
fn final_result(node: &Instruction, visit: &Frame, go_on: u32, nodes: &mut [[u16; LANES]]) -> Results {
    let Results { success, failure, running } = visit.results;
    match node.kind {
        Kind::Seq | Kind::Seqm => Results { success: go_on, failure, running },
        Kind::Sel | Kind::Selm => Results { success, failure: go_on, running },
        Kind::Par => {
            let memory = &mut nodes[usize::from(node.memory)];
            let wanted = node.a as u16;
            let (mut enough, mut possible) = ([0; LANES], [0; LANES]);
            for l in 0..LANES {
                let (successes, running) = (memory[l] % PAR_RUNNING, memory[l] / PAR_RUNNING);
                enough[l] = u32::from(successes >= wanted);
                possible[l] = u32::from(successes + running >= wanted);
            }
            *memory = [0; LANES];
            let (enough, possible) = (mask_of(&enough), mask_of(&possible));
            let robots = visit.robots;
            Results { success: robots & enough, failure: robots & !possible, running: robots & possible & !enough }
        }
        _ => visit.results,
    }
}
