//! The tick: Algorithms 1 to 10 of the thesis without recursion or allocation.
//!
//! The tree and what one robot remembers are apart, so one program serves any number of robots. A node with memory
//! has one 16-bit word: a flag "running in this update" and a payload (the child to resume, or successes still to
//! come). The reset phase keeps the payload of nodes that were running and clears the rest, so an update that finds
//! payload 0 starts afresh: that is the idle state of 3.1.4.

use super::nodes::{Kind, PROX_GAIN};
use super::program::{Instruction, Program};
use super::registers::{ACCESS, ATTR, Access, CELLS, GOAL, LIGHT, NEIGHBOURS, PROX, RED, SCRATCH, TAG, UP};
use super::status::Status;
use crate::math::{Vec2, exp, vec2, wrap_angle};
use crate::random::Draws;

/// Flag of a node that is running, beside its payload.
pub(crate) const RUNNING_FLAG: u16 = 0x8000;
/// A running child in the payload of `par`, above the count of those that succeeded.
pub(crate) const PAR_RUNNING: u16 = 0x80;
/// Vectors shorter than this have no direction (Table 6.5).
pub(crate) const SHORT: f32 = 0.1;

/// What a robot senses, in its own frame (Table 6.1 conditioned as in Table 6.3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Senses {
    /// Sum of the proximity rays.
    pub prox: Vec2,
    /// Unit vector towards +x of the world.
    pub up: Vec2,
    /// Towards neighbours; (1, 0) with none.
    pub attr: Vec2,
    /// Towards red, green and blue.
    pub colours: [Vec2; 3],
    /// Number of neighbours.
    pub neighbours: f32,
    /// Towards the light.
    pub light: Vec2,
    /// The way to the nearest tag in the camera, m.
    pub tag: Vec2,
}

impl Senses {
    /// The senses among the cells of a blackboard.
    pub fn of_cells(cells: &[f32; CELLS]) -> Senses {
        let vector = |cell: usize| vec2(cells[cell], cells[cell + 1]);
        Senses {
            prox: vector(PROX),
            up: vector(UP),
            attr: vector(ATTR),
            colours: [vector(RED), vector(RED + 2), vector(RED + 4)],
            neighbours: cells[NEIGHBOURS],
            light: vector(LIGHT),
            tag: vector(TAG),
        }
    }
}

impl Default for Senses {
    fn default() -> Senses {
        let ahead = vec2(1.0, 0.0);
        Senses {
            prox: Vec2::ZERO,
            up: ahead,
            attr: ahead,
            colours: [Vec2::ZERO; 3],
            neighbours: 0.0,
            light: Vec2::ZERO,
            tag: Vec2::ZERO,
        }
    }
}

/// A robot's registers: cells of the full map.
#[derive(Clone, Debug)]
pub struct Blackboard {
    cells: [f32; CELLS],
    /// What a node signalled in this tick; 0 for nothing.
    signal: u8,
}

impl Default for Blackboard {
    fn default() -> Blackboard {
        Blackboard { cells: [0.0; CELLS], signal: 0 }
    }
}

impl Blackboard {
    /// Begins a tick: new senses, v_goal unwritten.
    pub(crate) fn sense(&mut self, s: &Senses) {
        let vectors = [s.prox, s.up, s.attr, s.colours[0], s.colours[1], s.colours[2]];
        for (i, v) in vectors.into_iter().enumerate() {
            (self.cells[PROX + 2 * i], self.cells[PROX + 2 * i + 1]) = (v.x, v.y);
        }
        self.cells[NEIGHBOURS] = s.neighbours;
        (self.cells[LIGHT], self.cells[LIGHT + 1]) = (s.light.x, s.light.y);
        (self.cells[TAG], self.cells[TAG + 1]) = (s.tag.x, s.tag.y);
        (self.cells[GOAL], self.cells[GOAL + 1]) = (f32::NAN, f32::NAN);
        self.signal = 0;
    }

    fn vector(&self, cell: u8) -> Vec2 {
        let cell = (cell & !1) as usize;
        vec2(self.cells[cell], self.cells[cell + 1])
    }

    fn write(&mut self, cell: usize, value: f32) {
        if ACCESS[cell] == Access::Scratch {
            self.cells[cell] = value;
        }
    }

    fn write_scalar(&mut self, cell: u8, value: f32) -> Status {
        let cell = cell as usize;
        if cell & !1 == GOAL {
            if !self.cells[cell].is_nan() {
                return Status::Running;
            }
            self.cells[cell] = value;
        } else {
            self.write(cell, value);
        }
        Status::Success
    }

    fn write_vector(&mut self, cell: u8, value: Vec2) -> Status {
        let cell = (cell & !1) as usize;
        if cell == GOAL {
            if !self.cells[cell].is_nan() || !self.cells[cell + 1].is_nan() {
                return Status::Running;
            }
            (self.cells[cell], self.cells[cell + 1]) = (value.x, value.y);
        } else {
            self.write(cell, value.x);
            self.write(cell + 1, value.y);
        }
        Status::Success
    }

