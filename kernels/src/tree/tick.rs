//! The tick: Algorithms 1 to 10 of the thesis without recursion or allocation.
//!
//! The tree and the memory of a robot are separate, so any number of robots can use one program. A node with memory
//! has one 16-bit word, which consists of a flag "running in this update" and a payload. The payload is the child to
//! resume, or the number of successes that are still required. The reset phase at the start of a tick keeps the
//! payload of nodes that were running, and clears all other payloads. Payload 0 is the idle state of thesis section
//! 3.1.4, in which the node starts from its first child.

use super::nodes::{Kind, PROX_GAIN};
use super::program::{Instruction, Program};
use super::registers::{ACCESS, ATTR, Access, CELLS, GOAL, GROUND, LIGHT, NEIGHBOURS, PROX, RED, SCRATCH, TAG, UP};
use super::status::Status;
use crate::math::{Vec2, exp, vec2, wrap_angle};
use crate::random::Draws;

/// Flag of a running node, in the same word as the payload of the node.
pub(crate) const RUNNING_FLAG: u16 = 0x8000;
/// Increment for one running child in the payload of `par`. The lower bits of the payload count the children that
/// succeeded.
pub(crate) const PAR_RUNNING: u16 = 0x80;
/// Maximum length of a vector that is treated as a zero vector without direction (thesis Table 6.5).
pub(crate) const SHORT: f32 = 0.1;

/// Sensor values of a robot in its own frame (thesis Table 6.1), converted to the registers of Table 6.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Senses {
    /// Sum of vectors along the proximity rays (v_prox). The length of each vector is the reading of its ray.
    pub prox: Vec2,
    /// Unit vector towards +x of the world (v_up).
    pub up: Vec2,
    /// Vector towards the neighbours (v_attr); (1, 0) without neighbours.
    pub attr: Vec2,
    /// Vectors towards red, green and blue objects in the camera image.
    pub colours: [Vec2; 3],
    /// Number of neighbours.
    pub neighbours: f32,
    /// Vector towards the light.
    pub light: Vec2,
    /// Vector to the nearest tag in the camera image (m).
    pub tag: Vec2,
    /// Shade of the floor under the ground sensor: -1 black, 0 grey, 1 white.
    pub ground: f32,
}

impl Senses {
    /// Reads the sensor values from the cells of a blackboard.
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
            ground: cells[GROUND],
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
            ground: 0.0,
        }
    }
}

/// Registers of a robot, stored as the cells of the full register map.
#[derive(Clone, Debug)]
pub struct Blackboard {
    cells: [f32; CELLS],
    /// Operand of the last `signal` node that was ticked in this tick; 0 if no such node was ticked.
    signal: u8,
}

impl Default for Blackboard {
    fn default() -> Blackboard {
        Blackboard { cells: [0.0; CELLS], signal: 0 }
    }
}

impl Blackboard {
    /// Stores new sensor values at the start of a tick, marks v_goal as unwritten and clears the signal.
    pub(crate) fn sense(&mut self, s: &Senses) {
        let vectors = [s.prox, s.up, s.attr, s.colours[0], s.colours[1], s.colours[2]];
        for (i, v) in vectors.into_iter().enumerate() {
            (self.cells[PROX + 2 * i], self.cells[PROX + 2 * i + 1]) = (v.x, v.y);
        }
        self.cells[NEIGHBOURS] = s.neighbours;
        (self.cells[LIGHT], self.cells[LIGHT + 1]) = (s.light.x, s.light.y);
        (self.cells[TAG], self.cells[TAG + 1]) = (s.tag.x, s.tag.y);
        self.cells[GROUND] = s.ground;
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

    /// Returns the goal velocity after a tick. NaN and infinite components are replaced by 0.
    pub(crate) fn goal(&self) -> Vec2 {
        let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
        vec2(finite(self.cells[GOAL]), finite(self.cells[GOAL + 1]))
    }

    /// Whether a node wrote v_goal in this tick.
    pub(super) fn driven(&self) -> bool {
        !(self.cells[GOAL].is_nan() && self.cells[GOAL + 1].is_nan())
    }

    /// Returns the scratch registers s_scr, v_scr.x and v_scr.y, which keep their values between ticks.
    pub fn scratch(&self) -> [f32; 3] {
        let mut scratch = [0.0; 3];
        scratch.copy_from_slice(&self.cells[SCRATCH - 1..SCRATCH + 2]);
        scratch
    }

    /// Returns the signal of the last tick, 1..=255; 0 without a signal. Signals are for observers; robots cannot
    /// sense them.
    pub fn signal(&self) -> u8 {
        self.signal
    }

    /// Returns the cells of the full register map, for display. v_goal is NaN if the last tick did not write it.
    pub fn cells(&self) -> &[f32; CELLS] {
        &self.cells
    }
}

/// State of one robot between ticks: its registers and the memory of the program's nodes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Registers of the robot.
    pub board: Blackboard,
    nodes: Vec<u16>,
    /// Previous outputs of the neurons. `fired` is the buffer for the next outputs.
    neurons: Vec<f32>,
    fired: Vec<f32>,
}