    /// The goal velocity after a tick: NaN and infinite components count as 0.
    pub(crate) fn goal(&self) -> Vec2 {
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        vec2(finite(self.cells[GOAL]), finite(self.cells[GOAL + 1]))
    }

    /// Whether anything was written to v_goal in this tick.
    pub(super) fn driven(&self) -> bool {
        !(self.cells[GOAL].is_nan() && self.cells[GOAL + 1].is_nan())
    }

    /// The scalar and the vector that nodes write and that stay: s_scr, v_scr.x and v_scr.y.
    pub fn scratch(&self) -> [f32; 3] {
        let mut scratch = [0.0; 3];
        scratch.copy_from_slice(&self.cells[SCRATCH - 1..SCRATCH + 2]);
        scratch
    }

    /// What the last tick signalled, 1..=255; 0 for nothing. Nobody senses it: it is for those who look.
    pub fn signal(&self) -> u8 {
        self.signal
    }

    /// The cells of the full map, for display; v_goal is NaN where the last tick left it unwritten.
    pub fn cells(&self) -> &[f32; CELLS] {
        &self.cells
    }
}

/// What one robot remembers between ticks: its registers and the memory of the program's nodes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// The registers.
    pub board: Blackboard,
    nodes: Vec<u16>,
    /// What the neurons put out last, and room for what they put out next.
    neurons: Vec<f32>,
    fired: Vec<f32>,
}

impl Memory {
    /// The memory of a robot that starts to run `program`: all zero.
    pub fn new(program: &Program) -> Memory {
        let neurons = vec![0.0; program.neurons()];
        Memory { board: Blackboard::default(), nodes: vec![0; program.memories], fired: neurons.clone(), neurons }
    }

    /// The words of the nodes that remember something, in preorder: a flag for running, and a payload; then what the neurons of
    /// its networks put out last, two words each, the low one first.
    pub fn node_words(&self) -> Vec<u16> {
        let halves = |output: &f32| [output.to_bits() as u16, (output.to_bits() >> 16) as u16];
        self.nodes.iter().copied().chain(self.neurons.iter().flat_map(halves)).collect()
    }

    /// What the neurons put out last, -1 to 1, those of all networks in preorder.
    pub fn neurons(&self) -> &[f32] {
        &self.neurons
    }

    /// A memory with these words, and these values of s_scr and v_scr, so that a tick goes on from there; none if no tick of
    /// the program leaves such words.
    pub fn resume(program: &Program, words: &[u16], scratch: [f32; 3]) -> Option<Memory> {
        let remember = program.code.iter().enumerate().filter(|(_, node)| node.kind.has_memory());
        let sound = |(at, node): (usize, &Instruction), word: u16| {
            let payload = word & !RUNNING_FLAG;
            match node.kind {
                Kind::Seqm | Kind::Selm => {
                    let child = usize::from(payload);
                    payload == 0 || (child > at && program.code.get(child).is_some_and(|c| usize::from(c.parent) == at))
                }
                Kind::Par => word == 0,
                _ => f32::from(payload) <= node.a,
            }
        };
        if words.len() != program.memories + 2 * program.neurons() {
            return None;
        }
        let (nodes, outputs) = words.split_at(program.memories);
        let mut memory = Memory::new(program);
        for (neuron, halves) in memory.neurons.iter_mut().zip(outputs.chunks_exact(2)) {
            *neuron = f32::from_bits(u32::from(halves[0]) | u32::from(halves[1]) << 16);
        }
        let possible = memory.neurons.iter().all(|output| output.abs() <= 1.0);
        if !possible || !remember.zip(nodes).all(|(node, word)| sound(node, *word)) {
            return None;
        }
        memory.nodes = nodes.into();
        memory.board.cells[SCRATCH - 1..SCRATCH + 2].copy_from_slice(&scratch);
        Some(memory)
    }

    /// Ticks the tree once and returns the root's status and the goal velocity.
    ///
    /// # Panics
    /// If the memory was made for a program of another shape.
    pub fn tick(&mut self, program: &Program, senses: &Senses, draws: &mut Draws) -> (Status, Vec2) {
        self.run(program, senses, draws, |_, _, _| {})
    }

    /// As [`Memory::tick`], and tells `observer` what each node returned.
    ///
    /// The observer is called once for every node of the compiled tree that this tick visited, children before
    /// their parents, with the node's place in [`Tree::nodes`](super::Tree::nodes) and its final result. A subtree
    /// used as a leaf (thesis 6.5) counts as one node: what it is made of is not told.
    ///
    /// # Panics
    /// If the memory was made for a program of another shape.
    pub fn tick_observed(
        &mut self,
        program: &Program,
        senses: &Senses,
        draws: &mut Draws,
        observer: &mut impl FnMut(usize, Status),
    ) -> (Status, Vec2) {
        self.run(program, senses, draws, |at, status, _| {
            if let Some(source) = program.sources[at] {
                observer(source as usize, status);
            }
        })
    }