impl Memory {
    /// Creates the initial memory of a robot that runs `program`. All values are zero.
    pub fn new(program: &Program) -> Memory {
        let neurons = vec![0.0; program.neurons()];
        Memory { board: Blackboard::default(), nodes: vec![0; program.memories], fired: neurons.clone(), neurons }
    }

    /// Returns the words of the nodes with memory in preorder. Each word consists of a running flag and a payload.
    /// The last outputs of the neurons follow, as two words per neuron, low word first.
    pub fn node_words(&self) -> Vec<u16> {
        let halves = |output: &f32| [output.to_bits() as u16, (output.to_bits() >> 16) as u16];
        self.nodes.iter().copied().chain(self.neurons.iter().flat_map(halves)).collect()
    }

    /// Returns the last outputs of the neurons of all networks in preorder (-1..=1).
    pub fn neurons(&self) -> &[f32] {
        &self.neurons
    }

    /// Restores a memory from the words of [`Memory::node_words`] and the values of [`Blackboard::scratch`]. The next
    /// tick continues from this state. Returns `None` if the program cannot produce these words.
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
    /// If the memory does not match the program.
    pub fn tick(&mut self, program: &Program, senses: &Senses, draws: &mut Draws) -> (Status, Vec2) {
        self.run(program, senses, draws, |_, _, _| {})
    }

    /// Ticks like [`Memory::tick`] and reports the result of each node to `observer`.
    ///
    /// `observer` is called once for every node of the tree that this tick visits. Children are reported before their
    /// parents. The arguments are the index of the node in [`Tree::nodes`](super::Tree::nodes) and its final result. A
    /// subtree used as a leaf (thesis 6.5) counts as one node, so its internal nodes are not reported.
    ///
    /// # Panics
    /// If the memory does not match the program.
    pub fn tick_observed(
        &mut self,
        program: &Program,
        senses: &Senses,
        draws: &mut Draws,
        observer: &mut impl FnMut(usize, Status),
    ) -> (Status, Vec2) {
        self.run(program, senses, draws, |at, status, _| {
            if let Some(source) = program.node_indices[at] {
                observer(source as usize, status);
            }
        })
    }

    /// Ticks like [`Memory::tick_observed`] and also identifies the driving leaf like [`Memory::tick_driven`].
    ///
    /// # Panics
    /// If the memory does not match the program.
    pub fn tick_observed_driven(
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
            if let Some(source) = program.node_indices[at] {
                observer(source as usize, status);
            }
        });
        (goal, program.leaf(writer))
    }

    /// Performs one tick. `observe` is generic, so that the compiler removes an empty `observe` completely.
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

/// Executes the update phase of a tick. The loop descends to a leaf, then ascends until a parent has another child to
/// tick. `observe` is called with the index of each visited instruction, its result and the registers after its
/// execution.
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

/// Updates the memory of a `repeati` or `repeatr` node after a tick of its child, and returns the node's result
/// (Algorithms 9 and 10). The payload is the number of successes that are still required.
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

/// Counts the result of a child of `par`, and returns the result of `par` after this child. `left` is the number of
/// children that are not yet ticked. The low bits of `memory` count successes, the high bits count running children.
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

/// Ticks a leaf, which has no memory. The function is inlined, because the tick without an observer is the innermost
/// loop of evolution.
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

/// Returns whether the vector `v` fulfils the condition of an `ifquad` or `ifsect` node. An `ifsect` of width 0 tests
/// whether the vector is short (see [`SHORT`]).
pub(crate) fn holds(node: &Instruction, v: Vec2) -> bool {
    if node.kind == Kind::Ifquad {
        in_quadrant(v, node.a as i32)
    } else if node.b == 0.0 {
        v.length() < SHORT
    } else {
        in_sector(v, node.a, node.b)
    }
}

/// Whether `v` is longer than [`SHORT`] and lies in the sector that is centred on the angle `about` (rad) and extends
/// by `half` (rad) to either side.
#[inline(always)]
pub(super) fn in_sector(v: Vec2, about: f32, half: f32) -> bool {
    (v.length() > SHORT) & (wrap_angle(v.angle() - about).abs() < half)
}

/// Returns whether `v` lies in a quadrant. Quadrants 1..=4 are numbered counter-clockwise from the front left.
/// Quadrants -1..=-4 are numbered clockwise from the front right. Quadrant 0 tests whether the vector is short (see
/// [`SHORT`]).
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