    /// As [`Memory::tick_observed`], and names the leaf that drives as [`Memory::tick_driven`] does.
    ///
    /// # Panics
    /// If the memory was made for a program of another shape.
    pub fn tick_watched(
        &mut self,
        program: &Program,
        senses: &Senses,
        draws: &mut Draws,
        observer: &mut impl FnMut(usize, Status),
    ) -> (Vec2, Option<usize>) {
        let mut writer = None;
        let (_, goal) = self.run(program, senses, draws, |at, status, board| {
            if writer.is_none() && board.driven() {
                writer = Some(at);
            }
            if let Some(source) = program.sources[at] {
                observer(source as usize, status);
            }
        });
        (goal, program.leaf(writer))
    }

    /// One tick; without an observer the compiler removes `observe` altogether.
    pub(super) fn run(
        &mut self,
        program: &Program,
        senses: &Senses,
        draws: &mut Draws,
        observe: impl FnMut(usize, Status, &Blackboard),
    ) -> (Status, Vec2) {
        let sizes = (self.nodes.len(), self.neurons.len());
        assert_eq!(sizes, (program.memories, program.neurons()), "memory belongs to another program");
        for node in &mut self.nodes {
            *node = if *node & RUNNING_FLAG != 0 { *node & !RUNNING_FLAG } else { 0 };
        }
        self.board.sense(senses);
        let Memory { board, nodes, neurons, fired } = self;
        let network = |number: usize, board: &mut Blackboard| {
            let network = &program.networks[number];
            network.fire(&board.cells, neurons, fired);
            board.write_vector(GOAL as u8, vec2(neurons[network.first], neurons[network.first + 1]))
        };
        let status = update(&program.code, nodes, board, draws, network, observe);
        (status, self.board.goal())
    }
}

/// The update phase: walks down to a leaf, then up until a parent has another child to tick. `observe` gets each
/// visited instruction, its result and the registers as it left them.
fn update(
    code: &[Instruction],
    memory: &mut [u16],
    board: &mut Blackboard,
    draws: &mut Draws,
    mut network: impl FnMut(usize, &mut Blackboard) -> Status,
    mut observe: impl FnMut(usize, Status, &Blackboard),
) -> Status {
    let mut at = 0;
    loop {
        let node = &code[at];
        let memory_at = node.memory as usize;
        let mut status = match node.kind {
            Kind::Seqm | Kind::Selm => {
                at = if memory[memory_at] == 0 { at + 1 } else { memory[memory_at] as usize };
                continue;
            }
            Kind::Repeati | Kind::Repeatr => {
                if memory[memory_at] == 0 {
                    let n = node.a as u32;
                    memory[memory_at] = if node.kind == Kind::Repeati { n } else { 1 + draws.below(n) } as u16;
                }
                at += 1;
                continue;
            }
            Kind::Par => {
                memory[memory_at] = 0;
                at += 1;
                continue;
            }
            Kind::Seq | Kind::Sel | Kind::Successd | Kind::Failed | Kind::Invert => {
                at += 1;
                continue;
            }
            Kind::Network => network(memory_at, board),
            _ => leaf(node, board, draws),
        };
        loop {
            observe(at, status, board);
            if at == 0 {
                return status;
            }
            let next = code[at].end;
            let parent_at = code[at].parent as usize;
            let parent = &code[parent_at];
            let more = next != parent.end;
            let slot = parent.memory as usize;
            let go_on = match parent.kind {
                Kind::Seq => status == Status::Success,
                Kind::Sel => status == Status::Failure,
                Kind::Seqm | Kind::Selm => {
                    memory[slot] = if status == Status::Running { RUNNING_FLAG | at as u16 } else { 0 };
                    status == if parent.kind == Kind::Seqm { Status::Success } else { Status::Failure }
                }
                Kind::Par => {
                    status = par(parent, &mut memory[slot], status, children_left(code, parent, next));
                    more
                }
                Kind::Repeati | Kind::Repeatr => {
                    status = repeat(&mut memory[slot], status);
                    false
                }
                decorator => {
                    status = decorate(decorator, status);
                    false
                }
            };
            if go_on && more {
                at = next as usize;
                break;
            }
            at = parent_at;
        }
    }
}

pub(crate) fn decorate(kind: Kind, status: Status) -> Status {
    match (kind, status) {
        (_, Status::Running) => Status::Running,
        (Kind::Successd, _) | (Kind::Invert, Status::Failure) => Status::Success,
        _ => Status::Failure,
    }
}

/// Algorithms 9 and 10; the payload counts the successes still to come.
fn repeat(memory: &mut u16, status: Status) -> Status {
    match status {
        Status::Failure => {
            *memory = 0;
            Status::Failure
        }
        Status::Success if *memory == 1 => {
            *memory = 0;
            Status::Success
        }
        Status::Success => {
            *memory = (*memory - 1) | RUNNING_FLAG;
            Status::Running
        }
        Status::Running => {
            *memory |= RUNNING_FLAG;
            Status::Running
        }
    }
}

fn children_left(code: &[Instruction], parent: &Instruction, mut next: u16) -> u16 {
    let mut left = 0;
    while next != parent.end {
        next = code[next as usize].end;
        left += 1;
    }
    left
}

/// Counts a child's result (successes in the low byte, running ones in the next) and says what `par` returns so far.
fn par(node: &Instruction, memory: &mut u16, status: Status, left: u16) -> Status {
    match status {
        Status::Success => *memory += 1,
        Status::Running => *memory += PAR_RUNNING,
        Status::Failure => {}
    }
    let (successes, running) = (*memory % PAR_RUNNING, *memory / PAR_RUNNING);
    let wanted = node.a as u16;
    if left == 0 {
        *memory = 0;
    }
    if successes >= wanted {
        Status::Success
    } else if successes + running + left < wanted {
        Status::Failure
    } else {
        Status::Running
    }
}

/// Ticks a leaf, which has no memory. Inlined, because the tick without an observer is evolution's innermost loop.
#[inline]
pub(crate) fn leaf(node: &Instruction, board: &mut Blackboard, draws: &mut Draws) -> Status {
    let test = |holds: bool| if holds { Status::Success } else { Status::Failure };
    match node.kind {
        Kind::Movcs => board.write_scalar(node.d, node.a),
        Kind::Movcv => board.write_vector(node.d, vec2(node.a, node.b)),
        Kind::Mulas => {
            let value = board.cells[node.s1 as usize] + node.a * board.cells[node.s2 as usize];
            board.write_scalar(node.d, value)
        }
        Kind::Mulav => board.write_vector(node.d, board.vector(node.s1) + board.vector(node.s2) * node.a),
        Kind::Rotav => {
            let turned = board.vector(node.s2).rotate(vec2(node.a, node.b));
            board.write_vector(node.d, board.vector(node.s1) + turned)
        }
        Kind::Ifprob => {
            let s = board.cells[node.s1 as usize];
            test(draws.unit() < 1.0 / (1.0 + exp(node.a * (node.b - s))))
        }
        Kind::Ifquad | Kind::Ifsect => test(holds(node, board.vector(node.s1))),
        Kind::Successl => Status::Success,
        Kind::Signal => {
            board.signal = node.a as u8;
            Status::Success
        }
        Kind::Upfield => {
            board.write_vector(GOAL as u8, board.vector(UP as u8) * node.a - board.vector(PROX as u8) * PROX_GAIN)
        }
        Kind::Attract => {
            let towards = if board.cells[NEIGHBOURS] > 0.0 {
                board.vector(ATTR as u8) * node.a - board.vector(PROX as u8) * PROX_GAIN
            } else {
                vec2(1.0, 0.0)
            };
            board.write_vector(GOAL as u8, towards)
        }
        _ => Status::Failure,
    }
}

/// Whether the vector `v` passes an `ifquad` or `ifsect`.
pub(crate) fn holds(node: &Instruction, v: Vec2) -> bool {
    if node.kind == Kind::Ifquad {
        in_quadrant(v, node.a as i32)
    } else if node.b == 0.0 {
        v.length() < SHORT
    } else {
        in_sector(v, node.a, node.b)
    }
}

/// The sector about the angle `about` that reaches `half` radians to either side.
#[inline(always)]
pub(super) fn in_sector(v: Vec2, about: f32, half: f32) -> bool {
    (v.length() > SHORT) & (wrap_angle(v.angle() - about).abs() < half)
}

/// Quadrants 1..=4 counter-clockwise from the front left, -1..=-4 clockwise from the front right; 0 tests for short.
#[inline(always)]
pub(super) fn in_quadrant(v: Vec2, quadrant: i32) -> bool {
    let first = (v.x > 0.0) & (v.y >= 0.0);
    let second = (v.x <= 0.0) & (v.y > 0.0);
    let third = (v.x < 0.0) & (v.y <= 0.0);
    let wanted = if quadrant > 0 { quadrant } else { 5 + quadrant };
    let here = (first & (wanted == 1)) | (second & (wanted == 2)) | (third & (wanted == 3));
    let here = here | (!(first | second | third) & (wanted == 4));
    let length = v.length();
    if quadrant == 0 { length <= SHORT } else { (length > SHORT) & here }
}
